"""Names that a difference would use and that nothing holds (ios-facts 2.8, 5.1)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from provisioning.pipeline.diff.store import ACCESS_LIST, POLICY_MAP, Key, needs, store_of
from provisioning.pipeline.intent import interface_key
from provisioning.pipeline.mqc import RunningConfig


@dataclass(frozen=True, slots=True, order=True)
class Unresolved:
    """One use of an object that is neither on the router nor made by the commands.

    A router refuses a class or a policy it does not know, drops out of the mode, and takes the lines after it for lines
    of the mode above. An access list it takes, but what a class of a missing list matches differs between platforms.
    """

    by: str
    kind: str
    name: str
    lacking: str = "neither side has"

    @property
    def refused(self) -> bool:
        """Whether a router refuses the line that says it, or what it uses is there and would go."""
        return self.kind != ACCESS_LIST or self.lacking == "INTENDED lacks"

    @property
    def text(self) -> str:
        return f"{self.by} uses {self.kind} {self.name}, which {self.lacking}"


def unresolved(running: RunningConfig, result: RunningConfig) -> tuple[Unresolved, ...]:
    """Return what `result` refers to and has not, in order; what `running` refers to likewise was typed there once and
    is left out.
    """
    known = {key for _, key in _missing(running)}
    there = {(kind, name.removeprefix("ipv6 ")) for kind, name in store_of(running)}
    return tuple(
        sorted(
            Unresolved(by, *key, "INTENDED lacks") if key in there else Unresolved(by, *key)
            for by, key in _missing(result)
            if key not in known
        )
    )


def _missing(config: RunningConfig) -> Iterator[tuple[str, Key]]:
    """(who, what) for every reference that leads nowhere."""
    store = store_of(config)
    there = {(kind, name.removeprefix("ipv6 ")) for kind, name in store}
    for (kind, name), thing in store.items():
        for key in needs(thing) - there:
            yield f"{kind} {name}", key
    for bound in config.bindings:
        key = (POLICY_MAP, bound.policy)
        if key not in there:
            yield f"{interface_key(bound.interface, bound.pvc)} {bound.direction}", key
