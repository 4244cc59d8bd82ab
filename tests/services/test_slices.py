"""What one router must hold is the same whether it was worked out for it alone or for the whole domain."""

from __future__ import annotations

import random
from datetime import timedelta
from pathlib import Path

import pytest
from django.conf import settings
from django.utils import timezone

from inventory.models import AccessLink, Domain, Peering, Router
from inventory.readers.network_yaml import read_network
from provisioning.errors import InvalidInput
from provisioning.models import (
    SYSTEM,
    ConfigSnapshot,
    LedgerEntry,
    LinkObjectName,
    PremiumRequest,
    Reservation,
    Role,
)
from provisioning.pipeline.admission.reach import charged, reach
from provisioning.pipeline.states import RequestState
from provisioning.pipeline.topology import Path as Way
from provisioning.selectors.network import load_network
from provisioning.selectors.requests import sls_of
from provisioning.selectors.schemes import scheme_of
from provisioning.services import intents, people, routes
from provisioning.services.inventory import import_network
from tests.services.readings import read_as

pytestmark = pytest.mark.once

NETWORKS = sorted((Path(settings.BASE_DIR) / "inventory" / "networks").glob("*.yaml"))
STATES = (RequestState.ADMITTED, RequestState.ACTIVE, RequestState.WITHDRAWN, RequestState.EXPIRED)


def reserve(dice: random.Random, count: int) -> list[PremiumRequest]:
    """Rows as admission writes them, between random links, of random classes, on, over, or yet to begin."""
    domain, now = Domain.objects.get(), timezone.now()
    network, scheme = load_network(domain), scheme_of(domain)
    links = list(AccessLink.objects.filter(nren__domain=domain).select_related("nren").order_by("name"))
    user = people.put_person(actor=SYSTEM, username="asker", roles=[Role.NOC])
    made = []
    while count:
        source, goal = dice.choice(links), dice.choice([*links, None])
        begins = now + timedelta(hours=dice.randrange(-9, 3))
        request = PremiumRequest(
            nren=source.nren,
            receiving_nren=None if goal is None else goal.nren,
            source_link=source,
            destination_link=goal,
            service_class=dice.choice([each.name for each in scheme.classes if each.pool]),
            rate_bps=dice.randrange(1, 5) * 10**5,
            bucket_bytes=15000,
            max_packet_bytes=1500,
            start=begins,
            end=dice.choice([None, begins + timedelta(hours=dice.randrange(1, 12))]),
            source_prefixes=[f"2001:db8:{dice.randrange(1, 9999)}::/48"],
            destination_prefixes=[f"2001:db8:{dice.randrange(1, 9999)}::/48"] if goal else [],
            contact="noc@example.org",
            submitted_by=user,
            state=dice.choice(STATES),
        )
        try:
            found = reach(network, scheme, sls_of(request))
        except InvalidInput:
            continue
        if not isinstance(found, Way):
            continue
        request.save()
        reservation = Reservation.objects.create(
            request=request,
            granted_bps=request.rate_bps,
            path=[{"link": hop.link, "direction": hop.direction.value} for hop in found.hops],
            put_on_at=dice.choice([None, timezone.now()]),
        )
        for load in charged(scheme, sls_of(request), found):
            LedgerEntry.objects.create(
                reservation=reservation,
                request=request,
                link=load.link,
                direction=load.direction,
                pool=scheme.pool_of(request.service_class).name,
                rate_bps=request.rate_bps,
                start=request.start,
                end=request.end,
                exempt="made by a test",  # chance asks for more than there is
            )
        made.append(request)
        count -= 1
    return made


def disturb(dice: random.Random) -> None:
    """Numbers that edges carry already, other bandwidths than the inventory's, and an exempt interface."""
    edges = [*AccessLink.objects.select_related("interface"), *Peering.objects.select_related("interface")]
    taken: dict[int, int] = {}
    for edge in dice.sample(edges, len(edges) // 2):
        router = edge.interface.router_id
        taken[router] = taken.get(router, 0) + dice.randrange(1, 3)
        named = {"link": edge} if isinstance(edge, AccessLink) else {"peering": edge}
        LinkObjectName.objects.create(router_id=router, suffix=taken[router], **named)
    for router in Router.objects.all():
        for interface in router.interfaces.all():
            if dice.random() < 0.1:
                interface.exempt_reason = "not ours"
                interface.save()
        shown = {each.name: dice.randrange(1, 9) * 10**7 for each in router.interfaces.all()}
        for _reading in range(2):
            ConfigSnapshot.objects.create(router=router, text="end", digest="", bandwidths=shown)


@pytest.mark.django_db
@pytest.mark.parametrize("file", NETWORKS, ids=lambda file: file.stem)
@pytest.mark.parametrize("seed", range(4))
def test_a_slice_says_what_the_whole_says(file: Path, seed: int) -> None:
    dice = random.Random(seed)
    import_network(actor=SYSTEM, network=read_network(file), dry_run=False)
    made = reserve(dice, dice.randrange(1, 25))
    disturb(dice)
    keys = list(PremiumRequest.objects.values_list("pk", flat=True))
    on, off = dice.sample(keys, len(keys) // 3), dice.sample(keys, len(keys) // 3)
    whole = intents.wanted(puts_on=on, takes_off=off)
    names = sorted(whole.routers)
    for chosen in [[], *([name] for name in names), dice.sample(names, min(3, len(names))), names]:
        part = intents.wanted(puts_on=on, takes_off=off, routers=chosen)
        assert sorted(part.routers) == sorted(chosen)
        assert part.digest(chosen) == whole.digest(chosen)
        assert (part.scheme_digest, part.template_digest) == (whole.scheme_digest, whole.template_digest)
        assert part.intents == {name: whole.intents[name] for name in chosen if name in whole.intents}
        assert part.unbuildable == {
            name: whole.unbuildable[name] for name in chosen if name in whole.unbuildable
        }
        depending = set(intents.depending_on(PremiumRequest.objects.all(), chosen))
        assert {each for each in made if intents.routers_concerned(each) & set(chosen)} <= depending
        for name in chosen:
            assert part.exempt[name] == whole.exempt[name]
            assert part.concerning(name) == whole.concerning(name) == asked_about(whole, name)
            reading = read_as(name, f"hostname {name}\nend\n")
            assert routes.routes_at_risk(part, reading) == routes.routes_at_risk(whole, reading)


def asked_about(whole: intents.Wanted, name: str) -> tuple[PremiumRequest, ...]:
    """By the definition, from every request that is on."""
    return tuple(
        each
        for each in whole.requests
        if enters(each) == name
        or (
            name in intents.routers_concerned(each)
            and whole.scheme.service_class(each.service_class).static_routes
        )
    )


def enters(request: PremiumRequest) -> str:
    return str(request.source_link.interface.router.name)


@pytest.mark.django_db
@pytest.mark.parametrize("file", NETWORKS, ids=lambda file: file.stem)
def test_a_slice_holds_what_ends_on_its_routers_and_nothing_else(file: Path) -> None:
    import_network(actor=SYSTEM, network=read_network(file), dry_run=False)
    whole = load_network()
    for router in whole.routers:
        part = load_network(routers=[router.name])
        assert part.router(router.name) == router
        assert part.access_links == tuple(link for link in whole.access_links if link.router == router.name)
        assert part.peerings == tuple(link for link in whole.peerings if link.router == router.name)
        assert part.core_links == tuple(
            link for link in whole.core_links if router.name in (link.a_router, link.z_router)
        )
        ends = {end for link in part.core_links for end in (link.a_router, link.z_router)}
        assert {each.name for each in part.routers} == ends | {router.name}
