"""One router's counters: read in one session, compared with the look before, and kept. No driver call in a transaction."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta

from django.db import transaction
from django.db.models.functions import Now

from inventory.models import Router
from provisioning import drivers
from provisioning.errors import Conflict, ExpediteError
from provisioning.models import CounterLook, RouterLease
from provisioning.pipeline.scheme import Telling
from provisioning.pipeline.topology import Network
from provisioning.pipeline.units import how_many
from provisioning.pipeline.usage import Known, Look, counts_of, used_between, used_classes, with_missing
from provisioning.selectors.requests import sls_of
from provisioning.services import clock, credentials, intents, living
from provisioning.services.leases import Held
from provisioning.services.locking import locked
from provisioning.services.patience import timeouts
from provisioning.services.reading import recognise
from provisioning.services.usage.due import next_due
from provisioning.services.usage.keeping import keep, look_of, written

FIRST = "counted for the first time: what is used is known from the next look on"
NO_TIME = "counted a moment ago already: what is used is known from the next look on"
CLOCK_SLACK = timedelta(seconds=60)


def count_router(*, router_id: int) -> str:
    """Read the counters of a router, keep what was used since they were last read, and return that as a sentence.

    A router that cannot be read, or answers as another one, or whose intent cannot be built, is looked at again at its next
    beat; the row of its counters says why. Raises Held while somebody writes to it: its few lines are for that, and
    StaleState where it was retired.
    """
    router = living.router_of(router_id)
    if RouterLease.objects.filter(router=router, until__gt=Now()).exists():
        raise Held(f"{router.name} is being written to; its counters are read after that")
    try:
        return _count(router)
    except ExpediteError as error:
        _try_again_later(router, f"{error.code}: {error}")
        return f"not counted: {error}"


def _count(router: Router) -> str:
    wanted = intents.wanted(domain=router.domain, routers=[router.name])
    intended = wanted.intents.get(router.name)
    if intended is None:
        raise Conflict(f"what it is to hold cannot be worked out: {wanted.unbuildable.get(router.name, '')}")
    known = used_classes(wanted.network, wanted.scheme, intended, [sls_of(each) for each in wanted.requests])
    requests = {each.reference: each.pk for each in wanted.requests}
    now, serial = _look(router)
    rates = _line_rates(router.name, wanted.network)
    return _store(router, now, serial, known, rates, requests, wanted.scheme.telling)


def _line_rates(router: str, network: Network) -> dict[str, int]:
    """What each managed interface of the router carries, bit/s."""
    rates = {link.interface: link.line_rate_bps for link in network.access_links}
    rates |= {peering.interface: peering.line_rate_bps for peering in network.peerings}
    for core in network.core_links:
        ends = ((core.a_router, core.a_interface), (core.z_router, core.z_interface))
        rates |= {interface: core.line_rate_bps for end, interface in ends if end == router}
    return rates


def _look(router: Router) -> tuple[Look, str]:
    """What the router counts, and its serial number."""
    # One of as many sessions as routers are counted: `auto` chooses the driver by that.
    target = replace(credentials.for_router(router=router), among=max(1, CounterLook.objects.count()))
    going = clock.started()
    with drivers.connect(target, timeout=timeouts()) as driver:
        facts = driver.facts()
        recognise(driver, target, facts, cards=False)
        at = going()
        return Look(at, facts.up_s, counts_of(driver.counted())), facts.serial


def _try_again_later(router: Router, error: str) -> None:
    with transaction.atomic():
        row = locked(CounterLook.objects.filter(router=router)).first()
        if row is not None:
            moment = clock.now()
            row.tried_at, row.due_at, row.error = moment, next_due(row.due_at, moment), error
            row.save(update_fields=["tried_at", "due_at", "error"])


def _store(
    router: Router,
    now: Look,
    serial: str,
    known: Known,
    rates: Mapping[str, int],
    requests: Mapping[str, int],
    telling: Telling,
) -> str:
    with transaction.atomic():
        living.hold_one(router)
        CounterLook.objects.get_or_create(router=router, defaults={"due_at": now.at})
        row = locked(CounterLook.objects.filter(router=router)).get()
        # What another chassis counted, perhaps elsewhere, is no beginning for this one's.
        before = look_of(row) if row.serial == serial else None
        row.tried_at, row.due_at, row.error = now.at, next_due(row.due_at, now.at), ""
        found = None if before is None else used_between(before, now, line_rates=rates)
        if before is not None and found is None and before.at - now.at < CLOCK_SLACK:
            row.save(update_fields=["tried_at", "due_at", "error"])
            return NO_TIME
        # Where our clock was set back, and the router does not say how long it is up, it begins anew.
        row.read_at, row.up_s, row.serial = now.at, now.up_s, serial
        row.counts = written(with_missing(before, now))
        row.save()
        if found is None:
            return FIRST
        between, used = found
        kept = keep(router, used, between, now.at, known, requests, telling)
    return f"{how_many(kept, 'row')} counted over {between.seconds or 0:.0f} s"
