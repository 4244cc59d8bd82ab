"""Which policy is bound where in the end: places that are named, managed, somebody else's, or not there."""

from __future__ import annotations

import pytest

from provisioning.pipeline import ios
from provisioning.pipeline.diff import ConflictKind, Owned, Remediation, diff, diff_configs
from provisioning.pipeline.intent import ManagedInterface, Role, RouterIntent
from provisioning.pipeline.mqc import RunningConfig
from provisioning.pipeline.rendering import Renderer
from provisioning.selectors.templates import ios_environment
from tests.pipeline.intents import everything_of, intent_of

RENDERER = Renderer(ios_environment())
CLASSES = "class-map match-all EF\n match dscp 46\nclass-map match-all LBE\n match dscp 8\n"
MANAGED = tuple(
    ManagedInterface(f"POS1/{number}", None, Role.ACCESS, f"N{number}@r1:POS1/{number}")
    for number in range(4)
)


def parsed(text: str) -> RunningConfig:
    return ios.parse(f"hostname r1\n{text}")


def texts(found: Remediation) -> list[str]:
    return [line.text for line in found.commands]


def straight(name: str) -> str:
    return f"policy-map {name}\n class EF\n  set dscp 46\n class LBE\n  set dscp 8\n"


def turned(name: str) -> str:
    return f"policy-map {name}\n class LBE\n  set dscp 8\n class EF\n  set dscp 46\n"


def policing(rate: int, name: str) -> str:
    return f"policy-map {name}\n class EF\n  police cir percent {rate}\n"


def bound(*policies: str) -> str:
    """POS1/0, POS1/1, ... with an input policy each, or none."""
    return "".join(
        f"interface POS1/{number}\n" + (f" service-policy input {policy}\n" if policy else " shutdown\n")
        for number, policy in enumerate(policies)
    )


def inputs(found: Remediation, count: int) -> list[str | None]:
    assert len([each for each in found.result.bindings if each.direction == "input"]) <= count
    return [found.result.bound(f"POS1/{number}", "input") for number in range(count)]


def test_places_nobody_names_hold_their_policy_as_it_is_said_to_be():
    others = straight("X") + bound("A", "A", "X", "A", "X", "A")
    wanted = parsed(CLASSES + turned("A"))
    found = diff_configs(parsed(CLASSES + straight("A") + others), wanted, RENDERER)
    assert inputs(found, 6) == ["A", "A", "X", "A", "X", "A"]
    assert found.result.policy_maps.keys() == {"A", "X"}
    assert found.result.policy_maps["A"] == wanted.policy_maps["A"]


def test_a_place_that_is_named_holds_what_is_said_and_no_second_policy():
    held = CLASSES + straight("A") + straight("B") + bound("A", "A", "A")
    found = diff_configs(
        parsed(held), parsed(CLASSES + turned("A") + straight("B") + bound("B", "A")), RENDERER
    )
    assert inputs(found, 3) == ["B", "A", "A"]


def test_a_policy_that_is_bound_and_not_defined_in_the_intent_is_meant_by_its_name():
    held = CLASSES + straight("A") + straight("X") + bound("", "A")
    found = diff_configs(parsed(held), parsed(bound("X", "X")), RENDERER)
    assert inputs(found, 2) == ["X", "X"]
    assert diff_configs(parsed(held), parsed(bound("", "A")), RENDERER).empty


def intent(text: str, managed: tuple[ManagedInterface, ...] = MANAGED) -> RouterIntent:
    return intent_of(ios.parse_fragment(text), *managed)


def rows(text: str) -> Owned:
    return everything_of(parsed(text))


def test_a_policy_bound_on_managed_interfaces_only_is_edited_in_place():
    held = CLASSES + policing(5, "A")
    wanted = CLASSES + policing(4, "A") + bound("A")
    found = diff(parsed(held + bound("A", "")), intent(wanted), rows(held), RENDERER)
    assert texts(found)[:2] == ["policy-map A", "class EF"]
    elsewhere = diff(parsed(held + bound("A", "A")), intent(wanted, MANAGED[:1]), rows(held), RENDERER)
    assert inputs(elsewhere, 2) == ["A-2", "A"]


