"""Poisson traffic on one link: who arrives, a plain counter that says who is let in, and what Kaufman and Roberts say of it.

J. S. Kaufman, "Blocking in a Shared Resource Environment", IEEE Trans. Comm. 29 (1981); J. W. Roberts, "A Service System
with Heterogeneous User Requirements" (1981): n g(n) = sum of a_k b_k g(n - b_k); a kind is blocked where fewer units are free
than it takes.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from heapq import heappop, heappush
from statistics import mean, stdev

UNIT_BPS = 250_000
UNITS = 16
HOLDING = timedelta(hours=1)

# Two-sided 99.9 % of Student's t, by degrees of freedom (batches less one).
T_999 = {9: 4.781, 19: 3.883, 39: 3.558}


@dataclass(frozen=True)
class Kind:
    """A class of requests: how many units each takes, and how many would be there on average if none were blocked (erlang)."""

    units: int
    erlang: float


@dataclass(frozen=True)
class Arrival:
    """One request: its kind, and its window."""

    kind: int
    start: datetime
    end: datetime


def offered(load: float) -> tuple[Kind, ...]:
    """Three kinds, of 1, 2 and 4 units, each a third of the load; ``load`` is what is asked for by what there is."""
    return tuple(Kind(units, load * UNITS / 3 / units) for units in (1, 2, 4))


def arrivals(kinds: Sequence[Kind], count: int, *, begin: datetime, seed: int) -> Iterator[Arrival]:
    """Poisson arrivals from ``begin`` on, each for an exponential time of an hour on average."""
    dice = random.Random(seed)
    rates = [kind.erlang for kind in kinds]
    at = begin
    for _each in range(count):
        at += HOLDING * dice.expovariate(sum(rates))
        kind = dice.choices(range(len(kinds)), rates)[0]
        # Never nothing: a window ends after it starts.
        yield Arrival(kind, at, at + max(HOLDING * dice.expovariate(1), timedelta(microseconds=1)))


def counted(kinds: Sequence[Kind], wishes: Iterable[Arrival]) -> Iterator[bool]:
    """Whether each is let in: units in use are added up and taken away, and nothing else is known."""
    used, leaving = 0, []
    for wish in wishes:
        while leaving and leaving[0][0] <= wish.start:
            used -= heappop(leaving)[1]
        fits = used + kinds[wish.kind].units <= UNITS
        if fits:
            used += kinds[wish.kind].units
            heappush(leaving, (wish.end, kinds[wish.kind].units))
        yield fits


def kaufman_roberts(kinds: Sequence[Kind], units: int = UNITS) -> tuple[float, ...]:
    """The probability that a request of each kind is blocked."""
    weights = [1.0]
    for n in range(1, units + 1):
        weights.append(
            sum(kind.erlang * kind.units * weights[n - kind.units] for kind in kinds if kind.units <= n) / n
        )
    total = sum(weights)
    return tuple(sum(weights[units - kind.units + 1 :]) / total for kind in kinds)


@dataclass(frozen=True)
class Estimate:
    """The share of requests of one kind that was blocked, and how far the truth lies from it at most, at 99.9 %."""

    blocked: float
    within: float


def estimates(
    kinds: Sequence[Kind], wishes: Sequence[Arrival], let_in: Sequence[bool], *, batches: int
) -> tuple[Estimate, ...]:
    """By batch means, of each kind."""
    return tuple(estimate_of(means) for means in batch_means(kinds, wishes, let_in, batches=batches))


def batch_means(
    kinds: Sequence[Kind], wishes: Sequence[Arrival], let_in: Sequence[bool], *, batches: int
) -> list[list[float]]:
    """The share that was blocked in each batch, of each kind: the first tenth is dropped as warm-up, the rest cut into batches
    of as many arrivals each.
    """
    first = len(wishes) // 10
    size = (len(wishes) - first) // batches
    found = []
    for number in range(len(kinds)):
        means = []
        for batch in range(batches):
            some = range(first + batch * size, first + (batch + 1) * size)
            own = [let_in[each] for each in some if wishes[each].kind == number]
            means.append(own.count(False) / len(own))
        found.append(means)
    return found


def estimate_of(means: Sequence[float]) -> Estimate:
    """What batches say together."""
    return Estimate(mean(means), T_999[len(means) - 1] * stdev(means) / len(means) ** 0.5)
