"""A small router: carries out configuration lines one by one on a RunningConfig, and refuses what IOS refuses.

It knows nothing of the planner: lines are flat text, modes are entered by their headers and left by climbing, as
on a router (ios-facts 3.2). A single object's line is read by the parser, not by anything that wrote it.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Protocol

from provisioning.errors import ExpediteError
from provisioning.pipeline.mqc import (
    CLASS_DEFAULT,
    AccessEntry,
    AccessList,
    Binding,
    ChildPolicy,
    ClassMap,
    OpaqueAction,
    PolicyClass,
    PolicyMap,
    RunningConfig,
)
from provisioning.pipeline.platforms import Profile
from provisioning.pipeline.safety.class_lines import actions_of, matches_of, undoes, with_actions, with_colour

_CLASS_MAP = re.compile(r"class-map (?:(match-all|match-any|match-none) )?(\S+)\Z")
_POLICY_MAP = re.compile(r"policy-map (\S+)\Z")
_IPV6_LIST = re.compile(r"ipv6 access-list (\S+)\Z")
_IPV4_LIST = re.compile(r"ip access-list (standard|extended) (\S+)\Z")
_INTERFACE = re.compile(r"interface (\S+)(?: (?:point-to-point|multipoint))?\Z")
_SERVICE = re.compile(r"service-policy (input|output) (\S+)\Z")
_ENTRY = re.compile(r"(?:sequence (\d+) |(\d+) )?((?:permit|deny|remark)\b.*)\Z")


class ConfigurationLine(Protocol):
    """Anything with the text of one line: the lines of the planner are taken without knowing the planner."""

    @property
    def text(self) -> str:
        """The line as it is sent, without indentation."""


class LineNotAccepted(ExpediteError):
    """A router would refuse the line here, or it is a line this interpreter does not know; `reason` in words."""

    code = "line-not-accepted"
    status = 409


class Interpreter:
    """Holds one config and the mode a session is in; `execute` carries out one line."""

    def __init__(self, config: RunningConfig, profile: Profile | None = None) -> None:
        self._config = config
        # What a class-map without a mode is, which is the platform's to say (ios-facts N8).
        self._mode_by_default = "match-all" if profile is None else profile.class_map_default_mode
        self._access_lists = dict(config.access_lists)
        self._class_maps = dict(config.class_maps)
        self._policy_maps = dict(config.policy_maps)
        self._bindings = set(config.bindings)
        self._mode: tuple[str, ...] = ()

    @property
    def config(self) -> RunningConfig:
        """What the router holds now; the same value as long as no line has changed anything."""
        now = self._config
        if not (
            _same_objects(self._access_lists, now.access_lists)
            and _same_objects(self._class_maps, now.class_maps)
            and _same_objects(self._policy_maps, now.policy_maps)
            and self._bindings == now.bindings
        ):
            self._config = dataclasses.replace(
                now,
                access_lists=self._access_lists,
                class_maps=self._class_maps,
                policy_maps=self._policy_maps,
                bindings=frozenset(self._bindings),
            )
        return self._config

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
            held = self._class_maps[self._mode[1]]
            self._class_maps[held.name] = dataclasses.replace(held, other_lines=held.other_lines | {line})
            return True
        if self._mode[:1] != ("policy-map",):
            return False
        policy = self._policy_maps[self._mode[1]]
        if len(self._mode) == 3:
            entry = policy.find(self._mode[2]) or PolicyClass(self._mode[2])
            self._put(policy.name, PolicyClass(entry.name, entry.actions | {OpaqueAction(line)}))
        else:
            self._policy_maps[policy.name] = dataclasses.replace(
                policy, other_lines=policy.other_lines | {line}
            )
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
            held = self._class_maps.setdefault(name, ClassMap(name, mode))
            if held.mode != mode:
                raise LineNotAccepted(f"class-map {name} exists as {held.mode}")
            self._mode = ("class-map", name)
        elif found := _POLICY_MAP.match(line):
            self._policy_maps.setdefault(found[1], PolicyMap(found[1]))
            self._mode = ("policy-map", found[1])
        elif found := _IPV6_LIST.match(line):
            self._enter_list(found[1], 6, standard=False)
        elif found := _IPV4_LIST.match(line):
            self._enter_list(found[2], 4, standard=found[1] == "standard")
        elif found := _INTERFACE.match(line):
            if found[1] not in self._config.interfaces:
                raise LineNotAccepted(f"no interface {found[1]}")
            self._mode = ("interface", found[1])
        else:
            return False
        return True

    def _enter_list(self, name: str, family: int, *, standard: bool) -> None:
        # Entering makes the list, without entries yet, as a router may (ios-facts 2.7): an undo has to take it away.
        held = self._access_lists.setdefault(name, AccessList(name, family, (), standard))
        if (held.family, held.standard) != (family, standard):
            raise LineNotAccepted(f"{name} is an access list of another kind")
        self._mode = ("access-list", name, str(family), "standard" if standard else "extended")

    def _delete(self, what: str) -> bool:
        if found := _CLASS_MAP.match(what):
            name = found[2]
            if any(name in (entry.name for entry in policy.classes) for policy in self._policy_maps.values()):
                raise LineNotAccepted(f"class-map {name} is being used")
            _drop(self._class_maps, name, "class-map")
        elif found := _POLICY_MAP.match(what):
            name = found[1]
            if any(binding.policy == name for binding in self._bindings):
                raise LineNotAccepted(f"policy-map {name} is bound to an interface")
            if any(name in policy.children for policy in self._policy_maps.values()):
                raise LineNotAccepted(f"policy-map {name} is used inside another")
            _drop(self._policy_maps, name, "policy-map")
        elif found := _IPV6_LIST.match(what) or _IPV4_LIST.match(what):
            name = found[found.re.groups]
            if any(name in held.access_lists for held in self._class_maps.values()):
                raise LineNotAccepted(f"access list {name} is used by a class-map")
            _drop(self._access_lists, name, "access list")
        else:
            return False
        self._mode = ()
        return True

    def _in_access_list(self, mode: tuple[str, ...], line: str) -> bool:
        name, family = mode[1], int(mode[2])
        held = self._access_lists.get(name) or AccessList(name, family, (), mode[3] == "standard")
        negated = line.startswith("no ")
        body = line[3:] if negated else line
        only_number = re.fullmatch(r"sequence (\d+)|(\d+)", body)
        if negated and only_number:
            number = int(only_number[1] or only_number[2])
            entries = tuple(entry for entry in held.entries if entry.sequence != number)
        elif found := _ENTRY.match(body):
            wanted = AccessEntry(int(found[1] or found[2] or 1), found[3])
            if negated:
                entries = tuple(entry for entry in held.entries if entry.text != wanted.text)
            else:
                entries = self._with_entry(held, wanted, numbered=bool(found[1] or found[2]))
        else:
            return False
        if negated and len(entries) == len(held.entries):
            raise LineNotAccepted(f"{name} has no such entry: {body}")
        self._mode = mode
        self._access_lists[name] = dataclasses.replace(held, entries=entries)
        return True

    def _with_entry(
        self, held: AccessList, wanted: AccessEntry, *, numbered: bool
    ) -> tuple[AccessEntry, ...]:
        if not numbered:
            if any(entry.text == wanted.text for entry in held.entries):
                raise LineNotAccepted(f"{held.name} holds this entry already: {wanted.text}")
            last = max((entry.sequence for entry in held.entries), default=0)
            return (*held.entries, AccessEntry(last + 10, wanted.text))
        if any(entry.sequence == wanted.sequence for entry in held.entries):
            raise LineNotAccepted(f"{held.name} uses sequence {wanted.sequence} already")
        return (*held.entries, wanted)

    def _in_class_map(self, mode: tuple[str, ...], line: str) -> bool:
        name = mode[1]
        held = self._class_maps[name]
        negated = line.startswith("no ")
        body = line[3:] if negated else line
        if body.startswith("match "):
            matches = matches_of(body)
            if negated and not matches <= held.matches:
                raise LineNotAccepted(f"class-map {name} has no `{body}`")
            changed = held.matches - matches if negated else held.matches | matches
            self._class_maps[name] = dataclasses.replace(held, matches=changed)
        elif body == "description" or body.startswith("description "):
            self._class_maps[name] = dataclasses.replace(held, description="" if negated else body[12:])
        else:
            return False
        self._mode = mode
        return True

    def _in_policy_map(self, mode: tuple[str, ...], line: str) -> bool:
        name = mode[1]
        held = self._policy_maps[name]
        words = line.split()
        if words[0] == "class" and len(words) == 2:
            if words[1] != CLASS_DEFAULT and words[1] not in self._class_maps:
                raise LineNotAccepted(f"class-map {words[1]} is not configured")
            if held.find(words[1]) is None and words[1] != CLASS_DEFAULT:
                self._put(name, PolicyClass(words[1]))
            self._mode = ("policy-map", name, words[1])
        elif words[:2] == ["no", "class"] and len(words) == 3:
            classes = tuple(entry for entry in held.classes if entry.name != words[2])
            self._policy_maps[name] = dataclasses.replace(held, classes=classes)
            self._mode = ("policy-map", name)
        elif words[0] == "description" or words[:2] == ["no", "description"]:
            text = "" if words[0] == "no" else line[12:]
            self._policy_maps[name] = dataclasses.replace(held, description=text)
            self._mode = ("policy-map", name)
        else:
            return False
        return True

    def _put(self, policy: str, entry: PolicyClass) -> None:
        held = self._policy_maps[policy]
        if any(old.name == entry.name for old in held.classes):
            classes = tuple(entry if old.name == entry.name else old for old in held.classes)
        else:
            classes = (*held.classes, entry)
        self._policy_maps[policy] = dataclasses.replace(held, classes=classes)

    def _in_class(self, mode: tuple[str, ...], line: str) -> bool:
        policy, name = mode[1], mode[2]
        if line.split()[0] in ("class", "description") or line.startswith("no class "):
            return False
        held = self._policy_maps[policy].find(name) or PolicyClass(name)
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
                if isinstance(action, ChildPolicy) and action.name not in self._policy_maps:
                    raise LineNotAccepted(f"policy-map {action.name} is not configured")
            actions = with_actions(held.actions, typed)
        self._put(policy, PolicyClass(name, actions))
        self._mode = mode
        return True

    def _in_interface(self, mode: tuple[str, ...], line: str) -> bool:
        interface = mode[1]
        pvc = mode[2] if len(mode) == 3 else None
        words = line.split()
        if words[0] == "pvc" and len(words) == 2 and pvc is None:
            known = tuple(known.label for known in self._config.interfaces[interface].pvcs)
            if words[1] not in known:
                raise LineNotAccepted(f"{interface} has no pvc {words[1]}")
            self._mode = ("interface", interface, words[1])
            return True
        negated = line.startswith("no ")
        found = _SERVICE.match(line[3:] if negated else line)
        if found is None:
            return False
        binding = Binding(interface, pvc, found[1], found[2])
        bound = {
            other
            for other in self._bindings
            if (other.interface, other.pvc, other.direction) == (interface, pvc, found[1])
        }
        if negated:
            if binding not in bound:
                raise LineNotAccepted(f"{found[2]} is not attached to {interface}")
            self._bindings.discard(binding)
        else:
            if bound and bound != {binding}:
                raise LineNotAccepted(f"policy map {next(iter(bound)).policy} is already attached")
            if found[2] not in self._policy_maps:
                raise LineNotAccepted(f"policy-map {found[2]} is not configured")
            self._bindings.add(binding)
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


def _same_objects(held: Mapping[str, object], other: Mapping[str, object]) -> bool:
    return len(held) == len(other) and all(held[name] is other.get(name) for name in held)


def _drop(held: dict[str, Any], name: str, kind: str) -> None:
    if name not in held:
        raise LineNotAccepted(f"there is no {kind} {name}")
    del held[name]
