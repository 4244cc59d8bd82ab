"""What stands behind `class`, in names, and in the mode that `police` opens: printed as a router takes it."""

from __future__ import annotations

import pytest

from provisioning.errors import InvalidInput
from provisioning.pipeline import ios
from provisioning.pipeline.diff import diff_configs
from provisioning.pipeline.mqc import OpaqueAction, PolicyMap
from provisioning.pipeline.rendering import Renderer
from provisioning.selectors.templates import ios_environment

RENDERER = Renderer(ios_environment())
SUBINTERFACES = """\
policy-map LEAF-OUT
 class VOIX
  priority level 1
 class class-default fragment REST-OF-PORT
  shape average 12000000
  bandwidth remaining percent 70
policy-map PORT-OUT
 class REST service-fragment REST-OF-PORT
  shape average 400000000
"""


def printed(policy: PolicyMap) -> list[str]:
    return list(RENDERER.lines(policy))


def test_a_queue_that_subinterfaces_share_is_tied_in_the_line_of_its_class() -> None:
    """ASR1000, "QoS: Policies Aggregation": `fragment` is no line of its own."""
    policies = ios.parse(SUBINTERFACES).policy_maps
    assert " class class-default fragment REST-OF-PORT" in printed(policies["LEAF-OUT"])
    assert printed(policies["PORT-OUT"])[1:] == [
        " class REST service-fragment REST-OF-PORT",
        "  shape average 400000000",
    ]
    for policy in policies.values():
        assert ios.parse_fragment("\n".join(printed(policy))).policy_maps[policy.name] == policy


def test_the_fragment_of_a_port_alone_is_printed_as_it_was_read() -> None:
    text = "policy-map PORT-OUT\n class service-fragment REST\n  shape average 2000000\n"
    (policy,) = ios.parse(text).policy_maps.values()
    assert printed(policy) == text.splitlines()


def test_a_tie_makes_another_class_and_is_made_with_it() -> None:
    tied, loose = ios.parse(SUBINTERFACES), ios.parse(SUBINTERFACES.replace(" fragment REST-OF-PORT", ""))
    assert tied.policy_maps["LEAF-OUT"] != loose.policy_maps["LEAF-OUT"]
    for before, after in ((tied, loose), (loose, tied)):
        plan = diff_configs(before, after, RENDERER)
        lines = [line.text for line in (*plan.commands, *plan.rollback)]
        assert "no policy-map LEAF-OUT" in lines
        assert "class class-default fragment REST-OF-PORT" in lines
        assert not [line for line in lines if line.startswith("fragment")]


def test_the_colours_a_policer_heeds_stand_in_its_own_mode() -> None:
    """Color-aware policing, 12.2(28)SB and IOS-XE: on the command's own line they are refused."""
    text = (
        "policy-map P\n class C\n  police cir 640000 bc 20000 be 40000\n"
        "   conform-color GREEN exceed-color YELLOW\n   conform-action transmit \n"
        "   exceed-action set-dscp-transmit af12\n   violate-action drop \n"
    )
    (policy,) = ios.parse(text).policy_maps.values()
    assert [line.split() for line in printed(policy)] == [line.split() for line in text.splitlines()]
    assert ios.parse_fragment("\n".join(printed(policy))).policy_maps["P"] == policy


def test_another_policer_without_a_name_stays_on_one_line() -> None:
    assert RENDERER.action_lines(OpaqueAction("police rate 300 pps conform-action transmit")) == (
        "police rate 300 pps conform-action transmit",
    )


@pytest.mark.parametrize("name", ["dscp#QUEUE_OUT", "_edge", "IN&OUT", "50%_of_link", "a,b(c)", "x@y", "#1"])
def test_names_as_operators_and_controllers_give_them(name: str) -> None:
    (policy,) = ios.parse(f"policy-map {name}\n class {name}\n  set dscp ef\n").policy_maps.values()
    assert printed(policy)[:2] == [f"policy-map {name}", f" class {name}"]


@pytest.mark.parametrize("name", ["why?", "a!b", 'a"b', "a\\b", "-a", "a|b", "a b", "x" * 41, ""])
def test_names_that_a_terminal_reads_as_something_else_are_refused(name: str) -> None:
    with pytest.raises(InvalidInput):
        RENDERER.lines(PolicyMap(name))
