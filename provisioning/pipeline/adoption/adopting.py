"""A whole router: what is recognised on it, under which names, and the proof that re-rendering changes nothing."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence

from provisioning.errors import InvalidInput
from provisioning.pipeline import intent, safety
from provisioning.pipeline.adoption.comparing import Comparer
from provisioning.pipeline.adoption.outcome import Proof, RouterAdoption, left_untouched
from provisioning.pipeline.adoption.recognising import Surroundings, recognise_places, sending_of
from provisioning.pipeline.adoption.values import Finding, Found, Verdict, Weight
from provisioning.pipeline.diff import NOTHING, diff
from provisioning.pipeline.diff.compare import same
from provisioning.pipeline.diff.store import store_of
from provisioning.pipeline.intent import AdoptedObject, Role, RouterIntent
from provisioning.pipeline.mqc import ClassMap, PolicyMap, RunningConfig, digest
from provisioning.pipeline.mqc.referring import POLICY_MAP, Key, kind_of
from provisioning.pipeline.platforms import Profile
from provisioning.pipeline.rendering import Renderer
from provisioning.pipeline.scheme import NON_PARTICIPANT, Scheme
from provisioning.pipeline.sls import Sls
from provisioning.pipeline.topology import Network


def adopt(
    running: RunningConfig,
    network: Network,
    scheme: Scheme,
    router: str,
    profile: Profile,
    renderer: Renderer,
    *,
    reservations: Iterable[Sls] = (),
    bandwidths: Mapping[str, int] | None = None,
    exempt: Iterable[str] = (),
    suffixes: Mapping[str, int] | None = None,
) -> RouterAdoption:
    """Recognise what `running` holds by its meaning and prove the names found by the difference they leave.

    `bandwidths` is BW in bit/s by interface as the router showed it; `suffixes` as `intent.build` takes them. Raises
    InvalidInput for a router that is not in `network`.
    """
    value = network.router(router)
    if value is None:
        raise InvalidInput(f"{router} is not a router of this network", field="router")
    around = Surroundings(
        running=running,
        network=network,
        scheme=scheme,
        router=value,
        profile=profile,
        renderer=renderer,
        reservations=tuple(reservations),
        bandwidths=bandwidths or {},
        exempt=frozenset(exempt),
    )
    places = recognise_places(around)
    work = _Adoption(around, places, dict(suffixes or {}))
    names, places = work.names()
    return RouterAdoption(
        router=router,
        places=tuple(places),
        names=names,
        cases=work.changed_cases(),
        left=left_untouched(running, work.reached),
        open_edges=work.open_edges(),
        proof=work.proof(names),
        digest=digest([*store_of(running).values(), *running.bindings]),
    )


class _Adoption:
    """Works out names against the one intent in which every place has the case it was recognised as."""

    def __init__(self, around: Surroundings, places: list[Found], suffixes: dict[str, int]) -> None:
        self._around = around
        self._places = places
        self._suffixes = suffixes
        self._network = self._with_cases()
        self.reached: set[Key] = set()

    def open_edges(self) -> tuple[str, ...]:
        """Interfaces nobody has spoken of that let EF in, with the reason."""
        roles = {place.key: place.role for place in self._places if place.role is not None}
        edges = safety.open_edges(
            self._around.running, roles, exempt=dict.fromkeys(self._around.exempt, "exempted")
        )
        return tuple(f"{edge.interface} {edge.reason}" for edge in edges if edge.interface not in roles)

    def changed_cases(self) -> dict[str, str]:
        """Cases by access link, where the inventory says another."""
        return {
            place.link: place.case
            for place in self._places
            if place.role is Role.ACCESS
            and place.direction == "input"
            and place.verdict is Verdict.RECOGNISED
            and place.case != place.inventory_case
        }

    def _with_cases(self) -> Network:
        cases = self.changed_cases()
        links = tuple(
            dataclasses.replace(link, case=cases[link.id], standing=True) if link.id in cases else link
            for link in self._around.network.access_links
        )
        links = tuple(
            dataclasses.replace(link, bw_bps=self._around.bandwidths.get(link.interface, link.bw_bps))
            if link.router == self._around.router.name
            else link
            for link in links
        )
        return dataclasses.replace(self._around.network, access_links=links)

    def _sending(self) -> list[Sls]:
        """Every reservation there is, and one for every grant found on a place that was recognised."""
        links = {
            place.link
            for place in self._places
            if place.verdict is Verdict.RECOGNISED and place.direction == "input"
        }
        found = [sls for sls in self._around.reservations if sls.source_link not in links]
        for place in self._places:
            inwards = place.role is Role.ACCESS and place.direction == "input"
            if place.verdict is not Verdict.RECOGNISED or not inwards:
                continue
            known = [sls for sls in self._around.reservations if sls.source_link == place.link]
            if place.case == NON_PARTICIPANT:
                found += known
                continue
            held = self._around.running.policy_maps[place.policy]
            found += sending_of(self._around, place.link, place.interface, held, place.grants)
        return found

    def _intended(self, adopted: Iterable[AdoptedObject] = ()) -> RouterIntent:
        around = self._around
        return intent.build(
            self._network,
            around.scheme,
            around.router.name,
            around.profile,
            self._sending(),
            suffixes=self._suffixes,
            exempt=around.exempt,
            adopted=adopted,
        )

    def names(self) -> tuple[tuple[AdoptedObject, ...], list[Found]]:
        """The names found, and the places: those whose names contradict others are ambiguous."""
        try:
            wanted = self._intended()
        except InvalidInput:
            return (), self._places  # the proof says why
        policies = {policy.name: policy for policy in wanted.policy_maps}
        bound = {(each.interface, each.pvc, each.direction): each.policy for each in wanted.bindings}
        found: dict[int, dict[Key, str]] = {}
        for at, place in enumerate(self._places):
            policy = bound.get((place.interface, place.pvc, place.direction))
            if place.verdict is Verdict.RECOGNISED and policy is not None:
                comparer = Comparer(self._around.running, wanted, self._around.renderer, self._bw_bps(place))
                held = self._around.running.policy_maps[place.policy]
                found[at] = comparer.policies(held, policies[policy]).names
        twice = _used_for_two(found) | _called_two(found, self._places)
        places = [
            _ambiguous(place, twice & set(_named(found[at]))) if at in found else place
            for at, place in enumerate(self._places)
        ]
        self._places = places
        kept: dict[str, dict[Key, str]] = {}
        for at, names in found.items():
            if places[at].verdict is Verdict.RECOGNISED:
                kept.setdefault(places[at].link, {}).update(names)
        self.reached = {(kind, name) for names in kept.values() for (kind, _), name in names.items()}
        kept[""] = self._unbound(wanted, {key for names in found.values() for key in names})
        self.reached |= set(_named(kept[""]))
        entries = self._with_forms(_entries(kept), wanted)
        return entries, places

    def _unbound(self, wanted: RouterIntent, reached: set[Key]) -> dict[Key, str]:
        """Names of what the intent holds and nothing recognised uses, where exactly one free object says the same."""
        store = store_of(self._around.running)
        comparer = Comparer(self._around.running, wanted, self._around.renderer, None)
        bound = {(POLICY_MAP, each.policy) for each in self._around.running.bindings}
        names: dict[Key, str] = {}
        things: list[ClassMap | PolicyMap] = [*wanted.class_maps, *wanted.policy_maps]
        for thing in things:
            key = (kind_of(thing), thing.name)
            if key in reached or key in names:
                continue
            free = [
                held
                for place, held in store.items()
                if place[0] == key[0] and place not in self.reached and place not in bound
            ]
            fitting = [held for held in free if comparer.same(held, thing)]
            if len(fitting) == 1:
                names[key] = fitting[0].name
        called = [(kind, name) for (kind, _), name in names.items()]
        return {key: name for key, name in names.items() if called.count((key[0], name)) == 1}

    def _bw_bps(self, place: Found) -> int | None:
        """The BW of a place, as the router shows it or the inventory has it."""
        shown = self._around.bandwidths.get(place.interface)
        if shown is not None:
            return shown
        links = {link.id: link.bw_bps for link in self._network.access_links}
        links |= {link.id: link.bw_bps for link in self._network.peerings}
        links |= {link.id: link.bw_bps for link in self._network.core_links}
        return links.get(place.link)

    def _with_forms(
        self, entries: tuple[AdoptedObject, ...], wanted: RouterIntent
    ) -> tuple[AdoptedObject, ...]:
        """Give the router's own words to every object that says the same in others; drop what has nothing to say."""
        plain = intent.under_adopted_names(wanted, entries, {})
        things = {(kind_of(thing), thing.name): thing for thing in plain.objects()}
        store = store_of(self._around.running)
        found = []
        for entry in entries:
            place = (entry.kind, entry.name)
            thing, held = things.get(place), store.get(place)
            if thing is not None and held is not None and not same(held, thing):
                found.append(dataclasses.replace(entry, stands_for=digest(thing), form=held))
            elif entry.name != entry.base or entry.link:
                found.append(entry)
        return tuple(found)

    def proof(self, names: tuple[AdoptedObject, ...]) -> Proof:
        """What would be sent to the router if all of this were in the rows."""
        around = self._around
        try:
            wanted = self._intended(names)
            found = diff(around.running, wanted, NOTHING, around.renderer, around.profile)
        except InvalidInput as error:
            return Proof(conflicts=(str(error),))
        return Proof(
            commands=tuple(str(line) for line in found.commands),
            conflicts=tuple(conflict.text for conflict in found.conflicts),
        )


