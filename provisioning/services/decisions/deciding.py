"""Admit and refuse: the machine shows the evidence, a person decides, and nobody decides past the share.

"The 6NET network administrators perform the admission control manually" (D4.4.2v2 section 2.4.1).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime

from django.db import transaction

from provisioning.models import Actor, PremiumRequest, Reservation, Verb
from provisioning.pipeline.admission import Admitted, Refused, Verdict, Viewer, to_json
from provisioning.pipeline.states import RequestState
from provisioning.selectors.authority import to_deciding
from provisioning.selectors.requests import sls_of
from provisioning.selectors.terms import as_read
from provisioning.selectors.viewers import viewer_of
from provisioning.services import audit, clock, pairs, records, transitions
from provisioning.services import break_glass as glass
from provisioning.services.charging import charge, path_as_json, release_holds
from provisioning.services.decisions.capacity import Judged, judge, judge_locked, within_quota
from provisioning.services.decisions.links import begin_decision
from provisioning.services.decisions.permission import (
    agreed,
    as_judged,
    by_itself,
    may_decide,
    not_over,
    nothing_against,
    undecided,
)
from provisioning.services.wording import reason_text


def evidence(
    *,
    request: PremiumRequest,
    beside: Collection[int] = (),
    at: datetime | None = None,
    viewer: Viewer | None = None,
) -> Admitted | Refused:
    """How the request (with its twin) stands against the network and the ledger at this moment, or would with the same charges
    ``at`` a later one, as ``viewer`` may be told (None: exactly); changes nothing.

    Its own charges are left out, so the answer means the same before and after admission; so are those of the requests
    (their keys) that go when it comes.
    """
    rows, now = pairs.read(request), at or clock.now()
    judged = judge(rows, now=now, beside=beside, viewer=viewer)
    if not any(reason.code == "scheme-unreadable" for reason in getattr(judged.verdict, "reasons", ())):
        own = [row.pk for row in rows]
        judged = within_quota(
            judged, rows[0].nren, [sls_of(row) for row in rows], own=[*own, *beside], now=now
        )
    return one_of(judged.verdict, 0)


def fit_together(requests: Sequence[PremiumRequest], *, beside: Collection[int], at: datetime) -> bool:
    """Whether all of these granted requests (with their twins), of one domain, fit at that moment, as `evidence` says it of each;
    then each of them does.
    """
    keys = {key for request in requests for key in (request.pk, request.twin_id) if key is not None}
    rows = PremiumRequest.objects.filter(pk__in=keys).order_by("pk")
    judged = judge(
        list(rows.select_related("source_link", "destination_link", "nren__domain", "receiving_nren")),
        now=at,
        beside=beside,
    )
    return not isinstance(judged.verdict, Refused)


def admit(
    *, actor: Actor, request: PremiumRequest, reason: str, break_glass: str = "", terms: str = ""
) -> Admitted | Refused:
    """Grant the request and its twin if, under the locks of every link they load, both fit; else change
    nothing.

    Returns Admitted for ``request``, or Refused with the reasons and counter-offers (recorded in the audit
    trail; the request stays open). ``break_glass`` is why the actor decides although somebody else should
    (`services.break_glass`); ``terms`` is the digest of what was read (`selectors.terms`). Raises NotVisible, NotPermitted (no
    approver, or one who stands behind the request), Conflict (no consent), TermsChanged, StaleState (decided meanwhile, or
    over), InvalidInput (no reason given).
    """
    may_decide(actor, request)
    by_itself(request)
    why, alone = reason_text(reason), glass.reason_of(break_glass)
    with begin_decision(request.nren):
        now = clock.now()
        found = pairs.read(request)
        judged = judge_locked(found, now=now)
        verdict = judged.verdict
        rows = pairs.locked(request)
        undecided(rows)
        as_read(terms, rows)
        as_judged(found, rows)
        against = glass.weigh(to_deciding(actor, rows), alone)
        agreed(rows)
        not_over(request, now)
        if isinstance(verdict, Refused):
            kept = keep("does-not-fit", rows, judged)
            for row in rows:
                audit.record(
                    actor=actor,
                    action="request.does-not-fit",
                    obj=row,
                    reason=why,
                    after=evidence_of(verdict, judged, kept),
                    nren_ids=pairs.concerned(row),
                )
        else:
            _charge(rows, verdict, judged.version)
            kept = keep("admitted", rows, judged)
            for row, admitted in zip(rows, verdict, strict=True):
                _decide(actor, row, RequestState.ADMITTED, why, evidence_of(admitted, judged, kept))
            glass.record(actor=actor, deed=Verb.DECIDE, about=request, against=against, reason=alone)
    request.refresh_from_db()
    return one_of(verdict, 0)


def refuse(*, actor: Actor, request: PremiumRequest, reason: str, terms: str = "") -> PremiumRequest:
    """Refuse the request and its twin, keep the evidence of the moment with it, and return it as it is now.

    ``terms`` as of `admit`. Raises NotVisible, NotPermitted (not the NOC, or the submitter), TermsChanged, StaleState (decided
    meanwhile), InvalidInput.
    """
    may_decide(actor, request)
    by_itself(request)
    why = reason_text(reason)
    with transaction.atomic():
        records.keep_current(request.nren.domain)
        rows = pairs.locked(request)
        undecided(rows)
        as_read(terms, rows)
        nothing_against(actor, rows)
        judged = judge(rows, now=clock.now())
        verdict = judged.verdict
        told = judge(rows, now=clock.now(), viewer=asker_of(rows[0])).verdict
        release_holds([row.pk for row in rows], now=clock.now())
        kept = keep("refused", rows, judged)
        for index, row in enumerate(rows):
            shown = evidence_of(one_of(verdict, index), judged, kept, told=one_of(told, index))
            _decide(actor, row, RequestState.REFUSED, why, shown)
    request.refresh_from_db()
    return request


def keep(deed: records.Deed, rows: Sequence[PremiumRequest], judged: Judged) -> str:
    """Keep what the judgement of `rows` rested on, and return its digest, which the audit trail binds."""
    basis = None if judged.basis is None else judged.basis()
    kept = records.keep_record(
        deed, rows, judged.verdict, known=judged.known, basis=basis, texts=judged.texts
    )
    return kept.digest


def evidence_of(
    verdict: Admitted | Refused, judged: Judged, kept: str, *, told: Admitted | Refused | None = None
) -> dict[str, object]:
    """The verdict as it is stored, with the version of the topology that it was made against, the digest of its record, and of
    what was refused the verdict that whoever asked may be ``told``.
    """
    more = {} if told is None else {"told": to_json(told)}
    return {**to_json(verdict), "topology": judged.version, "record": kept, **more}


def one_of(verdict: Verdict, index: int) -> Admitted | Refused:
    """The verdict of one of the requests that were judged together."""
    return verdict if isinstance(verdict, Refused) else verdict[index]


def asker_of(request: PremiumRequest) -> Viewer | None:
    """The NREN that asked, as somebody who is told."""
    asker = Actor(label=request.nren.name, user_id=None, nren_ids=frozenset({request.nren_id}))
    return viewer_of(asker, request.nren.domain)


def _charge(rows: Sequence[PremiumRequest], verdict: Sequence[Admitted], version: int) -> None:
    release_holds([row.pk for row in rows], now=clock.now())
    for row, admitted in zip(rows, verdict, strict=True):
        reservation = Reservation.objects.create(
            request=row,
            granted_bps=row.rate_bps,
            path=path_as_json(admitted.path.hops),
            topology=version,
        )
        charge(row, admitted, reservation=reservation)


def _decide(
    actor: Actor, row: PremiumRequest, to_state: RequestState, reason: str, shown: dict[str, object]
) -> None:
    transitions.move(
        model=PremiumRequest,
        pk=row.pk,
        from_states=(RequestState(row.state),),
        to_state=to_state,
        actor=actor,
        reason=reason,
        decided_by_id=actor.user_id,
        decided_at=clock.now(),
        decision_reason=reason,
        held_until=None,
        evidence=shown,
    )
