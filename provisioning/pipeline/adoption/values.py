"""What was found on a router that somebody configured by hand: recognised, nearly, or not understood."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from provisioning.pipeline.intent import AdoptedObject, Role, interface_key
from provisioning.pipeline.sls import Sls

CORE = "core"
ACCESS_OUTPUT = "access-output"
BORDER_OUTPUT = "border-output"
"""What stands where an access case would, for the policies outwards: core links, access links, peerings."""


class Weight(StrEnum):
    """How much a difference matters."""

    SAME = "same"  # other words for the same (a description, match-any over one line)
    TODAY = "today"  # the same only while the BW is what it is
    DIFFERS = "differs"


class Verdict(StrEnum):
    """What is to be said of one place where a policy is, or should be, bound."""

    RECOGNISED = "recognised"
    DIFFERENT = "different"  # near to a case and not it; `differences` say why
    AMBIGUOUS = "ambiguous"  # more than one case fits, or one policy would have to be two
    MISPLACED = "misplaced"  # it means something that does not belong on this kind of interface
    ABSENT = "absent"  # nothing is bound


@dataclass(frozen=True, slots=True)
class Finding:
    """One difference between a hand-made object and the scheme's; `where` is the object or class it is in."""

    weight: Weight
    where: str
    text: str

    def __str__(self) -> str:
        return f"{self.where}: {self.text}"

    def to_json(self) -> dict[str, str]:
        return {"weight": self.weight.value, "where": self.where, "text": self.text}


@dataclass(frozen=True, slots=True)
class Grant:
    """An entry of a hand-made access list that lets traffic be marked EF: a reservation nobody has a row for.

    `sls` is what it would be as a reservation (of a rate that the router does not say); None with the reason in
    `why_not` when no reservation can say the same. `counted_bps` is what the policer of its class lets through, shared
    by all entries of the lists of that class (`class_name`), and `bucket_bytes` its bucket.

    Without an `access_list` it is a class that takes whoever marks, with a policer to grants: the reservations of
    `unnamed_class` that come to its rate and bucket.
    """

    access_list: str
    entry: str
    source: str
    destination: str
    sls: Sls | None
    why_not: str
    counted_bps: int | None
    bucket_bytes: int | None = None
    class_name: str = ""
    unnamed_class: str = ""

    def to_json(self) -> dict[str, Any]:
        return {
            "access_list": self.access_list,
            "entry": self.entry,
            "source": self.source,
            "destination": self.destination,
            "flow_label": None if self.sls is None else self.sls.flow_label,
            "service_class": self.unnamed_class if self.sls is None else self.sls.service_class,
            "why_not": self.why_not,
            "policed_together_bps": self.counted_bps,
            "bucket_bytes": self.bucket_bytes,
        }


@dataclass(frozen=True, slots=True)
class ClassFound:
    """One class of a hand-made policy in words, and the scheme's class it is."""

    name: str
    matches: tuple[str, ...]
    actions: tuple[str, ...]
    stands_for: str

    def to_json(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "matches": list(self.matches),
            "actions": list(self.actions),
            "stands_for": self.stands_for,
        }


@dataclass(frozen=True, slots=True)
class Found:
    """One place: what is bound there, what it means, and under which names the scheme's objects go.

    `case` is the access case it was recognised as, or `core`; for other verdicts the nearest. `inventory_case` is what
    the inventory makes of the place now. `names` is filled only when recognised.
    """

    interface: str
    pvc: str | None
    direction: str
    role: Role | None
    link: str
    policy: str
    verdict: Verdict
    case: str
    inventory_case: str
    differences: tuple[Finding, ...] = ()
    classes: tuple[ClassFound, ...] = ()
    grants: tuple[Grant, ...] = ()
    names: tuple[AdoptedObject, ...] = ()

    @property
    def key(self) -> str:
        """The interface as a person writes it."""
        return interface_key(self.interface, self.pvc)

    def to_json(self) -> dict[str, Any]:
        return {
            "interface": self.key,
            "direction": self.direction,
            "role": None if self.role is None else self.role.value,
            "link": self.link,
            "policy": self.policy,
            "verdict": self.verdict.value,
            "case": self.case,
            "inventory_case": self.inventory_case,
            "differences": [finding.to_json() for finding in self.differences],
            "classes": [entry.to_json() for entry in self.classes],
            "grants": [grant.to_json() for grant in self.grants],
        }
