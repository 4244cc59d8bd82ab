"""What is free, judged afresh; and the locks under which the judgement is still true when it is written
down.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from math import lcm

from inventory.models import Domain, Nren
from provisioning.errors import InvalidInput
from provisioning.models import PremiumRequest
from provisioning.pipeline.admission import (
    OFFERABLE,
    Admitted,
    Basis,
    CounterOffer,
    Offerable,
    Policer,
    Reason,
    Refused,
    SharedBucket,
    Viewer,
    admit_all,
    basis_of,
    in_steps,
)
from provisioning.pipeline.platforms import engine_refuses_ipv6_premium
from provisioning.pipeline.sls import Sls
from provisioning.pipeline.timeline import Commitment, Courses, timelines
from provisioning.pipeline.units import BitRate, TimeWindow, covering
from provisioning.selectors import topology
from provisioning.selectors.courses import courses
from provisioning.selectors.held import held_beside
from provisioning.selectors.ledger import commitments
from provisioning.selectors.requests import sls_of
from provisioning.selectors.schemes import scheme_of
from provisioning.selectors.sharing import shared_buckets
from provisioning.services import quotas, records
from provisioning.services.decisions.links import AskedOf, asked_of, lock_network


@dataclass(frozen=True)
class Judged:
    """A verdict for each request, or one refusal of all, and what it was derived from: the state of the network and all that
    counted; None for both where the scheme cannot be read. ``texts`` are the digests of network and scheme as they are kept.
    """

    verdict: tuple[Admitted, ...] | Refused
    known: topology.Known | None = None
    basis: Callable[[], Basis] | None = None
    texts: records.Texts | None = None

    @property
    def version(self) -> int:
        """The version of the topology that it holds for; 0 of none."""
        return 0 if self.known is None else self.known.number


def judge(
    requests: Sequence[PremiumRequest],
    *,
    now: datetime,
    beside: Collection[int] = (),
    viewer: Viewer | None = None,
) -> Judged:
    """Whether ``requests`` fit together beside everybody else's charges, on the network as it is now, as ``viewer`` may be
    told (None: exactly).

    The charges of ``beside`` (keys of requests) are left out like their own.
    A request stays readable under a scheme that cannot be read: that is a reason too.
    """
    own = [*(request.pk for request in requests), *beside]
    return judge_what_if(
        requests[0].nren.domain,
        lambda: [sls_of(request) for request in requests],
        now=now,
        beside=own,
        viewer=viewer,
    )


def judge_what_if(
    domain: Domain,
    asked: Callable[[], Sequence[Sls]],
    *,
    now: datetime,
    beside: Collection[int] = (),
    held: Sequence[Commitment] = (),
    viewer: Viewer | None = None,
) -> Judged:
    """Whether what nobody has asked for yet would fit, together, beside all charges but those of ``beside`` (keys of
    requests), as ``viewer`` may be told (None: exactly). ``asked`` is called when the scheme can be read: else that is the
    reason.
    """
    try:
        scheme_of(domain)
    except InvalidInput as error:
        return Judged(Refused((Reason(code="scheme-unreadable", text=error.reason),), (), ()))
    known = topology.current(domain)
    return _judge(asked_of(known, asked()), now, beside, held, viewer)


def within_quota(
    judged: Judged, nren: Nren, slss: Sequence[Sls], *, own: Collection[int], now: datetime
) -> Judged:
    """What was judged, refused where the quota of the NREN would be exceeded at this moment: a reason like any other, and offers
    that the quota would refuse are not made.
    """
    reason = quotas.refused_by_quota(nren, slss, own=own, now=now)
    if reason is None:
        return judged
    found = judged.verdict
    if isinstance(found, Refused):
        offers = tuple(offer for offer in found.counter_offers if _allowed(nren, slss, offer, own, now))
        verdict = replace(found, reasons=(reason, *found.reasons), counter_offers=offers)
    else:
        evidence = tuple(row for each in found for row in each.evidence)
        warnings = tuple(dict.fromkeys(text for each in found for text in each.warnings))
        verdict = Refused((reason,), evidence, (), warnings)
    return replace(judged, verdict=verdict)


def _allowed(
    nren: Nren, slss: Sequence[Sls], offer: CounterOffer, own: Collection[int], now: datetime
) -> bool:
    rate, window = BitRate(offer.rate_bps), TimeWindow(offer.start, offer.end)
    offered = [replace(sls, rate=rate, window=window) for sls in slss]
    return quotas.refused_by_quota(nren, offered, own=own, now=now) is None


def judge_locked(
    requests: Sequence[PremiumRequest],
    *,
    now: datetime,
    becoming: Sequence[Sls] | None = None,
    held: Callable[[], Sequence[Commitment]] = tuple,
) -> Judged:
    """As ``judge``, with every link that is loaded locked until the transaction ends: nobody else can take
    what is free.

    Network, scheme and path are found before a lock is taken; locks are taken once, in one order (access links, core links,
    peerings, by key); under them one number is compared, then the ledger is read. Where the network became another
    one meanwhile the locks are given back and all is done again for that one. ``becoming`` is what the requests are to ask
    (None: what they do), ``held`` what they hold by now, asked under the locks. Raises StaleState when that never ends.
    """
    slss = [sls_of(request) for request in requests] if becoming is None else becoming
    own, nren = [request.pk for request in requests], requests[0].nren
    asked, texts = lock_network(nren, slss, own=own, now=now)
    judged = _judge(asked, now, own, held())
    return replace(judged, texts=texts)


def weigh(
    asked: AskedOf,
    others: Courses,
    sharing: Sequence[SharedBucket],
    *,
    now: datetime,
    window: TimeWindow,
    own: Collection[int],
    offerable: Offerable = OFFERABLE,
    held: Sequence[Commitment] = (),
) -> Judged:
    """The decision, beside ``others`` and the buckets of ``sharing``, which were read of ``window`` without those of ``own``;
    ``held`` is what was granted before (`admit_all`). Where the scheme refuses what a single failure leaves unprotected it is
    decided beside what is held where failures matter, too.
    """
    failing = None
    if asked.scheme.failures.unprotected == "refuse":
        near = asked.links | asked.detours
        failing = held_beside(
            asked.known, asked.scheme, asked.slss, near, now=now, within=window, except_requests=own
        )
    verdict = admit_all(
        asked.network,
        asked.scheme,
        asked.slss,
        others,
        engine_rule=engine_obstacle,
        engine_doubt=engine_doubt,
        sharing=sharing,
        now=now,
        offerable=offerable,
        held=held,
        failing=failing,
    )
    basis = partial(
        basis_of,
        asked.network,
        asked.scheme,
        asked.slss,
        verdict,
        others,
        now=now,
        since=window.start,
        sharing=sharing,
        engine_rule=engine_obstacle,
        engine_doubt=engine_doubt,
        offers_later=offerable.later,
        failing=failing,
        held=held,
    )
    return Judged(verdict, asked.known, basis)


def _judge(
    asked: AskedOf,
    now: datetime,
    own: Collection[int],
    held: Sequence[Commitment] = (),
    viewer: Viewer | None = None,
) -> Judged:
    """What overlaps the windows that are asked for decides. Only an offer to somebody who is refused looks further."""
    sharing = shared_buckets(asked.slss, now=now, except_requests=own)

    def within(window: TimeWindow) -> Judged:
        others = counted(asked.links, now=now, within=window, own=own, viewer=viewer, policers=asked.policers)
        return weigh(
            asked,
            others,
            sharing,
            now=now,
            window=window,
            own=own,
            offerable=offerable_to(viewer),
            held=held,
        )

    whole = covering(sls.window for sls in asked.slss)
    judged = within(whole)
    if not isinstance(judged.verdict, Refused) or not judged.verdict.counter_offers or whole.end is None:
        return judged
    # What was read ends with the window, so that a later window seems free. An offer holds as far as was read for it.
    for window in (*further(whole), TimeWindow(whole.start)):
        judged = within(window)
        if not isinstance(judged.verdict, Refused) or all(
            offer.end is not None and offer.end <= (window.end or offer.end)
            for offer in judged.verdict.counter_offers
        ):
            break
    return judged


def counted(
    links: Collection[str],
    *,
    now: datetime,
    within: TimeWindow,
    own: Collection[int],
    viewer: Viewer | None,
    policers: Collection[Policer] = (),
) -> Courses:
    """What counts on links beside ``own``, and with ``policers``, as ``viewer`` may be told (None: exactly)."""
    others = courses(now=now, links=links, except_requests=own, within=within, policers=policers)
    if viewer is None or not (foreign := set(links) - viewer.links):
        return others
    known = commitments(
        now=now,
        links=foreign,
        except_requests=own,
        within=within,
        seen_by=viewer.nrens,
        policers=[each for each in policers if each.link in foreign],
    )
    return in_steps(others, timelines(known), viewer, within)


def offerable_to(viewer: Viewer | None) -> Offerable:
    """What is offered to somebody: rates that they can ask for, and that queues can be told."""
    if viewer is None:
        return OFFERABLE
    return replace(OFFERABLE, step_bps=lcm(OFFERABLE.step_bps, viewer.rate_step_bps))


FURTHER = 16
"""How many times the length of what is asked is read first for a later window that is free."""


def further(asked: TimeWindow) -> tuple[TimeWindow, ...]:
    """The window that is read first for an offer; none where it would leave the calendar."""
    try:
        return (TimeWindow(asked.start, asked.start + FURTHER * (asked.length or timedelta())),)
    except (OverflowError, InvalidInput):
        return ()


def engine_obstacle(engine: str) -> str | None:
    """Why a line card of this engine refuses IPv6 Premium for certain, as ``pipeline.platforms`` knows it;
    else None.
    """
    refusal = engine_refuses_ipv6_premium(engine)
    return str(refusal) if refusal is not None and refusal.certain else None


def engine_doubt(engine: str) -> str | None:
    """Why a line card of this engine probably does not carry IPv6 Premium: a warning, to be overridden."""
    refusal = engine_refuses_ipv6_premium(engine)
    return str(refusal) if refusal is not None and not refusal.certain else None
