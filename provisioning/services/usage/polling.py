"""One router's counters: read in one session, compared with the look before, and kept. No driver call in a transaction."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from django.db import transaction

from inventory.models import Router
from provisioning import drivers
from provisioning.errors import ExpediteError
from provisioning.models import CounterLook
from provisioning.pipeline import counters
from provisioning.pipeline.units import how_many
from provisioning.pipeline.usage import Known, Look, counts_of, used_between, used_classes
from provisioning.selectors.requests import sls_of
from provisioning.services import clock, credentials, intents
from provisioning.services.locking import locked
from provisioning.services.patience import timeouts
from provisioning.services.reading import recognise
from provisioning.services.usage.due import next_due
from provisioning.services.usage.keeping import keep, look_of, written

FIRST = "counted for the first time: what is used is known from the next look on"
NO_TIME = "counted a moment ago already: what is used is known from the next look on"


def count_router(*, router_id: int) -> str:
    """Read the counters of a router and keep what was used since they were last read; return that as a sentence.

    Raises DeviceError or ParseFailure when they cannot be read, WrongRouter when another router answers; the row of the
    router's counters says why, and nothing is kept of it.
    """
    router = Router.objects.select_related("domain").get(pk=router_id)
    try:
        now, serial = _look(router)
    except ExpediteError as error:
        _try_again_later(router, f"{error.code}: {error}")
        raise
    wanted = intents.wanted(domain=router.domain, routers=[router.name])
    if router.name not in wanted.intents:
        reason = wanted.unbuildable.get(router.name, "it is in no domain any more")
        _try_again_later(router, f"what it is to hold cannot be worked out: {reason}")
        return "not counted: what it is to hold cannot be worked out"
    known = used_classes(
        wanted.network, wanted.scheme, wanted.intents[router.name], [sls_of(each) for each in wanted.requests]
    )
    rates = {link.interface: link.line_rate_bps for link in wanted.network.access_links}
    rates |= {peering.interface: peering.line_rate_bps for peering in wanted.network.peerings}
    requests = {each.reference: each.pk for each in wanted.requests}
    return _store(router, now, serial, known, rates, requests)


def _look(router: Router) -> tuple[Look, str]:
    """What the router counts, and its serial number."""
    # One of as many sessions as routers are counted: `auto` chooses the driver by that.
    target = replace(credentials.for_router(router=router), among=max(1, CounterLook.objects.count()))
    going = clock.started()
    with drivers.connect(target, timeout=timeouts()) as driver:
        facts = driver.facts()
        recognise(driver, target, facts, cards=False)
        at = going()
        return Look(at, facts.up_s, counts_of(counters.parse(driver.policy_counters()))), facts.serial


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
) -> str:
    with transaction.atomic():
        CounterLook.objects.get_or_create(router=router, defaults={"due_at": now.at})
        row = locked(CounterLook.objects.filter(router=router)).get()
        # What another chassis counted, perhaps elsewhere, is no beginning for this one's.
        before = look_of(row) if row.serial == serial else None
        row.tried_at, row.due_at, row.error = now.at, next_due(row.due_at, now.at), ""
        found = None if before is None else used_between(before, now, line_rates=rates)
        if before is not None and found is None:
            row.save(update_fields=["tried_at", "due_at", "error"])
            return NO_TIME
        row.read_at, row.up_s, row.serial, row.counts = now.at, now.up_s, serial, written(now.counts)
        row.save()
        if found is None:
            return FIRST
        between, used = found
        kept = keep(router, used, between, now.at, known, requests)
    return f"{how_many(kept, 'row')} counted over {between.seconds or 0:.0f} s"
