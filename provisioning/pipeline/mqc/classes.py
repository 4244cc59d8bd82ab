"""class-map: which packets a class takes (D4.4.2v2 Appendix A; ios-facts N1-N10)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from provisioning.errors import InvalidInput
from provisioning.pipeline.mqc import codepoints
from provisioning.pipeline.mqc.names import checked_name, one_line
from provisioning.pipeline.mqc.numbers import is_number

DSCP_KINDS: Final = frozenset({"dscp", "ip dscp"})
PRECEDENCE_KINDS: Final = frozenset({"precedence", "ip precedence"})
NUMBER_KINDS: Final = frozenset(
    {"cos", "cos inner", "qos-group", "discard-class", "vlan", "vlan inner", "atm clp", "fr-dlci"}
    | {f"mpls experimental{place}" for place in ("", " topmost", " imposition")}
)
WORD_KINDS: Final = frozenset({"access-group", "protocol", "input-interface", "class-map", "opaque"})


def _number_or_word(value: int | str) -> int | str:
    if isinstance(value, str):
        value = value.strip()
        return int(value) if is_number(value) else value
    return value


@dataclass(frozen=True, slots=True)
class Match:
    """One ``match`` line: its values are alternatives.

    ``kind`` is what IOS compares; ``ip dscp`` (IPv4 only) is never ``dscp`` (both families; ios-facts N4).
    DSCPs are integers, whatever they were called. An access list is a name (str) or a number (int).
    ``opaque`` holds the words after ``match [not]`` of a form this model has no name for, so that nothing
    read is ever dropped. Raises InvalidInput on an unknown kind or value.
    """

    kind: str
    values: frozenset[int | str] = frozenset()
    negated: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", frozenset(self._canonical(self.values)))
        if self.kind == "any":
            if self.values:
                raise InvalidInput("`match any` takes no value", field="match")
        elif not self.values:
            raise InvalidInput(f"`match {self.kind}` needs a value", field="match")

    def _canonical(self, values: Iterable[int | str]) -> Iterable[int | str]:
        if isinstance(values, (str, int)):
            raise InvalidInput("values are a set, not one value", field="match")
        if self.kind in DSCP_KINDS:
            return {codepoints.dscp(value) for value in values}
        if self.kind in PRECEDENCE_KINDS:
            return {codepoints.precedence(value) for value in values}
        if self.kind in NUMBER_KINDS or self.kind == "access-group":
            return {_number_or_word(value) for value in values}
        if self.kind in WORD_KINDS:
            return {one_line(str(value), "match") for value in values}
        if self.kind == "any":
            return values
        raise InvalidInput(f"{self.kind!r} is not a kind of match", field="match")

    @property
    def sorted_values(self) -> tuple[int | str, ...]:
        """The values in the order IOS prints them: numbers ascending (ios-facts N5), then words."""
        return tuple(sorted(self.values, key=lambda value: (isinstance(value, str), value)))


@dataclass(frozen=True, slots=True)
class ClassMap:
    """One class-map. The order of its matches is not part of it (ios-facts N6); two lines are never one
    (N5).

    ``mode`` is ``match-all`` (every line required; the default of IOS), ``match-any`` or, on IOS-XE, ``match-none``
    (Cisco-IOS-XE-policy.yang, ``prematch``). ``other_lines``
    keeps lines of the class-map that are neither a match nor a description. Raises InvalidInput on a bad
    name or mode.
    """

    name: str
    mode: str = "match-all"
    matches: frozenset[Match] = frozenset()
    description: str = ""
    other_lines: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        checked_name(self.name, "class-map")
        if self.mode not in ("match-all", "match-any", "match-none"):
            raise InvalidInput(
                f"{self.mode!r} is none of match-all, match-any, match-none", field="class-map"
            )
        object.__setattr__(self, "matches", frozenset(self.matches))
        object.__setattr__(self, "description", one_line(self.description, "description"))
        object.__setattr__(
            self, "other_lines", frozenset(one_line(line, "class-map") for line in self.other_lines)
        )

    @property
    def access_lists(self) -> frozenset[str]:
        """Names (numbers as text) of the access lists this class refers to."""
        return frozenset(
            str(value) for match in self.matches if match.kind == "access-group" for value in match.values
        )
