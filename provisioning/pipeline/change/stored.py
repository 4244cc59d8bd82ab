"""How the parts of a plan that exist for every prefix are written down: each by what it shares with the one before it.

The undo of one command more is the undo before it with a few lines changed, and the list behind an interface one entry
longer; whole, 400 entries came to 15 MB. What is written here grows with the lines of the plan (decision 18).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeVar

from provisioning.errors import InvalidInput
from provisioning.pipeline.diff import Line
from provisioning.pipeline.safety import InterfaceQos, LineState

_T = TypeVar("_T")

WHOLE: Final = 1
SHARED: Final = 2
"""The forms of a stored plan: every prefix whole (until 0.1.0), and by what it shares."""

_LISTS: Final = ("authorised", "partial", "exempted")

_Said = dict[tuple[str, str | None], dict[str, Any]]

Shared = tuple[int, tuple[_T, ...], int]
"""(head, middle, tail): so many items of the sequence before, these, and so many of its last ones."""


def shared(sequences: Iterable[Sequence[_T]]) -> Iterator[Shared[_T]]:
    """Every sequence by the one before it, the first by an empty one; the head as long as it can be, then the tail."""
    before: Sequence[_T] = ()
    for now in sequences:
        shorter = min(len(before), len(now))
        head = next((at for at in range(shorter) if before[at] != now[at]), shorter)
        most = shorter - head
        tail = next((at for at in range(most) if before[-1 - at] != now[-1 - at]), most)
        yield head, tuple(now[head : len(now) - tail]), tail
        before = now


def whole(steps: Iterable[Shared[_T]]) -> Iterator[tuple[_T, ...]]:
    """The sequences again; raises InvalidInput when one takes more of the one before than there is."""
    before: tuple[_T, ...] = ()
    for head, middle, tail in steps:
        if not (head >= 0 and tail >= 0 and head + tail <= len(before)):
            raise InvalidInput(
                f"it takes {head} and {tail} items of a sequence of {len(before)}", field="plan"
            )
        before = (*before[:head], *middle, *before[len(before) - tail :])
        yield before


def undo_to_json(undo: Iterable[Sequence[Line]]) -> list[Any]:
    """The undo of every prefix, as `[head, lines, tail]` each."""
    return [[head, [line.to_json() for line in lines], tail] for head, lines, tail in shared(undo)]


def undo_from_json(data: Iterable[Any]) -> tuple[tuple[Line, ...], ...]:
    return tuple(
        whole((head, tuple(Line.from_json(line) for line in lines), tail) for head, lines, tail in data)
    )


def proof_to_json(proof: Iterable[LineState]) -> list[dict[str, Any]]:
    """The state after every line: of each interface what is other than the last time it was named, lists by what they share."""
    said: _Said = {}
    return [
        {
            "line": state.line,
            "states": [_changed(said, each) for each in state.states],
            **({"violations": list(state.violations)} if state.violations else {}),
            **({"gap": True} if state.gap else {}),
        }
        for state in proof
    ]


def proof_from_json(data: Iterable[Mapping[str, Any]]) -> tuple[LineState, ...]:
    said: _Said = {}
    return tuple(
        LineState(
            each["line"],
            tuple(_restored(said, state) for state in each["states"]),
            tuple(each.get("violations", ())),
            each.get("gap", False),
        )
        for each in data
    )


def _changed(said: _Said, state: InterfaceQos) -> dict[str, Any]:
    key = state.interface, state.pvc
    now, before = state.to_json(), said.get(key, {})
    said[key] = now
    names = {"interface": state.interface, "pvc": state.pvc}
    found = {name: value for name, value in now.items() if name not in before or before[name] != value}
    for name in _LISTS:
        if name in found:
            *_, (head, middle, tail) = shared((before.get(name, ()), found[name]))
            found[name] = [head, list(middle), tail]
    return {**found, **names}


def _restored(said: _Said, data: Mapping[str, Any]) -> InterfaceQos:
    key = data["interface"], data["pvc"]
    before = said.get(key, {})
    now = {**before, **data}
    for name in _LISTS:
        if name in data:
            head, middle, tail = data[name]
            *_, now[name] = whole(((0, tuple(before.get(name, ())), 0), (head, tuple(middle), tail)))
    said[key] = now
    return InterfaceQos.from_json(now)
