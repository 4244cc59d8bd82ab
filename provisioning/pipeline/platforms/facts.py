"""A policy-map and the place it is bound to, as plain values: what the rules of ``platforms`` are asked about.

The model of MQC comes after this stage, so whoever judges a policy says here what is in it
(``change.refusals.policy_facts``).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal


@dataclass(frozen=True, slots=True)
class PolicerFacts:
    """A policer. ``bps`` is its rate in bit/s, of a percentage too where the base is known; ``percents`` what is
    written in percent; ``bursts`` are (value, ``bytes`` or ``ms``), ``second_bucket_alone`` that only the second is
    written, there is no peak, and the default of the first cannot be written for it; the colours hold the actions of each.
    """

    bps: int | None
    percents: tuple[Decimal, ...] = ()
    keyword: str = "cir"
    bursts: tuple[tuple[int, str], ...] = ()
    two_rates: bool = False
    mixed_rates: bool = False
    peak_below: bool = False
    second_bucket_alone: bool = False
    conform: tuple[str, ...] = ("transmit",)
    exceed: tuple[str, ...] = ("drop",)
    violate: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ClassFacts:
    """One class of a policy. ``priority`` and ``bandwidth`` are the unit (``bare``, ``percent``, ``kbps``, ``level``,
    ``remaining percent``, ``remaining ratio``), None where there is none; ``percents`` their percentages;
    ``wred_units`` and ``queue_limit`` the units written; ``values`` the most values on one match line; ``numbers`` every
    other number written, by the code of its row in ``limits``.
    """

    name: str
    is_default: bool = False
    match_lines: int = 0
    values: int = 0
    negated: bool = False
    logs: bool = False
    policer: PolicerFacts | None = None
    priority: str | None = None
    priority_level: int | None = None
    bandwidth: str | None = None
    percents: tuple[Decimal, ...] = ()
    shape: str | None = None
    shape_bps: int | None = None
    shape_percent: Decimal | None = None
    fair_queue: bool = False
    queues: int | None = None
    wred: str | None = None
    wred_units: frozenset[str] = frozenset()
    wred_weight: int | None = None
    thresholds_cross: bool = False
    queue_limit: str | None = None
    sets: tuple[str, ...] = ()
    numbers: tuple[tuple[str, int], ...] = ()
    child: PolicyFacts | None = None

    @property
    def queueing(self) -> bool:
        """Whether the class asks for anything of a queue."""
        return bool(
            self.priority or self.bandwidth or self.shape or self.fair_queue or self.wred or self.queue_limit
        )


@dataclass(frozen=True, slots=True)
class PolicyFacts:
    """A policy-map on an interface. ``engine`` is that of a 12000 line card ("3", "4+"), None where there is none or
    it is not known; ``pvc_category`` the service category of the ATM PVC it is bound to; ``base_bps`` the BW that its
    shares divide, None where it is not known.
    """

    name: str
    classes: tuple[ClassFacts, ...] = ()
    direction: str = "input"
    subinterface: bool = False
    pvc_category: str | None = None
    engine: str | None = None
    base_bps: int | None = None

    @property
    def queueing(self) -> bool:
        """Whether any class asks for anything of a queue."""
        return any(entry.queueing for entry in self.classes)

    def family(self) -> Iterator[PolicyFacts]:
        """The policy and every policy inside its classes."""
        yield self
        for entry in self.classes:
            if entry.child is not None:
                yield from entry.child.family()

    def policers(self) -> Iterator[tuple[ClassFacts, PolicerFacts]]:
        """Every class with a policer, with it."""
        for entry in self.classes:
            if entry.policer is not None:
                yield entry, entry.policer