def test_a_policy_that_was_taken_over_may_be_moved():
    held = CLASSES + straight("A") + straight("B") + bound("A", "B", "")
    wanted = CLASSES + straight("A") + straight("B") + bound("B", "A", "")
    found = diff(parsed(held), intent(wanted), Owned(), RENDERER)
    assert found.conflicts == ()
    assert inputs(found, 2) == ["B", "A"]


def test_what_others_bound_as_it_is_wanted_is_no_conflict():
    theirs = "policy-map THEIRS\n class class-default\n  set dscp 0\n"
    ours = CLASSES + straight("A")
    wanted = CLASSES + turned("A") + bound("A", "THEIRS")
    found = diff(parsed(ours + theirs + bound("A", "THEIRS")), intent(wanted), rows(ours), RENDERER)
    assert found.conflicts == ()
    assert inputs(found, 2) == ["A-2", "THEIRS"]


def test_managed_places_the_intent_leaves_empty_are_cleared_of_what_is_ours():
    theirs = "policy-map THEIRS\n class class-default\n  set dscp 0\n"
    ours = CLASSES + straight("A")
    running = parsed(ours + theirs + bound("A", "THEIRS", "A", "A", "A"))
    found = diff(running, intent(CLASSES + straight("A") + bound("", "", "", "A")), rows(ours), RENDERER)
    assert inputs(found, 5) == [None, "THEIRS", None, "A", "A"]


def test_every_place_in_the_way_is_named_with_what_is_there_and_what_was_wanted():
    theirs = "policy-map THEIRS\n class class-default\n  set dscp 0\n"
    ours = CLASSES + straight("A")
    atm = "interface ATM5/0.1 point-to-point\n pvc 0/32\n  encapsulation aal5snap\n"
    wanted = bound("A", "A", "A") + "interface ATM5/0.1 point-to-point\n pvc 0/33\n  service-policy input A\n"
    found = diff(
        parsed(ours + theirs + bound("THEIRS", "THEIRS") + atm), intent(ours + wanted), rows(ours), RENDERER
    )
    assert [
        (each.kind, each.object_kind, each.name, each.expected, each.found) for each in found.conflicts
    ] == [
        (
            ConflictKind.MISSING_INTERFACE,
            "interface",
            "ATM5/0.1 pvc 0/33",
            "service-policy input A",
            "",
        ),
        *(
            (
                ConflictKind.FOREIGN_BINDING,
                "service-policy",
                place,
                "service-policy input A",
                "service-policy input THEIRS",
            )
            for place in ("POS1/0", "POS1/1")
        ),
        (ConflictKind.MISSING_INTERFACE, "interface", "POS1/2", "service-policy input A", ""),
    ]
    assert found.conflicts[0].text == "the router has no ATM5/0.1 pvc 0/33"
    assert found.conflicts[1].text == "POS1/0 has THEIRS bound input, which is not ours"
    assert found.conflicts[3].text == "the router has no POS1/2"


@pytest.mark.parametrize("pvc", ["0/32", "0/33"])
def test_a_pvc_the_router_has_gets_its_policy(pvc):
    held = CLASSES + straight("A")
    atm = "interface ATM5/0.1 point-to-point\n pvc 0/32\n  encapsulation aal5snap\n pvc 0/33\n  encapsulation aal5snap\n"
    wanted = f"interface ATM5/0.1 point-to-point\n pvc {pvc}\n  service-policy input A\n"
    found = diff_configs(parsed(held + atm), parsed(held + wanted), RENDERER)
    assert texts(found) == ["interface ATM5/0.1", f"pvc {pvc}", "service-policy input A"]


def test_an_interface_and_a_pvc_of_it_have_a_place_each():
    held = CLASSES + straight("A")
    both = (
        "interface ATM5/0.1 point-to-point\n service-policy output A\n pvc 0/32\n  service-policy output A\n"
    )
    bare = both.replace(" service-policy output A\n", "", 1).replace("  service-policy output A\n", "")
    found = diff_configs(parsed(held + bare), parsed(held + both), RENDERER)
    assert found.conflicts == ()
    assert {each.pvc for each in found.result.bindings} == {None, "0/32"}
