"""Binding, unbinding and the one gap IOS forces: the swap of a bound service-policy (ios-facts 2.8)."""

from __future__ import annotations

from dataclasses import dataclass

from provisioning.pipeline.diff.lines import Gap, Line, Step
from provisioning.pipeline.diff.store import Place, place_of, place_order
from provisioning.pipeline.intent import interface_key
from provisioning.pipeline.mqc import Binding, PolicyMap, RunningConfig
from provisioning.pipeline.rendering import Renderer

LASTS = (
    "from one line of a single write to the next; where it is refused, until one of its alternatives is taken"
)


@dataclass(frozen=True, slots=True)
class Move:
    """One place going from one policy (or none) to another (or none); `gap` when both lines are needed.

    `gap.after_line` counts from the first of `lines`; whoever places them adds the rest. `less` of a swap of input policies
    after which fewer classes are policed: those let EF in.
    """

    old: str | None
    new: str | None
    lines: tuple[Line, ...]
    gap: Gap | None
    less: bool = False


def moves(current: RunningConfig, wanted: RunningConfig, renderer: Renderer) -> list[Move]:
    """A move for every place whose policy differs.

    Order: priority queues off; edges that have nothing get something; swaps, those that let less EF in first;
    edges that lose theirs; queues on.
    """
    if current.bindings == wanted.bindings:
        return []
    before, after = _bound_at(current), _bound_at(wanted)
    changed = [
        place for place in sorted({*before, *after}, key=place_order) if before.get(place) != after.get(place)
    ]
    changed.sort(key=lambda place: _position(place, before, after, current, wanted))
    return [_move(place, before.get(place), after.get(place), current, wanted, renderer) for place in changed]


def _move(
    place: Place,
    old: str | None,
    new: str | None,
    current: RunningConfig,
    wanted: RunningConfig,
    renderer: Renderer,
) -> Move:
    interface, pvc, direction = place
    header = renderer.lines(Binding(interface, pvc, direction, old or new or ""))
    depth = len(header) - 1
    lines = [Line(text.strip(), level, step=Step.BINDING) for level, text in enumerate(header[:-1])]
    gap = None
    if old is not None:
        lines.append(Line(f"no service-policy {direction} {old}", depth, step=Step.BINDING))
    if new is not None:
        if old is not None:
            gap = _gap(place, old, new, current.policy_maps.get(old), len(lines) - 1)
        lines.append(Line(f"service-policy {direction} {new}", depth, old is not None, Step.BINDING))
    less = direction == "input" and gap is not None and _more_policers(old, new, current, wanted) < 0
    return Move(old, new, tuple(lines), gap, less)


def _bound_at(config: RunningConfig) -> dict[Place, str]:
    return {place_of(bound): bound.policy for bound in config.bindings}


def _position(
    place: Place,
    before: dict[Place, str],
    after: dict[Place, str],
    current: RunningConfig,
    wanted: RunningConfig,
) -> int:
    old, new = before.get(place), after.get(place)
    if place[2] == "output":
        return 0 if new is None else 6 if old is None else 3
    if old is None:
        return 1
    if new is None:
        return 5
    return 2 if _more_policers(old, new, current, wanted) <= 0 else 4


def _more_policers(old: str | None, new: str | None, current: RunningConfig, wanted: RunningConfig) -> int:
    """How many more classes the new policy polices than the old one: each lets EF in."""
    return _policers(wanted.policy_maps.get(new or "")) - _policers(current.policy_maps.get(old or ""))


def _policers(policy: PolicyMap | None) -> int:
    return 0 if policy is None else sum(entry.police is not None for entry in policy.classes)


def _gap(place: Place, old: str, new: str, policy: PolicyMap | None, after_line: int) -> Gap:
    interface, pvc, direction = place
    where = interface_key(interface, pvc)
    entries = () if policy is None else policy.classes
    unmarked = direction == "input" and any(entry.set_fields for entry in entries)
    unpoliced = direction == "input" and any(entry.police is not None for entry in entries)
    if direction == "output":
        what = "what leaves is queued without priority"
    else:
        lacks = [word for word, gone in (("remarked", unmarked), ("policed", unpoliced)) if gone]
        what = f"what enters is not {' and not '.join(lacks) or 'treated by any policy'}"
    text = f"{where} {direction}: {old} is off and {new} not yet on; meanwhile {what}, {LASTS}"
    return Gap(interface, pvc, direction, old, new, after_line, unmarked, unpoliced, LASTS, text)
