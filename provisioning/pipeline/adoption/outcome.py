"""What adopting one router comes to: names, cases, what is left, and the proof."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from provisioning.pipeline.adoption.values import Found, Verdict
from provisioning.pipeline.diff.store import store_of
from provisioning.pipeline.intent import AdoptedObject
from provisioning.pipeline.mqc import RunningConfig
from provisioning.pipeline.mqc.referring import POLICY_MAP, Key, needs


@dataclass(frozen=True)
class Proof:
    """What the difference says of the router once everything found is adopted: nothing, or what is left to do."""

    commands: tuple[str, ...] = ()
    conflicts: tuple[str, ...] = ()

    @property
    def empty(self) -> bool:
        """Whether re-rendering changes nothing."""
        return not self.commands and not self.conflicts

    def to_json(self) -> dict[str, Any]:
        return {"empty": self.empty, "commands": list(self.commands), "conflicts": list(self.conflicts)}


@dataclass(frozen=True)
class RouterAdoption:
    """`cases` are the cases of access links that the inventory has otherwise; `left` what is not ours and stays;
    `open_edges` the interfaces that the inventory does not know and through which unauthorised EF can enter.

    `digest` is of everything that was looked at: another one later means that somebody edited the router since.
    """

    router: str
    places: tuple[Found, ...]
    names: tuple[AdoptedObject, ...]
    cases: Mapping[str, str]
    left: tuple[str, ...]
    open_edges: tuple[str, ...]
    proof: Proof
    digest: str

    @property
    def grants(self) -> int:
        """How many entries of access lists have no reservation in the rows, where the policy is recognised."""
        return sum(len(place.grants) for place in self.places if place.verdict is Verdict.RECOGNISED)

    @property
    def apart(self) -> tuple[Found, ...]:
        """Places with a policy that is not recognised, or that the inventory does not know: no proof is of them."""
        return tuple(
            place
            for place in self.places
            if place.verdict is not Verdict.ABSENT
            and (place.verdict is not Verdict.RECOGNISED or place.role is None)
        )

    @property
    def in_vain(self) -> bool:
        """Whether policies are bound and none of them is part of the proof: then it is empty because it is of nothing."""
        bound = [place for place in self.places if place.verdict is not Verdict.ABSENT]
        return bool(bound) and len(self.apart) == len(bound)

    @property
    def proven(self) -> bool:
        """Whether something is recognised, or there is nothing to recognise, and re-rendering changes nothing."""
        return self.proof.empty and not self.in_vain

    def to_json(self) -> dict[str, Any]:
        return {
            "router": self.router,
            "digest": self.digest,
            "places": [place.to_json() for place in self.places],
            "names": [
                {"kind": entry.kind, "base": entry.base, "name": entry.name, "link": entry.link}
                | {"own_words": entry.form is not None}
                for entry in self.names
            ],
            "cases": dict(sorted(self.cases.items())),
            "left": list(self.left),
            "open_edges": list(self.open_edges),
            "proof": self.proof.to_json(),
            "proven": self.proven,
        }


def left_untouched(running: RunningConfig, reached: set[Key]) -> tuple[str, ...]:
    """What is on the router and not recognised: named, with what uses it, and never touched."""
    store = store_of(running)
    users: dict[Key, list[str]] = {}
    for (kind, name), thing in store.items():
        for needed in needs(thing):
            users.setdefault(needed, []).append(f"{kind} {name}")
    for bound in running.bindings:
        users.setdefault((POLICY_MAP, bound.policy), []).append(f"{bound.interface} {bound.direction}")
    for reference in running.references:
        users.setdefault((reference.kind, reference.name), []).append(reference.by)
    said = []
    for kind, name in sorted(store):
        plain = name.removeprefix("ipv6 ")
        if (kind, plain) in reached:
            continue
        used = sorted(users.get((kind, plain), ()))
        said.append(f"{kind} {plain}: " + (f"used by {', '.join(used)}" if used else "used by nothing"))
    return tuple(said)
