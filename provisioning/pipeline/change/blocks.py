"""Definitions that nothing live refers to: lines that may go out together, because it does no harm whichever of them are refused.

IOS reads on after a line it refuses, in the mode it is in then: the same, or any above it (ios-facts 3.2, 5.1). So a block is
made of lines of which nothing else can come, wherever each of them lands:

- it begins at the top of configuration mode and only makes objects that were not there; nothing that is there refers to one
  of them by name, so no packet meets them however they come out;
- it enters no interface, takes nothing off, and each of its lines is either the header of one of these objects, or a line that
  IOS does not know outside of their modes; ``class NAME`` alone may land at the top, as an abbreviation of ``class-map NAME``,
  and then enters an object of the block, or one to which that changes nothing.

What is taken back is every one of these objects that is there, whatever it holds: `Block.clearing`, approved with the plan.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Any, Final

from provisioning.pipeline.change.fingerprint import Scope, scope_digest
from provisioning.pipeline.diff import ACCESS_LIST, CLASS_MAP, POLICY_MAP, Key, Line
from provisioning.pipeline.diff.store import Objects, bottom_up, plain, store_of, with_store
from provisioning.pipeline.mqc import CLASS_DEFAULT, RunningConfig

_HEADER: Final = re.compile(
    r"(?:(?P<cmap>class-map) (?:match-(?:all|any|none) )?|(?P<pmap>policy-map) |ip access-list (?:standard|extended) |"
    r"ipv6 access-list )(?P<name>\S+)\Z"
)
_INSIDE: Final = re.compile(
    r"(?:\d+ )?(?:permit|deny|remark|sequence|match|description|class|police|conform-action|exceed-action|violate-action|set|"
    r"priority|bandwidth|shape|service-policy|queue-limit|fair-queue)(?: |\Z)"
)
"""Lines of a list, a class-map, a policy-map that no release knows as a command of the top, whole or abbreviated, but for
``class`` and a ``priority`` with a number, which is incomplete there (``priority-list``). ``random-detect`` is missing: it
abbreviates ``random-detect-group`` (12.2 command reference)."""
MOST_LINES: Final = 40
"""Of one write: half a second a line, and the reply is still there before its bound."""
MOST_CHARACTERS: Final = 3000
"""Of one write: less than the window of a router of that age (4128 bytes), so a write never waits for it."""


@dataclass(frozen=True, slots=True)
class Block:
    """Commands `start` to `end` (exclusive) of a plan, which make the objects `makes`; `clearing` are the lines that take
    them off, a line each, in the order in which all of them can go. `together` are the ranges of commands that go out many in a
    write; the others of the block go out one by one, in a mode that was answered: the top of the configuration might know one."""

    start: int
    end: int
    makes: tuple[Key, ...]
    clearing: tuple[Line, ...]
    together: tuple[tuple[int, int], ...]

    def to_json(self) -> dict[str, Any]:
        return {
            "start": self.start,
            "end": self.end,
            "together": [list(each) for each in self.together],
            "makes": [list(key) for key in self.makes],
            "clearing": [line.to_json() for line in self.clearing],
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Block:
        return cls(
            data["start"],
            data["end"],
            tuple((kind, name) for kind, name in data["makes"]),
            tuple(Line.from_json(line) for line in data["clearing"]),
            tuple((start, end) for start, end in data["together"]),
        )


def blocks(
    commands: Sequence[Line],
    states: Sequence[RunningConfig],
    undo: Sequence[Sequence[Line]],
    scope: Scope,
    default_mode: str,
) -> tuple[Block, ...]:
    """The blocks of a plan, the longest there are.

    `states[i]` is the configuration after i commands and `undo[i]` takes them back; `default_mode` is what a class-map is
    whose header names none. What is not in `scope` could not be found again and is left out.
    """
    found: list[Block] = []
    at = 0
    while at < len(commands):
        block = _block_at(commands, at, states[at], scope, default_mode)
        clearing = None if block is None else _clearing(block, undo[block.end])
        if block is None or clearing is None:
            at += 1
            continue
        found.append(dataclasses.replace(block, clearing=clearing))
        at = block.end
    return tuple(found)


def part(
    plan_blocks: Sequence[Block], digests: Sequence[str], scope: Scope, observed: RunningConfig
) -> Block | None:
    """The block of which a router shows a part: without the objects of the block it is as before its first line. None where it
    shows no such thing, or where something else refers to one of them by now. `digests[i]` is `scope_digest` after i commands."""
    objects = Objects(observed)
    store = objects.store
    for block in plan_blocks:
        made = _held(block, store)
        if made and not any(_used_by_others(objects, key, made) for key in made):
            rest = {key: thing for key, thing in store.items() if key not in made}
            if scope_digest(with_store(observed, rest, observed.bindings), scope) == digests[block.start]:
                return block
    return None


def clearing(block: Block, observed: RunningConfig) -> tuple[Line, ...]:
    """The approved lines that take off what of a block a router shows: what refers to another of them goes first."""
    store = store_of(observed)
    line_of = dict(zip(reversed(block.makes), block.clearing, strict=True))
    held = {key: store[key] for key in _held(block, store)}
    return tuple(line_of[plain(key)] for key in reversed(bottom_up(held)))


def chunks(lines: Sequence[Line]) -> Iterator[tuple[Line, ...]]:
    """The lines of a block as they go out: objects whole where they fit into a write."""
    chunk: list[Line] = []
    for thing in _stanzas(lines):
        if chunk and not _fits([*chunk, *thing]):
            yield tuple(chunk)
            chunk = []
        chunk += thing
        while not _fits(chunk):
            most = next(count for count in range(len(chunk), 0, -1) if count == 1 or _fits(chunk[:count]))
            yield tuple(chunk[:most])
            chunk = chunk[most:]
    if chunk:
        yield tuple(chunk)


def _block_at(
    commands: Sequence[Line], start: int, state: RunningConfig, scope: Scope, default_mode: str
) -> Block | None:
    if commands[start].depth or _HEADER.match(commands[start].text) is None:
        return None
    objects = Objects(state)
    names = {plain(key) for key in objects.store}
    within = {plain(key) for key in scope.objects}
    makes: list[Key] = []
    together: list[tuple[int, int]] = []
    end = start
    for thing in _stanzas(commands[start:]):
        key = _made_by(thing[0])
        if key is None or (key not in makes and (key in names or key not in within or objects.used(key))):
            break
        if any(line.joined for line in thing):
            break
        if key not in makes:
            makes.append(key)
        # Behind a line that the top might know all others wait for its answer: who is not in their mode sends none of them.
        safe = takewhile(lambda line: _only_inside(line, makes, state, default_mode), thing[1:])
        begun = together.pop()[0] if together and together[-1][1] == end else end
        together.append((begun, end + 1 + len(tuple(safe))))
        end += len(thing)
    return Block(start, end, tuple(makes), (), tuple(together)) if makes else None


def _only_inside(line: Line, known: Collection[Key], state: RunningConfig, default_mode: str) -> bool:
    """Whether a line below a header can change nothing but the objects `known`, whichever mode it meets."""
    if _INSIDE.match(line.text) is None:
        return False
    word, _, name = line.text.partition(" ")
    if word != "class" or name == CLASS_DEFAULT:
        return True
    held = state.class_maps.get(name)
    return (CLASS_MAP, name) in known or (held is not None and held.mode == default_mode)


def _made_by(line: Line) -> Key | None:
    found = None if line.joined else _HEADER.match(line.text)
    if found is None:
        return None
    kind = CLASS_MAP if found["cmap"] else POLICY_MAP if found["pmap"] else ACCESS_LIST
    return kind, found["name"]


def _clearing(block: Block, undo: Sequence[Line]) -> tuple[Line, ...] | None:
    """The lines of an undo that take off the objects of a block, the one made last first; None where one is missing."""
    taken: dict[Key, Line] = {}
    for line in undo:
        key = _made_by(Line(line.text.removeprefix("no "))) if line.text.startswith("no ") else None
        if key is not None and not line.depth:
            taken[key] = line
    wanted = list(reversed(block.makes))
    return tuple(taken[key] for key in wanted) if all(key in taken for key in wanted) else None


def _used_by_others(objects: Objects, key: Key, made: Collection[Key]) -> bool:
    bound = key[0] == POLICY_MAP and key[1] in objects.bound_to
    return bound or key in objects.referenced or bool(objects.users.of(key) - set(made))


def _held(block: Block, store: Mapping[Key, Any]) -> list[Key]:
    made = set(block.makes)
    return [key for key in store if plain(key) in made]


def _stanzas(lines: Sequence[Line]) -> Iterator[list[Line]]:
    """The lines of an object each: a line of depth 0 and those below it."""
    stanza: list[Line] = []
    for line in lines:
        if stanza and not line.depth:
            yield stanza
            stanza = []
        stanza.append(line)
    if stanza:
        yield stanza


def _fits(lines: Sequence[Line]) -> bool:
    return len(lines) <= MOST_LINES and sum(len(line.text) + 1 for line in lines) <= MOST_CHARACTERS
