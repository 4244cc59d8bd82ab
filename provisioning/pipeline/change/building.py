"""running + intent -> the plans of one router, a phase each, every line proven before anybody sees it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeVar

from provisioning.pipeline.change.alternatives import alternatives, standing_by
from provisioning.pipeline.change.blocks import blocks
from provisioning.pipeline.change.doubts import Doubt
from provisioning.pipeline.change.fingerprint import Circumstances, Scope, fingerprint, scope_digest
from provisioning.pipeline.change.own_session import INSTEAD, revert_minutes, would_cut
from provisioning.pipeline.change.phases import phase_targets
from provisioning.pipeline.change.plan import ChangePlan, Phase
from provisioning.pipeline.change.refusals import findings
from provisioning.pipeline.diff import (
    POLICY_MAP,
    Key,
    Line,
    Owned,
    Remediation,
    Transition,
    as_intended,
    diff,
    equal_today,
    transition,
)
from provisioning.pipeline.diff.store import digest_of, store_of
from provisioning.pipeline.intent import RouterIntent, interface_key
from provisioning.pipeline.mqc import (
    CLASS_DEFAULT,
    FairQueue,
    PolicyMap,
    Priority,
    RandomDetect,
    RunningConfig,
)
from provisioning.pipeline.platforms import Finding, Profile
from provisioning.pipeline.platforms.capabilities import Answer, beyond
from provisioning.pipeline.rendering import Renderer
from provisioning.pipeline.safety import Interpreter, LineNotAccepted, LineState, check

_T = TypeVar("_T")


_CS6 = 48


def build_plans(
    router: str,
    running: RunningConfig,
    intended: RouterIntent,
    owned: Owned,
    renderer: Renderer,
    profile: Profile,
    circumstances: Circumstances,
    *,
    repair: bool = False,
    engines: Mapping[str, str] | None = None,
    reached_by: str = "",
    lacking: Mapping[str, Answer] | None = None,
    reverts: bool = False,
) -> tuple[ChangePlan, ...]:
    """Return the plans that take `router` from `running` to `intended`, in the order of their phases.

    Phases with nothing to send are left out; when that is all of them, one empty plan (phase edges) says so and
    carries takeovers and warnings. With conflicts there is one plan without commands that names them. Each plan is
    made against the state the one before it leaves. A plan whose `violations` are not empty must not be approved;
    one with `doubts` only with a reason. `engines` maps interfaces to the engine of their line card on a 12000;
    `reached_by` is the interface whose address the router is managed by, where one shows it; `lacking` what it said it cannot do,
    `reverts` whether it takes a change back by itself that is not confirmed.
    """
    found = diff(
        running, intended, owned, renderer, profile, repair=repair, bandwidths=circumstances.bandwidths
    )
    builder = _Builder(
        router,
        intended,
        owned,
        found,
        renderer,
        profile,
        circumstances,
        dict(engines or {}),
        reached_by,
        dict(lacking or {}),
        reverts,
    )
    if found.conflicts:
        return (builder.plan(Phase.EDGES, running, running),)
    plans: list[ChangePlan] = []
    base = running
    for phase, target in phase_targets(running, found.result, intended):
        if target == base:
            continue
        plan = builder.plan(phase, base, target)
        if plan.commands:
            plans.append(plan)
        base = target
    return tuple(plans) or (builder.plan(Phase.EDGES, running, running),)


@dataclass(frozen=True)
class _Builder:
    """What all phases of one router share."""

    router: str
    intended: RouterIntent
    owned: Owned
    found: Remediation
    renderer: Renderer
    profile: Profile
    circumstances: Circumstances
    engines: Mapping[str, str]
    reached_by: str
    lacking: Mapping[str, Answer]
    reverts: bool

    def plan(self, phase: Phase, base: RunningConfig, target: RunningConfig) -> ChangePlan:
        """The plan of one phase, from `base` to `target`."""
        found = self.found
        forward = self._lines(base, target)
        backward = self._back(target, base)
        rollback = backward.lines
        states = _states(base, forward.lines, self.profile)
        # One undo for every prefix, from the state the interpreter says it leaves, not from the planner's belief.
        undo = tuple(_each_once(states[:-1], lambda state: self._back(state, base).lines))
        undo = (*undo, rollback) if forward.lines else ((),)
        scope = self._scope(base, target)
        together = blocks(forward.lines, states, undo, scope, self.profile.class_map_default_mode)
        digests = tuple(_each_once(states, lambda state: scope_digest(state, scope)))
        refused = tuple(findings(base, target, self.profile, self.circumstances.bandwidths, self.engines))
        proof = self._proof(base, forward, refused, astray=digests[-1] != scope_digest(target, scope))
        cut = would_cut(base, target, self.reached_by)
        minutes = revert_minutes(len(forward.lines)) if cut and self.reverts else 0
        if cut and not minutes:
            proof = (*proof, LineState(None, (), tuple(f"{each}: {INSTEAD}" for each in cut)))
        if unknown := beyond((line.text for line in forward.lines), self.lacking):
            proof = (*proof, LineState(None, (), unknown))
        back = self._check(target, backward) if rollback else ()
        instead = alternatives(
            forward.gaps,
            proof,
            standing_by(base, target, self._our_policies(), self.intended) if forward.gaps else {},
            self.circumstances.bandwidths,
        )
        return ChangePlan(
            router=self.router,
            phase=phase,
            commands=forward.lines,
            rollback=rollback,
            undo=undo,
            gaps=forward.gaps,
            conflicts=found.conflicts,
            takeovers=found.takeovers,
            warnings=(
                *self.intended.warnings,
                *found.warnings,
                *_routing_warnings(base, target),
                *_queue_warnings(base, target),
                *_left_out_warnings(base, target, self.profile),
                *(_guarded(each, minutes) for each in cut if minutes),
            ),
            proof=proof,
            back=back,
            gaps_back=backward.gaps,
            alternatives=instead,
            blocks=together,
            equal_today=equal_today(
                base,
                as_intended(base, self.intended) if found.conflicts else target,
                self.circumstances.bandwidths,
            ),
            owned_after=_owned_after(target, found),
            released=tuple(sorted(_word(key) for key in found.released if key not in store_of(target))),
            in_flight=_in_flight(states),
            scope=scope,
            prefix_digests=digests,
            fingerprint=fingerprint(
                forward.lines,
                rollback,
                undo,
                digests[0],
                self.circumstances,
                (*proof, *back),
                alternatives=[each.to_json() for each in instead],
                blocks=[each.to_json() for each in together],
                revert_minutes=minutes,
            ),
            doubts=tuple(Doubt(place, each) for place, each in refused if not each.certain),
            revert_minutes=minutes,
        )

    def _our_policies(self) -> set[str]:
        """The names of the policy-maps that are ours now."""
        return {name for kind, name in (*self.owned.objects, *self.found.owned_after) if kind == POLICY_MAP}

    def _lines(self, base: RunningConfig, target: RunningConfig) -> Transition:
        return transition(base, target, self.renderer, self.profile, bandwidths=self.circumstances.bandwidths)

    def _back(self, state: RunningConfig, base: RunningConfig) -> Transition:
        return transition(
            state,
            base,
            self.renderer,
            self.profile,
            bandwidths=self.circumstances.bandwidths,
            restoring=True,
        )

    def _proof(
        self,
        base: RunningConfig,
        forward: Transition,
        refused: tuple[tuple[str, Finding], ...],
        *,
        astray: bool,
    ) -> tuple[LineState, ...]:
        """The interpreter's word on every line, and what the platform would certainly refuse.

        `astray` when the interpreter ends elsewhere than the planner predicts.
        """
        proof = self._check(base, forward)
        certain = tuple(f"{place}: {each}" for place, each in refused if each.certain)
        if certain:
            proof = (*proof, LineState(None, (), certain))
        if astray:
            # Two independent computations of the result disagree: nothing of this plan can be trusted.
            return (*proof, LineState(None, (), ("the lines do not lead where the plan says they lead",)))
        return proof

    def _check(self, start: RunningConfig, found: Transition) -> tuple[LineState, ...]:
        return check(
            start,
            found.lines,
            self.intended.roles,
            gap_lines=frozenset(gap.after_line for gap in found.gaps),
            bandwidths=self.circumstances.bandwidths,
            premium=self.intended.markings.premium,
            allowed=self.intended.markings.allowed,
            profile=self.profile,
        )

    def _scope(self, base: RunningConfig, target: RunningConfig) -> Scope:
        before, after = store_of(base), store_of(target)
        touched = {key for key in {*before, *after} if before.get(key) != after.get(key)}
        ours: set[Key] = {*self.owned.objects, *self.owned.in_flight, *self.found.owned_after, *touched}
        return Scope(tuple(sorted(ours)), tuple(sorted(self.intended.managed)))


def _guarded(cut: str, minutes: int) -> str:
    return (
        f"{cut}; so the router takes everything back by itself {minutes} minutes after it begins unless it is told to keep it, "
        "and what anybody else types there until then goes with it"
    )


def _routing_warnings(base: RunningConfig, target: RunningConfig) -> Iterator[str]:
    """Edges that begin to remark everything else remark the neighbour's routing packets too (ios-facts 5.4)."""
    covered = {(held.interface, held.pvc) for held in base.bindings if held.direction == "input"}
    for bound in sorted(target.bindings - base.bindings, key=lambda each: (each.interface, each.pvc or "")):
        policy = target.policy_maps.get(bound.policy)
        rest = None if policy is None else policy.find(CLASS_DEFAULT)
        begins = bound.direction == "input" and (bound.interface, bound.pvc) not in covered
        if begins and rest is not None and rest.set_fields and not _exempts_routing(target, policy):
            place = interface_key(bound.interface, bound.pvc)
            yield f"{place}: routing packets of the neighbour (CS6, CS7) are remarked too when they enter"


