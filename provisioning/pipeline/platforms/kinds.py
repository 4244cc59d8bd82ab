"""A kind of platform: one column of the tables of ranges, refusals and bursts. A 7200 is of two kinds, by its queueing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from provisioning.pipeline.platforms.limits import Limit
from provisioning.pipeline.platforms.verdicts import Verdict


@dataclass(frozen=True, slots=True)
class Bursts:
    """What it does with a burst nobody types (ios-facts 1.3).

    ``observed``: routers of the kind were seen to take rate/32. ``certain``: that was this very platform.
    ``least_shape_ms``: the shortest interval its shaper is known to take, None where that is not known.
    """

    observed: bool
    certain: bool
    evidence: str
    least_shape_ms: int | None
    shape_evidence: str


@dataclass(frozen=True, slots=True, eq=False)
class Kind:
    """What routers of one kind take, by the code of the rule or of the quantity; what is not named is taken."""

    name: str
    limits: Mapping[str, Limit]
    verdicts: Mapping[str, Verdict]
    bursts: Bursts

    def __str__(self) -> str:
        return self.name
