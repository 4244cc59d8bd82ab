"""What is pruned and what never is; the trail knows what left."""

from __future__ import annotations

import io
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.contrib.sessions.models import Session
from django.core.management import call_command
from django.db import transaction
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from inventory.models import Router
from provisioning.models import (
    SYSTEM,
    ApprovedLines,
    AuditEvent,
    Change,
    ConfigSnapshot,
    Job,
    JobKind,
    JobState,
    LedgerEntry,
    PremiumRequest,
    Reservation,
    RouterPush,
    RouterSync,
    StoredPlan,
    Transcript,
)
from provisioning.pipeline.states import PushState
from provisioning.services import audit, retention, tokens
from tests.services.requests.sixnet import submitted
from tests.services.years.aged import YEARS, aged, gone, job, pruned, push, snapshot
from tests.web.world import build_world

pytestmark = pytest.mark.django_db


def test_jobs_that_are_over_go_and_live_ones_never_do() -> None:
    verified = job(JobKind.VERIFY_ROUTER, JobState.DONE, timedelta(hours=7))
    recent = job(JobKind.VERIFY_ROUTER, JobState.DONE, timedelta(hours=5))
    failed = job(JobKind.VERIFY_ROUTER, JobState.FAILED, timedelta(days=29))
    pushed = job(JobKind.PUSH, JobState.DONE, timedelta(days=31))
    waiting = job(JobKind.PUSH, JobState.QUEUED, YEARS)
    running = job(JobKind.PLAN_ROUTER, JobState.LEASED, YEARS)
    found = {each.kind: each for each in retention.prune()}
    assert set(Job.objects.all()) == {recent, failed, waiting, running}
    assert (found["verification jobs"].gone, found["other jobs"].gone) == (1, 1)
    assert found["other jobs"].oldest == waiting.created_at
    assert not Job.objects.filter(pk__in=[verified.pk, pushed.pk]).exists()


def test_a_setting_of_nothing_keeps_for_ever(settings: Any) -> None:
    settings.KEEP_VERIFICATION_JOBS_HOURS = settings.KEEP_JOBS_DAYS = 0
    job(JobKind.VERIFY_ROUTER, JobState.DONE, YEARS)
    job(JobKind.PUSH, JobState.FAILED, YEARS)
    found = retention.prune()
    assert Job.objects.count() == 2
    assert found[0].keeps == "for ever (KEEP_VERIFICATION_JOBS_HOURS is 0)"


def test_a_snapshot_that_something_refers_to_or_that_is_the_last_stays(network: Router) -> None:
    shown, before, after, superfluous, replaced_lately, last = [
        snapshot(network, timedelta(days=days)) for days in (900, 800, 700, 600, 95, 80)
    ]
    other = snapshot(Router.objects.get(name="nl6"), YEARS)
    RouterSync.objects.filter(router=network).delete()
    RouterSync.objects.create(router=network, snapshot=shown)
    push(network, PushState.STALE, timezone.now() - YEARS, before=before, after=after)
    assert gone("snapshots") == 1
    # The one before the last was the last one until 80 days ago: who took it up then may still be about to refer to it.
    assert set(ConfigSnapshot.objects.all()) == {shown, before, after, replaced_lately, last, other}
    assert not ConfigSnapshot.objects.filter(pk=superfluous.pk).exists()


def test_a_transcript_leaves_with_its_digest_in_the_trail_and_never_before_its_change_is_over(
    network: Router,
) -> None:
    long_ago = timezone.now() - YEARS
    over = push(network, PushState.VERIFIED, long_ago)
    half_way = push(network, PushState.UNKNOWN, long_ago)
    open_still = push(network, PushState.VERIFIED, None)
    kept_lately = push(network, PushState.VERIFIED, timezone.now() - timedelta(days=10))
    rows = {
        each.pk: aged(
            Transcript.objects.create(router=network, push=each, purpose="push", digest=f"{each.pk:064d}"),
            YEARS,
            "started_at",
        )
        for each in (over, half_way, open_still, kept_lately)
    }
    assert gone("transcripts") == 1
    assert set(Transcript.objects.all()) == {row for pk, row in rows.items() if pk != over.pk}
    assert pruned("transcripts") == {rows[over.pk].pk: rows[over.pk].digest}
    event = AuditEvent.objects.get(action="retention.prune")
    assert event.after["count"] == 1
    assert audit.verify_chain().intact
    assert gone("transcripts") == 0
    assert AuditEvent.objects.filter(action="retention.prune").count() == 1


def test_a_full_batch_of_digests_is_in_the_trail_as_it_is(network: Router) -> None:
    over = push(network, PushState.VERIFIED, timezone.now() - YEARS)
    made = Transcript.objects.bulk_create(
        Transcript(router=network, push=over, purpose="push", digest=f"{number:064x}")
        for number in range(10**9, 10**9 + 250)
    )
    Transcript.objects.update(started_at=timezone.now() - YEARS)
    assert gone("transcripts") == 250
    assert pruned("transcripts") == {row.pk: row.digest for row in made}


