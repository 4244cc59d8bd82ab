"""What a policy-map does with a class besides policing (D4.4.2v2 Appendix A; ios-facts N11-N13, N20-N24,
N29, N30).
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from provisioning.errors import InvalidInput
from provisioning.pipeline.mqc import codepoints
from provisioning.pipeline.mqc.names import checked_name, one_line
from provisioning.pipeline.mqc.numbers import is_number
from provisioning.pipeline.mqc.police import Police
from provisioning.pipeline.mqc.rates import Bps, BurstBits, BurstMs, Percent, Rate

SET_FIELDS: Final = frozenset(
    {"dscp", "ip dscp", "precedence", "ip precedence", "cos", "cos inner", "qos-group", "discard-class"}
    | {f"{field} tunnel" for field in ("dscp", "ip dscp", "precedence", "ip precedence")}
    | {f"mpls experimental{place}" for place in ("", " topmost", " imposition")}
    | {"atm-clp", "fr-de"}
)
MARKS_FROM: Final = frozenset({"cos", "dscp", "exp", "precedence", "qos-group", "discard-class"})
"""Fields whose value another field can be set to (``set dscp cos``)."""

_DEFAULT_PRIORITY_BURST: Final = 25
"""Bytes of burst for each kbit/s of priority: 200 ms, the default of ``priority KBPS`` (ios-facts N20)."""


def _choice(value: str | None, choices: tuple[str | None, ...], field: str) -> None:
    if value not in choices:
        raise InvalidInput(f"{value!r} is none of {', '.join(map(str, choices))}", field=field)


def _share(value: int | Decimal | str) -> Decimal:
    return Percent(Decimal(value)).value


@dataclass(frozen=True, slots=True)
class SetField:
    """``set FIELD VALUE``. DSCP and precedence are integers; another field to mark from (``cos``, ``cos
    table X``) stays text.
    ``set ip dscp`` marks IPv4 only and is never ``set dscp`` (ios-facts N12). ``set dscp tunnel`` marks the
    header a tunnel puts around the packet: a field of its own, beside ``set dscp``.
    """

    field: str
    value: int | str = ""

    def __post_init__(self) -> None:
        if self.field not in SET_FIELDS:
            raise InvalidInput(f"{self.field!r} is not a field to set", field="set")
        value = self.value if isinstance(self.value, int) else one_line(self.value, "set")
        if value not in MARKS_FROM and (isinstance(value, int) or (value and " " not in value)):
            value = self._number(value)
        if value == "" and self.field not in ("atm-clp", "fr-de"):
            raise InvalidInput(f"`set {self.field}` needs a value", field="set")
        object.__setattr__(self, "value", value)

    def _number(self, value: int | str) -> int | str:
        field = self.field.removesuffix(" tunnel").removeprefix("ip ")
        if field == "dscp":
            return codepoints.dscp(value)
        if field == "precedence":
            return codepoints.precedence(value)
        return int(value) if isinstance(value, str) and is_number(value) else value


@dataclass(frozen=True, slots=True)
class Priority:
    """Strict priority. ``kind`` None is the bare keyword, else ``percent``, ``kbps`` or ``level``;
    ``value`` in that unit; ``burst`` in bytes, None when it is the default 200 ms; ``level`` where a level
    and a limit are both written (ios-facts N20).
    """

    kind: str | None = None
    value: int | Decimal | None = None
    burst: int | None = None
    level: int | None = None

    def __post_init__(self) -> None:
        _choice(self.kind, (None, "percent", "kbps", "level"), "priority")
        if (self.kind is None) != (self.value is None):
            raise InvalidInput("a kind and its value belong together", field="priority")
        if self.kind == "kbps" and self.value is not None:
            default = int(self.value) * _DEFAULT_PRIORITY_BURST
            object.__setattr__(self, "burst", None if self.burst == default else self.burst)
        if self.kind == "percent" and self.value is not None:
            object.__setattr__(self, "value", _share(self.value))


@dataclass(frozen=True, slots=True)
class Bandwidth:
    """A minimum guarantee: ``kind`` ``kbps``, ``percent``, ``remaining percent`` or ``remaining ratio``."""

    kind: str
    value: int | Decimal

    def __post_init__(self) -> None:
        _choice(self.kind, ("kbps", "percent", "remaining percent", "remaining ratio"), "bandwidth")
        if self.kind.endswith("percent"):
            object.__setattr__(self, "value", _share(self.value))


@dataclass(frozen=True, slots=True)
class Shape:
    """``shape average`` or ``peak``; buckets in bits or milliseconds, None when not written (ios-facts
    N30). Both buckets at rate/40, 25 ms, are what 12.0S and 12.2 print for buckets nobody wrote.
    """

    kind: str
    rate: Rate
    burst: BurstBits | BurstMs | None = None
    excess_burst: BurstBits | BurstMs | None = None

    def __post_init__(self) -> None:
        _choice(self.kind, ("average", "peak"), "shape")
        default = BurstBits(self.rate.value // 40) if isinstance(self.rate, Bps) else None
        if default is not None and self.burst == self.excess_burst == default:
            object.__setattr__(self, "burst", None)
            object.__setattr__(self, "excess_burst", None)


@dataclass(frozen=True, slots=True)
class WredThreshold:
    """One line of a WRED profile: drop from ``minimum`` to ``maximum``, at the top 1 in ``denominator``
    (default 10, ios-facts N22). ``value`` is the DSCP, precedence or discard class, or ``rsvp``.
    """

    value: int | str
    minimum: int
    maximum: int
    denominator: int = 10
    unit: str = "packets"


@dataclass(frozen=True, slots=True)
class RandomDetect:
    """WRED of a class: all its ``random-detect`` lines together. ``mode`` is what selects the profile:
    ``precedence`` (the default), ``dscp`` or ``discard-class``; ``weight`` the exponential weighting
    constant when it is not the default 9.
    """

    mode: str = "precedence"
    thresholds: frozenset[WredThreshold] = frozenset()
    weight: int | None = None
    ecn: bool = False
    other_lines: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        _choice(self.mode, ("precedence", "dscp", "discard-class"), "random-detect")
        object.__setattr__(self, "weight", None if self.weight == 9 else self.weight)
        object.__setattr__(self, "thresholds", frozenset(self.thresholds))
        object.__setattr__(self, "other_lines", frozenset(self.other_lines))


@dataclass(frozen=True, slots=True)
class QueueLimit:
    """``queue-limit``: ``value`` in ``unit`` (packets, bytes, ms, us)."""

    value: int
    unit: str = "packets"


@dataclass(frozen=True, slots=True)
class FairQueue:
    """Fair queueing among the flows of the class; ``queues`` None for the router's default."""

    queues: int | None = None


@dataclass(frozen=True, slots=True)
class ChildPolicy:
    """``service-policy NAME`` inside a class (ios-facts N29)."""

    name: str

    def __post_init__(self) -> None:
        checked_name(self.name, "service-policy")


@dataclass(frozen=True, slots=True)
class OpaqueAction:
    """A line of a class this model has no name for, kept word for word with runs of blanks collapsed."""

    text: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "text", one_line(self.text, "action"))
        if not self.text:
            raise InvalidInput("an action without text", field="action")


Action = (
    Police
    | SetField
    | Priority
    | Bandwidth
    | Shape
    | RandomDetect
    | QueueLimit
    | FairQueue
    | ChildPolicy
    | OpaqueAction
)
