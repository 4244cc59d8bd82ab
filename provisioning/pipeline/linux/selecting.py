"""class-map and access list -> which packets, as nftables and tc can tell them apart."""

from __future__ import annotations

from collections.abc import Mapping

from provisioning.errors import InvalidInput
from provisioning.pipeline.linux.values import Selector
from provisioning.pipeline.mqc import AccessList, ClassMap, Match

BOTH = (6, 4)
_FAMILY = {"ipv6": 6, "ip": 4}


def selectors(found: ClassMap, lists: Mapping[str, AccessList]) -> tuple[Selector, ...]:
    """Alternatives, the first that matches decides. Raises InvalidInput naming the class-map for what cannot be told apart."""
    if found.other_lines or not found.matches:
        raise _not_told(found.name, "it has no match line, or one that is not understood")
    lines = sorted(found.matches, key=lambda match: (match.kind, str(match.sorted_values)))
    each = [_of_line(found.name, match, lists) for match in lines]
    if found.mode == "match-any" or len(each) == 1:
        return tuple(dict.fromkeys(selector for line in each for selector in line))
    if found.mode == "match-all":
        both = each[0]
        for line in each[1:]:
            both = tuple(
                met for one in both for other in line if (met := _both(found.name, one, other)) is not None
            )
        return tuple(dict.fromkeys(both))
    raise _not_told(found.name, f"{found.mode} has no counterpart")


def _of_line(name: str, match: Match, lists: Mapping[str, AccessList]) -> tuple[Selector, ...]:
    if match.negated:
        raise _not_told(name, "`match not` has no counterpart in a list that only lets in")
    if match.kind in ("dscp", "ip dscp"):
        families = BOTH if match.kind == "dscp" else (4,)
        return tuple(
            Selector(family, dscp=int(value)) for value in match.sorted_values for family in families
        )
    if match.kind == "any":
        return tuple(map(Selector, BOTH))
    if match.kind == "access-group":
        found = []
        for value in match.sorted_values:
            if str(value) not in lists:
                raise _not_told(name, f"there is no access list {value}")
            found += _of_list(name, lists[str(value)])
        return tuple(found)
    raise _not_told(name, f"`match {match.kind}` is not told apart here")


def _of_list(name: str, access_list: AccessList) -> list[Selector]:
    found = []
    for entry in access_list.entries:
        if not entry.decides:
            continue
        words = entry.text.split()
        if words[0] == "deny" and words[1:] == [*words[1:2], "any", "any"] and words[1] in _FAMILY:
            break  # the rest of a list that authorises nobody else, in so many words
        if words[0] != "permit" or len(words) < 2 or words[1] not in _FAMILY:
            raise _not_told(
                name,
                f"`{entry.text}` of {access_list.name}: only `permit ipv6`, `permit ip` and a `deny` of all the rest are",
            )
        family, rest = _FAMILY[words[1]], words[2:]
        source, rest = _address(family, rest)
        destination, rest = _address(family, rest)
        extra: dict[str, int] = {}
        while len(rest) >= 2 and rest[0] in ("flow-label", "dscp"):
            extra[rest[0].replace("-", "_")] = int(rest[1])
            rest = rest[2:]
        if rest:
            raise _not_told(name, f"`{' '.join(rest)}` in `{entry.text}` of {access_list.name}")
        found.append(Selector(family, source=source, destination=destination, **extra))
    return found


def _address(family: int, words: list[str]) -> tuple[str | None, list[str]]:
    """The prefix that these words begin with, None for ``any``, and what follows it."""
    if not words:
        return None, words
    if words[0] == "any":
        return None, words[1:]
    if words[0] == "host":
        return f"{words[1]}/{128 if family == 6 else 32}", words[2:]
    if family == 6:
        return words[0], words[1:]
    mask = ".".join(str(255 - int(part)) for part in words[1].split("."))
    return f"{words[0]}/{mask}", words[2:]


def _both(name: str, one: Selector, other: Selector) -> Selector | None:
    """The packets that are of both; None where there are none."""
    if not one.meets(other):
        return None
    if one.covers(other):
        return other
    if other.covers(one):
        return one
    if (one.source or one.destination) and (other.source or other.destination):
        raise _not_told(name, "two access lists for one packet")
    first, second = (one, other) if one.source or one.destination else (other, one)
    return Selector(
        one.family,
        dscp=first.dscp if second.dscp is None else second.dscp,
        source=first.source,
        destination=first.destination,
        flow_label=first.flow_label if second.flow_label is None else second.flow_label,
    )


def _not_told(name: str, why: str) -> InvalidInput:
    return InvalidInput(f"class-map {name} on Linux: {why}", field="class-map")
