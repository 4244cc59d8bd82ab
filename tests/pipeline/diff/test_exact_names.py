"""Two files have no ownership rows: there no name is a version of another, and a plan ends at INTENDED's own names."""

from __future__ import annotations

import pytest

from provisioning.errors import InvalidInput
from provisioning.pipeline import ios
from provisioning.pipeline.diff import Remediation, diff_configs
from provisioning.pipeline.mqc import RunningConfig
from provisioning.pipeline.rendering import Renderer
from provisioning.selectors.templates import ios_environment
from tests.pipeline.practice import Oracle, profile_of

RENDERER = Renderer(ios_environment())
KIND = "ios-xe"
EF = "class-map match-all EF\n match dscp 46\n"
LIST = "ipv6 access-list hosts\n permit ipv6 2001:DB8:A::/48 any\n"
BY_LIST = LIST + "class-map match-all EF\n match access-group name hosts\n"

DENYING = BY_LIST.replace(" permit", " deny ipv6 2001:DB8:A:1::/64 any\n permit")


def marking(name: str, dscp: int = 0) -> str:
    return f"policy-map {name}\n class class-default\n  set dscp {dscp}\n"


def policing(name: str, *classes: str) -> str:
    return f"policy-map {name}\n" + "".join(f" class {each}\n  set dscp 46\n" for each in classes)


def bound(policy: str, place: str = "POS1/0", direction: str = "input") -> str:
    return f"interface {place}\n service-policy {direction} {policy}\n"


def carried_out(
    running: str, intended: str, kind: str = KIND
) -> tuple[Remediation, RunningConfig, RunningConfig]:
    """The plan, what the practice router held before, and what it holds after; taken back and made again on the way.

    A second plan has nothing to say.
    """
    oracle, profile = Oracle(kind, running), profile_of(kind)
    start, wanted = oracle.read(), ios.parse_fragment(intended, profile)
    found = diff_configs(start, wanted, RENDERER, profile)
    assert found.conflicts == ()
    assert oracle.send(found.commands) == []
    end = oracle.read()
    assert end == found.result
    assert diff_configs(end, wanted, RENDERER, profile).empty
    assert oracle.send(found.rollback) == []
    assert oracle.read() == start
    return found, start, end


@pytest.mark.parametrize("name", ["IN-10", "IN-2", "IN-3"])
@pytest.mark.parametrize("dscp", [0, 8], ids=["identical", "other content"])
def test_a_similar_name_that_is_bound_gives_way_and_stays(name, dscp):
    """INTENDED says what is bound there. Whose the other policy is nobody said, so nobody deletes it."""
    found, start, end = carried_out(marking(name, dscp) + bound(name), marking("IN") + bound("IN"))
    assert end.bound("POS1/0", "input") == "IN"
    assert end.policy_maps[name] == start.policy_maps[name]
    assert len(found.gaps) == 1
    assert (
        f"policy-map {name} is bound nowhere any more, and stays: INTENDED does not name it" in found.warnings
    )


@pytest.mark.parametrize("held", ["", marking("IN", 8), marking("IN")], ids=["missing", "other", "equal"])
def test_a_similar_name_that_is_bound_where_intended_says_nothing_is_left_there(held):
    found, start, end = carried_out(held + marking("IN-10") + bound("IN-10"), marking("IN"))
    assert end.bindings == start.bindings
    assert end.policy_maps["IN-10"] == start.policy_maps["IN-10"]
    assert not any("IN-10" in line.text for line in (*found.commands, *found.rollback))


def test_objects_of_similar_names_beside_each_other_are_two():
    """Also where one packet meets both, and whichever is equal to what is wanted."""
    theirs = marking("IN-10") + bound("IN-10", "POS1/1")
    _, start, end = carried_out(marking("IN", 8) + bound("IN") + theirs, marking("IN") + bound("IN"))
    assert end.bound("POS1/0", "input") == "IN"
    assert end.bound("POS1/1", "input") == "IN-10"
    assert end.policy_maps["IN-10"] == start.policy_maps["IN-10"]


@pytest.mark.parametrize("kind", ["12000", "7200-12.2T", "ios-xe"])
@pytest.mark.parametrize(
    ("before", "after"),
    [
        (EF + policing("IN", "EF"), EF + policing("IN", "class-default", "EF")),
        (EF + policing("IN", "EF"), EF.replace("46", "40") + policing("IN", "EF")),
        (EF + policing("IN", "EF"), EF.replace("match-all", "match-any") + policing("IN", "EF")),
        (BY_LIST + policing("IN", "EF"), DENYING + policing("IN", "EF")),
    ],
    ids=["policy", "class", "mode of a class", "list"],
)
def test_what_is_in_use_is_replaced_and_goes_by_its_own_name_in_the_end(kind, before, after):
    """Over an interim copy: IN-2 is put on, IN changed while no packet meets it, and put on again."""
    found, _, end = carried_out(before + bound("IN"), after + bound("IN"), kind)
    wanted = ios.parse_fragment(after, profile_of(kind))
    assert end.bound("POS1/0", "input") == "IN"
    assert end.policy_maps == wanted.policy_maps
    assert end.class_maps == wanted.class_maps
    assert end.access_lists.keys() == wanted.access_lists.keys()
    assert [(gap.old, gap.new) for gap in found.gaps] == [("IN", "IN-2"), ("IN-2", "IN")]
    for gap in found.gaps:
        off, on = found.commands[gap.after_line : gap.after_line + 2]
        assert (off.text, on.text) == (
            f"no service-policy input {gap.old}",
            f"service-policy input {gap.new}",
        )
        assert on.joined


