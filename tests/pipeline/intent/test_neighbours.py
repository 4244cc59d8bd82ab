"""A neighbouring domain with an agreement: policed to its grants, 46 to 47 and back, and every peering as before."""

from __future__ import annotations

import dataclasses

import pytest

from provisioning.errors import InvalidInput
from provisioning.pipeline import intent
from provisioning.pipeline.diff import diff_configs
from provisioning.pipeline.intent import RouterIntent
from provisioning.pipeline.mqc import Bps, Match, Police, SetField
from provisioning.pipeline.rendering import Renderer
from provisioning.selectors.schemes import load_scheme
from provisioning.selectors.templates import shared_ios_environment
from tests.pipeline.practice import KINDS, Oracle, profile_of
from tests.pipeline.worlds import World, reservation

WORLD = World(
    cases=(("ALPHA", "trusted", True), ("BETA", "trusted", False), ("GAMMA", "filtered", True)),
)
BETA = "BETA@r1:POS1/1"
GRANTS = (
    reservation("PIP-1", BETA, "2001:db8:a::/48", "2001:db8:b::/48", bps=2_000_000),
    reservation("PIP-2", BETA, "2001:db8:a::/48", "2001:db8:c::/48", bps=1_500_000),
)


def built(kind: str = "12000", dscp_map=((46, 47),), reservations=GRANTS, scheme=None) -> RouterIntent:
    network = WORLD.network(kind)
    links = tuple(
        dataclasses.replace(link, dscp_map=dscp_map) if link.id == BETA else link
        for link in network.access_links
    )
    network = dataclasses.replace(network, access_links=links)
    return intent.build(network, scheme or WORLD.scheme(), "r1", profile_of(kind), reservations)


def bound(wanted: RouterIntent, interface: str, direction: str) -> str | None:
    return next(
        (b.policy for b in wanted.bindings if (b.interface, b.direction) == (interface, direction)), None
    )


def policy(wanted: RouterIntent, name: str) -> dict[str, frozenset[object]]:
    (found,) = [one for one in wanted.policy_maps if one.name == name]
    return {entry.name: entry.actions for entry in found.classes}


def test_what_enters_is_matched_by_their_dscp_policed_to_the_grants_and_becomes_ours():
    wanted = built()
    assert bound(wanted, "POS1/1", "input") == "NEIGHBOUR-IN"
    entering = policy(wanted, "NEIGHBOUR-IN")
    assert list(entering) == ["EF-D47", "LBE", "class-default"]
    assert SetField("dscp", 46) in entering["EF-D47"]
    (police,) = [each for each in entering["EF-D47"] if isinstance(each, Police)]
    assert (police.rate, police.exceed) == (Bps(3_509_334), ("drop",))
    assert entering["class-default"] == {SetField("dscp", 0)}  # 46 of theirs is nothing of ours
    (found,) = [one for one in wanted.class_maps if one.name == "EF-D47"]
    assert found.matches == {Match("dscp", frozenset({47}))}


def test_what_leaves_gets_their_dscp():
    wanted = built()
    assert bound(wanted, "POS1/1", "output") == "NEIGHBOUR-OUT"
    leaving = policy(wanted, "NEIGHBOUR-OUT")
    assert leaving["EF"] == {SetField("dscp", 47)}
    assert bound(wanted, "POS1/0", "output") is None


def test_there_and_back_is_the_same_for_every_dscp_of_a_map():
    wanted = built(dscp_map=((8, 10), (46, 47)))
    entering, leaving = policy(wanted, "NEIGHBOUR-IN"), policy(wanted, "NEIGHBOUR-OUT")
    matched = {one.name: one.matches for one in wanted.class_maps}

    def of(actions: frozenset[object]) -> int:
        return next(each.value for each in actions if isinstance(each, SetField))

    for ours, theirs, name in ((46, 47, "EF"), (8, 10, "LBE")):
        assert of(leaving[name]) == theirs
        assert matched[f"{name}-D{theirs}"] == {Match("dscp", frozenset({theirs}))}
        assert of(entering[f"{name}-D{theirs}"]) == ours


def test_with_nothing_granted_a_link_while_reserved_lets_nothing_in_and_still_translates_outwards():
    wanted = built(reservations=())
    assert bound(wanted, "POS1/1", "input") == "NON-PARTICIPANT"
    assert bound(wanted, "POS1/1", "output") == "NEIGHBOUR-OUT"


def test_every_peering_stays_a_non_participant():
    wanted = built()
    assert bound(wanted, "POS2/1", "input") == "NON-PARTICIPANT"
    assert bound(wanted, "POS2/1", "output") is None


def test_other_links_are_as_without_a_neighbour():
    with_one, without = built(), built(dscp_map=())
    # A filtered link's own objects take the next free number.
    for interface in ("POS1/0", "POS2/0", "POS2/1"):
        for direction in ("input", "output"):
            assert bound(with_one, interface, direction) == bound(without, interface, direction)
    assert policy(with_one, "TRUSTED-IN") == policy(without, "TRUSTED-IN")


def test_a_class_of_several_dscps_cannot_be_mapped_and_says_so():
    with pytest.raises(InvalidInput, match="several DSCPs") as caught:
        built(
            scheme=load_scheme("grnet"), reservations=()
        )  # nothing granted: not participating, so outwards first
        built(
            scheme=load_scheme("grnet"),
            reservations=tuple(dataclasses.replace(one, service_class="virtual-wire") for one in GRANTS),
        )
    assert caught.value.field == "dscp_map"


@pytest.mark.parametrize("kind", KINDS)
def test_a_router_takes_the_plan_and_gives_it_back(kind: str):
    router, profile = Oracle(kind), profile_of(kind)
    before, wanted = router.read(), built(kind)
    goal = dataclasses.replace(
        before,
        access_lists={one.name: one for one in wanted.access_lists},
        class_maps={one.name: one for one in wanted.class_maps},
        policy_maps={one.name: one for one in wanted.policy_maps},
        bindings=frozenset(wanted.bindings),
    )
    plan = diff_configs(before, goal, Renderer(shared_ios_environment(), profile), profile)
    assert not plan.conflicts
    assert router.send(plan.commands) == []
    held = router.read()
    assert {entry.name for entry in held.policy_maps["NEIGHBOUR-IN"].classes} >= {"EF-D47", "LBE"}
    assert ("POS1/1", "output", "NEIGHBOUR-OUT") in {
        (b.interface, b.direction, b.policy) for b in held.bindings
    }
    assert router.send(plan.rollback) == []
    assert router.read() == before
