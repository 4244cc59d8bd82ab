"""A series that asks for less, or ends sooner: all of it in one transaction, under the locks of its requests."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from django.db import transaction

from provisioning.errors import Conflict, InvalidInput, StaleState
from provisioning.models import Actor, PremiumRequest, Series, Verb
from provisioning.pipeline.states import RequestState
from provisioning.pipeline.units import BitRate, rate_text
from provisioning.selectors.queues import ON
from provisioning.selectors.requests import sls_of
from provisioning.selectors.series import LIVE
from provisioning.selectors.viewers import viewer_of
from provisioning.services import audit, clock, quotas
from provisioning.services.decisions import Occurrence
from provisioning.services.decisions.each import judge_each, rate_that_fits
from provisioning.services.modifications.ending import cut
from provisioning.services.requests.checking import on_grid
from provisioning.services.requests.replacing import replace_terms
from provisioning.services.series import members
from provisioning.services.series.ending import give_back
from provisioning.services.wording import reason_text

_OPEN = (*members.OPEN, RequestState.REFUSED)


def take_offer(*, actor: Actor, series: Series, rate_bps: int | None = None) -> Series:
    """Have every occurrence that is undecided, or was refused, ask for the rate that fits each of them, and return the series.

    ``rate_bps`` is the rate as it was read (None: what it is now). Where everything fits that rate it is asked for, else nothing
    is changed. Consent stays: no more is asked of anybody. Raises NotVisible, NotPermitted (neither the NREN that asked nor the
    NOC), InvalidInput (no less than is asked now), StaleState (nothing is open, or all fits as it is), Conflict (no rate fits).
    """
    members.may_change(actor, series, Verb.ASK)
    with transaction.atomic():
        refused = PremiumRequest.objects.filter(series=series, state=RequestState.REFUSED).exists()
        if refused and not PremiumRequest.objects.filter(series=series, state__in=members.OPEN).exists():
            quotas.take_open(series.nren, more=1)
        now = clock.now()
        groups = members.locked_groups(series, _OPEN, now=now)
        viewer = viewer_of(actor, series.nren.domain)
        if rate_bps is not None:
            on_grid(viewer, rate_bps)
        judged = judge_each(groups, now=now, viewer=viewer)
        rate = _offered(series, judged) if rate_bps is None else rate_bps
        rows = members.rows_in(groups)
        if not 0 < rate < max(row.rate_bps for row in rows):
            raise InvalidInput(f"{series.reference} asks for no more than that already", field="rate_bps")
        for row in rows:
            row.rate_bps = min(row.rate_bps, rate)  # as it is to be judged; stored below
        misfits = [each for each in judge_each(groups, now=now, viewer=viewer) if not each.fits]
        if misfits:
            raise Conflict(
                f"{rate_text(rate)} does not fit {len(misfits)} of {len(groups)} occurrences any more",
                field="rate_bps",
            )
        standing = {row.pk: row for row in members.rows_in(members.locked_groups(series, _OPEN, now=now))}
        for group in groups:
            own = [standing[row.pk] for row in group]
            old = [sls_of(row) for row in own]
            new = [replace(sls, rate=BitRate(min(sls.rate.bps, rate))) for sls in old]
            replace_terms(actor, own, old, new, action="request.offer-taken", reason="lower-rate offer")
        audit.record(
            actor=actor,
            action="series.offer-taken",
            obj=series,
            after={"rate_bps": rate, "occurrences": len(groups)},
            nren_ids=members.concerned(series),
        )
    return series


def end_early(*, actor: Actor, series: Series, end: datetime | None = None, reason: str) -> Series:
    """Have a series end then, or now, and return it: what would begin at that instant or later is withdrawn, and the granted
    occurrence that is under way then ends then (one that is undecided is withdrawn).

    Raises NotVisible, NotPermitted (neither the NREN that asked nor the NOC), InvalidInput without a reason and for an end that
    nothing of it reaches, StaleState when nothing is left of it, Conflict while it is being taken off.
    """
    members.may_change(actor, series, Verb.END)
    why = reason_text(reason)
    with transaction.atomic():
        now = clock.now()
        at = now if end is None else max(end, now)
        rows = members.rows_in(members.locked_groups(series, LIVE, now=now))
        beyond = [row for row in rows if row.end is None or row.end > at]
        if not beyond:
            raise InvalidInput("all of it has ended by then", field="end")
        under_way = [row for row in beyond if row.start < at and row.state in ON]
        keys = [row.pk for row in beyond if row not in under_way]
        give_back(keys, actor=actor, reason=why, now=now)
        if under_way:
            cut(actor, under_way, at, why)
        audit.record(
            actor=actor,
            action="series.end-early",
            obj=series,
            reason=why,
            after={"end": at, "withdrawn": len(keys), "shortened": len(under_way)},
            nren_ids=members.concerned(series),
        )
    return series


def _offered(series: Series, judged: tuple[Occurrence, ...]) -> int:
    if all(each.fits for each in judged):
        raise StaleState(f"{series.reference} fits as it is: there is nothing to choose")
    found = rate_that_fits(judged)
    if found is None:
        raise Conflict(f"no rate fits every occurrence of {series.reference}", field="rate_bps")
    return found
