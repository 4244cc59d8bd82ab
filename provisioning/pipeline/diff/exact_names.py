"""What the router shall hold where no row says whose anything is (`mqc diff`): each object under its own name.

No name is taken for a version of another there, so a plan cannot end at BASE-2 (decision 23). What the intent names is
as it says in the end, wherever it is bound; what it does not name keeps its content, its name and its places, but for the
service-policies of interfaces it lists, and goes where the intent is all there shall be.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from provisioning.pipeline.diff.access_edits import edit, same_meaning, without_repeats
from provisioning.pipeline.diff.both_sides import not_in_place
from provisioning.pipeline.diff.compare import same
from provisioning.pipeline.diff.interim import Interim, interim_of
from provisioning.pipeline.diff.lines import Conflict, ConflictKind
from provisioning.pipeline.diff.places import missing_place
from provisioning.pipeline.diff.store import (
    ACCESS_LIST,
    POLICY_MAP,
    Key,
    MqcObject,
    Objects,
    Store,
    kind_of,
    place_of,
    place_order,
    plain,
    with_store,
)
from provisioning.pipeline.intent import RouterIntent
from provisioning.pipeline.mqc import AccessList


@dataclass(frozen=True)
class Stages:
    """What the router holds one after the other: `target` in the end, before it what holds the copies, if any.

    `wanted` are the keys of what the intent names.
    """

    stages: tuple[Objects, ...]
    wanted: frozenset[Key]
    conflicts: tuple[Conflict, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def target(self) -> Objects:
        """What there is in the end."""
        return self.stages[-1]


def resolve_by_name(
    held: Objects, intended: RouterIntent, *, owned: Collection[str] = (), exact: bool = False
) -> Stages:
    """Say what the router shall hold: what the intent names as it says, all else as it is.

    ``owned`` are interfaces whose service-policies are the intent's alone: what it does not bind there goes. With ``exact``
    so are all interfaces, and every object the intent lacks goes; what something that is not MQC uses is a conflict then.
    Conflicts are values: with any there is nothing to send. Raises InvalidInput for what packets meet, what cannot be
    edited under them and what no copy can stand in for (a numbered list, a policy of the control plane).
    """
    target, wanted, conflicts = _overlaid(held, intended, frozenset(owned), exact=exact)
    if conflicts:
        return Stages((held,), wanted, conflicts)
    apart: frozenset[Key] = frozenset()
    while True:
        interim = interim_of(held, target, apart)
        more = {plain(key) for key in not_in_place(held, interim.objects)} - apart
        if not more:
            break
        apart |= more
    stages = (interim.objects, target) if interim.needed else (target,)
    return Stages(stages, wanted, warnings=tuple(_said(held, target, wanted, interim)))


def _overlaid(
    held: Objects, intended: RouterIntent, owned: frozenset[str], *, exact: bool
) -> tuple[Objects, frozenset[Key], tuple[Conflict, ...]]:
    store, wanted = dict(held.store), set[Key]()
    for each in intended.objects():
        thing = without_repeats(each) if isinstance(each, AccessList) else each
        key = _key_in(held.store, thing)
        wanted.add(key)
        current = held.store.get(key)
        if current is None or not same(current, thing):
            store[key] = thing if current is None else _becoming(current, thing)
    conflicts: list[Conflict] = []
    if exact:
        conflicts += _used_elsewhere(held, wanted)
        store = {key: thing for key, thing in store.items() if key in wanted}
    bound_at = {
        place_of(bound): bound
        for bound in held.config.bindings
        if bound in intended.bindings or not (exact or bound.interface in owned)
    }
    for bound in sorted(
        intended.bindings - held.config.bindings, key=lambda each: place_order(place_of(each))
    ):
        missing = missing_place(held.config, bound)
        if missing is not None:
            conflicts.append(missing)
        bound_at[place_of(bound)] = bound
    target = Objects(with_store(held.config, store, bound_at.values()))
    return target, frozenset(wanted), tuple(conflicts)


def _used_elsewhere(held: Objects, wanted: Collection[Key]) -> Iterator[Conflict]:
    """What the intent lacks and something that is not MQC uses: it cannot go, and staying it would be no equality."""
    for reference in sorted(held.config.references):
        for key in ((reference.kind, reference.name), (reference.kind, f"ipv6 {reference.name}")):
            if key in held.store and key not in wanted:
                name = held.store[key].name
                yield Conflict(
                    ConflictKind.IN_USE,
                    key[0],
                    name,
                    "",
                    reference.by,
                    f"{key[0]} {name}, which INTENDED lacks, is used by `{reference.by}` and cannot go: name it in INTENDED",
                )


def _key_in(store: Store, thing: MqcObject) -> Key:
    """The key of the object that `thing` speaks of: of two lists of one name the one of its family."""
    twin = (ACCESS_LIST, f"ipv6 {thing.name}")
    if isinstance(thing, AccessList) and thing.family == 6 and twin in store:
        return twin
    return kind_of(thing), thing.name


def _becoming(current: MqcObject, wanted: MqcObject) -> MqcObject:
    """`wanted`; a list that can be edited keeps the numbers of the entries that stay."""
    if isinstance(current, AccessList) and isinstance(wanted, AccessList):
        edited = edit(current, wanted)
        return edited.result if edited is not None and same_meaning(edited.result, wanted) else wanted
    return wanted


def _said(held: Objects, target: Objects, wanted: frozenset[Key], interim: Interim) -> Iterator[str]:
    """What whoever wrote the intent may not have thought of."""
    for (kind, name), copy in sorted(interim.copies.items()):
        if (kind, name) not in wanted and kind == POLICY_MAP:
            yield (
                f"{kind} {name}, which INTENDED does not name, uses what changes: {copy} stands in for it meanwhile"
            )
    for reference in sorted(held.config.references):
        key = reference.kind, reference.name
        if any(
            held.store.get(each) is not target.store.get(each) for each in (key, (key[0], f"ipv6 {key[1]}"))
        ):
            yield f"{key[0]} {key[1]} is used by `{reference.by}` too, and changes there"
    for policy in sorted(held.bound_to):
        key = POLICY_MAP, policy
        if key not in wanted and key in target.store and not target.used(key):
            yield f"{key[0]} {policy} is bound nowhere any more, and stays: INTENDED does not name it"
