"""What a rehearsal says of a practice router: in what it is not as it must be, and where that comes from. Pure, no I/O."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from provisioning.pipeline.change import Scope
from provisioning.pipeline.diff import Line
from provisioning.pipeline.diff.store import digest_of, store_of
from provisioning.pipeline.intent import interface_key
from provisioning.pipeline.mqc import RunningConfig
from provisioning.pipeline.platforms import Profile
from provisioning.pipeline.rendering import Renderer
from provisioning.services.practice.lending import Unknown

SHOWN = 5
_SECTION = re.compile(r"^ ?(?:policy-map|class-map|interface|ip access-list|ipv6 access-list) ")


@dataclass(frozen=True, slots=True)
class Difference:
    """An object, or a place at which a policy is bound: what had to be there, what is, and the lines of the plan about it
    (from 1); empty text: nothing.
    """

    object: str
    expected: str
    found: str
    lines: tuple[int, ...]

    def to_json(self) -> dict[str, Any]:
        return {
            "object": self.object,
            "expected": self.expected,
            "found": self.found,
            "lines": list(self.lines),
        }

    @property
    def text(self) -> str:
        return f"{self.object} ({lines_in_words(self.lines)})" if self.lines else self.object


def differences(
    expected: RunningConfig,
    found: RunningConfig,
    scope: Scope,
    commands: Sequence[Line],
    renderer: Renderer,
    profile: Profile,
) -> tuple[Difference, ...]:
    """In what a configuration is not the expected one, within the scope of a plan with these commands."""
    wanted, held = store_of(expected), store_of(found)
    there: list[Difference] = []
    for key in sorted(scope.objects):
        old, new = held.get(key), wanted.get(key)
        if (old and digest_of(old)) != (new and digest_of(new)):
            texts = ["" if each is None else renderer.text(each, profile) for each in (new, old)]
            there.append(Difference(" ".join(key), texts[0], texts[1], _about(commands, key[1], _SECTION)))
    before, after = _bound(found, scope), _bound(expected, scope)
    for place in sorted({*before, *after}):
        if before.get(place) != after.get(place):
            lines = _about(commands, place[0], re.compile(r"interface "))
            texts = [f"service-policy {side[place]}" if place in side else "" for side in (after, before)]
            there.append(Difference(f"{place[1]} {place[2]}", texts[0], texts[1], lines))
    return tuple(there)


def concerning(unknown: Collection[Unknown], text: str, names: Collection[str]) -> list[Unknown]:
    """The lines that were not taken and stand in a section of the running-config about one of these names."""
    if not unknown:
        return []
    owner: dict[int, str] = {}
    name = ""
    for number, line in enumerate(text.replace("\r\n", "\n").split("\n"), 1):
        if _SECTION.match(line):
            name = line.split()[-1] if line.split()[-1] not in _KINDS else line.split()[-2]
        elif line[:1] not in (" ", ""):
            name = ""
        owner[number] = name
    return [each for each in unknown if owner.get(each.number) in names]


def header_of(commands: Sequence[Line], number: int) -> str:
    """The line that opens the section in which line `number` (from 1) of a plan stands; itself where it is one."""
    return next(line.text for line in reversed(commands[:number]) if line.depth == 0)


def lines_in_words(numbers: Collection[int]) -> str:
    """``line 3``, ``lines 3, 17-19``."""
    found: list[list[int]] = []
    for number in sorted(set(numbers)):
        if found and found[-1][-1] == number - 1:
            found[-1][1:] = [number]
        else:
            found.append([number])
    text = ", ".join("-".join(map(str, each)) for each in found)
    return f"line{'' if len(set(numbers)) == 1 else 's'} {text}"


def some(texts: Sequence[str]) -> str:
    """The first few, and how many more there are."""
    more = len(texts) - SHOWN
    return "; ".join(texts[:SHOWN]) + (f"; and {more} more" if more > 0 else "")


_KINDS = ("point-to-point", "multipoint")


def _bound(config: RunningConfig, scope: Scope) -> dict[tuple[str, str, str], str]:
    """(interface, its key with the PVC, direction) -> policy, on the interfaces of a scope."""
    return {
        (each.interface, interface_key(each.interface, each.pvc), each.direction): each.policy
        for each in config.bindings
        if each.interface in scope.interfaces
    }


def _about(commands: Sequence[Line], name: str, kind: re.Pattern[str]) -> tuple[int, ...]:
    """The lines of a plan in sections that are about this name, counted from 1."""
    found: list[int] = []
    inside = False
    for number, line in enumerate(commands, 1):
        if line.depth == 0:
            text = line.text.removeprefix("no ")
            inside = bool(kind.match(text)) and name in text.split()[1:]
        if inside:
            found.append(number)
    return tuple(found)
