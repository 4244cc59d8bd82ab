"""An independent judge: no timeline, no steps, no search; every instant that matters is looked at by adding up.

The network is a line of routers r0 - r1 - ... with one NREN at each, so that a path is a range of numbers.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from provisioning.pipeline.admission import Admitted, policer_of
from provisioning.pipeline.sls import Sls
from provisioning.pipeline.timeline import Commitment
from provisioning.pipeline.topology import Network
from provisioning.pipeline.units import TimeWindow
from provisioning.selectors.schemes import load_scheme
from tests.pipeline.networks import access, at, core, router, sls

RATES = (1000, 2000, 3500)
"""Small capacities, so that shares of a few hundred bit/s collide often: 5 % of 1000 is 50, 20 % of 1000 is 200."""


def line(size: int, capacity: int) -> Network:
    """``size`` routers in a row; access links of ``capacity`` and core links of half of it."""
    names = [f"r{index}" for index in range(size)]
    return Network(
        tuple(router(name) for name in names),
        tuple(access(f"N{index}", name, capacity) for index, name in enumerate(names)),
        tuple(
            core(a, z, bps=capacity // 2, port=index)
            for index, (a, z) in enumerate(itertools.pairwise(names))
        ),
    )


@dataclass(frozen=True)
class Wish:
    """A request by numbers: from the NREN of one router to that of another, hours after noon."""

    source: int
    destination: int
    bps: int
    start: int
    end: int | None

    def as_sls(self, identifier: str) -> Sls:
        span = TimeWindow(at(self.start), None if self.end is None else at(self.end))
        return sls(
            f"N{self.source}@r{self.source}:POS1/0",
            f"N{self.destination}@r{self.destination}:POS1/0",
            self.bps,
            span,
            identifier,
        )

    def loads(self) -> list[tuple[str, int, str]]:
        """(kind, index, way): what the wish loads, by plain counting."""
        up = self.destination > self.source
        low, high = sorted((self.source, self.destination))
        between = [("core", index, "up" if up else "down") for index in range(low, high)]
        between = between if up else between[::-1]
        return [("access", self.source, "in"), *between, ("access", self.destination, "out")]

    def is_on(self, hour: float) -> bool:
        return self.start <= hour and (self.end is None or hour < self.end)


def share(load: tuple[str, int, str], capacity: int) -> int:
    """5 % of an access link, 20 % of a core link, whole bits only."""
    return capacity * 5 // 100 if load[0] == "access" else (capacity // 2) * 20 // 100


def total(load: tuple[str, int, str], wishes: Iterable[Wish], hour: float) -> int:
    """What all wishes put on a load at an hour; a sum, so that equal wishes count each."""
    return sum(wish.bps for wish in wishes if wish.is_on(hour) and load in wish.loads())


def hours_that_matter(wishes: Iterable[Wish], asked: Wish) -> list[float]:
    """Every hour of the asked window at which anything changes, and the moments just before and after."""
    edges = {float(asked.start), 1000.0}
    for wish in (*wishes, asked):
        edges |= {float(wish.start), float(wish.end if wish.end is not None else 1000)}
    around = {edge + step for edge in edges for step in (-0.25, 0.0, 0.25)}
    return sorted(hour for hour in around if asked.is_on(hour))


def on_the_wire(wish: Wish) -> int:
    """A wish with the 4 bytes of POS for each of its packets of 1500, as a policer counts it; a bit that is begun is a bit."""
    whole, rest = divmod(wish.bps * 1504, 1500)
    return whole + (rest > 0)


def framed(number: int, wishes: Iterable[Wish], hour: float) -> int:
    """What all wishes are for the policer of one access link at an hour."""
    return sum(on_the_wire(wish) for wish in wishes if wish.is_on(hour) and wish.source == number)


def passes(asked: Wish, granted: list[Wish], capacity: int) -> bool:
    """Whether the policer of 5 % where it enters lets it through beside the granted ones, with every header."""
    return all(
        framed(asked.source, [*granted, asked], hour) <= capacity * 5 // 100
        for hour in hours_that_matter(granted, asked)
    )


def fits_shares(asked: Wish, granted: list[Wish], capacity: int) -> bool:
    """Whether the asked wish fits beside the granted ones, at every hour that matters, on everything it loads."""
    return all(
        total(load, [*granted, asked], hour) <= share(load, capacity)
        for load in asked.loads()
        for hour in hours_that_matter(granted, asked)
    )


def fits(asked: Wish, granted: list[Wish], capacity: int) -> bool:
    """Whether it fits into every share, and its packets through the policer."""
    return fits_shares(asked, granted, capacity) and passes(asked, granted, capacity)


def charged(admitted: Admitted, asked: Sls, network: Network | None = None) -> list[Commitment]:
    """The commitments that an admission leaves behind; on a network also what 6NET's policer counts of it."""
    policer = None if network is None else policer_of(network, load_scheme("6net"), asked)
    return [
        *(
            Commitment(charge.link_direction, charge.pool, charge.rate_bps, asked.window, asked.id)
            for charge in admitted.charges
        ),
        *([] if policer is None else [policer.counted(asked)]),
    ]


def hour_of(instant: datetime) -> float:
    """Hours after noon."""
    return (instant - at(0)) / timedelta(hours=1)
