"""What is sent when the second line of a swap is refused: approved with the plan, in the order in which it is tried.

The old policy goes back at once; where that is refused too, new and old are tried in turn, and then a policy that lets
no EF in, where one was read on the router. None of them needs a line but its own: each policy is there at that moment.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

from provisioning.pipeline.change.blocks import chunks
from provisioning.pipeline.diff import Gap, Line, write_units
from provisioning.pipeline.intent import Role, RouterIntent, interface_key
from provisioning.pipeline.mqc import Binding, RunningConfig
from provisioning.pipeline.safety import InterfaceQos, LineState, Marker, in_full, interface_states

Place = tuple[str, str | None, str]
"""Where a policy can be bound: interface, PVC or None, direction."""

SERVICE_POLICY: Final = re.compile(
    r"^(?P<no>no )?service-policy (?P<direction>input|output) (?P<policy>\S+)$"
)


@dataclass(frozen=True, slots=True)
class Alternative:
    """A policy that may be bound at the place of a swap whose own line is refused. `effect` says in words what the
    interface does with it; `standby` marks the one that belongs to neither end of the swap."""

    interface: str
    pvc: str | None
    direction: str
    policy: str
    effect: str
    standby: bool = False

    @property
    def place(self) -> Place:
        return self.interface, self.pvc, self.direction

    @property
    def line(self) -> str:
        """The line that is sent, in the mode of its interface."""
        return f"service-policy {self.direction} {self.policy}"

    @property
    def where(self) -> str:
        """The place as a person writes it."""
        return f"{interface_key(self.interface, self.pvc)} {self.direction}"

    @property
    def text(self) -> str:
        return f"{self.where}: {self.line}: {self.effect}"

    def to_json(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__slots__}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Alternative:
        return cls(**{name: data[name] for name in cls.__slots__})


@dataclass(frozen=True, slots=True)
class Write:
    """What goes out in one write, and what goes out at once, line by line, when its last line is refused.

    `place` is where that line binds a policy, None for any other line. `together` says that these are lines of a block, of
    which any may be refused."""

    lines: tuple[Line, ...]
    instead: tuple[str, ...] = ()
    place: Place | None = None
    together: bool = False


def alternatives(
    gaps: Iterable[Gap], proof: Sequence[LineState], standby: Mapping[str, str], bandwidths: Mapping[str, int]
) -> tuple[Alternative, ...]:
    """The alternatives of every swap in `gaps`, as its lines are proven in `proof`: new, old, then `standby`, which maps
    the name of a policy that lets no EF in to its effect in words (`standing_by`)."""
    found: list[Alternative] = []
    for gap in gaps:
        place = (gap.interface, gap.pvc, gap.direction)
        key = interface_key(gap.interface, gap.pvc)
        bw = bandwidths.get(gap.interface)
        before = _state(proof, key, gap.after_line)
        after = _state(proof, key, gap.after_line + 2)
        found += (
            Alternative(*place, policy, in_full(state, bw) if state is not None else "as planned")
            for policy, state in ((gap.new, after), (gap.old, before))
        )
        if gap.direction == "input":
            found += (
                Alternative(*place, name, effect, standby=True)
                for name, effect in standby.items()
                if name not in (gap.old, gap.new)
            )
    return tuple(found)


def standing_by(
    base: RunningConfig, target: RunningConfig, ours: Collection[str], intended: RouterIntent
) -> dict[str, str]:
    """The first policy, by name, that is ours, was read on the router, stays as it is, and lets no EF in, with its effect in
    words; empty where there is none."""
    for name in sorted(ours):
        held = base.policy_maps.get(name)
        if held is None or target.policy_maps.get(name) != held:
            continue
        bound = dataclasses.replace(base, bindings=frozenset({Binding("Null0", None, "input", name)}))
        state = interface_states(
            bound,
            {"Null0": Role.ACCESS},
            premium=intended.markings.premium,
            allowed=intended.markings.allowed,
        )["Null0"]
        if state.marker is Marker.ROUTER and state.ef_rate == "none":
            return {name: in_full(state)}
    return {}


def writes(
    lines: Sequence[Line], found: Sequence[Alternative], together: Sequence[tuple[int, int]] = ()
) -> tuple[Write, ...]:
    """Lines as they go out, each swap with its alternatives: what was bound there before at once, then its own line again, and
    so on in turn; the policy that belongs to neither end comes last. `together` are the ranges of `lines` that are blocks, in
    order."""
    done: list[Write] = []
    at = 0
    for start, end in together:
        done += _writes(lines[at:start], found)
        done += (Write(chunk, together=True) for chunk in chunks(lines[start:end]))
        at = end
    return (*done, *_writes(lines[at:], found))


def in_contexts(lines: Iterable[Line]) -> Iterator[tuple[Line, str | None, str | None]]:
    """Each line with the interface and the PVC in whose mode it is, itself included; None outside of any."""
    interface: str | None = None
    pvc: str | None = None
    for line in lines:
        word, _, rest = line.text.partition(" ")
        if line.depth == 0:
            interface, pvc = (rest if word == "interface" else None), None
        elif word == "pvc" and line.depth == 1:
            pvc = rest
        yield line, interface, pvc


def _writes(lines: Sequence[Line], found: Sequence[Alternative]) -> Iterator[Write]:
    contexts = in_contexts(lines)
    for unit in write_units(lines):
        *_, (_line, interface, pvc) = islice(contexts, len(unit))
        bound = SERVICE_POLICY.match(unit[-1].text)
        if bound is None or bound["no"] or interface is None:
            yield Write(unit)
            continue
        place = (interface, pvc, bound["direction"])
        yield Write(
            unit, _instead(unit, bound["policy"], [each for each in found if each.place == place]), place
        )


def _instead(unit: Sequence[Line], policy: str, here: Sequence[Alternative]) -> tuple[str, ...]:
    if not here:
        return ()
    line = unit[-1].text
    off = SERVICE_POLICY.match(unit[0].text) if len(unit) > 1 else None
    ends = [each.policy for each in here if not each.standby and each.policy != policy]
    held = off["policy"] if off and off["no"] else (ends or [policy])[0]
    back = next((each.line for each in here if each.policy == held), line)
    last = [each.line for each in here if each.standby and each.line not in (line, back)]
    return (back, line, back, *last) if last else (back, line)


def _state(proof: Sequence[LineState], key: str, count: int) -> InterfaceQos | None:
    """The state of an interface after so many lines; None where the proof does not reach it."""
    found = None
    for entry in proof[: count + 1]:
        found = next((state for state in entry.states if state.key == key), found)
    return found
