"""Interfaces that say nothing but what nearly every interface of a router says, read from their whole text in one sweep.

A large router has thousands of them. Whatever else one says is left to `InterfaceSection`, line by line.
"""

from __future__ import annotations

from typing import Final

from provisioning.errors import InvalidInput
from provisioning.pipeline.ios.contents import FinishedInterface
from provisioning.pipeline.ios.interfaces import ADDRESS, HEEDED, SUB_MODE, interface_name, is_subinterface
from provisioning.pipeline.ios.references import USERS, references_of
from provisioning.pipeline.mqc import Binding, InterfaceState, Reference
from provisioning.pipeline.mqc.numbers import is_number

_DIRECTIONS: Final = frozenset({"input", "output"})
_UNUSED: Final[frozenset[Reference]] = frozenset()
"""One for all: Python makes every empty frozenset anew, and the collector has to look at each."""


def plain_interface(text: str) -> FinishedInterface | None:
    """What `InterfaceSection` makes of a whole section, its header first; None where that has to be asked."""
    if not text.startswith("interface "):
        return None
    try:
        name = interface_name(text.partition("\n")[0], 1)
        return _plain(name, HEEDED.findall(text))
    except InvalidInput:
        return None  # said where it is read, with its line


def _plain(name: str, said: list[tuple[str, str]]) -> FinishedInterface | None:
    description, bandwidth_kbit = "", None
    shutdown = has_address = False
    bound: dict[str, Binding] = {}
    references = _UNUSED
    for first, rest in said:
        if first == "description":
            description = rest.strip()
        elif first == "service-policy":
            words = rest.split()
            if len(words) != 2 or words[0] not in _DIRECTIONS or words[1] == "type":
                return None
            bound[words[0]] = Binding(name, None, *words)
        elif first == "shutdown":
            shutdown = shutdown or not rest.strip()
        elif first == "bandwidth":
            value = rest.strip()
            bandwidth_kbit = int(value) if is_number(value) else bandwidth_kbit
        elif ADDRESS.match(line := first + rest):
            has_address = True
        elif first in USERS and not SUB_MODE.match(line):
            references = references.union(references_of(f"interface {name}", first, line))
        else:
            return None
    state = InterfaceState(
        name, (), shutdown, description, bandwidth_kbit, has_address, is_subinterface(name)
    )
    return FinishedInterface(state, frozenset(bound.values()), references)
