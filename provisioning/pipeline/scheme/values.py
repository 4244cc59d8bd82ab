"""The values of a QoS scheme. Intent turns the templates into MQC objects; admission reads the pools."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Any, Literal

from provisioning.errors import InvalidInput
from provisioning.pipeline.scheme.rules import (
    Buckets,
    Policers,
    Receivers,
    RouterHealth,
    SingleFailures,
    Telling,
)
from provisioning.pipeline.scheme.shares import Pool
from provisioning.pipeline.scheme.templates import (
    Chosen,
    ClassMapTemplate,
    DeclaredException,
    Outputs,
    PlatformWarning,
    PolicyTemplate,
)

NON_PARTICIPANT = "non-participant"
"""The access case of whoever has no agreement: every scheme has it, and a link that is not standing rests in it."""

NEIGHBOUR_IN = "NEIGHBOUR-IN"
NEIGHBOUR_OUT = "NEIGHBOUR-OUT"
"""The policies of an access link with an agreement about DSCPs, inwards and outwards (D4.4.2v2 section 2.2)."""

Ends = Literal["both", "source", "outside"]
"""Which ends a request of a class names: both access links; its source alone, to anywhere inside and out; its source,
and a destination outside the domain (GRNET section 3.1).
"""


@dataclass(frozen=True)
class ServiceClass:
    """A class of service, its DSCP, and the pool that requests for it are charged to (None: nothing is admitted).

    ``lower_dscps`` are the higher drop precedences that the same class may carry (AF12 and AF13 beside AF11).
    ``admission`` ``edge`` charges the source's access link alone, ``path`` every link on the way. ``static_routes``:
    promised only over static routes. ``guarded`` are those of its DSCPs that no edge may let in unauthorised or
    unpoliced (D4.4.2v2 section 2.4.1: EF). ``needs_flow_label``: its flows are told apart by their label. ``shaped``: to be
    shaped where it enters, which a plan says of every edge that does not.
    """

    name: str
    title: str
    abbreviation: str
    phb: str
    dscp: int
    pool: str | None
    provenance: str
    lower_dscps: tuple[int, ...] = ()
    ends: Ends = "both"
    admission: Literal["path", "edge"] = "path"
    static_routes: bool = False
    guarded: tuple[int, ...] = ()
    needs_flow_label: bool = False
    shaped: bool = False

    @property
    def dscps(self) -> tuple[int, ...]:
        """Every DSCP its packets may carry, the best first."""
        return (self.dscp, *self.lower_dscps)

    @property
    def real_time(self) -> bool:
        """Whether it promises low delay: Expedited Forwarding does (RFC 3246), Assured Forwarding does not (RFC 2597)."""
        return self.phb == "EF"


@dataclass(frozen=True)
class Scheme:
    """A whole scheme. ``cases`` maps an access case (who marks) to its input policy, ``outputs`` the kind of
    interface to its output policy; options choose between policies.

    ``policer`` is ``cap`` (Appendix A) or ``grants`` (D4.4.2v2 section 2.5 a). ``families`` are the IP versions whose
    access lists every filtered link has, IPv4 also without any on it. ``rest`` names the class that traffic becomes
    which nothing authorises, ``rest_as`` one of its lower DSCPs where it is not the class's first. ``plan_notes`` are
    said in every plan. ``receivers``, ``buckets``, ``policers`` and ``failures`` judge requests beside the shares, ``health`` a
    router after a push, ``telling`` is about who is told what.
    """

    name: str
    title: str
    classes: tuple[ServiceClass, ...]
    pools: Mapping[str, Pool] = field(hash=False)
    policer: Literal["cap", "grants"]
    class_maps: Mapping[str, ClassMapTemplate] = field(hash=False)
    policies: Mapping[str, PolicyTemplate] = field(hash=False)
    case_choices: Mapping[str, Chosen] = field(hash=False)
    outputs: Outputs
    options: Mapping[str, bool] = field(hash=False)
    rest: str
    rest_as: int | None = None
    families: tuple[int, ...] = (6,)
    exceptions: tuple[DeclaredException, ...] = ()
    platform_warnings: tuple[PlatformWarning, ...] = ()
    notes: tuple[str, ...] = ()
    plan_notes: tuple[str, ...] = ()
    receivers: Receivers = field(default_factory=Receivers)
    buckets: Buckets = field(default_factory=Buckets)
    policers: Policers = field(default_factory=Policers)
    failures: SingleFailures = field(default_factory=SingleFailures)
    health: RouterHealth = field(default_factory=RouterHealth)
    telling: Telling = field(default_factory=Telling)

    def __post_init__(self) -> None:
        for name in ("pools", "class_maps", "policies", "case_choices", "options"):
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
        """The pool that requests of this class are charged to; None for a class without admission (6NET: LBE, BE)."""
        pool = self.service_class(service_class).pool
        return None if pool is None else self.pools[pool]

    @property
    def cases(self) -> Mapping[str, str]:
        """The input policy of each access case, as the options have it."""
        return {case: self._needed(chosen) for case, chosen in self.case_choices.items()}

    def case_policy(self, case: str) -> PolicyTemplate:
        """The input policy of an access case; raises InvalidInput for a case the scheme does not have."""
        if case not in self.case_choices:
            raise InvalidInput(f"scheme {self.name} has no access case {case!r:.60}", field="case")
        return self.policies[self._needed(self.case_choices[case])]

    def _needed(self, chosen: Chosen) -> str:
        return chosen.resolved(self.options) or chosen.name

    @property
    def core(self) -> str:
        """The name of the output policy of core interfaces."""
        return self._needed(self.outputs.core)

    @property
    def core_policy(self) -> PolicyTemplate:
        """The output policy of core interfaces."""
        return self.policies[self.core]

    def access_output(self, interface: str) -> PolicyTemplate | None:
        """The output policy of an access link on this interface; None where the scheme, or its options, have none."""
        chosen = self.outputs.access
        if chosen is None or chosen.resolved(self.options) is None:
            return None
        if "." in interface and not interface.startswith("ATM") and self.outputs.access_vlan is not None:
            chosen = self.outputs.access_vlan
        return self.policies[self._needed(chosen)]

    @property
    def border_output(self) -> PolicyTemplate | None:
        """The output policy of peerings, where traffic leaves the domain; None where the scheme has none."""
        chosen = self.outputs.border
        name = None if chosen is None else chosen.resolved(self.options)
        return None if name is None else self.policies[name]

    @property
    def rest_dscp(self) -> int:
        """What traffic is marked that nothing authorises."""
        return self.service_class(self.rest).dscp if self.rest_as is None else self.rest_as

    @property
    def premium_dscps(self) -> frozenset[int]:
        """The DSCPs that no edge may let in unauthorised or unpoliced."""
        return frozenset(dscp for found in self.classes for dscp in found.guarded)

    @property
    def allowed_dscps(self) -> frozenset[int]:
        """Every DSCP that may enter the backbone whoever sends it: those of the classes. What an option exempts keeps its
        mark only where an access list of the link's own addresses takes it, and is none of them.
        """
        return frozenset(dscp for found in self.classes for dscp in found.dscps)

    def excepted(self, rule: str) -> DeclaredException | None:
        """The exception the scheme declares from a rule, or None."""
        return next((found for found in self.exceptions if found.rule == rule), None)

    def emitted(self, class_map: str) -> bool:
        """Whether the class-map is written although no policy uses it (an option), or because nothing forbids it."""
        option = self.class_maps[class_map].emit
        return option is None or self.options[option]

    def digest(self) -> str:
        """SHA-256 in hex over everything the scheme says of lines and requests (``health`` and ``telling`` are of neither);
        part of a plan's fingerprint."""
        return self._digest

    @cached_property
    def _digest(self) -> str:
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
            "cases": {case: asdict(found) for case, found in self.case_choices.items()},
            "outputs": asdict(self.outputs),
            "options": dict(self.options),
            "rest": [self.rest, self.rest_as],
            "families": list(self.families),
            "exceptions": [asdict(found) for found in self.exceptions],
            "platform_warnings": [asdict(found) for found in self.platform_warnings],
            "notes": list(self.notes),
            "plan_notes": list(self.plan_notes),
            "receivers": asdict(self.receivers),
            "buckets": asdict(self.buckets),
            "failures": asdict(self.failures),
            # Said where it says something: what was planned before it could be said has the digest that it had.
            **({} if self.policers == Policers() else {"policers": asdict(self.policers)}),
        }
