"""What comes after adoption, typed into a practice router: the smallest change under its names, or a renaming."""

from __future__ import annotations

import dataclasses

from provisioning.pipeline.diff import Owned, Remediation, diff
from provisioning.pipeline.diff.store import store_of
from provisioning.pipeline.intent import RouterIntent, under_adopted_names
from provisioning.pipeline.mqc import digest
from tests.pipeline.adoption.handmade import RENDERER, adopted
from tests.pipeline.adoption.test_differences import BETA, HAND, KNOWN, WORLD
from tests.pipeline.practice import Oracle, profile_of


def planned(router: Oracle, names, wanted: RouterIntent) -> tuple[Remediation, list[str]]:
    """What the ordinary difference would send when exactly the adopted objects are ours."""
    running = router.read()
    ours = {(entry.kind, entry.name) for entry in names}
    owned = Owned({key: digest(thing) for key, thing in store_of(running).items() if key in ours})
    found = diff(running, wanted, owned, RENDERER, profile_of("12000"))
    assert not found.conflicts
    return found, [line.text for line in found.commands]


def handmade() -> tuple[Oracle, tuple]:
    router = Oracle("12000", HAND)
    found = adopted(WORLD, "12000", router.read(), KNOWN)
    assert found.proof.empty
    return router, found.names


def test_another_case_is_a_swap_between_the_routers_own_policies():
    router, names = handmade()
    cases = tuple(
        (name, "non-participant" if name == "ALPHA" else case, True) for name, case, _ in WORLD.cases
    )
    wanted = under_adopted_names(dataclasses.replace(WORLD, cases=cases).intent("12000"), names, {})
    found, lines = planned(router, names, wanted)
    assert lines == ["interface POS1/0", "no service-policy input EDGE-TRUST", "service-policy input CLOSED"]
    assert router.send(found.commands) == []
    assert router.read().bound("POS1/0", "input") == "CLOSED"
    assert router.send(found.rollback) == []
    assert router.read() == Oracle("12000", HAND).read()


def test_a_new_case_is_made_beside_with_the_classes_the_router_has():
    router, names = handmade()
    world = dataclasses.replace(WORLD, cases=(*WORLD.cases[1:], ("ALPHA", "filtered", True)))
    wanted = under_adopted_names(world.intent("12000", suffixes={BETA: 1}), names, {})
    found, lines = planned(router, names, wanted)
    assert "class-map match-all EF-FILTERED-L2" in lines
    assert lines.count("class SCAV") == 1, "LBE goes by the router's name in a policy of the scheme's"
    assert not [line for line in lines if "EDGE-FILTER" in line or "AUTH" in line.split()], lines
    assert router.send(found.commands) == []
    assert router.read().bound("POS1/0", "input") == "FILTERED-IN-L2"


def test_names_given_up_are_a_renaming_that_leaves_nothing_behind():
    router, names = handmade()
    wanted = WORLD.intent("12000")
    found, _ = planned(router, names, wanted)
    assert found.gaps
    assert router.send(found.commands) == []
    after = router.read()
    assert set(after.policy_maps) == {policy.name for policy in wanted.policy_maps}
    assert set(after.class_maps) == {entry.name for entry in wanted.class_maps}
    assert set(after.access_lists) == {entry.name for entry in wanted.access_lists}
    assert after.bindings == wanted.bindings
    assert router.send(found.rollback) == []
    assert router.read() == Oracle("12000", HAND).read()
