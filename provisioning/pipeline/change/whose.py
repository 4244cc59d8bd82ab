"""Whose an unsaved line of a router is: which object or place it speaks of, and what our lines can have left there.

What we typed is known by its meaning, not by when it appeared: a line is ours where the object it stands in, or the place a
policy is bound at, holds exactly what lines of ours left there (`digest_of`). Everything else is somebody else's.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from provisioning.errors import ParseFailure
from provisioning.pipeline.change.plan import ChangePlan
from provisioning.pipeline.diff import ACCESS_LIST, CLASS_MAP, POLICY_MAP, Line
from provisioning.pipeline.diff.store import digest_of, store_of
from provisioning.pipeline.ios.access_lists import list_header
from provisioning.pipeline.ios.class_maps import MODES
from provisioning.pipeline.ios.interfaces import interface_name, pvc_label
from provisioning.pipeline.mqc import RunningConfig
from provisioning.pipeline.platforms import Profile
from provisioning.pipeline.safety import LineNotAccepted, simulate

Section = tuple[str, ...]
"""An object (kind, name), or a place a policy is bound at ("service-policy", interface, PVC or nothing, direction)."""

ABSENT: Final = ""
"""What a section holds that is not there."""

PLACE: Final = "service-policy"
_BOUND: Final = re.compile(r"(?:no )?service-policy (input|output) \S+\Z")


def section_of(line: str, config: RunningConfig) -> Section | None:
    """The section that a line of `drivers.difference` speaks of (``+ policy-map P / class C / priority``); None where it is
    of nothing that we ever type.

    An IPv6 list is looked up under the name that `config` has for it, and is no section of ours where that name is an
    IPv4 list's.
    """
    header, *below = line[2:].split(" / ")
    words = header.split()
    if words[0] == "interface":
        return _place(header, below)
    if words[0] == "policy-map":
        return (POLICY_MAP, words[1]) if len(words) == 2 else None
    if words[0] == "class-map":
        names = [word for word in words[1:] if word not in MODES]
        return (CLASS_MAP, names[0]) if len(names) == 1 else None
    found = list_header(words) if words[0] in ("ip", "ipv6", "access-list") else None
    if found is None:
        return None
    name, family, _standard = found
    if family == 6 and f"ipv6 {name}" in config.access_lists:
        name = f"ipv6 {name}"
    held = config.access_lists.get(name)
    return (ACCESS_LIST, name) if held is None or held.family == family else None


def _place(header: str, below: list[str]) -> Section | None:
    """The place of a binding; None for every other line of an interface."""
    label = "" if len(below) == 1 else pvc_label(below[0]) if len(below) == 2 else None
    bound = _BOUND.match(below[-1]) if below else None
    if bound is None or label is None:
        return None
    try:
        return (PLACE, interface_name(header, 0), label, bound[1])
    except ParseFailure:
        return None


def content_of(config: RunningConfig, section: Section) -> str:
    """What a section holds: the digest of the object, or the name of the policy bound; ABSENT for nothing."""
    if section[0] == PLACE:
        _, interface, pvc, direction = section
        return config.bound(interface, direction, pvc or None) or ABSENT
    held = store_of(config).get((section[0], section[1]))
    return ABSENT if held is None else digest_of(held)


def touched(plan: ChangePlan) -> frozenset[Section]:
    """The sections that the commands of a plan change on their way."""
    objects = {(kind, name) for kind, _, name in (word.partition(" ") for word in plan.in_flight)}
    return frozenset({*objects, *_bound_by(plan.commands)})


def _bound_by(lines: Iterable[Line]) -> Iterator[Section]:
    interface, label = "", ""
    for line in lines:
        if line.text.startswith("interface "):
            interface, label = interface_name(line.text, 0), ""
        elif line.depth == 0:
            interface = ""
        elif line.text.startswith("pvc "):
            label = pvc_label(line.text) or ""
        elif interface and (bound := _BOUND.match(line.text)):
            yield (PLACE, interface, label, bound[1])


def can_have_left(
    plan: ChangePlan, before: RunningConfig, undo_from: int | None, profile: Profile
) -> Mapping[Section, frozenset[str]]:
    """What an unfinished push can have left in every section it touches: what these hold after any number of its commands,
    or of the undo of `undo_from` of them, `before` included.
    """
    states = [before, *_states(before, plan.commands[:undo_from], profile)]
    if undo_from is not None:
        states += _states(states[-1], plan.undo[undo_from], profile)
    return {
        section: frozenset(content_of(state, section) for state in _distinct(states))
        for section in touched(plan)
    }


def _states(start: RunningConfig, lines: Iterable[Line], profile: Profile) -> list[RunningConfig]:
    """The state after every line, as far as a router would take them."""
    texts = list(lines)
    try:
        return list(simulate(start, texts, profile))
    except LineNotAccepted:
        return []  # in doubt it is not ours


def _distinct(states: Iterable[RunningConfig]) -> list[RunningConfig]:
    """A line that only enters a mode leaves the very same state."""
    return list({id(state): state for state in states}.values())