def _exempts_routing(config: RunningConfig, policy: PolicyMap | None) -> bool:
    """Whether a class of the policy takes CS6, by which routers mark their own packets."""
    entries = () if policy is None else policy.classes
    held = (config.class_maps.get(entry.name) for entry in entries)
    matches = (match for each in held if each is not None for match in each.matches)
    return any(match.kind == "dscp" and not match.negated and _CS6 in match.values for match in matches)


def _queue_warnings(base: RunningConfig, target: RunningConfig) -> Iterator[str]:
    """A strict queue without a policer leaves the other classes nothing for certain (ios-facts 0.5, 2.2)."""
    for bound in sorted(target.bindings - base.bindings, key=lambda each: (each.interface, each.pvc or "")):
        policy = target.policy_maps.get(bound.policy)
        for entry in () if policy is None else policy.classes:
            if bound.direction == "output" and entry.police is None and Priority() in entry.actions:
                place = interface_key(bound.interface, bound.pvc)
                yield (
                    f"{place}: class {entry.name} is strict priority without a policer, so the other classes are "
                    "guaranteed nothing: only the policers at the edges bound it"
                )


def _left_out_warnings(base: RunningConfig, target: RunningConfig, profile: Profile) -> Iterator[str]:
    """What of the policies that are newly bound this platform makes nothing of."""
    commands = {RandomDetect: "random-detect", FairQueue: "fair-queue"}
    for bound in sorted(target.bindings - base.bindings, key=lambda each: (each.interface, each.pvc or "")):
        policy = target.policy_maps.get(bound.policy)
        for entry in () if policy is None else policy.classes:
            for word in sorted(
                {commands.get(type(action), "") for action in entry.actions} & profile.left_out.keys()
            ):
                place = interface_key(bound.interface, bound.pvc)
                yield f"{place}: class {entry.name}: `{word}` is left out; {profile.left_out[word]}"


