"""Any intended router under any names is recognised and left alone; one changed meaning is not, and is told."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Callable
from decimal import Decimal

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from provisioning.pipeline import intent
from provisioning.pipeline.adoption import Verdict, Weight
from provisioning.pipeline.diff import NOTHING, diff
from provisioning.pipeline.mqc import (
    AccessList,
    Bps,
    BurstBytes,
    BurstMs,
    Percent,
    Police,
    PolicyClass,
    PolicyMap,
)
from provisioning.pipeline.mqc.referring import Key, kind_of
from tests.pipeline.adoption.handmade import RENDERER, adopted, renamed, running_of, text_of
from tests.pipeline.practice import profile_of
from tests.pipeline.worlds import FOREIGN, World, kinds, reservation, worlds

_WORLDS = worlds()
_names = st.from_regex(r"[A-Za-z][A-Za-z0-9_.-]{2,20}", fullmatch=True)


def reservations_of(world: World, kind: str):
    network = world.network(kind)
    present = {link.nren: link for link in network.access_links}
    return [
        reservation(f"R{number}", present[name].id, source, destination, label, bps)
        for number, (name, source, destination, label, bps) in enumerate(world.reservations)
        if name in present and present[name].case != "non-participant"
    ]


def _with_a_filter(world: World) -> World:
    """The same with a filtered link from which somebody sends."""
    cases = tuple(case for case in world.cases if case[0] != "BETA")
    return dataclasses.replace(
        world,
        cases=tuple(sorted((*cases, ("BETA", "filtered", True)))),
        reservations=(*world.reservations, ("BETA", "2001:db8:b:1::/64", "2001:db8:f::/48", None, 500_000)),
    )


@st.composite
def handmade(
    draw: st.DrawFn, of: st.SearchStrategy[World] = _WORLDS
) -> tuple[World, str, dict[Key, str], random.Random, bool]:
    world, kind = draw(of), draw(kinds)
    keys = sorted({(kind_of(thing), thing.name) for thing in world.intent(kind).objects()})
    taken: dict[str, set[str]] = {}
    names: dict[Key, str] = {}
    for key in keys:
        name = draw(st.one_of(st.just(key[1]), _names))
        if name.casefold() not in taken.setdefault(key[0], set()):
            names[key] = name
            taken[key[0]].add(name.casefold())
    # A name that was not given away may still be another object's own.
    assume(all(key in names for key in keys))
    return world, kind, names, random.Random(draw(st.integers(0, 9))), draw(st.booleans())


@settings(deadline=None)
@given(handmade())
def test_every_name_is_recognised_and_nothing_would_be_sent(made):
    world, kind, names, shuffle, foreign = made
    wanted = world.intent(kind)
    bound_on = {bound.interface for bound in wanted.bindings if bound.direction == "output"}
    load = FOREIGN if foreign and "POS1/1" not in bound_on else ""
    assume(not load or not {"VOICE", "CUSTOMER-OUT", "vty-in"} & set(names.values()))
    running = running_of(kind, text_of(renamed(wanted, names), kind, shuffle), load)
    found = adopted(world, kind, running, reservations_of(world, kind))
    told = [(place.key, place.verdict, [str(each) for each in place.differences]) for place in found.places]
    ours = [place for place in found.places if place.role is not None]
    assert {place.verdict for place in ours} <= {Verdict.RECOGNISED}, told
    assert found.proof.empty, (found.proof, told)
    if load:
        assert any("CUSTOMER-OUT" in text for text in found.left)


@settings(deadline=None)
@given(handmade())
def test_what_nobody_has_a_reservation_for_is_told_entry_by_entry_and_left_as_it_is(made):
    world, kind, names, shuffle, _ = made
    wanted = world.intent(kind)
    running = running_of(kind, text_of(renamed(wanted, names), kind, shuffle))
    found = adopted(world, kind, running)
    told = [(place.key, place.verdict, [str(each) for each in place.differences]) for place in found.places]
    ours = [place for place in found.places if place.role is not None]
    assert {place.verdict for place in ours} <= {Verdict.RECOGNISED}, told
    assert found.proof.empty, (found.proof, told)
    permits = [
        (entry.name, each.text)
        for entry in running.access_lists.values()
        for each in entry.entries
        if each.action == "permit"
    ]
    grants = [grant for place in found.places for grant in place.grants]
    assert sorted(permits) == sorted((each.access_list, each.entry) for each in grants if each.access_list)
    assert not (world.policer == "cap" and any(not each.access_list for each in grants))
    if not found.grants:
        # An honest proof: with the names and cases in the rows, and nobody asked, the ordinary plan is empty too.
        network = world.network(kind)
        links = tuple(
            dataclasses.replace(link, case=found.cases[link.id], standing=True)
            if link.id in found.cases
            else link
            for link in network.access_links
        )
        later = intent.build(
            dataclasses.replace(network, access_links=links),
            world.scheme(),
            "r1",
            profile_of(kind),
            [],
            adopted=found.names,
        )
        assert diff(running, later, NOTHING, RENDERER, profile_of(kind)).empty


def _other_rate(policy: PolicyMap) -> PolicyMap | None:
    return _first_policer(policy, _faster)


def _lets_the_rest_through(policy: PolicyMap) -> PolicyMap | None:
    return _first_policer(
        policy, lambda police: dataclasses.replace(police, exceed=("set-dscp-transmit 10",))
    )


def _deeper_bucket(policy: PolicyMap) -> PolicyMap | None:
    return _first_policer(policy, lambda police: _deep(police))


def _faster(police: Police) -> Police:
    rate = Percent(Decimal(7)) if isinstance(police.rate, Percent) else Bps(police.rate.value + 8000)
    return dataclasses.replace(police, rate=rate)


def _deep(police: Police) -> Police:
    burst = BurstMs(300) if isinstance(police.rate, Percent) else BurstBytes(640000)
    return dataclasses.replace(police, burst=burst)


def _first_policer(policy: PolicyMap, change: Callable[[Police], Police]) -> PolicyMap | None:
    for at, entry in enumerate(policy.classes):
        if entry.police is not None:
            actions = (entry.actions - {entry.police}) | {change(entry.police)}
            classes = (*policy.classes[:at], PolicyClass(entry.name, actions), *policy.classes[at + 1 :])
            return dataclasses.replace(policy, classes=classes)
    return None


def _other_order(policy: PolicyMap) -> PolicyMap | None:
    if len(policy.classes) < 3:
        return None
    first, second, *rest = policy.classes
    return dataclasses.replace(policy, classes=(second, first, *rest))


def _rest_unmarked(policy: PolicyMap) -> PolicyMap | None:
    if not policy.classes or not policy.classes[-1].set_fields:
        return None
    return dataclasses.replace(policy, classes=policy.classes[:-1])


MUTATIONS = (_other_rate, _lets_the_rest_through, _deeper_bucket, _other_order, _rest_unmarked)


@settings(deadline=None, max_examples=60)
@given(handmade(worlds().map(_with_a_filter)), st.sampled_from(MUTATIONS), st.integers(0, 5))
def test_one_changed_meaning_is_not_recognised_and_is_told(made, mutation, which):
    world, kind, names, _, _ = made
    wanted = renamed(world.intent(kind), names)
    bound = {each.policy for each in wanted.bindings if each.direction == "input"}
    policies = [
        policy for policy in wanted.policy_maps if policy.name in bound and mutation(policy) is not None
    ]
    assume(policies)
    chosen = policies[which % len(policies)]
    changed = mutation(chosen)
    maps = tuple(changed if policy is chosen else policy for policy in wanted.policy_maps)
    running = running_of(kind, text_of(dataclasses.replace(wanted, policy_maps=maps), kind))
    assume(
        running.policy_maps.get(chosen.name) == changed
    )  # some trains print no burst that is their default
    found = adopted(world, kind, running, reservations_of(world, kind))
    places = [place for place in found.places if place.policy == chosen.name]
    assert places
    for place in places:
        assert place.verdict in (Verdict.DIFFERENT, Verdict.MISPLACED), place
        assert any(each.weight is Weight.DIFFERS for each in place.differences)
    assert not found.proof.empty
    assert not [entry for entry in found.names if (entry.kind, entry.name) == ("policy-map", chosen.name)]


@settings(deadline=None, max_examples=40)
@given(handmade(worlds().map(_with_a_filter)))
def test_an_entry_made_wider_than_its_reservation_is_told(made):
    world, kind, names, _, _ = made
    wanted = renamed(world.intent(kind), names)
    lists = [
        entry for entry in wanted.access_lists if entry.family == 6 and entry.entries[0].action == "permit"
    ]
    words = lists[0].entries[0].text.split()
    source = ["2001:db8::/32"] if words[2] != "host" else ["2001:db8::/32", ""]
    text = " ".join([*words[:2], source[0], *words[2 + len(source) :]])
    texts = (text, *(entry.text for entry in lists[0].entries[1:]))
    wider = AccessList.of(lists[0].name, 6, texts)
    maps = tuple(wider if entry is lists[0] else entry for entry in wanted.access_lists)
    running = running_of(kind, text_of(dataclasses.replace(wanted, access_lists=maps), kind))
    found = adopted(world, kind, running, reservations_of(world, kind))
    told = [str(each) for place in found.places for each in place.differences]
    assert any(f"lacks `{lists[0].entries[0].text}`" in each for each in told), told
    assert not found.proof.empty
