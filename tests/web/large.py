"""Much of everything, written in bulk: a ring of routers with access links, and years of requests, changes and events."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from datetime import timedelta
from itertools import islice
from typing import Any, TypeVar

from django.contrib.auth.models import User
from django.db import connection, models
from django.utils import timezone

from inventory.models import AccessLink, CoreLink, Domain, Interface, Nren, Peering, Pop, Prefix, Router
from provisioning.models import (
    SYSTEM,
    AuditEvent,
    Change,
    ChangeKind,
    ConfigSnapshot,
    Consent,
    LedgerEntry,
    PremiumRequest,
    Reservation,
    Role,
    RouterPush,
    RouterSync,
    Series,
    StoredPlan,
    SyncState,
    TopologyVersion,
    Transcript,
)
from provisioning.pipeline.change import PushState, RequestState
from provisioning.selectors import topology
from provisioning.selectors.network import load_network
from provisioning.selectors.plans import digest_of, text_of
from provisioning.services import people
from tests.web.plans import RUNNING, swap_plan

Row = TypeVar("Row", bound=models.Model)
MBIT = 1_000_000
# How requests of the past and of now are spread over their states, per hundred.
STATES = (
    *[RequestState.ADMITTED] * 30,
    *[RequestState.ACTIVE] * 24,
    *[RequestState.EXPIRED] * 10,
    *[RequestState.COMPLETED] * 18,
    *[RequestState.REFUSED] * 8,
    *[RequestState.WITHDRAWN] * 7,
    *[RequestState.HELD] * 1,
    *[RequestState.SUBMITTED] * 2,
)
CHARGED = {RequestState.ADMITTED, RequestState.ACTIVE, RequestState.EXPIRED}


@dataclass(frozen=True)
class Sizes:
    """How many there are of each; ``wide`` is how many routers the largest change has."""

    routers: int
    links: int
    nrens: int
    requests: int
    pushes: int
    events: int
    wide: int


def put(rows: list[Row]) -> list[Row]:
    if not rows:
        return rows
    return list(type(rows[0])._default_manager.bulk_create(rows, batch_size=2000))


def build(sizes: Sizes) -> None:
    """Fill an empty database; the NOC's people are nora and niels, jane is of the first NREN."""
    network(sizes)
    users = who(sizes)
    asked(sizes, users)
    again(sizes, users)
    planned(sizes, users)
    told(sizes, users)
    domain = Domain.objects.get(name="large")
    digest = topology.digest_of(load_network(domain), domain)
    TopologyVersion.objects.create(domain=domain, number=1, digest=digest, cause="made up")
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("VACUUM ANALYZE") if not connection.in_atomic_block else cursor.execute("ANALYZE")


def who(sizes: Sizes) -> dict[str, User]:
    first = Nren.objects.order_by("pk").first()
    assert first is not None
    return {
        name: people.put_person(
            actor=SYSTEM, username=name, roles=roles, nrens=of, password="a-long-practice-password"
        )
        for name, roles, of in (
            ("nora", [Role.NOC], []),
            ("niels", [Role.NOC], []),
            ("jane", [], [first]),
        )
    }


def network(sizes: Sizes) -> None:
    domain = Domain.objects.create(
        name="large", asn=65000, prefix="2001:db8::/32", scheme="6net", policer="cap"
    )
    pop = Pop.objects.create(domain=domain, name="Here", country="nl")
    nrens = put([Nren(domain=domain, name=f"NREN-{n:04}", country="nl") for n in range(sizes.nrens)])
    put([Prefix(nren=nren, network=f"2001:db8:{n + 1:x}::/48") for n, nren in enumerate(nrens)])
    routers = put(
        [
            Router(
                domain=domain,
                pop=pop,
                name=f"r{n:04}",
                platform="cisco-7200vxr",
                ios="12.4(24)T",
                roles=["core", "access"],
            )
            for n in range(sizes.routers)
        ]
    )
    rates: dict[str, Any] = {"line_rate_bps": 155 * MBIT, "bw_bps": 155 * MBIT, "usable_bps": 155 * MBIT}
    ends = put(
        [Interface(router=router, name=name, **rates) for router in routers for name in ("POS1/0", "POS2/0")]
    )
    count = len(routers)
    put(
        [
            CoreLink(
                domain=domain,
                name=f"{routers[n].name}:POS1/0--{routers[(n + 1) % count].name}:POS2/0",
                a_interface=ends[2 * n],
                z_interface=ends[(2 * n + 3) % (2 * count)],
            )
            for n in range(count)
        ]
    )
    edges = put(
        [
            Interface(router=routers[n % count], name=f"GigabitEthernet3/{n // count}", **rates)
            for n in range(sizes.links + 10)
        ]
    )
    put(
        [
            AccessLink(
                nren=nrens[n % len(nrens)],
                interface=edge,
                name=f"{nrens[n % len(nrens)].name}@{edge.router.name}:{edge.name}",
                case=("trusted", "filtered")[n % 2],
            )
            for n, edge in enumerate(edges[: sizes.links])
        ]
    )
    put(
        [
            Peering(
                domain=domain,
                peer=f"PEER-{n}",
                name=f"PEER-{n}@{edge.router.name}:{edge.name}",
                interface=edge,
            )
            for n, edge in enumerate(edges[sizes.links :])
        ]
    )
    now = timezone.now()
    snapshots = put(
        [
            ConfigSnapshot(
                router=router,
                text=running(router.name, [edge.name for edge in edges[n :: len(routers)]]),
                digest="1" * 64,
                bandwidths={f"GigabitEthernet3/{slot}": 155 * MBIT for slot in range(20)},
            )
            for n, router in enumerate(routers)
        ]
    )
    put(
        [
            RouterSync(
                router=router,
                state=(SyncState.DIFFERS, *[SyncState.IN_SYNC] * 9)[n % 10],
                snapshot=snapshots[n],
                core_live=n % 3 == 0,
                checked_at=now,
                detail={"unsaved": ["+ snmp-server location here"]} if n % 10 == 0 else {},
                open_edges=[
                    {"router": router.name, "interface": "FastEthernet0/1", "reason": "no input policy"}
                ]
                if n % 10 == 5
                else [],
            )
            for n, router in enumerate(routers)
        ]
    )