def test_the_lines_of_a_change_long_over_go_and_it_still_can_be_read(client: Client) -> None:
    world = build_world()
    long_ago = timezone.now() - YEARS
    over, failed, running = (world.pushes[name] for name in ("done", "failed", "pushing"))
    Change.objects.filter(pk__in=[each.change_id for each in (over, failed, running)]).update(
        finished_at=long_ago
    )
    # A reservation that is on: the change that put it on is looked up when it is to come off.
    Change.objects.get(pk=failed.change_id).requests.add(world.requests["active"])
    digests = {each.pk: each.plan_digest for each in (over, failed, running)}
    assert all(digests.values())
    with transaction.atomic():
        for each in (over, failed):
            approved = RouterPush.objects.get(pk=each.pk)
            approved.state = (
                PushState.APPROVED
            )  # as it was when somebody agreed to it: then its plan is bound
            audit.record(actor=SYSTEM, action="push.approved", obj=approved)
    assert gone("plans") == 1
    assert audit.verify_chain().intact
    assert pruned("plans") == {over.pk: digests[over.pk]}
    for push_row in (over, failed, running):
        push_row.refresh_from_db()
        assert push_row.plan_digest == digests[push_row.pk]
        assert push_row.plan_removed is (push_row == over)
    assert (over.before, over.after) == (None, None)
    assert failed.before is not None
    client.force_login(world.users["nora"])
    for name in (
        "change",
        "change-raw",
        "change-compare",
        "change-approve",
        "change-progress",
        "change-history",
    ):
        answer = client.get(reverse(f"web:{name}", args=[over.change_id]))
        assert answer.status_code == 200, name
        if name in ("change", "change-raw", "change-compare"):
            assert (
                "were removed" in answer.content.decode() and digests[over.pk] in answer.content.decode()
            ), name
    out = io.StringIO()
    call_command("plan", "--show", str(over.change_id), stdout=out)
    assert "were removed" in out.getvalue()
    call_command("plan", "--show", str(over.change_id), "--json", stdout=out)
    _, text = tokens.issue(actor=SYSTEM, user=world.users["nora"], nren=None, name="noc")
    said = client.get(f"/api/v1/pushes/{over.pk}/", headers={"authorization": f"Bearer {text}"})
    assert (said.status_code, said.json()["plan"]) == (200, None)
    said = client.get(f"/api/v1/changes/{over.change_id}/", headers={"authorization": f"Bearer {text}"})
    assert said.status_code == 200
    assert gone("plans") == 0
    # Emptied by hand, with no event that says so: a fault.
    StoredPlan.objects.filter(pk=failed.pk).update(content="", size=0)
    assert [fault.reason for fault in audit.verify_chain().faults] == [
        "the text of the plan it is about is not the one that was approved"
    ]


@pytest.mark.parametrize(
    ("state", "charged", "goes"),
    [
        ("COMPLETED", False, True),
        ("EXPIRED", True, False),
        ("ACTIVE", True, False),
        ("ADMITTED", True, False),
        ("SUBMITTED", None, False),
        ("WITHDRAWN", None, True),
    ],
)
def test_lines_approved_ahead_go_when_nothing_can_need_them(
    network: Router, state: str, charged: bool | None, goes: bool
) -> None:
    asked = aged(submitted(), YEARS, "state_changed_at")
    if charged is not None:
        released = None if charged else timezone.now() - YEARS
        Reservation.objects.create(request=asked, granted_bps=1, path=[], released_at=released)
    PremiumRequest.objects.filter(pk=asked.pk).update(state=state)
    given = ApprovedLines.objects.create(
        request=asked,
        puts_on=True,
        router=network,
        user=asked.submitted_by,
        lines=[{"text": "class-map x"}],
        lines_digest="a" * 64,
        effect={"e": 1},
        effect_digest="b" * 64,
        text="class-map x",
        seen="c" * 64,
    )
    assert gone("lines approved ahead") == 0, "approved lately"
    aged(given, YEARS, "at")
    assert gone("lines approved ahead") == int(goes)
    given.refresh_from_db()
    assert (given.text, given.lines) == (("", []) if goes else ("class-map x", [{"text": "class-map x"}]))
    assert (given.lines_digest, given.effect_digest) == ("a" * 64, "b" * 64), "whose word on what stays"
    assert gone("lines approved ahead") == 0


def test_charges_that_count_stay(network: Router) -> None:
    asked = submitted()
    reservation = Reservation.objects.create(request=asked, granted_bps=1, path=[])
    long_ago = timezone.now() - YEARS

    def charge(released: datetime | None) -> LedgerEntry:
        return LedgerEntry.objects.create(
            reservation=reservation,
            request=reservation.request,
            link="a",
            direction="in",
            pool="p",
            rate_bps=1,
            start=long_ago,
            released_at=released,
        )

    counts, lately = charge(None), charge(timezone.now() - timedelta(days=399))
    charge(timezone.now() - timedelta(days=401))
    assert gone("released charges") == 1
    assert set(LedgerEntry.objects.filter(link="a")) == {counts, lately}
    assert PremiumRequest.objects.filter(pk=asked.pk).exists()


def test_sessions_that_ran_out_go() -> None:
    for key, days in (("old", -2), ("new", 2)):
        Session.objects.create(
            session_key=key, session_data="", expire_date=timezone.now() + timedelta(days=days)
        )
    assert gone("sessions") == 1
    assert [row.session_key for row in Session.objects.all()] == ["new"]
