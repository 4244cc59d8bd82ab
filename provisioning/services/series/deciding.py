"""Admit, refuse, hold and release a series: every occurrence under one set of locks, in one transaction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import F

from provisioning.models import Actor, PremiumRequest, Reservation, Series, Verb
from provisioning.pipeline.admission import Admitted, Reason, Refused, Viewer, seen_reason, without_quota
from provisioning.pipeline.states import RequestState
from provisioning.pipeline.units import instant_text
from provisioning.selectors.authority import permit_named, to_deciding
from provisioning.selectors.terms import series_as_read
from provisioning.services import audit, clock, quotas, records, transitions
from provisioning.services import break_glass as glass
from provisioning.services.charging import ToCharge, charge_all, path_as_json, release_holds
from provisioning.services.decisions.deciding import asker_of, evidence_of, one_of
from provisioning.services.decisions.each import (
    Occurrence,
    admitted_of,
    judge_each,
    judge_each_locked,
    rate_that_fits,
)
from provisioning.services.decisions.holding import check_until
from provisioning.services.decisions.links import begin_decision
from provisioning.services.decisions.permission import agreed, as_judged
from provisioning.services.series import members
from provisioning.services.wording import reason_text


@dataclass(frozen=True)
class Verdict:
    """What was judged of each open occurrence, in order, and whether anything was granted (or held); as ``viewer`` may be told
    (None: exactly).
    """

    occurrences: tuple[Occurrence, ...]
    granted: bool = False
    viewer: Viewer | None = None

    @property
    def misfits(self) -> tuple[Occurrence, ...]:
        """The occurrences that do not fit."""
        return tuple(each for each in self.occurrences if not each.fits)

    @property
    def fits(self) -> bool:
        return bool(self.occurrences) and not self.misfits

    @property
    def rate_that_fits(self) -> int | None:
        """The highest rate that fits every occurrence, bit/s; None where it fits as asked, or at no rate."""
        return rate_that_fits(self.occurrences)

    def reasons_of(self, occurrence: Occurrence) -> tuple[Reason, ...]:
        """Why one does not fit, as the viewer may read it."""
        asker = occurrence.requests[0].nren_id
        return tuple(seen_reason(each, self.viewer, asker=asker) for each in occurrence.reasons)

    def takes(self, only_whole: bool) -> tuple[Occurrence, ...]:
        """What is granted of it."""
        if only_whole:
            return self.occurrences if self.fits else ()
        return tuple(each for each in self.occurrences if each.fits)


def evidence(*, series: Series, viewer: Viewer | None = None) -> Verdict:
    """How every open occurrence stands against network and ledger at this moment, as ``viewer`` may be told (None: exactly);
    changes nothing.
    """
    now = clock.now()
    return Verdict(judge_each(members.groups_of(series, now=now), now=now, viewer=viewer), viewer=viewer)


def admit(
    *,
    actor: Actor,
    series: Series,
    reason: str,
    only_whole: bool | None = None,
    break_glass: str = "",
    terms: str = "",
) -> Verdict:
    """Grant every open occurrence if, under the locks of all links, each fits; else change nothing. Where it was asked so (or
    ``only_whole`` is False) those that fit are granted and the others refused, unless none fits; one that the NREN's quota
    refuses does not fit. Where each has to fit that is a QuotaExceeded.

    What does not fit is recorded in the audit trail. Raises NotVisible, NotPermitted (not the NOC, or who submitted it), Conflict
    (no consent), TermsChanged, StaleState (nothing is open), InvalidInput (no reason). ``break_glass`` and ``terms`` (of all of
    the series) as of `decisions.admit`.
    """
    members.must_see(actor, series)
    permit_named(actor, Verb.DECIDE)
    alone = glass.reason_of(break_glass)
    against = glass.weigh(to_deciding(actor, [series]), alone)
    why = reason_text(reason)
    with begin_decision(series.nren):
        now = clock.now()
        whole = series.only_whole if only_whole is None else only_whole
        verdict = _judged_locked(series, members.OPEN, now, in_part=not whole)
        series_as_read(terms, series.pk)
        agreed([row for each in verdict.occurrences for row in each.requests])
        taken = verdict.takes(whole)
        if not taken:
            _record(actor, series, "series.does-not-fit", why, _misfits_of(verdict))
            return verdict
        release_holds([row.pk for each in verdict.occurrences for row in each.requests], now=now)
        _charge(taken)
        _decide(actor, taken, "admitted", why, now)
        _decide(actor, verdict.misfits, "refused", why, now, told=_told(verdict.misfits, now), by_quota=True)
        glass.record(actor=actor, deed=Verb.DECIDE, about=series, against=against, reason=alone)
        _record(actor, series, "series.admitted", why, {"granted": len(taken), **_misfits_of(verdict)})
    return Verdict(verdict.occurrences, granted=True)


def refuse(*, actor: Actor, series: Series, reason: str, terms: str = "") -> Verdict:
    """Refuse every open occurrence, keep the evidence of the moment with each, and return it; raises as `admit`."""
    members.may_decide(actor, series)
    why = reason_text(reason)
    with transaction.atomic():
        now = clock.now()
        records.keep_current(series.nren.domain)
        groups = members.locked_groups(series, now=now)
        series_as_read(terms, series.pk)
        release_holds([row.pk for row in members.rows_in(groups)], now=now)
        verdict = Verdict(judge_each(groups, now=now))
        _decide(actor, verdict.occurrences, "refused", why, now, told=_told(verdict.occurrences, now))
        _record(actor, series, "series.refused", why, {"requests": len(members.rows_in(groups))})
    return verdict


def hold(*, actor: Actor, series: Series, until: datetime, reason: str, terms: str = "") -> Verdict:
    """Charge every open occurrence provisionally until ``until``, if each fits (or, where it was asked so, those that fit).

    Raises as `admit`, StaleState where nothing is SUBMITTED, and InvalidInput for an end as of a single hold.
    """
    members.may_decide(actor, series)
    why = reason_text(reason)
    check_until(until, clock.now())
    with begin_decision(series.nren):
        now = clock.now()
        verdict = _judged_locked(series, (RequestState.SUBMITTED,), now, in_part=not series.only_whole)
        series_as_read(terms, series.pk)
        taken = verdict.takes(series.only_whole)
        if not taken:
            return verdict
        quotas.take_holds(series.nren, [row for each in taken for row in each.requests], more=1)
        charge_all(
            ToCharge(row, admitted, lapses_at=until)
            for each in taken
            for row, admitted in zip(each.requests, admitted_of(each), strict=True)
        )
        noted = {
            row.pk: {"record": digest}
            for each, digest in zip(taken, _keep(taken, "held"), strict=True)
            for row in each.requests
        }
        _move(
            actor,
            taken,
            (RequestState.SUBMITTED,),
            RequestState.HELD,
            why,
            noted=noted,
            held_until=until,
            times_held=F("times_held") + 1,
        )
        _record(actor, series, "series.held", why, {"held": len(taken), "until": until})
    return Verdict(verdict.occurrences, granted=True)


def unhold(*, actor: Actor, series: Series, reason: str) -> Series:
    """End the hold of every occurrence that is held; raises as `admit`."""
    members.may_decide(actor, series)
    why = reason_text(reason)
    with transaction.atomic():
        now = clock.now()
        groups = members.locked_groups(series, (RequestState.HELD,), now=now)
        release_holds([row.pk for row in members.rows_in(groups)], now=now)
        transitions.move_all(
            model=PremiumRequest,
            keys=[row.pk for row in members.rows_in(groups)],
            from_states=(RequestState.HELD,),
            to_state=RequestState.SUBMITTED,
            actor=actor,
            reason=why,
            action="request.unhold",
            held_until=None,
        )
        _record(actor, series, "series.unheld", why, {"occurrences": len(groups)})
    return series


def _judged_locked(
    series: Series, states: Sequence[RequestState], now: datetime, *, in_part: bool
) -> Verdict:
    """Judged under the locks of the links, then the requests locked: what ended in between is left out. Raises StaleState where
    one asks for something else by then.
    """
    seen = members.groups_of(series, states, now=now)
    judged = judge_each_locked(seen, now=now, in_part=in_part) if seen else ()
    standing = {row.pk: row for row in members.rows_in(members.locked_groups(series, states, now=now))}
    found = [row for row in members.rows_in(seen) if row.pk in standing]
    as_judged(found, [standing[row.pk] for row in found])
    return Verdict(
        tuple(
            replace(each, requests=tuple(standing[row.pk] for row in each.requests))
            for each in judged
            if all(row.pk in standing for row in each.requests)
        )
    )


def _charge(taken: Sequence[Occurrence]) -> None:
    wanted = [
        (row, admitted, each.judged.version)
        for each in taken
        for row, admitted in zip(each.requests, admitted_of(each), strict=True)
    ]
    reservations = Reservation.objects.bulk_create(
        [
            Reservation(
                request=row,
                granted_bps=row.rate_bps,
                path=path_as_json(admitted.path.hops),
                topology=version,
            )
            for row, admitted, version in wanted
        ]
    )
    charge_all(
        ToCharge(row, admitted, reservation)
        for (row, admitted, _version), reservation in zip(wanted, reservations, strict=True)
    )


def _decide(
    actor: Actor,
    occurrences: Sequence[Occurrence],
    deed: records.Deed,
    reason: str,
    now: datetime,
    *,
    told: Sequence[Occurrence] | None = None,
    by_quota: bool = False,
) -> None:
    shown = {}
    listed: Sequence[Occurrence | None] = [None] * len(occurrences) if told is None else told
    for each, digest, said_of in zip(occurrences, _keep(occurrences, deed), listed, strict=True):
        for number, row in enumerate(each.requests):
            found = one_of(each.judged.verdict, number)
            telling = None if said_of is None else one_of(said_of.judged.verdict, number)
            said = reason
            if by_quota and each.over:
                # A quota is no part of what a decision can be derived from again: it is said with the reason, which the
                # receiver reads too. How much is used of it stands with what whoever asked is told.
                said = f"{reason}; {without_quota(each.over.reason).text}"
                telling = _over_quota(telling, each.over.reason)
            shown[row.pk] = {
                "evidence": evidence_of(found, each.judged, digest, told=telling),
                "decision_reason": said,
            }
    _move(
        actor,
        occurrences,
        members.OPEN,
        RequestState.ADMITTED if deed == "admitted" else RequestState.REFUSED,
        reason,
        own=shown,
        decided_by_id=actor.user_id,
        decided_at=now,
        held_until=None,
    )


def _over_quota(telling: Admitted | Refused | None, over: Reason) -> Admitted | Refused | None:
    """What whoever asked is told of an occurrence that its quota refuses: that first, whether the network takes it or not."""
    if telling is None:
        return None
    if isinstance(telling, Refused):
        return replace(telling, reasons=(over, *telling.reasons))
    return Refused((over,), telling.evidence, warnings=telling.warnings, failures=telling.failures)


def _told(occurrences: Sequence[Occurrence], now: datetime) -> tuple[Occurrence, ...]:
    """The same as whoever asked may be told it."""
    groups = [each.requests for each in occurrences]
    return judge_each(groups, now=now, viewer=asker_of(groups[0][0])) if groups else ()


def _keep(occurrences: Sequence[Occurrence], deed: records.Deed) -> list[str]:
    """Keep what was decided about each and what it rested on; the digests of the records."""
    known, texts = next(((each.judged.known, each.judged.texts) for each in occurrences), (None, None))
    if known is not None and texts is None:
        texts = records.keep_texts(known)
    made = [
        records.record_of(
            deed,
            each.requests,
            each.judged.verdict,
            known=each.judged.known,
            basis=None if each.judged.basis is None else each.judged.basis(),
            texts=texts,
        )
        for each in occurrences
    ]
    return [kept.digest for kept in records.keep_records(made)]


def _move(
    actor: Actor,
    occurrences: Sequence[Occurrence],
    from_states: Sequence[RequestState],
    to_state: RequestState,
    reason: str,
    **fields: Any,
) -> None:
    if occurrences:
        transitions.move_all(
            model=PremiumRequest,
            keys=[row.pk for each in occurrences for row in each.requests],
            from_states=from_states,
            to_state=to_state,
            actor=actor,
            reason=reason,
            **fields,
        )


def _misfits_of(verdict: Verdict) -> dict[str, object]:
    """Which occurrences do not fit and why: the first reason of each."""
    return {
        "does_not_fit": [
            f"{each.requests[0].reference}, {instant_text(each.requests[0].start)}: {each.reasons[0].text}"
            for each in verdict.misfits
        ]
    }


def _record(actor: Actor, series: Series, action: str, reason: str, after: dict[str, object]) -> None:
    audit.record(
        actor=actor,
        action=action,
        obj=series,
        reason=reason,
        after=after,
        nren_ids=members.concerned(series),
    )
