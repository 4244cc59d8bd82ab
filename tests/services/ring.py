"""A ring of made-up routers as rows, as large as is asked for, and reservations between its neighbours."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import timedelta

from django.utils import timezone

from inventory.models import AccessLink, CoreLink, Domain, Interface, Nren, Pop, Router
from provisioning.models import (
    SYSTEM,
    LedgerEntry,
    PremiumRequest,
    Reservation,
    Role,
    RouterSync,
    SyncState,
)
from provisioning.pipeline import ios
from provisioning.pipeline.change import build_plans
from provisioning.pipeline.rendering import Renderer
from provisioning.pipeline.safety import simulate
from provisioning.pipeline.states import RequestState
from provisioning.selectors.templates import shared_ios_environment
from provisioning.services import intents, people
from provisioning.services.ownership import own, owned_on
from provisioning.services.pushing.freshness import circumstances
from provisioning.services.reading import Reading
from tests.services.readings import read_as

BPS = 155_000_000
ASKED = "asked"


def ring(size: int) -> Domain:
    """``r0`` to ``r{size-1}``, each with a filtered access link that is not standing and two core links."""
    domain = Domain.objects.create(name="RING", asn=64512, prefix="2001:db8::/32", scheme="6net")
    pop = Pop.objects.create(domain=domain, name="Anywhere", country="eu")
    routers = Router.objects.bulk_create(
        Router(
            domain=domain, pop=pop, name=f"r{number}", platform="cisco-12400", ios="12.0(28)S", roles=["core"]
        )
        for number in range(size)
    )
    nrens = Nren.objects.bulk_create(
        Nren(domain=domain, name=f"N{number}", country="eu") for number in range(size)
    )
    access = _interfaces(routers, "POS1/0")
    onward, back = _interfaces(routers, "POS2/0"), _interfaces(routers, "POS2/1")
    AccessLink.objects.bulk_create(
        AccessLink(
            nren=nrens[number],
            interface=access[number],
            name=f"N{number}@r{number}:POS1/0",
            case="filtered",
            standing=False,
        )
        for number in range(size)
    )
    CoreLink.objects.bulk_create(
        CoreLink(
            domain=domain,
            name=_core(number, size),
            a_interface=onward[number],
            z_interface=back[(number + 1) % size],
        )
        for number in range(size)
    )
    return domain


def reserve(
    pairs: Iterable[tuple[int, int]], size: int, *, state: RequestState = RequestState.ACTIVE
) -> list[PremiumRequest]:
    """A reservation from each router to the next one, on since an hour ago, as admission writes them."""
    user = people.put_person(actor=SYSTEM, username=ASKED, roles=[Role.NOC])
    links = {link.name: link for link in AccessLink.objects.select_related("nren")}
    now = timezone.now()
    asked, paths = [], []
    for number, (source, goal) in enumerate(pairs):
        enters, leaves = links[f"N{source}@r{source}:POS1/0"], links[f"N{goal}@r{goal}:POS1/0"]
        asked.append(
            PremiumRequest(
                nren=enters.nren,
                receiving_nren=leaves.nren,
                source_link=enters,
                destination_link=leaves,
                rate_bps=1000,
                bucket_bytes=15000,
                max_packet_bytes=1500,
                start=now - timedelta(hours=1),
                source_prefixes=[f"2001:db8:{number + 1:x}::/48"],
                destination_prefixes=["2001:db8:ffff::/48"],
                contact="noc@example.org",
                submitted_by=user,
                state=state,
            )
        )
        paths.append([(enters.name, "in"), (_core(source, size), "a-z"), (leaves.name, "out")])
    made = PremiumRequest.objects.bulk_create(asked)
    held = Reservation.objects.bulk_create(
        Reservation(
            request=request,
            granted_bps=request.rate_bps,
            path=[{"link": link, "direction": way} for link, way in path],
            seen_on_at=now if state == RequestState.ACTIVE else None,
            put_on_at=now if state == RequestState.ACTIVE else None,
        )
        for request, path in zip(made, paths, strict=True)
    )
    LedgerEntry.objects.bulk_create(
        LedgerEntry(
            reservation=reservation,
            request=reservation.request,
            link=link,
            direction=way,
            pool="ip-premium",
            rate_bps=1000,
            start=now,
        )
        for reservation, path in zip(held, paths, strict=True)
        for link, way in path
    )
    return made


def elsewhere(count: int, size: int) -> list[tuple[int, int]]:
    """So many pairs of neighbours, none of which is, or is next to, ``r0``."""
    return [(2 + number % (size - 4), 3 + number % (size - 4)) for number in range(count)]


def settled(name: str) -> Reading:
    """A reading of a router that holds exactly what it must, all of it ours, as after a verified push."""
    wanted = intents.wanted(routers=[name])
    router, shown = wanted.routers[name], {f"POS{port}": BPS for port in ("1/0", "2/0", "2/1")}
    text = (
        f"hostname {name}\n" + "".join(f"interface {each}\n no ip address\n!\n" for each in shown) + "end\n"
    )
    bare = read_as(name, text, bandwidths=shown)
    intent, config = wanted.intents[name], ios.parse(text)
    plans = build_plans(
        name,
        config,
        intent,
        owned_on(router),
        Renderer(shared_ios_environment()),
        wanted.profiles[name],
        circumstances(bare, intent, wanted),
    )
    for plan in plans:
        config = simulate(config, plan.commands, wanted.profiles[name])[-1] if plan.commands else config
        own(router, plan)
    return replace(bare, config=config)


def all_in_sync() -> None:
    """Every router was read a moment ago and is as intended."""
    RouterSync.objects.bulk_create(
        RouterSync(router=router, state=SyncState.IN_SYNC, checked_at=timezone.now())
        for router in Router.objects.all()
    )


def _interfaces(routers: Sequence[Router], name: str) -> list[Interface]:
    return Interface.objects.bulk_create(
        Interface(router=router, name=name, line_rate_bps=BPS, bw_bps=BPS, usable_bps=BPS)
        for router in routers
    )


def _core(number: int, size: int) -> str:
    return f"r{number}:POS2/0--r{(number + 1) % size}:POS2/1"