def _each_once(states: Iterable[RunningConfig], of: Callable[[RunningConfig], _T]) -> Iterator[_T]:
    """`of` every state; a line that only enters a mode leaves the very same state, and its answer too."""
    last: tuple[RunningConfig, _T] | None = None
    for state in states:
        if last is None or last[0] is not state:
            last = state, of(state)
        yield last[1]


def _states(base: RunningConfig, lines: Iterable[Line], profile: Profile) -> list[RunningConfig]:
    """The state before, and after every line; a line a router would refuse leaves the state as it was."""
    interpreter = Interpreter(base, profile)
    states = [base]
    for line in lines:
        try:
            interpreter.execute(line.text)
        except LineNotAccepted:
            # `_proof` reports it; a plan with that violation is never approved.
            states.append(states[-1])
            continue
        states.append(interpreter.config)
    return states


def _owned_after(target: RunningConfig, found: Remediation) -> Mapping[str, str]:
    store = store_of(target)
    return {_word(key): digest_of(store[key]) for key in found.owned_after if key in store}


def _in_flight(states: list[RunningConfig]) -> Mapping[str, tuple[str, ...]]:
    """Every content each changing object has along the way."""
    distinct = list({id(state): store_of(state) for state in states}.values())
    first = distinct[0]
    moving = {key for store in distinct for key in {*first, *store} if first.get(key) is not store.get(key)}
    contents = {key: {digest_of(store[key]) for store in distinct if key in store} for key in moving}
    return {
        _word(key): tuple(sorted(contents[key]))
        for key in sorted(moving)
        if len(contents[key]) > 1 or any(key not in store for store in distinct)
    }


def _word(key: Key) -> str:
    return f"{key[0]} {key[1]}"
