"""Years of changes with their plans and transcripts, and the events about them."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta
from itertools import islice

from django.contrib.auth.models import User
from django.utils import timezone

from inventory.models import Router
from provisioning.models import (
    AuditEvent,
    Change,
    ChangeKind,
    ConfigSnapshot,
    Message,
    Notification,
    PremiumRequest,
    Rehearsal,
    RehearsedPush,
    RouterPush,
    StoredPlan,
    Subscriber,
    Transcript,
)
from provisioning.pipeline.states import PushState
from provisioning.selectors.plans import digest_of, text_of
from tests.web.large_sizes import Sizes, put
from tests.web.plans import swap_plan


def planned(sizes: Sizes, users: dict[str, User]) -> None:
    """Changes of one router each, and one over ``wide`` routers that waits for approval; each push has its plan."""
    routers = list(Router.objects.order_by("pk"))
    before = {row.router_id: row for row in ConfigSnapshot.objects.order_by("pk")}
    now = timezone.now()
    singles = sizes.pushes - sizes.wide
    changes = put(
        [
            Change(
                kind=ChangeKind.RESERVATION,
                title=f"Reservation {n}",
                submitted_by=users["niels"],
                scheme="6net",
                planned_at=now,
                approved_by=users["niels"] if n % 10 else None,
                approved_at=now if n % 10 else None,
                released_at=now if n % 10 else None,
                finished_at=now if n % 10 else None,
            )
            for n in range(singles)
        ]
        + [
            Change(
                kind=ChangeKind.BASELINE,
                title="Baseline of everything",
                submitted_by=users["niels"],
                scheme="6net",
                planned_at=now,
            )
        ]
    )
    asked = list(islice(PremiumRequest.objects.order_by("pk"), singles))
    put(
        [
            Change.requests.through(change=change, premiumrequest=one)
            for change, one in zip(changes, asked, strict=False)
        ]
    )
    plan = swap_plan()
    where = [(changes[n], routers[n % len(routers)]) for n in range(singles)]
    where += [(changes[-1], routers[n]) for n in range(sizes.wide)]
    pushes, texts = [], []
    for n, (change, router) in enumerate(where):
        text = text_of(replace(plan, router=router.name).to_json())
        texts.append(text)
        done = change.finished_at is not None
        pushes.append(
            RouterPush(
                change=change,
                router=router,
                phase="edges",
                position=n,
                state=PushState.VERIFIED if done else PushState.PLANNED,
                plan_digest=digest_of(text),
                fingerprint=json.loads(text)["fingerprint"],
                before=before[router.pk],
                lines=len(plan.commands),
                line=len(plan.commands) if done else 0,
                saved=n % 4 > 0 if done else None,
            )
        )
    put(pushes)
    put(
        [
            StoredPlan(push=push, content=text, size=len(text), gaps=[gap.text for gap in plan.gaps])
            for push, text in zip(pushes, texts, strict=True)
        ]
    )
    put(
        [
            Transcript(
                router=push.router, push=push, purpose="push", lines=[[0.1, ">", "configure terminal"]] * 100
            )
            for push in pushes
            if push.line
        ]
    )


def told(sizes: Sizes, users: dict[str, User]) -> None:
    """Events about the requests; their hashes are no chain, which no page checks."""
    put(
        [
            Notification(topic="push-failed", subject=f"push/{n}", at=timezone.now(), title=f"CH-{n} failed")
            for n in range(sizes.events)
        ]
    )
    noc = Subscriber.objects.create(channel="mail", address="noc@example.net")
    put(
        [
            Message(
                subscriber=noc,
                state=("sent", "given-up")[n % 2],
                next_at=timezone.now(),
                created_at=timezone.now(),
            )
            for n in range(sizes.events)
        ]
    )
    last = AuditEvent.objects.order_by("-sequence").values_list("sequence", flat=True).first() or 0
    now = timezone.now()
    put(
        [
            AuditEvent(
                sequence=last + n + 1,
                at=now - timedelta(minutes=sizes.events - n),
                actor=("nora", "niels", "jane")[n % 3],
                via=("web", "api")[n % 2],
                action="request.submitted",
                object_type=("PremiumRequest", "Change")[n % 2],
                object_id=str(n % max(1, sizes.requests) + 1),
                object_label=f"PIP-{n % max(1, sizes.requests) + 1}",
                nren_ids=[],
                reason="Video link",
                after={"state": "SUBMITTED"},
                previous_digest="0" * 64,
                digest=f"{n:064x}",
            )
            for n in range(sizes.events)
        ]
    )


def rehearsed() -> None:
    """The change of many, played on practice routers."""
    change = Change.objects.order_by("-pk")[0]
    pushes = list(change.pushes.order_by("pk"))
    row = Rehearsal.objects.create(
        change=change, fingerprint="", parts=len(pushes), finished_at=timezone.now()
    )
    said = [[number, "set dscp 0", ""] for number in range(1, 20)]
    put(
        [
            RehearsedPush(
                rehearsal=row,
                push=push,
                outcome="rehearsed",
                said="every line was taken",
                lines=said,
                unknown=said,
                transcript=[[0.1, ">", "set dscp 0"]] * 40,
            )
            for push in pushes
        ]
    )
