"""What has been read of one text, by name: sections continued when they are entered again, finished at its end."""

from __future__ import annotations

from typing import Any, NamedTuple, TypeVar

from provisioning.errors import InvalidInput, ParseFailure
from provisioning.pipeline.ios.access_lists import AccessListSection, EntryList, list_header
from provisioning.pipeline.ios.class_maps import ClassMapSection
from provisioning.pipeline.ios.interfaces import InterfaceSection
from provisioning.pipeline.ios.policy_maps import PolicyMapSection
from provisioning.pipeline.ios.sections import Line, Section, failure_in
from provisioning.pipeline.mqc import (
    AccessList,
    Binding,
    ClassMap,
    InterfaceState,
    PolicyMap,
    Reference,
    RunningConfig,
)


class FinishedInterface(NamedTuple):
    """An interface, what is bound to it and what it uses."""

    state: InterfaceState
    bindings: frozenset[Binding]
    references: frozenset[Reference]


Finished = ClassMap | PolicyMap | AccessList | FinishedInterface
_S = TypeVar("_S", PolicyMapSection, InterfaceSection)


class EnteredAgainError(Exception):
    """A section that was taken as finished goes on further down."""


class Contents:
    """The objects and interfaces of one text, each a section still open to more lines or a finished value."""

    def __init__(self, *, strict: bool, default_mode: str) -> None:
        self._strict = strict
        self._default_mode = default_mode
        self._class_maps: dict[str, ClassMap] = {}
        self._policies: dict[str, PolicyMapSection | PolicyMap] = {}
        self._lists: dict[tuple[int, str], EntryList | AccessList] = {}
        self._interfaces: dict[str, InterfaceSection | FinishedInterface] = {}

    def open(self, line: Line, words: list[str]) -> Section | None:
        """The section of ours that opens on this line, of these words; None for a line that opens none."""
        number, indent, first, text = line
        if first == "interface":
            interface = InterfaceSection(number, indent, text)
            return _continued(self._interfaces.setdefault(interface.name, interface), interface, line)
        if first in ("class-map", "policy-map") and words[1:2] != ["type"]:
            if first == "class-map":
                return ClassMapSection(number, indent, text, self._default_mode, strict=self._strict)
            policy = PolicyMapSection(number, indent, text, strict=self._strict)
            return _continued(self._policies.setdefault(policy.name, policy), policy, line)
        header = list_header(words) if first in ("ip", "ipv6", "access-list") else None
        if header is None:
            return None
        entries = self._entries(*header)
        section = AccessListSection(number, indent, text, entries)
        section.continued = not entries.empty
        return section

    def add_entry(self, line: Line, words: list[str]) -> bool:
        """Whether the line is an access list entry of its own, name and all; then it is added."""
        header = list_header(words) if line.first in ("ipv6", "access-list") else None
        entry = words[3:] if line.first == "ipv6" else words[2:]
        if header is None or not entry:
            return False
        self._entries(*header).add(line.number, " ".join(entry))
        return True

    def _entries(self, name: str, family: int, standard: bool) -> EntryList:
        held = self._lists.setdefault((family, name), EntryList(name, family, standard, strict=self._strict))
        if isinstance(held, AccessList):
            raise EnteredAgainError
        return held

    def close(self, section: Section, *, keep: bool) -> Finished | None:
        """The lines of the section are over. Raises ParseFailure.

        With ``keep`` the section is finished, and its value returned, where it is all there is of its object and
        nothing is wrong with it (which is told when everything is read).
        """
        if isinstance(section, ClassMapSection):
            return self._merge(section)
        if not keep or section.continued:
            return None
        try:
            value = _finished(section)
        except InvalidInput:
            return None
        if value is not None:
            held, key = self._place(value)
            held[key] = value
        return value

    def _merge(self, section: ClassMapSection) -> ClassMap | None:
        earlier = self._class_maps.get(section.name)
        try:
            merged = self._class_maps[section.name] = section.merged_into(earlier)
        except InvalidInput as wrong:
            raise failure_in(section.number, section.number, wrong) from wrong
        return merged if earlier is None else None

    def take(self, value: Finished) -> bool:
        """Whether the value is all there is of its object so far; then it is taken as if it had been read."""
        held, key = self._place(value)
        if key in held:
            return False
        held[key] = value
        return True

    def _place(self, value: Finished) -> tuple[dict[Any, Any], str | tuple[int, str]]:
        match value:
            case FinishedInterface():  # nearly all there are
                return self._interfaces, value.state.name
            case ClassMap():
                return self._class_maps, value.name
            case PolicyMap():
                return self._policies, value.name
            case AccessList():
                return self._lists, (value.family, value.name)

    def result(
        self, hostname: str, version: str, references: set[Reference], *, whole: bool
    ) -> RunningConfig:
        """Everything, finished. Raises ParseFailure where a section is wrong, and when there is nothing."""
        policies = {name: _policy_map(held) for name, held in self._policies.items()}
        interfaces = [
            held if isinstance(held, FinishedInterface) else _interface(held)
            for held in self._interfaces.values()
        ]
        lists = {}
        for family, name in sorted(self._lists):
            key = f"ipv6 {name}" if family == 6 and (4, name) in self._lists else name
            held = self._lists[(family, name)]
            lists[key] = held if isinstance(held, AccessList) else held.access_list
        if not any((policies, lists, self._class_maps, interfaces, hostname, version, whole)):
            raise ParseFailure("no IOS configuration is in this text")
        return RunningConfig(
            hostname,
            version,
            lists,
            self._class_maps,
            policies,
            {each.state.name: each.state for each in interfaces},
            frozenset().union(*(each.bindings for each in interfaces)),
            frozenset(references.union(*(each.references for each in interfaces))),
            whole and version != "",  # `show running-config policy-map X` looks whole but for its version
        )


def _continued(held: _S | Finished, opened: _S, line: Line) -> _S:
    """The section that goes on where ``opened`` opens: itself, or the one that is held already."""
    if held is opened:
        return opened
    if not isinstance(held, type(opened)):
        raise EnteredAgainError
    held.reopened(line.number, line.indent)
    return held


def _finished(section: Section) -> PolicyMap | AccessList | FinishedInterface | None:
    match section:
        case InterfaceSection():
            return _interface(section)
        case PolicyMapSection():
            return section.policy_map
        case AccessListSection():
            return section.entries.access_list
    return None


def _interface(section: InterfaceSection) -> FinishedInterface:
    return FinishedInterface(section.interface, section.bindings, frozenset(section.references))


def _policy_map(held: PolicyMapSection | PolicyMap) -> PolicyMap:
    if isinstance(held, PolicyMap):
        return held
    try:
        return held.policy_map
    except InvalidInput as wrong:
        raise failure_in(held.number, held.number, wrong) from wrong
