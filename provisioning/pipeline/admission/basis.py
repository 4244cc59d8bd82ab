"""What a decision rests on, as it is kept beside it, and the verdict derived from that again.

With the network and the scheme of then it is all there is: whoever has the three can say, without the book, the tables or the
clock of today, whether the verdict follows.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import combinations
from typing import Any

from provisioning.errors import InvalidInput
from provisioning.pipeline import sls as sls_values
from provisioning.pipeline.admission.buckets import SharedBucket
from provisioning.pipeline.admission.counter_offers import OFFERABLE
from provisioning.pipeline.admission.deciding import admit_all
from provisioning.pipeline.admission.levels import Levels, as_commitments, bucket_levels, levels
from provisioning.pipeline.admission.line_cards import EngineRule
from provisioning.pipeline.admission.policers import policers_of
from provisioning.pipeline.admission.values import Admitted, Refused
from provisioning.pipeline.allowance import allowance_of
from provisioning.pipeline.failures import Held, held_from_json, held_to_json
from provisioning.pipeline.scheme import Scheme
from provisioning.pipeline.sls import Sls
from provisioning.pipeline.timeline import Commitment, Courses, Segment
from provisioning.pipeline.topology import Direction, LinkDirection, Network
from provisioning.pipeline.units import BitRate, TimeWindow

Verdict = tuple[Admitted, ...] | Refused


@dataclass(frozen=True)
class Basis:
    """What was asked, at which moment, what else counted on the links from `since` on, the buckets that share a policer, and
    what was known of each engine: (why it refuses, why it is doubtful), None where nothing. ``offers_later``: whether the time
    after the window was read, for an offer there. ``failing`` is everything others held, where single failures decide; ``held``
    what was granted before, where that becomes something else.
    """

    slss: tuple[Sls, ...]
    now: datetime
    since: datetime
    levels: Levels
    sharing: tuple[SharedBucket, ...]
    engines: Mapping[str, tuple[str | None, str | None]]
    offers_later: bool = True
    failing: tuple[Held, ...] | None = None
    held: tuple[Commitment, ...] = ()

    def verdict(self, network: Network, scheme: Scheme) -> Verdict:
        """What follows on this network, under this scheme."""
        return admit_all(
            network,
            scheme,
            self.slss,
            as_commitments(self.levels),
            engine_rule=lambda engine: self.engines.get(engine, (None, None))[0],
            engine_doubt=lambda engine: self.engines.get(engine, (None, None))[1],
            sharing=self.sharing,
            now=self.now,
            offerable=replace(OFFERABLE, later=self.offers_later),
            failing=self.failing,
            held=self.held,
        )


def basis_of(
    network: Network,
    scheme: Scheme,
    slss: Sequence[Sls],
    verdict: Verdict,
    commitments: Iterable[Commitment] | Courses,
    *,
    now: datetime,
    since: datetime,
    sharing: Sequence[SharedBucket],
    engine_rule: EngineRule,
    engine_doubt: EngineRule,
    offers_later: bool = True,
    failing: Sequence[Held] | None = None,
    held: Sequence[Commitment] = (),
) -> Basis:
    """What `verdict` rested on: `commitments` that were read for it from `since` on, as levels."""
    cuts = {now, *(each for sls in slss for each in (sls.window.start, sls.window.end) if each is not None)}
    found = verdict.evidence if isinstance(verdict, Refused) else [e for one in verdict for e in one.evidence]
    asked = [sls.rate.bps for sls in slss]
    sums = {sum(some) for count in range(len(asked) + 1) for some in combinations(asked, count)}
    sums |= {rate * (count + 1) for rate in asked for count in range(len(asked))}
    cuts |= {at for each in held for at in (each.window.start, each.window.end) if at is not None}
    limits = {}
    for each in found:
        allowed = allowance_of(network, scheme.pools.get(each.pool), each.link, now)
        limits[LinkDirection(each.link, each.direction), each.pool] = {
            share - rate for share in allowed.values for rate in sums
        }
        cuts |= {at for at, _ in allowed.steps}
    for policer in policers_of(network, scheme, slss):
        own = [
            policer.counted(sls).rate_bps
            for sls in slss
            if sls.source_link == policer.link and sls.service_class in policer.services
        ]
        some = (sum(each) for count in range(len(own) + 1) for each in combinations(own, count))
        limits[policer.load, policer.pool] = {policer.limit_bps - bps for bps in some}
    return Basis(
        tuple(slss),
        now,
        since,
        levels(commitments, since, limits=limits, cuts=cuts),
        bucket_levels(sharing, [sls.window for sls in slss]),
        {engine: (engine_rule(engine), engine_doubt(engine)) for engine in network.engines},
        offers_later,
        None if failing is None else tuple(failing),
        tuple(held),
    )


def basis_to_json(basis: Basis) -> dict[str, Any]:
    """Plain values; `basis_from_json` gives the same back."""
    return {
        "asked": [_sls_out(sls) for sls in basis.slss],
        "now": _out(basis.now),
        "since": _out(basis.since),
        "levels": [
            {
                "link": load.link,
                "direction": load.direction.value,
                "pool": pool,
                "steps": [[_out(each.start), _out(each.end), each.rate_bps] for each in stretches],
            }
            for (load, pool), stretches in basis.levels.items()
        ],
        "buckets": [
            [each.source_link, each.service_class, each.bucket_bytes, *_window_out(each.window)]
            for each in basis.sharing
        ],
        "engines": {engine: list(said) for engine, said in sorted(basis.engines.items())},
        # Said where it is not as it was before there were series.
        **({} if basis.offers_later else {"offers_later": False}),
        **({} if basis.failing is None else {"failing": held_to_json(basis.failing)}),
        **({"held": [_held_out(each) for each in basis.held]} if basis.held else {}),
    }


def basis_from_json(data: Mapping[str, Any]) -> Basis:
    """The basis that `basis_to_json` wrote; raises InvalidInput for anything else."""
    try:
        return Basis(
            tuple(_sls_in(found) for found in data["asked"]),
            _in(data["now"]),
            _in(data["since"]),
            {
                (LinkDirection(found["link"], Direction(found["direction"])), found["pool"]): tuple(
                    Segment(_in(start), None if end is None else _in(end), bps)
                    for start, end, bps in found["steps"]
                )
                for found in data["levels"]
            },
            tuple(
                SharedBucket(link, service, size, _window_in(start, end))
                for link, service, size, start, end in data["buckets"]
            ),
            {engine: (said[0], said[1]) for engine, said in data["engines"].items()},
            bool(data.get("offers_later", True)),
            held_from_json(data["failing"]) if "failing" in data else None,
            tuple(_held_in(*each) for each in data.get("held", ())),
        )
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        raise InvalidInput(f"not what a decision rests on: {error!r:.120}", field="basis") from error


def _held_out(held: Commitment) -> list[Any]:
    load = held.link_direction
    return [load.link, load.direction.value, held.pool, held.rate_bps, held.sls_id, *_window_out(held.window)]


def _held_in(
    link: str, way: str, pool: str, rate_bps: int, sls_id: str, start: str, end: str | None
) -> Commitment:
    return Commitment(LinkDirection(link, Direction(way)), pool, rate_bps, _window_in(start, end), sls_id)


def _sls_out(sls: Sls) -> dict[str, Any]:
    start, end = _window_out(sls.window)
    return {
        "id": sls.id,
        "source_link": sls.source_link,
        "destination_link": sls.destination_link,
        "service_class": sls.service_class,
        "rate_bps": sls.rate.bps,
        "start": start,
        "end": end,
        "bucket_bytes": sls.bucket_bytes,
        "max_packet_bytes": sls.max_packet_bytes,
        "source_prefixes": [str(each) for each in sls.source_prefixes],
        "destination_prefixes": [str(each) for each in sls.destination_prefixes],
        "flow_label": sls.flow_label,
        # Left out where nobody named it: what was decided before it could be named reads and hashes as it did.
        **({} if sls.min_packet_bytes is None else {"min_packet_bytes": sls.min_packet_bytes}),
    }


def _sls_in(data: Mapping[str, Any]) -> Sls:
    known = {key: data[key] for key in ("id", "source_link", "destination_link", "service_class")}
    return Sls(
        **known,
        rate=BitRate(data["rate_bps"]),
        window=_window_in(data["start"], data["end"]),
        bucket_bytes=data["bucket_bytes"],
        max_packet_bytes=data["max_packet_bytes"],
        source_prefixes=sls_values.prefixes(data["source_prefixes"], field="source_prefixes"),
        destination_prefixes=sls_values.prefixes(data["destination_prefixes"], field="destination_prefixes"),
        flow_label=data["flow_label"],
        min_packet_bytes=data.get("min_packet_bytes"),
    )


def _window_out(window: TimeWindow) -> tuple[str | None, str | None]:
    return _out(window.start), _out(window.end)


def _window_in(start: str, end: str | None) -> TimeWindow:
    return TimeWindow(_in(start), None if end is None else _in(end))


def _out(instant: datetime | None) -> str | None:
    return None if instant is None else instant.isoformat()


def _in(text: str) -> datetime:
    return datetime.fromisoformat(text)
