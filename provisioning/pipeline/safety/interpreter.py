"""A small router: carries out configuration lines one by one on a RunningConfig, and refuses what IOS refuses.

It knows nothing of the planner: lines are flat text, modes are entered by their headers and left by climbing, as
on a router (ios-facts 3.2). A single object's line is read by the parser, not by anything that wrote it.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Iterator
from typing import Protocol

from provisioning.pipeline.mqc import (
    CLASS_DEFAULT,
    AccessList,
    ChildPolicy,
    ClassMap,
    OpaqueAction,
    PolicyClass,
    PolicyMap,
    RunningConfig,
)
from provisioning.pipeline.mqc.referring import ACCESS_LIST, CLASS_MAP, POLICY_MAP
from provisioning.pipeline.platforms import Profile
from provisioning.pipeline.safety.class_lines import actions_of, matches_of, undoes, with_actions, with_colour
from provisioning.pipeline.safety.holdings import Holdings, LineNotAccepted
from provisioning.pipeline.safety.list_lines import entries_after

_CLASS_MAP = re.compile(r"class-map (?:(match-all|match-any|match-none) )?(\S+)\Z")
_POLICY_MAP = re.compile(r"policy-map (\S+)\Z")
_IPV6_LIST = re.compile(r"ipv6 access-list (\S+)\Z")
_IPV4_LIST = re.compile(r"ip access-list (standard|extended) (\S+)\Z")
_INTERFACE = re.compile(r"interface (\S+)(?: (?:point-to-point|multipoint))?\Z")
_SERVICE = re.compile(r"service-policy (input|output) (\S+)\Z")


class ConfigurationLine(Protocol):
    """Anything with the text of one line: the lines of the planner are taken without knowing the planner."""

    @property
    def text(self) -> str:
        """The line as it is sent, without indentation."""


class Interpreter:
    """Holds one config and the mode a session is in; `execute` carries out one line."""

    def __init__(self, config: RunningConfig, profile: Profile | None = None) -> None:
        # What a class-map without a mode is, which is the platform's to say (ios-facts N8).
        self._mode_by_default = "match-all" if profile is None else profile.class_map_default_mode
        self.held = Holdings(config)
        self._mode: tuple[str, ...] = ()

    @property
    def config(self) -> RunningConfig:
        """What the router holds now; the same value as long as no line has changed anything."""
        return self.held.config

    def execute(self, text: str) -> None:
        """Carry out one line in the mode it is valid in, climbing as far as needed; raises LineNotAccepted."""
        line = " ".join(text.split())
        for mode in _climbing(self._mode):
            if self._try(mode, line):
                return
        if not self._keep_opaque(line):
            raise LineNotAccepted(f"not understood: {line}")

    def _keep_opaque(self, line: str) -> bool:
        """A line the model has no name for stays word for word in the class or class-map being edited."""
        if self._mode[:1] == ("class-map",):
            held = self.held.class_maps[self._mode[1]]
            self.held.put(dataclasses.replace(held, other_lines=held.other_lines | {line}))
            return True
        if self._mode[:1] != ("policy-map",):
            return False
        policy = self.held.policy_maps[self._mode[1]]
        if len(self._mode) == 3:
            entry = policy.find(self._mode[2]) or PolicyClass(self._mode[2])
            self.held.put_class(policy.name, PolicyClass(entry.name, entry.actions | {OpaqueAction(line)}))
        else:
            self.held.put(dataclasses.replace(policy, other_lines=policy.other_lines | {line}))
        return True

    def _try(self, mode: tuple[str, ...], line: str) -> bool:
        if not mode:
            return self._global(line)
        kind = mode[0]
        if kind == "access-list":
            return self._in_access_list(mode, line)
        if kind == "class-map":
            return self._in_class_map(mode, line)
        if kind == "policy-map":
            return self._in_class(mode, line) if len(mode) == 3 else self._in_policy_map(mode, line)
        return self._in_interface(mode, line)

    def _global(self, line: str) -> bool:
        if line.startswith("no "):
            return self._delete(line[3:])
        if found := _CLASS_MAP.match(line):
            mode, name = found[1] or self._mode_by_default, found[2]
            held = self.held.class_maps.get(name) or ClassMap(name, mode)
            if held.mode != mode:
                raise LineNotAccepted(f"class-map {name} exists as {held.mode}")
            if name not in self.held.class_maps:
                self.held.put(held)
            self._mode = ("class-map", name)
        elif found := _POLICY_MAP.match(line):
            if found[1] not in self.held.policy_maps:
                self.held.put(PolicyMap(found[1]))
            self._mode = ("policy-map", found[1])
        elif found := _IPV6_LIST.match(line):
            self._enter_list(found[1], 6, standard=False)
        elif found := _IPV4_LIST.match(line):
            self._enter_list(found[2], 4, standard=found[1] == "standard")
        elif found := _INTERFACE.match(line):
            if found[1] not in self.held.interfaces:
                raise LineNotAccepted(f"no interface {found[1]}")
            self._mode = ("interface", found[1])
        else:
            return False
        return True

    def _enter_list(self, name: str, family: int, *, standard: bool) -> None:
        # Entering makes the list, without entries yet, as a router may (ios-facts 2.7): an undo has to take it away.
        held = self.held.access_lists.get(name)
        if held is None:
            held = AccessList(name, family, (), standard)
            self.held.put(held)
        if (held.family, held.standard) != (family, standard):
            raise LineNotAccepted(f"{name} is an access list of another kind")
        self._mode = ("access-list", name, str(family), "standard" if standard else "extended")

    def _delete(self, what: str) -> bool:
        if found := _CLASS_MAP.match(what):
            name = found[2]
            if any(
                name in (entry.name for entry in policy.classes) for policy in self.held.policy_maps.values()
            ):
                raise LineNotAccepted(f"class-map {name} is being used")
            self.held.drop(CLASS_MAP, name)
        elif found := _POLICY_MAP.match(what):
            name = found[1]
            if name in self.held.bound.values():
                raise LineNotAccepted(f"policy-map {name} is bound to an interface")
            if any(name in policy.children for policy in self.held.policy_maps.values()):
                raise LineNotAccepted(f"policy-map {name} is used inside another")
            self.held.drop(POLICY_MAP, name)
        elif found := _IPV6_LIST.match(what) or _IPV4_LIST.match(what):
            name = found[found.re.groups]
            if any(name in held.access_lists for held in self.held.class_maps.values()):
                raise LineNotAccepted(f"access list {name} is used by a class-map")
            self.held.drop(ACCESS_LIST, name)
        else:
            return False
        self._mode = ()
        return True

    def _in_access_list(self, mode: tuple[str, ...], line: str) -> bool:
        name, family = mode[1], int(mode[2])
        held = self.held.access_lists.get(name) or AccessList(name, family, (), mode[3] == "standard")
        entries = entries_after(held, line)
        if entries is None:
            return False
        self._mode = mode
        self.held.put(dataclasses.replace(held, entries=entries), name)
        return True

    def _in_class_map(self, mode: tuple[str, ...], line: str) -> bool:
        name = mode[1]
        held = self.held.class_maps[name]
        negated = line.startswith("no ")
        body = line[3:] if negated else line
        if body.startswith("match "):
            matches = matches_of(body)
            if negated and not matches <= held.matches:
                raise LineNotAccepted(f"class-map {name} has no `{body}`")
            changed = held.matches - matches if negated else held.matches | matches
            self.held.put(dataclasses.replace(held, matches=changed))
        elif body == "description" or body.startswith("description "):
            self.held.put(dataclasses.replace(held, description="" if negated else body[12:]))
        else:
            return False
        self._mode = mode
        return True

    def _in_policy_map(self, mode: tuple[str, ...], line: str) -> bool:
        name = mode[1]
        held = self.held.policy_maps[name]
        words = line.split()
        if words[0] == "class" and len(words) == 2:
            if words[1] != CLASS_DEFAULT and words[1] not in self.held.class_maps:
                raise LineNotAccepted(f"class-map {words[1]} is not configured")
            if held.find(words[1]) is None and words[1] != CLASS_DEFAULT:
                self.held.put_class(name, PolicyClass(words[1]))
            self._mode = ("policy-map", name, words[1])
        elif words[:2] == ["no", "class"] and len(words) == 3:
            classes = tuple(entry for entry in held.classes if entry.name != words[2])
            self.held.put(dataclasses.replace(held, classes=classes))
            self._mode = ("policy-map", name)
        elif words[0] == "description" or words[:2] == ["no", "description"]:
            text = "" if words[0] == "no" else line[12:]
            self.held.put(dataclasses.replace(held, description=text))
            self._mode = ("policy-map", name)
        else:
            return False
        return True

    def _in_class(self, mode: tuple[str, ...], line: str) -> bool:
        policy, name = mode[1], mode[2]
        if line.split()[0] in ("class", "description") or line.startswith("no class "):
            return False
        held = self.held.policy_maps[policy].find(name) or PolicyClass(name)
        if line.startswith("no "):
            actions = frozenset(action for action in held.actions if not undoes(line[3:], action))
            if actions == held.actions:
                return False
        elif line.startswith(("conform-action ", "exceed-action ", "violate-action ")):
            coloured = with_colour(held.actions, line)
            if coloured is None:
                return False
            actions = coloured
        else:
            typed = actions_of(line)
            if typed is None:
                return False
            for action in typed:
                if isinstance(action, ChildPolicy) and action.name not in self.held.policy_maps:
                    raise LineNotAccepted(f"policy-map {action.name} is not configured")
            actions = with_actions(held.actions, typed)
        self.held.put_class(policy, PolicyClass(name, actions))
        self._mode = mode
        return True

    def _in_interface(self, mode: tuple[str, ...], line: str) -> bool:
        interface = mode[1]
        pvc = mode[2] if len(mode) == 3 else None
        words = line.split()
        if words[0] == "pvc" and len(words) == 2 and pvc is None:
            known = tuple(known.label for known in self.held.interfaces[interface].pvcs)
            if words[1] not in known:
                raise LineNotAccepted(f"{interface} has no pvc {words[1]}")
            self._mode = ("interface", interface, words[1])
            return True
        negated = line.startswith("no ")
        found = _SERVICE.match(line[3:] if negated else line)
        if found is None:
            return False
        place, policy = (interface, pvc, found[1]), found[2]
        bound = self.held.bound.get(place)
        if negated:
            if bound != policy:
                raise LineNotAccepted(f"{policy} is not attached to {interface}")
            self.held.bind(place, None)
        else:
            if bound is not None and bound != policy:
                raise LineNotAccepted(f"policy map {bound} is already attached")
            if policy not in self.held.policy_maps:
                raise LineNotAccepted(f"policy-map {policy} is not configured")
            self.held.bind(place, policy)
        self._mode = mode
        return True


def simulate(
    running: RunningConfig, lines: Iterable[ConfigurationLine | str], profile: Profile | None = None
) -> tuple[RunningConfig, ...]:
    """Return the config after every line; raises LineNotAccepted at the first a router would refuse."""
    interpreter = Interpreter(running, profile)
    states: list[RunningConfig] = []
    for line in lines:
        interpreter.execute(line_text(line))
        states.append(interpreter.config)
    return tuple(states)


def _climbing(mode: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """The mode itself and those above it: class, policy-map, global; pvc, interface, global."""
    yield mode
    if mode[:1] in (("policy-map",), ("interface",)) and len(mode) == 3:
        yield mode[:2]
    if mode:
        yield ()


def line_text(line: ConfigurationLine | str) -> str:
    """The text that is sent for a line of a plan or for plain text."""
    return line if isinstance(line, str) else line.text
