"""The decision: every (link, direction) of the path, every instant of the window, sums against the floored
share.

D4.4.2v2 section 2.4.1: the NOC "will estimate whether there is enough resources across the network"; the
maximum on each access link is 5 % of its capacity, in each direction: what A sends to B does not compete with
what B sends to A.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from provisioning.errors import InvalidInput
from provisioning.pipeline.admission.buckets import SharedBucket, judge_bucket
from provisioning.pipeline.admission.counter_offers import OFFERABLE, Offerable, counter_offers, lower_rate
from provisioning.pipeline.admission.demands import Demand
from provisioning.pipeline.admission.failing import Safe, anew, failure_reasons
from provisioning.pipeline.admission.line_cards import (
    EngineRule,
    ignores_ipv6_class,
    line_card_doubts,
    no_doubt,
)
from provisioning.pipeline.admission.policers import demands_on, judge_policer, policer_of
from provisioning.pipeline.admission.reach import charged
from provisioning.pipeline.admission.receiving import receiver_doubts
from provisioning.pipeline.admission.served import served
from provisioning.pipeline.admission.shortfalls import share_reasons
from provisioning.pipeline.admission.standing_reasons import pool_and_path, reasons_on
from provisioning.pipeline.admission.thresholds import platform_doubts, threshold_warnings
from provisioning.pipeline.admission.values import (
    Admitted,
    Charge,
    CounterOffer,
    LinkEvidence,
    Reason,
    Refused,
)
from provisioning.pipeline.allowance import Allowance, allowance_of
from provisioning.pipeline.failures import Held
from provisioning.pipeline.scheme import Pool, Scheme, Share
from provisioning.pipeline.sls import Sls
from provisioning.pipeline.timeline import Commitment, Courses, Timeline, courses_of, timelines
from provisioning.pipeline.topology import Direction, LinkDirection, Network, Path

OF_CAPACITY = ("share-exceeded", "policer")
"""Reasons that less, later or shorter may not meet."""


def admit(
    network: Network,
    scheme: Scheme,
    sls: Sls,
    commitments: Iterable[Commitment] | Courses,
    *,
    engine_rule: EngineRule = ignores_ipv6_class,
    engine_doubt: EngineRule = no_doubt,
    sharing: Iterable[SharedBucket] = (),
    now: datetime | None = None,
    offerable: Offerable = OFFERABLE,
) -> Admitted | Refused:
    """Whether ``sls`` fits beside ``commitments`` (its own must not be among them).

    What ``engine_doubt`` says of a card on the way is a warning in the verdict and refuses nothing. ``sharing`` are the
    buckets of others at the policers where it enters. Counter-offers begin no sooner than ``now`` and are ``offerable``.

    Raises InvalidInput for a link that the network does not have.
    """
    verdict = admit_all(
        network,
        scheme,
        (sls,),
        commitments,
        engine_rule=engine_rule,
        engine_doubt=engine_doubt,
        sharing=sharing,
        now=now,
        offerable=offerable,
    )
    return verdict if isinstance(verdict, Refused) else verdict[0]


def admit_all(
    network: Network,
    scheme: Scheme,
    slss: Sequence[Sls],
    commitments: Iterable[Commitment] | Courses,
    *,
    engine_rule: EngineRule = ignores_ipv6_class,
    engine_doubt: EngineRule = no_doubt,
    sharing: Iterable[SharedBucket] = (),
    now: datetime | None = None,
    offerable: Offerable = OFFERABLE,
    held: Iterable[Commitment] = (),
    failing: Sequence[Held] | None = None,
) -> tuple[Admitted, ...] | Refused:
    """Whether all of ``slss`` (such as both ways of one request) fit together: one Admitted for each, or
    one Refused.

    ``held`` is what they were granted before (by ``sls_id``): where one asks for no more than it holds on that link at that
    instant it asks for nothing, whatever became of the share since.

    Each is judged beside the commitments and the ones before it, so that what they load in common is counted
    in sum. A class that the scheme does not have is a reason. Raises InvalidInput for a link that the network does not
    have, and for no Sls at all.

    Where the scheme refuses what a single failure leaves unprotected, that is judged beside ``failing``, everything that others
    hold in the domain (None: it is not judged); offers that a failure would leave unprotected are not made.
    """
    if not slss:
        raise InvalidInput("nothing to admit", field="slss")
    known = courses_of(commitments)
    kept = list(held)
    beside: list[Commitment] = []
    buckets = list(sharing)
    trials: list[_Trial] = []
    for sls in slss:
        own = timelines(each for each in kept if each.sls_id == sls.id)
        trial = _try(network, scheme, sls, known, beside, engine_rule, engine_doubt, buckets, now, own)
        trials.append(trial)
        buckets.append(SharedBucket.of(sls))
        beside += [
            Commitment(charge.link_direction, charge.pool, charge.rate_bps, sls.window, sls.id)
            for charge in trial.charges
        ]
        beside += trial.framed
    reasons = tuple(reason for trial in trials for reason in trial.reasons)
    evidence = tuple(found for trial in trials for found in trial.evidence)
    safe = Safe(
        network,
        scheme,
        [trial.charges for trial in trials],
        failing if scheme.failures.unprotected == "refuse" else None,
        now,
    )
    failures = None if reasons else safe.judged(slss)
    if failures is not None and kept:
        failures = anew(failures, slss, [trial.charges for trial in trials], kept)
    if failures is not None:
        reasons = failure_reasons(scheme, failures, slss[0].rate.bps)
    if not reasons:
        return tuple(
            Admitted(trial.path, trial.charges, trial.evidence, trial.warnings, failures)
            for trial in trials
            if trial.path is not None
        )
    offers: tuple[CounterOffer, ...] = ()
    if all(reason.code in OF_CAPACITY for reason in reasons):
        demands = [demand for trial in trials for demand in trial.demands]
        offers = counter_offers(slss, demands, now=now, offerable=offerable)
    elif failures is not None:
        offers = lower_rate(slss, [each.excess_bps for each in failures.exposures], now, offerable)
    offers = tuple(offer for offer in offers if safe.keeps(slss, offer))
    warnings = tuple(text for trial in trials for text in trial.warnings)
    return Refused(reasons, evidence, offers, warnings, failures)


@dataclass(frozen=True)
class _Trial:
    path: Path | None
    reasons: tuple[Reason, ...] = ()
    charges: tuple[Charge, ...] = ()
    evidence: tuple[LinkEvidence, ...] = ()
    demands: tuple[Demand, ...] = ()
    warnings: tuple[str, ...] = ()
    framed: tuple[Commitment, ...] = ()


def _try(
    network: Network,
    scheme: Scheme,
    sls: Sls,
    known: Courses,
    beside: Sequence[Commitment],
    engine_rule: EngineRule,
    engine_doubt: EngineRule,
    sharing: Sequence[SharedBucket],
    now: datetime | None,
    held: Mapping[tuple[LinkDirection, str], Timeline],
) -> _Trial:
    ground = pool_and_path(network, scheme, sls)
    if isinstance(ground, Reason):
        return _Trial(None, (ground,))
    pool, found = ground
    loads = charged(scheme, sls, found)
    bucket = judge_bucket(network, scheme, sls, found, sharing)
    reasons = list(reasons_on(network, scheme, sls, found, engine_rule, bucket))
    evidence: list[LinkEvidence] = []
    demands: list[Demand] = []
    for load in loads:
        committed = _with(known.get((load, pool.name), Timeline()), load, pool.name, beside)
        allowed = allowance_of(network, pool, load.link, now)
        seen = _evidence(network, scheme, pool, sls, load, committed, allowed)
        evidence.append(seen)
        others = allowed.beside(known.get((load, pool.name), Timeline()))
        demands.append(Demand(load, pool.name, allowed.top, others))
        reasons += share_reasons(sls, seen, committed, allowed, held.get((load, pool.name), Timeline()))
    policer = policer_of(network, scheme, sls)
    framed: tuple[Commitment, ...] = ()
    others = Timeline()
    if policer is not None:
        there = policer.load, policer.pool
        others = _with(known.get(there, Timeline()), *there, beside)
        framed = (policer.counted(sls),)
    demands += demands_on(policer, scheme.policers, sls, known)
    before = held.get((LinkDirection(sls.source_link, Direction.IN), pool.name), Timeline())
    kept = judge_policer(scheme.policers, policer, sls, others, before)
    charges = tuple(Charge(load, pool.name, sls.rate.bps) for load in loads)
    doubts = (
        *receiver_doubts(network, scheme, sls),
        *bucket.doubts,
        *kept.doubts,
        *line_card_doubts(network, sls, found, engine_doubt),
        *platform_doubts(network, scheme, sls, found),
        *threshold_warnings(pool, evidence),
    )
    return _Trial(found, (*reasons, *kept.reasons), charges, tuple(evidence), tuple(demands), doubts, framed)


def _with(course: Timeline, load: LinkDirection, pool: str, beside: Sequence[Commitment]) -> Timeline:
    own = [other for other in beside if other.link_direction == load and other.pool == pool]
    return course.plus(own) if own else course


def _evidence(
    network: Network,
    scheme: Scheme,
    pool: Pool,
    sls: Sls,
    load: LinkDirection,
    committed: Timeline,
    allowed: Allowance,
) -> LinkEvidence:
    link = network.link(load.link)
    if link is None:
        raise InvalidInput(f"no link {load.link!r}", field="link")
    share = pool.share(link.kind)
    tightest = allowed.beside(committed).peak(sls.window)
    return LinkEvidence(
        link=load.link,
        direction=load.direction,
        pool=pool.name,
        base_bps=link.base_bps,
        share_percent=Decimal(0) if share is None else share.percent,
        share_bps=allowed.at(tightest.at),
        committed_peak_bps=committed.rate_at(tightest.at),
        peak_at=tightest.at,
        asked_bps=sls.rate.bps,
        headroom_bps=allowed.top - tightest.rate_bps,
        share_provenance=f"{scheme.name}: {pool.name} has no share of {link.kind} links"
        if share is None
        else _provenance(share),
        share_is_choice=share is not None and share.is_choice,
        served=served(network, scheme, scheme.service_class(sls.service_class).name, link, load),
    )


def _provenance(share: Share) -> str:
    """Where a share comes from, and what a rate was converted from."""
    return share.provenance if share.payload is None else f"{share.provenance}: {share.payload}"