def running(router: str, edges: list[str]) -> str:
    """What a router shows that was never planned for: its interfaces without a policy."""
    named = "".join(f"interface {name}\n no ip address\n!\n" for name in ["POS1/0", *edges])
    return RUNNING.replace("hostname nl6", f"hostname {router}").replace("end\n", f"{named}end\n")


def asked(sizes: Sizes, users: dict[str, User]) -> None:
    """Requests in every state with what they charge: a share is never exceeded, one in twenty links has more in sum."""
    links = list(AccessLink.objects.select_related("nren").order_by("pk"))
    networks = {row.nren_id: str(row.network) for row in Prefix.objects.all()}
    now = timezone.now().replace(microsecond=0)
    step = timedelta(hours=1)
    rows = []
    for n in range(sizes.requests):
        source, target = links[n % len(links)], links[(n * 7 + 1) % len(links)]
        state = STATES[(n * 37 + n // len(links)) % 100]
        age = n // len(links)
        begins = (
            now + (age % 11 + 1) * 24 * step
            if state == RequestState.ADMITTED
            else now - (age % 300 + 2) * 24 * step
        )
        ends = begins + 20 * step
        if state == RequestState.ACTIVE:
            ends = now + (age % 50 + 1) * 24 * step
        rows.append(
            PremiumRequest(
                nren=source.nren,
                receiving_nren=target.nren,
                source_link=source,
                destination_link=target,
                rate_bps=100_000,
                bucket_bytes=6000,
                max_packet_bytes=1500,
                start=begins,
                end=ends,
                source_prefixes=[networks[source.nren_id]],
                destination_prefixes=[networks[target.nren_id]],
                contact=f"noc{n % 97}@example.org",
                reason="Video link",
                state=state,
                consent=Consent.PENDING if state == RequestState.SUBMITTED and n % 2 else Consent.GIVEN,
                submitted_by=users["jane"],
                held_until=now + 24 * step if state == RequestState.HELD else None,
            )
        )
    made = put(rows)
    promised = [one for one in made if one.state in {*CHARGED, RequestState.COMPLETED}]
    granted = put(
        [
            Reservation(
                request=one,
                granted_bps=one.rate_bps,
                path=[],
                released_at=now if one.state == RequestState.COMPLETED else None,
            )
            for one in promised
        ]
    )
    names = {link.pk: link.name for link in links}
    put(
        [
            LedgerEntry(
                reservation=one,
                request=one.request,
                link=names[key],
                direction=way,
                pool="ip-premium",
                rate_bps=one.granted_bps,
                start=one.request.start,
                end=one.request.end,
                released_at=one.released_at,
            )
            for one in granted
            for key, way in ((one.request.source_link_id, "in"), (one.request.destination_link_id, "out"))
        ]
    )


def again(sizes: Sizes, users: dict[str, User]) -> None:
    """Series of the first link's NREN that wait, one in thirty requests as many occurrences each as there are of them."""
    source, target = AccessLink.objects.select_related("nren").order_by("pk")[:2]
    networks = {row.nren_id: str(row.network) for row in Prefix.objects.all()}
    count = min(sizes.requests // 30, 60)
    begins = timezone.now().replace(microsecond=0) + timedelta(days=400)
    for _each in range(count):
        made = Series.objects.create(
            nren=source.nren,
            receiving_nren=target.nren,
            rule=f"FREQ=DAILY;COUNT={count}",
            time_zone="UTC",
            occurrences=count,
            submitted_by=users["jane"],
        )
        put(
            [
                PremiumRequest(
                    nren=source.nren,
                    receiving_nren=target.nren,
                    source_link=source,
                    destination_link=target,
                    rate_bps=100_000,
                    bucket_bytes=6000,
                    max_packet_bytes=1500,
                    start=begins + timedelta(days=day),
                    end=begins + timedelta(days=day, hours=2),
                    source_prefixes=[networks[source.nren_id]],
                    destination_prefixes=[networks[target.nren_id]],
                    contact="noc@example.org",
                    consent=Consent.GIVEN,
                    submitted_by=users["jane"],
                    series=made,
                )
                for day in range(count)
            ]
        )


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
