"""Which objects the router shall hold, by exact name: versions chosen, ownership respected, nothing sent yet."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from provisioning.errors import InvalidInput
from provisioning.pipeline.diff.access_edits import without_repeats
from provisioning.pipeline.diff.both_sides import not_in_place
from provisioning.pipeline.diff.circles import in_circles
from provisioning.pipeline.diff.compare import editable_in_use, editable_unused, named, same
from provisioning.pipeline.diff.lines import Conflict, ConflictKind, Takeover
from provisioning.pipeline.diff.ownership import Owned
from provisioning.pipeline.diff.places import Places
from provisioning.pipeline.diff.store import (
    ACCESS_LIST,
    POLICY_MAP,
    Key,
    MqcObject,
    Objects,
    Place,
    Store,
    Users,
    bottom_up,
    digest_of,
    kind_of,
    needs_of,
    place_of,
    plain,
    referring,
    with_store,
)
from provisioning.pipeline.intent import RouterIntent
from provisioning.pipeline.mqc import AccessList, Binding, RunningConfig, base_name, versioned_name
from provisioning.pipeline.platforms import LONGEST_NAME


@dataclass(frozen=True)
class Resolution:
    """`target` is the whole predicted config; `chosen` says which exact name carries each wanted BASE."""

    target: Objects
    chosen: Mapping[Key, str]
    conflicts: tuple[Conflict, ...]
    takeovers: tuple[Takeover, ...]
    released: tuple[Key, ...]
    warnings: tuple[str, ...]


@dataclass
class _Resolver:
    held: Objects
    intended: RouterIntent
    owned: Owned
    repair: bool
    show: Callable[[MqcObject], str]
    remade: frozenset[Key]
    running: RunningConfig = field(init=False)
    store: Store = field(init=False)
    wanted: dict[Key, MqcObject] = field(init=False)
    bound_at: dict[Place, Binding] = field(init=False)
    versions: dict[Key, list[Key]] = field(default_factory=dict)
    taken: dict[str, set[str]] = field(default_factory=dict)
    exchanging: frozenset[str] = field(init=False)
    chosen: dict[Key, str] = field(default_factory=dict)
    result: Store = field(default_factory=dict)
    conflicts: list[Conflict] = field(default_factory=list)
    takeovers: list[Takeover] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.running, self.store = self.held.config, self.held.store
        self.wanted = {}
        for thing in self.intended.objects():
            key = (kind_of(thing), thing.name)
            if key in self.wanted and not same(self.wanted[key], thing):
                raise InvalidInput(f"{key[0]} {key[1]} is wanted with two contents", field=key[0])
            self.wanted[key] = without_repeats(thing) if isinstance(thing, AccessList) else thing
        self.bound_at = {place_of(bound): bound for bound in self.running.bindings}
        self.result = dict(self.store)
        for key in self.store:
            family = self.family(key)
            if family is not None:
                self.versions.setdefault(family, []).append(key)
        for (kind, _), thing in self.store.items():
            self.taken.setdefault(kind, set()).add(thing.name)
        for needed in self.held.needs.values():
            # A list that is used and missing would come into force entry by entry, and could not be taken back.
            self.taken.setdefault(ACCESS_LIST, set()).update(
                name for kind, name in needed if kind == ACCESS_LIST
            )
        self.exchanging = self._exchanging()

    def _exchanging(self) -> frozenset[str]:
        """BASE names of policies among which interfaces move in a circle.

        Edited in place, each would have to wait for the other (`ordering`), so they get new versions instead.
        """
        leads_to: dict[str, set[str]] = {}
        for wanted in self.intended.bindings - self.running.bindings:
            held = self.bound_at.get(place_of(wanted))
            if held is None or held.policy == wanted.policy:
                continue
            family = self.family((POLICY_MAP, held.policy))
            if family is not None and family[1] != wanted.policy:
                leads_to.setdefault(family[1], set()).add(wanted.policy)
        return in_circles(leads_to)

    def family(self, key: Key) -> Key | None:
        """The wanted object `key` is a version of, or None: of another name only where a row says that we made it."""
        kind, name = plain(key)
        if (kind, name) in self.wanted:
            return kind, name
        if not self.owned.has(key):
            return None
        base = (kind, base_name(name)[0])
        return base if base in self.wanted else None

    def is_ours(self, key: Key) -> bool:
        return self.owned.has(key)

    def hand_edited(self, key: Key) -> bool:
        """Ours by its row, and other content than the row says."""
        return (
            not self.repair
            and self.owned.has(key)
            and not self.owned.expects(key, digest_of(self.store[key]))
        )

    def resolve(self) -> Resolution:
        for key in bottom_up(self.wanted):
            self._choose(key)
        places = Places(
            self.running,
            self.intended,
            self.chosen,
            self.bound_at,
            lambda policy: self.is_ours((POLICY_MAP, policy)),
        )
        bindings = places.settled()
        self.conflicts += places.conflicts
        released = self._remove(bindings)
        return Resolution(
            target=Objects(with_store(self.running, self.result, bindings)),
            chosen=dict(self.chosen),
            conflicts=tuple(self.conflicts),
            takeovers=tuple(self.takeovers),
            released=released,
            warnings=tuple(self.warnings),
        )

    def _choose(self, key: Key) -> None:
        kind, base = key
        wanted = referring(self.wanted[key], lambda needed: self.chosen.get(needed, needed[1]))
        # What packets meet first, then the lowest version: an object is never moved without need.
        versions = sorted(
            self.versions.get(key, ()),
            key=lambda candidate: (candidate not in self.held.live, base_name(candidate[1])[1], candidate[1]),
        )
        for candidate in versions:
            if same(self.store[candidate], wanted):
                self.chosen[key] = self.store[candidate].name
                if not self.is_ours(candidate):
                    self.takeovers.append(Takeover(*candidate, digest_of(self.store[candidate])))
                return
        ours = [candidate for candidate in versions if self.is_ours(candidate)]
        edited = [candidate for candidate in ours if self.hand_edited(candidate)]
        if edited:
            for candidate in edited:
                self._conflict(ConflictKind.HAND_EDIT, candidate, wanted)
            self.chosen[key] = self.store[edited[0]].name
            return
        for candidate in ours:
            result = self._edited(candidate, wanted)
            if result is not None:
                self.chosen[key] = result.name
                self.result[candidate] = result
                return
        if not ours and (kind, base) in self.store:
            self._conflict(ConflictKind.FOREIGN, (kind, base), wanted)
            self.chosen[key] = base
            return
        name = self._free_name(kind, base)
        self.chosen[key] = name
        self.result[(kind, name)] = named(wanted, name)

    def _edited(self, key: Key, wanted: MqcObject) -> MqcObject | None:
        """What an object of ours becomes under its own name, or None when only a new version is safe."""
        if key in self.remade:
            return None
        current = self.store[key]
        referrers = self.held.users.of(key)
        foreign = [user for user in referrers if not self.is_ours(user)]
        bound = self.held.bound_to.get(key[1], ()) if key[0] == POLICY_MAP else ()
        foreign_bindings = [binding for binding in bound if not self._manages(binding)]
        if foreign or foreign_bindings or key in self.held.referenced:
            return None
        if key in self.held.live:
            met_by = self.held.users.policies_reaching(key)
            families = {self.family((POLICY_MAP, policy)) for policy in met_by}
            if any(family is not None and family[1] in self.exchanging for family in families):
                return None
            return editable_in_use(current, wanted)
        if referrers:
            return editable_unused(current, wanted)
        return editable_unused(current, wanted) or named(wanted, current.name)

    def _free_name(self, kind: str, base: str) -> str:
        taken = self.taken.setdefault(kind, set())
        version = 1
        # A version must not be read as something else that is wanted under that very name.
        while (name := versioned_name(base, version)) in taken or (
            version > 1 and (kind, name) in self.wanted
        ):
            version += 1
        taken.add(name)
        if kind == ACCESS_LIST and base.isdigit() and name != base:
            # A name begins with a letter, and a class that matches a number does not follow to a name.
            raise InvalidInput(
                f"access-list {base} cannot be edited in place, and a numbered list has no next version: give it a name",
                field=kind,
            )
        if len(name) > LONGEST_NAME:
            raise InvalidInput(f"{name} is longer than the {LONGEST_NAME} characters IOS takes", field=kind)
        return name

    def _manages(self, binding: Binding) -> bool:
        return binding.interface in self.intended.managed

    def _remove(self, bindings: Iterable[Binding]) -> tuple[Key, ...]:
        """Drop what is ours and no longer wanted, from the top down, as far as nothing else uses it."""
        kept = {(kind, name) for (kind, _), name in self.chosen.items()}
        bound = {(POLICY_MAP, binding.policy) for binding in bindings}
        released = [key for key in self.owned.objects if key not in self.store]
        unwanted = {
            key: thing
            for key, thing in self.store.items()
            if (key[0], thing.name) not in kept and self.is_ours(key)
        }
        index = Users(needs_of(self.result) if unwanted else {})
        for key in reversed(bottom_up(unwanted)):
            if self.hand_edited(key):
                self._conflict(ConflictKind.HAND_EDIT, key, None)
                continue
            if key in bound or key in self.held.referenced or index.of(key) & self.result.keys():
                self.warnings.append(f"{key[0]} {key[1]} stays: something that is not ours still uses it")
                continue
            del self.result[key]
            released.append(key)
        return tuple(sorted(released))

    def _conflict(self, kind: ConflictKind, key: Key, wanted: MqcObject | None) -> None:
        words = {
            ConflictKind.FOREIGN: "is on the router with other content and is not ours",
            ConflictKind.HAND_EDIT: "is ours and was edited by hand",
        }
        self.conflicts.append(
            Conflict(
                kind,
                key[0],
                key[1],
                "" if wanted is None else self.show(named(wanted, key[1])),
                self.show(self.store[key]),
                f"{key[0]} {key[1]} {words[kind]}",
            )
        )


def resolve(
    running: Objects,
    intended: RouterIntent,
    owned: Owned,
    *,
    repair: bool = False,
    show: Callable[[MqcObject], str] = repr,
) -> Resolution:
    """Choose versions and say what the router shall hold (architecture.md, "Ownership is a row").

    Only rows and takeovers of equal content under the wanted name are ours. `repair` treats hand edits of ours as ours to
    overwrite; `show` prints an object for a conflict. Conflicts are values: whoever plans must send nothing when
    there are any.
    """
    remade: frozenset[Key] = frozenset()
    while True:
        found = _Resolver(running, intended, owned, repair, show, remade).resolve()
        more = not_in_place(running, found.target) - remade
        if found.conflicts or not more:
            return found
        remade |= more
