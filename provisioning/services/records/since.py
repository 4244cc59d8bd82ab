"""What is otherwise today than when a decision was made: version, path, shares, scheme, book. None of it is a fault."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from datetime import datetime
from typing import Any

from provisioning.errors import InvalidInput
from provisioning.models import DecisionRecord
from provisioning.pipeline.admission import (
    Policer,
    allowance_of,
    as_commitments,
    basis_from_json,
    charged,
    policers_of,
    reach,
)
from provisioning.pipeline.scheme import Scheme
from provisioning.pipeline.sls import Sls
from provisioning.pipeline.timeline import timelines
from provisioning.pipeline.topology import LinkDirection, Network, Path
from provisioning.pipeline.units import TimeWindow, instant_text, rate_text
from provisioning.selectors import topology
from provisioning.selectors.ledger import commitments
from provisioning.selectors.schemes import scheme_of, scheme_text
from provisioning.services import clock
from provisioning.services.records.packing import digest_of
from provisioning.services.records.texts import Kept
from provisioning.services.records.values import Finding


def changed_since(record: DecisionRecord, said: Mapping[str, Any], then: Kept) -> Iterator[Finding]:
    """A finding for each thing that differs; and whether it would be decided the same way now."""
    known = topology.current(record.request.nren.domain)
    if known.number != record.version:
        yield Finding(
            "changed",
            "version",
            f"decided by version {record.version}, the network is at {known.number or 'one not noted'}",
        )
    try:
        scheme = scheme_of(known.domain)
        text = scheme_text(known.domain.scheme)
    except InvalidInput as error:
        yield Finding("changed", "scheme", f"it cannot be read now: {error.reason}")
        return
    chosen = said["scheme"]
    if (known.domain.scheme, digest_of(text)) != (chosen["name"], chosen["text"]):
        yield Finding(
            "changed", "scheme", f"{chosen['name']} then, {known.domain.scheme} of another text now"
        )
    elif (known.domain.policer, dict(known.domain.options)) != (chosen["policer"], chosen["options"]):
        yield Finding("changed", "scheme", "the domain's choices are others")
    if then.scheme is not None and then.scheme.digest() != chosen["digest"]:
        yield Finding(
            "changed",
            "scheme",
            "its text is the same, and this program reads it otherwise than the one that decided",
        )
    basis = basis_from_json(said["basis"])
    now = clock.now()
    for sls in basis.slss:
        old = _loads(then.network, then.scheme, sls)
        new = _loads(known.network, scheme, sls)
        if old != new:
            yield Finding("changed", sls.id, f"its path was {_words(old)}, and is {_words(new)}")
        yield from _shares(said, sls.id, known.network, scheme, new)
        window = sls.window
        if window.end is not None and window.end <= now:
            yield Finding("changed", sls.id, f"its window was over on {instant_text(window.end)}")
            continue
        policers = _judged_then_and_now(then, known.network, scheme, sls)
        left = TimeWindow(max(window.start, now), window.end)
        yield from _book(basis.levels, old & new, left, record, now, policers)


def _judged_then_and_now(then: Kept, network: Network, scheme: Scheme, sls: Sls) -> list[Policer]:
    if then.network is None or then.scheme is None:
        return []
    before = {each.pool for each in policers_of(then.network, then.scheme, (sls,))}
    return [each for each in policers_of(network, scheme, (sls,)) if each.pool in before]


def _loads(network: Network | None, scheme: Scheme | None, sls: Sls) -> frozenset[LinkDirection]:
    if network is None or scheme is None:
        return frozenset()
    try:
        found = reach(network, scheme, sls)
        return frozenset(charged(scheme, sls, found)) if isinstance(found, Path) else frozenset()
    except InvalidInput:
        return frozenset()


def _words(loads: frozenset[LinkDirection]) -> str:
    return ", ".join(str(load) for load in sorted(loads)) or "none"


def _shares(
    said: Mapping[str, Any], name: str, network: Network, scheme: Scheme, loads: frozenset[LinkDirection]
) -> Iterator[Finding]:
    recorded = {
        (each["link"], each["direction"], each["pool"]): each["share_bps"]
        for verdict in said["verdict"]
        for each in verdict["evidence"]
    }
    at = {
        (each["link"], each["direction"], each["pool"]): datetime.fromisoformat(each["peak_at"])
        for verdict in said["verdict"]
        for each in verdict["evidence"]
    }
    for (link, direction, pool), share_bps in sorted(recorded.items()):
        today = allowance_of(network, scheme.pools.get(pool), link).at(at[link, direction, pool])
        if today != share_bps and any(load.link == link for load in loads):
            yield Finding(
                "changed",
                f"{name} on {link} {direction}",
                f"the share was {rate_text(share_bps)}, and is {rate_text(today)}",
            )


def _book(
    then: Mapping[tuple[LinkDirection, str], Any],
    loads: frozenset[LinkDirection],
    window: TimeWindow,
    record: DecisionRecord,
    now: datetime,
    policers: Collection[Policer],
) -> Iterator[Finding]:
    """The highest level of others in what is left of the window, then and now."""
    own = [key for key in (record.request_id, record.twin_id) if key is not None]
    today = timelines(
        commitments(
            now=now,
            links={load.link for load in loads},
            except_requests=own,
            within=window,
            policers=policers,
        )
    )
    before = timelines(as_commitments(then))
    framed = {each.pool for each in policers}
    for key in sorted({*today, *before}, key=lambda each: (str(each[0]), each[1])):
        if key[0] not in loads:
            continue
        old = before[key].peak(window).rate_bps if key in before else 0
        new = today[key].peak(window).rate_bps if key in today else 0
        if old != new:
            yield Finding(
                "changed",
                f"book of {key[0]}{', with headers' if key[1] in framed else ''}",
                f"others held up to {rate_text(old)} then, and hold {rate_text(new)} now",
            )
