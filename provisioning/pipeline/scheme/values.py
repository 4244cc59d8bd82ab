"""The values of a QoS scheme. Intent turns the templates into MQC objects; admission reads the pools."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from decimal import Decimal
from types import MappingProxyType
from typing import Any, Literal

from provisioning.errors import InvalidInput

CLASS_DEFAULT = "class-default"
"""IOS's class for whatever no other class took; always the last of a policy."""


@dataclass(frozen=True)
class ServiceClass:
    """A class of service, its DSCP, and the pool that requests for it are charged to (None: nothing is
    admitted).
    """

    name: str
    title: str
    abbreviation: str
    phb: str
    dscp: int
    pool: str | None
    provenance: str


@dataclass(frozen=True)
class Share:
    """Per cent of min(BW, usable) that a pool may take; ``is_choice`` when no document states it."""

    percent: Decimal
    provenance: str
    is_choice: bool


@dataclass(frozen=True)
class Pool:
    """What is counted together on one link and direction: on access links and on core links."""

    name: str
    access: Share
    core: Share


@dataclass(frozen=True)
class MatchTemplate:
    """One condition: ``kind`` is ``dscp`` (value an int) or ``access_list`` (value its name)."""

    kind: Literal["dscp", "access_list"]
    value: int | str
    negated: bool = False


@dataclass(frozen=True)
class ClassMapTemplate:
    """A class-map; ``emit`` names the option that must be on for it to be written at all."""

    name: str
    mode: Literal["match-all", "match-any"]
    matches: tuple[MatchTemplate, ...]
    emit: str | None = None


@dataclass(frozen=True)
class PoliceTemplate:
    """A policer at ``percent`` of the interface's BW; actions are IOS words such as ``transmit`` and
    ``drop``.
    """

    percent: Decimal
    conform: str
    exceed: str


@dataclass(frozen=True)
class StrictPriorityTemplate:
    """The strict priority queue; ``percent`` is used where a platform wants a rate (ios-facts 2.3)."""

    percent: Decimal


@dataclass(frozen=True)
class ClassTemplate:
    """One class of a policy and what happens to it; ``service`` is the service class whose traffic it
    carries.
    """

    class_name: str
    service: str | None = None
    police: PoliceTemplate | None = None
    set_dscp: int | None = None
    strict_priority: StrictPriorityTemplate | None = None
    random_detect: Literal["dscp-based"] | None = None


@dataclass(frozen=True)
class PolicyTemplate:
    """A policy-map: classes in the order IOS tries them, class-default last."""

    name: str
    classes: tuple[ClassTemplate, ...]

    def class_template(self, name: str) -> ClassTemplate | None:
        """The class of that name in this policy, or None."""
        return next((found for found in self.classes if found.class_name == name), None)


@dataclass(frozen=True)
class Scheme:
    """A whole scheme. ``cases`` maps an access case (who marks) to its input policy, ``core`` is the core's
    output one.

    ``policer`` is ``cap`` (Appendix A) or ``grants`` (D4.4.2v2 section 2.5 a). ``names`` gives the IOS names
    of what exists once per link.
    """

    name: str
    title: str
    classes: tuple[ServiceClass, ...]
    pools: Mapping[str, Pool] = field(hash=False)
    policer: Literal["cap", "grants"]
    class_maps: Mapping[str, ClassMapTemplate] = field(hash=False)
    policies: Mapping[str, PolicyTemplate] = field(hash=False)
    cases: Mapping[str, str] = field(hash=False)
    core: str
    names: Mapping[str, str] = field(hash=False)
    options: Mapping[str, bool] = field(hash=False)
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in ("pools", "class_maps", "policies", "cases", "names", "options"):
            object.__setattr__(self, name, MappingProxyType(dict(getattr(self, name))))

    def service_class(self, name: str) -> ServiceClass:
        """The class by its name or abbreviation; raises InvalidInput naming ``service_class``."""
        for found in self.classes:
            if name in (found.name, found.abbreviation):
                return found
        known = ", ".join(found.name for found in self.classes)
        raise InvalidInput(
            f"scheme {self.name} has no class {name!r:.60}; it has {known}", field="service_class"
        )

    def pool_of(self, service_class: str) -> Pool | None:
        """The pool that requests of this class are charged to; None for a class without admission (6NET: LBE,
        BE).
        """
        pool = self.service_class(service_class).pool
        return None if pool is None else self.pools[pool]

    def case_policy(self, case: str) -> PolicyTemplate:
        """The input policy of an access case; raises InvalidInput for a case the scheme does not have."""
        if case not in self.cases:
            raise InvalidInput(f"scheme {self.name} has no access case {case!r:.60}", field="case")
        return self.policies[self.cases[case]]

    @property
    def core_policy(self) -> PolicyTemplate:
        """The output policy of core interfaces."""
        return self.policies[self.core]

    def emitted(self, class_map: str) -> bool:
        """Whether the class-map is written although no policy uses it (an option), or because nothing forbids
        it.
        """
        option = self.class_maps[class_map].emit
        return option is None or self.options[option]

    def digest(self) -> str:
        """SHA-256 in hex over everything the scheme says; part of a plan's fingerprint."""
        text = json.dumps(self._plain(), sort_keys=True, separators=(",", ":"), default=str)
        return hashlib.sha256(text.encode()).hexdigest()

    def _plain(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "title": self.title,
            "classes": [asdict(found) for found in self.classes],
            "pools": {name: asdict(pool) for name, pool in self.pools.items()},
            "policer": self.policer,
            "class_maps": {name: asdict(found) for name, found in self.class_maps.items()},
            "policies": {name: asdict(found) for name, found in self.policies.items()},
            "cases": dict(self.cases),
            "core": self.core,
            "names": dict(self.names),
            "options": dict(self.options),
            "notes": list(self.notes),
        }