def _entries(found: Mapping[str, Mapping[Key, str]]) -> tuple[AdoptedObject, ...]:
    """One entry for the router where every link agrees on a name, else one for each link."""
    by_base: dict[Key, dict[str, str]] = {}
    for link, names in found.items():
        for key, name in names.items():
            by_base.setdefault(key, {})[link] = name
    entries = []
    for (kind, base), by_link in sorted(by_base.items()):
        if len(set(by_link.values())) == 1:
            entries.append(AdoptedObject(kind, base, next(iter(by_link.values()))))
        else:
            entries += [AdoptedObject(kind, base, name, link) for link, name in sorted(by_link.items())]
    return tuple(entries)


def _named(names: Mapping[Key, str]) -> list[Key]:
    return [(kind, name) for (kind, _), name in names.items()]


def _used_for_two(found: Mapping[int, Mapping[Key, str]]) -> set[Key]:
    """Objects of the router that would have to be two of the scheme's, as when two links share a filter."""
    bases: dict[Key, set[str]] = {}
    for names in found.values():
        for (kind, base), name in names.items():
            bases.setdefault((kind, name), set()).add(base)
    return {key for key, meant in bases.items() if len(meant) > 1}


def _called_two(found: Mapping[int, Mapping[Key, str]], places: Sequence[Found]) -> set[Key]:
    """Objects of the router that are one of the scheme's, twice on one link under two names."""
    names: dict[tuple[str, Key], set[str]] = {}
    for at, each in found.items():
        for key, name in each.items():
            names.setdefault((places[at].link, key), set()).add(name)
    return {(key[0], name) for (_, key), called in names.items() if len(called) > 1 for name in called}


def _ambiguous(place: Found, twice: set[Key]) -> Found:
    if not twice:
        return place
    said = tuple(
        Finding(
            Weight.DIFFERS,
            f"{kind} {name}",
            "is shared by links of which each must have its own, or means two things",
        )
        for kind, name in sorted(twice)
    )
    return dataclasses.replace(place, verdict=Verdict.AMBIGUOUS, differences=(*place.differences, *said))
