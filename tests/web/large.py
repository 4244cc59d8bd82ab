"""Much of everything, written in bulk: a ring of routers with access links, and years of requests, changes and events."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.contrib.auth.models import User
from django.db import connection
from django.utils import timezone

from inventory.models import AccessLink, CoreLink, Domain, Interface, Nren, Peering, Pop, Prefix, Router
from provisioning.models import (
    SYSTEM,
    ConfigSnapshot,
    Membership,
    Role,
    RouterDifference,
    RouterSync,
    SyncState,
    TopologyVersion,
)
from provisioning.pipeline.states import RequestState
from provisioning.selectors import topology
from provisioning.selectors.network import load_network
from provisioning.services import people
from tests.web.large_changes import planned, rehearsed, told
from tests.web.large_requests import again, asked
from tests.web.large_sizes import Sizes, put
from tests.web.plans import RUNNING

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

UNSAVED, FOREIGN = "+ policy-map TRUSTED-IN", "+ snmp-server location here"


def build(sizes: Sizes) -> None:
    """Fill an empty database; the NOC's people are nora and niels, jane is of the first NREN."""
    network(sizes)
    users = who(sizes)
    asked(sizes, users)
    again(sizes, users)
    planned(sizes, users)
    rehearsed()
    told(sizes, users)
    differing(sizes)
    people_of(sizes)
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
                detail={"unsaved": [UNSAVED, FOREIGN]} if n % 10 == 0 else {},
                unsaved={"ours": [UNSAVED], "foreign": [FOREIGN], "since": {FOREIGN: now.isoformat()}}
                if n % 10 == 0
                else {},
                open_edges=[
                    {"router": router.name, "interface": "FastEthernet0/1", "reason": "no input policy"}
                ]
                if n % 10 == 5
                else [],
            )
            for n, router in enumerate(routers)
        ]
    )


def differing(sizes: Sizes) -> None:
    """One in twenty events is a difference that was seen: half of them stand, every fifth is ignored."""
    routers = list(Router.objects.order_by("pk"))
    now = timezone.now()
    put(
        [
            RouterDifference(
                router=routers[n % len(routers)],
                object=f"policy-map HAND-{n} class EF",
                expected="police 1000000" if n % 3 else "",
                found="police 2000000",
                digest=f"{n:064x}",
                first_seen_at=now - timedelta(minutes=n),
                last_seen_at=now,
                gone_at=now if n % 2 else None,
                ignored_until=now + timedelta(days=1) if n % 5 == 0 else None,
                ignored_reason="On purpose" if n % 5 == 0 else "",
            )
            for n in range(sizes.events // 20)
        ]
    )


def people_of(sizes: Sizes) -> None:
    """Accounts of NRENs, one for every two hundred requests."""
    nrens = list(Nren.objects.order_by("pk"))
    made = put(
        [
            User(username=f"person-{n:04}", email=f"p{n}@example.org", password="!")
            for n in range(sizes.requests // 200)
        ]
    )
    put([Membership(user=one, nren=nrens[n % len(nrens)]) for n, one in enumerate(made)])


def running(router: str, edges: list[str]) -> str:
    """What a router shows that was never planned for: its interfaces without a policy."""
    named = "".join(f"interface {name}\n no ip address\n!\n" for name in ["POS1/0", *edges])
    return RUNNING.replace("hostname nl6", f"hostname {router}").replace("end\n", f"{named}end\n")
