"""Lines that take a router from one exact config to another, in the order that keeps every prefix safe.

Create bottom-up, decreases, swaps that let less in, increases, other bindings, deletes top-down (architecture.md, "Diff is
ours"). Works on exact names only: which version carries a BASE has been decided before (`resolution`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from provisioning.errors import InvalidInput
from provisioning.pipeline.diff.access_edits import AccessEdit, edit, same_meaning
from provisioning.pipeline.diff.bindings import moves
from provisioning.pipeline.diff.compare import policer_rates_only, rate_order
from provisioning.pipeline.diff.lines import Gap, Line, Step
from provisioning.pipeline.diff.ordering import Edit, in_order
from provisioning.pipeline.diff.policy_edits import edit_policy
from provisioning.pipeline.diff.store import (
    ACCESS_LIST,
    CLASS_MAP,
    POLICY_MAP,
    Key,
    MqcObject,
    Objects,
    bottom_up,
)
from provisioning.pipeline.diff.writing import Writer
from provisioning.pipeline.mqc import AccessList, ClassMap, Police, PolicyMap, RunningConfig
from provisioning.pipeline.platforms import Profile
from provisioning.pipeline.rendering import Renderer

_CREATE_STEP = {ACCESS_LIST: Step.ACCESS_LIST, CLASS_MAP: Step.CLASS_MAP, POLICY_MAP: Step.POLICY}


@dataclass(frozen=True)
class Transition:
    """The lines, and the gaps that swaps among them open."""

    lines: tuple[Line, ...]
    gaps: tuple[Gap, ...]


@dataclass
class _Plan:
    """Lines gathered by place; `transition` puts the places in order."""

    early_deletes: list[Line] = field(default_factory=list)
    creates: list[Line] = field(default_factory=list)
    reworks: dict[Key, list[Line]] = field(default_factory=dict)
    edits: list[Edit] = field(default_factory=list)
    lists: list[tuple[Key, AccessList, AccessEdit]] = field(default_factory=list)
    late_reworks: dict[Key, list[Line]] = field(default_factory=dict)
    deletes: list[Line] = field(default_factory=list)
    remakes: list[Line] = field(default_factory=list)


class _Planner:
    def __init__(
        self,
        before: Objects,
        after: Objects,
        writer: Writer,
        bandwidths: Mapping[str, int],
    ) -> None:
        self.held, self.aimed_at = before, after
        self.current, self.wanted = before.config, after.config
        self.writer = writer
        self.bandwidths = bandwidths
        self.before, self.after = before.store, after.store
        # Only what differs is put in order: a change is small beside what a router holds.
        fresh = {key: thing for key, thing in self.after.items() if key not in self.before}
        stale = {key: thing for key, thing in self.before.items() if key not in self.after}
        other = {
            key: thing
            for key, thing in self.after.items()
            if key in self.before and not _equal(self.before[key], thing)
        }
        self.made = bottom_up(fresh)
        self.gone = list(reversed(bottom_up(stale)))
        self.changed = bottom_up(other)
        self.plan = _Plan()

    def transition(self) -> Transition:
        early, late = self._sort_changes()
        touched = {key for key in (*self.made, *self.changed, *early, *late) if key[0] == POLICY_MAP}
        children = (
            {(POLICY_MAP, name) for thing in self.after.values() for name in _children(thing)}
            if touched
            else set()
        )
        plan, writer = self.plan, self.writer
        # Top-down: a parent before the child it holds.
        for key in _top_down(early, self.before):
            plan.early_deletes += writer.delete(self.before[key], self._step(key, children))
        # What is edited while no packet meets it may refer to what is made, and what is made to what is edited.
        made = ({*self.made, *early, *plan.reworks} - late) & self.after.keys()
        for key in bottom_up({key: self.after[key] for key in made}):
            plan.creates += plan.reworks.get(key) or writer.create(self.after[key], self._step(key, children))
        plan.deletes += (line for lines in plan.late_reworks.values() for line in lines)
        for key in _top_down(({*self.gone} | late & self.before.keys()) - early, self.before):
            plan.deletes += writer.delete(self.before[key], Step.DELETE)
        for key in bottom_up({key: self.after[key] for key in late}):
            plan.remakes += writer.create(self.after[key], self._step(key, children))
        found = moves(self.current, self.wanted, writer.renderer)
        in_use, gaps = in_order(
            [*plan.edits, *self._edits_of_lists()], found, offset=len(plan.early_deletes) + len(plan.creates)
        )
        lines = (*plan.early_deletes, *plan.creates, *in_use, *plan.deletes, *plan.remakes)
        return Transition(lines, gaps)

    def _edits_of_lists(self) -> Iterator[Edit]:
        """The edits of access lists in use, by whom they are met; who moves from one to another of a policy is let in there
        before it goes here.
        """
        lists = self.plan.lists
        every = {*self.before, *self.after} if lists else set()
        met_by = {key: self._met_by(key) for key in every if key[0] == ACCESS_LIST}
        for key, held, edited in lists:
            beside = {other for other, policies in met_by.items() if other != key and policies & met_by[key]}
            elsewhere = [entry for other, _, each in lists if other in beside for entry in each.come]
            *first, rest = edited.in_steps(held, elsewhere, alone=not beside)
            for part in (*first, rest):
                step = Step.ACCESS_LIST if part.come else Step.DECREASE
                lines = self.writer.edit_access_list(held, part, Step.ACCESS_LIST)
                # Who goes first comes to no other list, so it waits for none.
                go = part.go if part is rest else ()
                yield Edit(met_by[key], step, tuple(lines), come=part.come, go=go)

    def _step(self, key: Key, children: set[Key]) -> Step:
        return Step.CHILD_POLICY if key in children else _CREATE_STEP[key[0]]

    def _sort_changes(self) -> tuple[set[Key], set[Key]]:
        """Give in-place edits their place; return what is taken away before the bindings, and what is made anew after them."""
        early: set[Key] = set()
        late: set[Key] = set()
        for key in self.changed:
            old, new = self.before[key], self.after[key]
            if self._edit_in_place(key, old, new):
                continue
            if not self.held.used(key):
                early.add(key)
            elif not self.aimed_at.used(key):
                late.add(key)
            elif key not in self.held.live:
                early |= _with_users(key, self.held)
            elif key not in self.aimed_at.live:
                late |= _with_users(key, self.aimed_at)
            else:
                raise InvalidInput(f"{key[0]} {key[1]} cannot be changed while it is in use", field=key[0])
        # What is made anew needs no edit. No router takes away what something refers to: its users go with it.
        for key in early | late:
            self.plan.reworks.pop(key, None)
            self.plan.late_reworks.pop(key, None)
        return early, late

    def _met_by(self, key: Key) -> frozenset[str]:
        return self.held.users.policies_reaching(key) | self.aimed_at.users.policies_reaching(key)

    def _edit_in_place(self, key: Key, old: MqcObject, new: MqcObject) -> bool:
        plan, writer = self.plan, self.writer
        in_use = key in self.held.live
        if isinstance(old, AccessList) and isinstance(new, AccessList):
            edited = edit(old, new)
            if edited is None or not same_meaning(edited.result, new):
                return False
            if not in_use:
                plan.reworks[key] = writer.edit_access_list(old, edited, Step.ACCESS_LIST)
                return True
            plan.lists.append((key, old, edited))
            return True
        if isinstance(old, ClassMap) and isinstance(new, ClassMap):
            if (old.mode, old.other_lines) != (new.mode, new.other_lines):
                return False
            if old.matches != new.matches and in_use:
                if key in self.aimed_at.live:
                    return False
                plan.late_reworks[key] = writer.edit_class_map(old, new, Step.CLASS_MAP)
            else:
                plan.reworks[key] = writer.edit_class_map(old, new, Step.CLASS_MAP)
            return True
        if isinstance(old, PolicyMap) and isinstance(new, PolicyMap) and policer_rates_only(old, new):
            met_by = self._met_by(key)
            for entry, (was, becomes) in zip(new.classes, _policers(old, new), strict=True):
                if was is None or becomes is None or was == becomes:
                    continue
                order = self._order(key[1], was, becomes)
                step = Step.DECREASE if order == -1 else Step.INCREASE
                lines = writer.police(new, entry.name, becomes, step)
                plan.edits.append(Edit(met_by, step, tuple(lines), either=order is None))
            if old.description != new.description:
                plan.reworks[key] = writer.describe_policy(new, Step.POLICY)
            return True
        if isinstance(old, PolicyMap) and isinstance(new, PolicyMap):
            policy_edit = None if in_use and key in self.aimed_at.live else edit_policy(old, new)
            if policy_edit is not None:
                lines = writer.edit_policy(old, new, policy_edit, Step.POLICY)
                if in_use:  # by nothing any more once the bindings have moved
                    plan.late_reworks[key] = lines
                else:
                    plan.reworks[key] = lines
                return True
        return False

    def _order(self, policy: str, was: Police, becomes: Police) -> int | None:
        """`rate_order` where the policy is bound; None where that is not known or not the same everywhere.

        The base of a percentage is known for an interface, not for a PVC or a policy inside another (ios-facts 1.4).
        """
        without = rate_order(was, becomes)
        if without is not None:
            return without
        bound = {*self.held.bound_to.get(policy, ()), *self.aimed_at.bound_to.get(policy, ())}
        if self._met_by((POLICY_MAP, policy)) != {policy} or any(each.pvc is not None for each in bound):
            return None
        orders = {rate_order(was, becomes, self._bandwidth(each.interface)) for each in bound}
        return orders.pop() if len(orders) == 1 else None

    def _bandwidth(self, interface: str) -> int | None:
        """BW in bit/s: what the router shows, else the `bandwidth` line of its running-config."""
        state = self.current.interfaces.get(interface)
        typed = None if state is None or state.bandwidth_kbit is None else state.bandwidth_kbit * 1000
        return self.bandwidths.get(interface, typed)


def _policers(old: PolicyMap, new: PolicyMap) -> Iterator[tuple[Police | None, Police | None]]:
    return ((was.police, becomes.police) for was, becomes in zip(old.classes, new.classes, strict=True))


def _with_users(key: Key, objects: Objects) -> set[Key]:
    """The object and everything that leads to it."""
    found: set[Key] = set()
    todo = [key]
    while todo:
        at = todo.pop()
        if at not in found:
            found.add(at)
            todo += objects.users.of(at)
    return found


def _children(thing: MqcObject) -> frozenset[str]:
    return thing.children if isinstance(thing, PolicyMap) else frozenset()


def _equal(left: MqcObject, right: MqcObject) -> bool:
    if left is right:
        return True
    if isinstance(left, AccessList) and isinstance(right, AccessList):
        return same_meaning(left, right)
    return left == right


def _top_down(keys: Iterable[Key], store: dict[Key, MqcObject]) -> list[Key]:
    return list(reversed(bottom_up({key: store[key] for key in keys})))


def transition(
    current: RunningConfig,
    wanted: RunningConfig,
    renderer: Renderer,
    profile: Profile | None = None,
    *,
    bandwidths: Mapping[str, int] | None = None,
    restoring: bool = False,
) -> Transition:
    """Return the lines from `current` to `wanted`; only objects and bindings may differ between the two.

    `bandwidths` maps interfaces to the BW the router shows, in bit/s, to compare percentages with rates. `restoring`
    when `wanted` was read from a router: a description that no terminal takes is put back as far as it can be typed.
    Raises InvalidInput when an object would have to change in a way that is not safe while packets meet it.
    """
    objects = Objects(current), Objects(wanted)
    return transition_of(*objects, renderer, profile, bandwidths=bandwidths, restoring=restoring)


def transition_of(
    current: Objects,
    wanted: Objects,
    renderer: Renderer,
    profile: Profile | None = None,
    *,
    bandwidths: Mapping[str, int] | None = None,
    restoring: bool = False,
) -> Transition:
    """`transition`, for objects that are looked up more than once."""
    writer = Writer(renderer, profile, restoring=restoring)
    return _Planner(current, wanted, writer, bandwidths or {}).transition()
