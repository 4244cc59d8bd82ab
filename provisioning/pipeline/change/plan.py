"""ChangePlan: everything that is approved for one router in one phase, immutable, as it will be sent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from provisioning.errors import InvalidInput
from provisioning.pipeline.change.alternatives import Alternative
from provisioning.pipeline.change.blocks import Block, part
from provisioning.pipeline.change.doubts import Doubt
from provisioning.pipeline.change.fingerprint import Circumstances, Scope, fingerprint, scope_digest
from provisioning.pipeline.change.stored import (
    SHARED,
    WHOLE,
    proof_from_json,
    proof_to_json,
    undo_from_json,
    undo_to_json,
)
from provisioning.pipeline.diff import Conflict, EqualToday, Gap, Line, Takeover
from provisioning.pipeline.mqc import RunningConfig
from provisioning.pipeline.safety import LineState


class Phase(StrEnum):
    """Edges before core queues, removal in reverse (D4.4.2v2 section 2.6).

    CORE_OFF takes priority queues off core interfaces, EDGES is everything at the edge and every other change,
    CORE_ON attaches a priority queue where none was. `position` orders them.
    """

    CORE_OFF = "core-off"
    EDGES = "edges"
    CORE_ON = "core-on"

    @property
    def position(self) -> int:
        return tuple(Phase).index(self)


@dataclass(frozen=True, slots=True)
class ChangePlan:
    """One router, one phase.

    `undo[i]` takes the router back after exactly the first i commands (len(commands) + 1 of them, the last is
    `rollback`). `proof[0]` is the state before, `proof[i]` the state after command i. `owned_after` maps
    (kind, name) written "kind name" to the canonical digest the object has when the plan is through, for the
    ownership rows; `released` names the objects that are ours no longer. `in_flight` maps "kind name" to every
    digest the object has along the way: what a push that was cut off can have left (`diff.Owned.in_flight`).
    `prefix_digests[i]` is the digest of `scope` after the first i commands, so that a successor finds where a router
    stands without simulating anything; `base_digest` is the first of them, `target_digest` the last. Digests are
    sha256 in hex. `doubts` are what the platform would probably refuse: approving them takes a reason. `back` is
    the proof of `rollback` as `proof` is that of `commands`, and `gaps_back` the swaps in it: every undo swaps at
    some of the same places and no others; `alternatives` are what is sent where one of them is refused. `blocks` are the
    commands that go out together, made before anything refers to them. `equal_today` are
    percentages and rates that come to the same at the BW read, and are a difference all the same. After `revert_minutes` the
    router takes all of it back by itself unless it is told to keep it; 0 where it does not. `form` is how it is
    written down and hashed (`stored`): a plan keeps the form it was made in, and with it its fingerprint.
    """

    router: str
    phase: Phase
    commands: tuple[Line, ...]
    rollback: tuple[Line, ...]
    undo: tuple[tuple[Line, ...], ...]
    gaps: tuple[Gap, ...]
    conflicts: tuple[Conflict, ...]
    takeovers: tuple[Takeover, ...]
    warnings: tuple[str, ...]
    proof: tuple[LineState, ...]
    owned_after: Mapping[str, str]
    released: tuple[str, ...]
    in_flight: Mapping[str, tuple[str, ...]]
    scope: Scope
    prefix_digests: tuple[str, ...]
    fingerprint: str
    doubts: tuple[Doubt, ...] = ()
    back: tuple[LineState, ...] = ()
    gaps_back: tuple[Gap, ...] = ()
    equal_today: tuple[EqualToday, ...] = ()
    alternatives: tuple[Alternative, ...] = ()
    blocks: tuple[Block, ...] = ()
    revert_minutes: int = 0
    form: int = SHARED

    @property
    def base_digest(self) -> str:
        """Digest of the scope as read when the plan was made."""
        return self.prefix_digests[0]

    @property
    def target_digest(self) -> str:
        """Digest of the scope when the plan is through."""
        return self.prefix_digests[-1]

    @property
    def empty(self) -> bool:
        """Whether there is nothing to send: then verification alone decides."""
        return not self.commands

    @property
    def violations(self) -> tuple[str, ...]:
        """Every violation the interpreter found, there or on the way back; a plan that has one is never approvable."""
        there = tuple(text for state in self.proof for text in state.violations)
        return (*there, *(f"on the way back: {text}" for state in self.back for text in state.violations))

    @property
    def told_gaps(self) -> tuple[str, ...]:
        """Every gap as whoever confirms it reads it: what is missing meanwhile, and what is sent where its line is refused."""
        told = []
        for gap in self.gaps:
            place = (gap.interface, gap.pvc, gap.direction)
            here = [each.policy for each in self.alternatives if each.place == place]
            told.append(f"{gap.text} ({', '.join((gap.old, *here))} in turn)" if here else gap.text)
        return tuple(told)

    def fingerprint_now(self, running: RunningConfig, circumstances: Circumstances) -> str:
        """The fingerprint this plan would have if it were made for `running`; another one means it is stale."""
        base = scope_digest(running, self.scope)
        return fingerprint(
            self.commands,
            self.rollback,
            self.undo,
            base,
            circumstances,
            (*self.proof, *self.back),
            form=self.form,
            alternatives=[each.to_json() for each in self.alternatives],
            blocks=[each.to_json() for each in self.blocks],
            revert_minutes=self.revert_minutes,
        )

    def part_of_block(self, running: RunningConfig) -> Block | None:
        """The block of which `running` shows a part, all else being as before its first line; None where it shows none."""
        return part(self.blocks, self.prefix_digests, self.scope, running)

    def standing_at(self, running: RunningConfig) -> tuple[int, ...]:
        """How many commands `running` shows as carried out: every count that fits, empty when none does.

        Lines that only enter a mode change nothing, so neighbouring counts often look alike; any of them is right.
        """
        now = scope_digest(running, self.scope)
        return tuple(count for count, digest in enumerate(self.prefix_digests) if digest == now)

    def to_json(self) -> dict[str, Any]:
        whole = self.form == WHOLE
        return {
            **({} if whole else {"form": self.form}),
            "router": self.router,
            "phase": self.phase.value,
            "commands": [line.to_json() for line in self.commands],
            "rollback": [line.to_json() for line in self.rollback],
            "undo": [[line.to_json() for line in lines] for lines in self.undo]
            if whole
            else undo_to_json(self.undo),
            "gaps": [gap.to_json() for gap in self.gaps],
            "conflicts": [conflict.to_json() for conflict in self.conflicts],
            "takeovers": [takeover.to_json() for takeover in self.takeovers],
            "warnings": list(self.warnings),
            "doubts": [doubt.to_json() for doubt in self.doubts],
            "proof": [state.to_json() for state in self.proof] if whole else proof_to_json(self.proof),
            "back": [state.to_json() for state in self.back] if whole else proof_to_json(self.back),
            "gaps_back": [gap.to_json() for gap in self.gaps_back],
            "equal_today": [each.to_json() for each in self.equal_today],
            **({"alternatives": [each.to_json() for each in self.alternatives]} if self.alternatives else {}),
            **({"blocks": [each.to_json() for each in self.blocks]} if self.blocks else {}),
            **({"revert_minutes": self.revert_minutes} if self.revert_minutes else {}),
            "owned_after": dict(sorted(self.owned_after.items())),
            "released": list(self.released),
            "in_flight": {key: list(digests) for key, digests in sorted(self.in_flight.items())},
            "scope": self.scope.to_json(),
            "prefix_digests": list(self.prefix_digests),
            "fingerprint": self.fingerprint,
            "base_digest": self.base_digest,
            "target_digest": self.target_digest,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> ChangePlan:
        """The plan again, of either form; raises InvalidInput for a form of a later version."""
        form = data.get("form", WHOLE)
        if form not in (WHOLE, SHARED):
            raise InvalidInput(f"a plan of form {form!r} is of a later version", field="plan")
        whole = form == WHOLE
        proof, back = data["proof"], data.get("back", ())
        return cls(
            router=data["router"],
            phase=Phase(data["phase"]),
            commands=tuple(Line.from_json(line) for line in data["commands"]),
            rollback=tuple(Line.from_json(line) for line in data["rollback"]),
            undo=tuple(tuple(Line.from_json(line) for line in lines) for lines in data["undo"])
            if whole
            else undo_from_json(data["undo"]),
            gaps=tuple(Gap.from_json(gap) for gap in data["gaps"]),
            conflicts=tuple(Conflict.from_json(conflict) for conflict in data["conflicts"]),
            takeovers=tuple(Takeover.from_json(takeover) for takeover in data["takeovers"]),
            warnings=tuple(data["warnings"]),
            doubts=tuple(Doubt.from_json(doubt) for doubt in data.get("doubts", ())),
            proof=tuple(map(LineState.from_json, proof)) if whole else proof_from_json(proof),
            back=tuple(map(LineState.from_json, back)) if whole else proof_from_json(back),
            gaps_back=tuple(Gap.from_json(gap) for gap in data.get("gaps_back", ())),
            equal_today=tuple(EqualToday.from_json(each) for each in data.get("equal_today", ())),
            alternatives=tuple(Alternative.from_json(each) for each in data.get("alternatives", ())),
            blocks=tuple(Block.from_json(each) for each in data.get("blocks", ())),
            revert_minutes=data.get("revert_minutes", 0),
            owned_after=dict(data["owned_after"]),
            released=tuple(data["released"]),
            in_flight={key: tuple(digests) for key, digests in data["in_flight"].items()},
            scope=Scope.from_json(data["scope"]),
            prefix_digests=tuple(data["prefix_digests"]),
            fingerprint=data["fingerprint"],
            form=form,
        )