def test_a_policy_intended_does_not_name_meets_the_new_class_and_keeps_name_and_place():
    theirs = policing("THEIRS", "EF") + bound("THEIRS", "POS1/1")
    found, start, end = carried_out(EF + theirs, EF.replace("46", "40"))
    assert end.bindings == start.bindings
    assert end.policy_maps == start.policy_maps
    assert [(gap.interface, gap.old, gap.new) for gap in found.gaps] == [
        ("POS1/1", "THEIRS", "THEIRS-2"),
        ("POS1/1", "THEIRS-2", "THEIRS"),
    ]
    assert any("THEIRS" in warning and "INTENDED does not name" in warning for warning in found.warnings)


def test_a_list_that_a_policy_uses_is_edited_though_intended_names_only_the_list():
    held = BY_LIST + policing("IN", "EF") + bound("IN")
    found, _, end = carried_out(held, LIST + " permit ipv6 2001:DB8:B::/48 any\n")
    assert len(end.access_lists["hosts"].entries) == 2
    assert found.gaps == ()


def test_an_unbound_policy_that_uses_a_class_made_anew_is_made_again_as_it_was():
    held = EF + policing("THEIRS", "EF", "class-default")
    _, start, end = carried_out(held, EF.replace("match-all", "match-any"))
    assert end.policy_maps == start.policy_maps
    assert end.class_maps["EF"].mode == "match-any"


def test_a_place_that_had_nothing_waits_for_the_name_it_is_to_have():
    """One swap, not two, where it was bound before, and none where nothing was."""
    held = EF + policing("IN", "EF") + bound("IN")
    wanted = EF + policing("IN", "class-default", "EF") + bound("IN") + bound("IN", "POS1/1")
    found, _, end = carried_out(held, wanted)
    assert end.bound("POS1/1", "input") == "IN"
    assert {gap.interface for gap in found.gaps} == {"POS1/0"}


def test_a_place_that_leaves_what_does_not_change_is_swapped_once():
    held = EF + policing("IN", "EF") + marking("OTHER") + bound("IN") + bound("OTHER", "POS1/1")
    wanted = EF + policing("IN", "class-default", "EF") + bound("IN") + bound("IN", "POS1/1")
    found, _, _ = carried_out(held, wanted)
    assert [(gap.old, gap.new) for gap in found.gaps if gap.interface == "POS1/1"] == [("OTHER", "IN")]


def test_the_interim_takes_no_name_that_anything_has_or_uses():
    held = EF + policing("IN", "EF") + bound("IN") + marking("IN-2") + bound("IN-3", "POS1/1")
    start = ios.parse(f"hostname r1\n{held}")
    wanted = ios.parse_fragment(EF + policing("IN", "class-default", "EF") + marking("IN-4"))
    found = diff_configs(start, wanted, RENDERER)
    assert [(gap.old, gap.new) for gap in found.gaps] == [("IN", "IN-5"), ("IN-5", "IN")]


def test_the_interim_of_a_name_as_long_as_ios_takes_is_shorter():
    name = "I" * 40
    found, _, end = carried_out(
        EF + policing(name, "EF") + bound(name), EF + policing(name, "class-default", "EF")
    )
    assert end.bound("POS1/0", "input") == name
    assert found.gaps[0].new == "I" * 38 + "-2"


CONTROL = "control-plane\n service-policy input COPP\n"


def test_what_something_else_holds_on_to_and_cannot_be_changed_in_place_is_refused():
    """Where a policy is on that this program does not move, no copy can be put on meanwhile."""
    held = ios.parse(f"hostname r1\n{EF}{policing('COPP', 'EF')}{CONTROL}")
    wanted = ios.parse_fragment(EF + policing("COPP", "class-default", "EF"))
    with pytest.raises(InvalidInput, match=r"policy-map COPP .*control-plane.* another name") as refused:
        diff_configs(held, wanted, RENDERER)
    assert refused.value.field == "policy-map"


def test_what_something_else_uses_too_is_changed_in_place_and_said():
    access = "line vty 0 4\n ipv6 access-class hosts in\n"
    held = ios.parse(f"hostname r1\n{LIST}{access}")
    more = LIST + " permit ipv6 2001:DB8:B::/48 any\n"
    found = diff_configs(held, ios.parse_fragment(more), RENDERER)
    assert [line.text for line in found.commands] == [
        "ipv6 access-list hosts",
        "sequence 20 permit ipv6 2001:db8:b::/48 any",
    ]
    assert any("hosts" in warning and "line vty 0 4" in warning for warning in found.warnings)
