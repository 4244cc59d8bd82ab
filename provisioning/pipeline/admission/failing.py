"""Whether what is asked stays within every share after any single failure, where the scheme asks that of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from provisioning.errors import InvalidInput
from provisioning.pipeline.admission.reach import loaded
from provisioning.pipeline.admission.values import Charge, CounterOffer, FailureEvidence, Reason
from provisioning.pipeline.failures import Book, Exposure, Held, Piece, exposures
from provisioning.pipeline.scheme import Scheme
from provisioning.pipeline.sls import Sls
from provisioning.pipeline.timeline import Commitment, Timeline, timelines
from provisioning.pipeline.topology import Detours, Ends, Network, lost_links, single_failures
from provisioning.pipeline.units import BitRate, TimeWindow, instant_text, rate_text


def judge_failures(
    network: Network,
    scheme: Scheme,
    asked: Sequence[tuple[Sls, Sequence[Charge]]],
    held: Iterable[Held],
    now: datetime | None,
) -> FailureEvidence:
    """What each failure that the scheme counts would do to ``asked`` (with what each is charged) beside all that is ``held``."""
    own = tuple(_held(network, scheme, sls, charges) for sls, charges in asked)
    first = min(sls.window.start for sls, _ in asked)
    book = Book(network, scheme, (*held, *own), since=first if now is None else max(first, now))
    counted = single_failures(network, scheme.failures.count)
    found: set[Exposure] = set()
    names = {each.id for each in own}
    for effect in (book.effect(failure) for failure in counted if book.concerns(failure, names)):
        for sls, _ in asked:
            found |= set(exposures((effect,), (sls.id,), sls.window))
    ordered = sorted(found, key=lambda each: (each.failure, str(each.load or ""), each.start))
    return FailureEvidence(scheme.failures.count, len(counted), tuple(ordered))


def anew(
    seen: FailureEvidence,
    slss: Sequence[Sls],
    charges: Sequence[Sequence[Charge]],
    held: Sequence[Commitment],
) -> FailureEvidence:
    """What of it concerns more than each holds by now: what was granted stays, whatever a failure would do to it."""
    more: list[TimeWindow] = []
    for sls, loads in zip(slss, charges, strict=True):
        kept = timelines(each for each in held if each.sls_id == sls.id)
        for charge in loads:
            course = kept.get((charge.link_direction, charge.pool), Timeline())
            more += [
                TimeWindow(part.start, part.end)
                for part in course.segments(sls.window)
                if part.rate_bps < charge.rate_bps
            ]
    found = {
        replace(each, start=both.start, end=both.end)
        for each in seen.exposures
        for window in more
        if (both := _overlap(TimeWindow(each.start, each.end), window)) is not None
    }
    ordered = sorted(found, key=lambda each: (each.failure, str(each.load or ""), each.start))
    return replace(seen, exposures=tuple(ordered))


def _overlap(one: TimeWindow, other: TimeWindow) -> TimeWindow | None:
    start = max(one.start, other.start)
    end = min((end for end in (one.end, other.end) if end is not None), default=None)
    return None if end is not None and end <= start else TimeWindow(start, end)


def failure_reasons(scheme: Scheme, seen: FailureEvidence, asked_bps: int) -> tuple[Reason, ...]:
    """A reason for each exposure."""
    said = scheme.failures
    choice = "our choice: " if said.is_choice else ""
    why = f"{scheme.name} admits what is safe from any single failure ({choice}{said.provenance})"
    return tuple(_reason(each, asked_bps, why) for each in seen.exposures)


def _reason(each: Exposure, asked_bps: int, why: str) -> Reason:
    until = "open end" if each.end is None else instant_text(each.end)
    span = f"{instant_text(each.start)} to {until}"
    if each.load is None or each.share_bps is None or each.load_bps is None or each.excess_bps is None:
        return Reason(
            code="unprotected",
            text=f"if {each.failure} fails there is no path, {span}: {why}",
            interval_start=each.start,
            interval_end=each.end,
            asked_bps=asked_bps,
        )
    return Reason(
        code="unprotected",
        link=each.load.link,
        direction=each.load.direction,
        interval_start=each.start,
        interval_end=each.end,
        asked_bps=asked_bps,
        share_bps=each.share_bps,
        committed_bps=each.load_bps - asked_bps,
        shortfall_bps=each.excess_bps,
        text=(
            f"if {each.failure} fails, {each.load} carries {rate_text(each.load_bps)} on a share of "
            f"{rate_text(each.share_bps)}, {span}: {rate_text(each.excess_bps)} too much; {why}"
        ),
    )


def detour_links(network: Network, scheme: Scheme, slss: Iterable[Sls]) -> frozenset[str]:
    """The ids of the links that ``slss`` would take after any failure that is counted; none where failures do not decide."""
    found: set[str] = set()
    if scheme.failures.unprotected != "refuse":
        return frozenset()
    counted = single_failures(network, scheme.failures.count)
    for sls in slss:
        loads = {load.link for load in loaded(network, scheme, sls)}
        if not loads:
            continue
        ends = _ends(network, scheme, sls)
        for failure in counted:
            if loads.isdisjoint(lost_links(network, failure)):
                continue
            detours = Detours(network, failure)
            if not detours.ends_there(ends):
                arcs, borders = detours.way(ends) or ((), ())
                found |= {detours.graph.loads[arc].link for arc in arcs} | {load.link for load in borders}
    return frozenset(found)


def doubtful_links(
    network: Network,
    scheme: Scheme,
    slss: Iterable[Sls],
    near: Iterable[Held],
    sums: Mapping[tuple[str, str], int],
    since: datetime,
) -> frozenset[str]:
    """The ids of the links whose failure may bring more than there is room for to where ``slss`` are or would go then.

    ``near`` is what others hold on these, ``sums`` by link and pool all that anybody holds on a link, bit/s. Whoever is on no
    link of the answer and not near need not be read: with them or without them the decision is the same.
    """
    own = tuple(_asked(network, scheme, sls) for sls in slss)
    book = Book(network, scheme, (*near, *(each for each in own if each is not None)), since=since)
    names = {each.id for each in own if each is not None}
    found: set[str] = set()
    for failure in single_failures(network, scheme.failures.count):
        if book.concerns(failure, names, sums):
            found |= lost_links(network, failure)
    return frozenset(found)


def _asked(network: Network, scheme: Scheme, sls: Sls) -> Held | None:
    """What would be held for ``sls``; nothing where it has no path."""
    loads = loaded(network, scheme, sls)
    if not loads:
        return None
    pool = scheme.service_class(sls.service_class).pool or ""
    return _held(network, scheme, sls, [Charge(load, pool, sls.rate.bps) for load in loads])


def _held(network: Network, scheme: Scheme, sls: Sls, charges: Sequence[Charge]) -> Held:
    pieces = tuple(Piece(charge.link_direction, charge.rate_bps, sls.window) for charge in charges)
    return Held(sls.id, _ends(network, scheme, sls), charges[0].pool, pieces)


def _ends(network: Network, scheme: Scheme, sls: Sls) -> Ends:
    source = network.access_link(sls.source_link)
    goal = None if sls.destination_link is None else network.access_link(sls.destination_link)
    if source is None:
        raise InvalidInput(f"no access link {sls.source_link!r}", field="source_link")
    kind = "both" if goal is not None else scheme.service_class(sls.service_class).ends
    return Ends(source.router, None if goal is None else goal.router, kind)


@dataclass(frozen=True)
class Safe:
    """Whether something stays within every share after any single failure; ``held`` None: nobody asks."""

    network: Network
    scheme: Scheme
    charges: Sequence[Sequence[Charge]]
    held: Sequence[Held] | None
    now: datetime | None

    def judged(self, slss: Sequence[Sls]) -> FailureEvidence | None:
        """What failures would do to these; what each is charged follows its rate."""
        if self.held is None:
            return None
        asked = [
            (sls, [replace(charge, rate_bps=sls.rate.bps) for charge in charges])
            for sls, charges in zip(slss, self.charges, strict=True)
        ]
        return judge_failures(self.network, self.scheme, asked, self.held, self.now)

    def keeps(self, slss: Sequence[Sls], offer: CounterOffer) -> bool:
        """Whether what is offered would be protected."""
        if self.held is None:
            return True
        rate, window = BitRate(offer.rate_bps), TimeWindow(offer.start, offer.end)
        seen = self.judged([replace(sls, rate=rate, window=window) for sls in slss])
        return seen is not None and not seen.exposures
