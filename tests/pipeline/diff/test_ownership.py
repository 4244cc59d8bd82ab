"""A row says what is ours, never a name: foreign, edited by hand, taken over, half-made."""

from __future__ import annotations

import pytest

from provisioning.pipeline import ios
from provisioning.pipeline.diff import ConflictKind, Owned, as_text, diff
from provisioning.pipeline.intent import ManagedInterface, Role, RouterIntent, removal
from provisioning.pipeline.mqc import RunningConfig, digest
from provisioning.pipeline.rendering import Renderer
from tests.pipeline.intents import everything_of, intent_of

EF = "class-map match-all EF\n match dscp 46\n"
TRUSTED = """\
policy-map TRUSTED-IN
 class EF
  police cir percent 5
 class class-default
  set dscp 0
"""
OTHER_TRUSTED = TRUSTED.replace("set dscp 0", "set dscp 8")
BOUND = "interface POS1/0\n service-policy input TRUSTED-IN\n"
BARE = "interface POS1/0\n ip address 192.0.2.1 255.255.255.252\ninterface POS1/1\n shutdown\n"
ACCESS = (ManagedInterface("POS1/0", None, Role.ACCESS, "A@r1:POS1/0"),)


def running(text: str) -> RunningConfig:
    return ios.parse(f"hostname r1\n{text}")


def intent(text: str, interfaces: tuple[ManagedInterface, ...] = ACCESS) -> RouterIntent:
    return intent_of(ios.parse_fragment(text), *interfaces)


def rows(text: str) -> Owned:
    """Ownership rows for every object in `text`."""
    return everything_of(ios.parse_fragment(text))


WANTED = intent(EF + TRUSTED + BOUND)


def test_equal_content_without_a_row_is_taken_over(renderer):
    found = diff(running(BARE + EF + TRUSTED + BOUND), WANTED, Owned(), renderer)
    assert found.empty
    assert {takeover.name for takeover in found.takeovers} == {"EF", "TRUSTED-IN"}
    assert set(found.owned_after) == {("class-map", "EF"), ("policy-map", "TRUSTED-IN")}


def test_equal_content_with_a_row_is_no_takeover(renderer):
    found = diff(running(BARE + EF + TRUSTED + BOUND), WANTED, rows(EF + TRUSTED), renderer)
    assert found.empty
    assert found.takeovers == ()


def test_other_content_without_a_row_is_foreign_and_untouched(renderer):
    config = running(BARE + EF + OTHER_TRUSTED)
    found = diff(config, WANTED, rows(EF), renderer)
    assert [(conflict.kind, conflict.name) for conflict in found.conflicts] == [
        (ConflictKind.FOREIGN, "TRUSTED-IN")
    ]
    assert found.commands == ()
    assert found.rollback == ()
    assert found.result == config
    assert not found.empty


def test_other_content_with_a_row_is_a_hand_edit_named_as_such(renderer):
    found = diff(running(BARE + EF + OTHER_TRUSTED + BOUND), WANTED, rows(EF + TRUSTED), renderer)
    (conflict,) = found.conflicts
    assert conflict.kind is ConflictKind.HAND_EDIT
    assert "set dscp 8" in conflict.found
    assert "set dscp 0" in conflict.expected
    assert found.commands == ()


def test_a_hand_edit_is_overwritten_only_on_request(renderer):
    config = running(BARE + EF + OTHER_TRUSTED + BOUND)
    found = diff(config, WANTED, rows(EF + TRUSTED), renderer, repair=True)
    assert found.conflicts == ()
    assert found.result.bound("POS1/0", "input") == "TRUSTED-IN-2"
    assert "TRUSTED-IN" not in found.result.policy_maps


def test_an_edit_that_happens_to_be_what_is_wanted_is_no_conflict(renderer):
    found = diff(running(BARE + EF + TRUSTED + BOUND), WANTED, rows(EF + OTHER_TRUSTED), renderer)
    assert found.empty


def test_content_that_a_cut_push_can_have_left_is_no_hand_edit(renderer):
    half = "policy-map TRUSTED-IN\n class EF\n  police cir percent 5\n"
    left = ios.parse_fragment(EF + half).policy_maps["TRUSTED-IN"]
    config = running(BARE + EF + half)
    flying = Owned(rows(EF).objects, {("policy-map", "TRUSTED-IN"): frozenset({digest(left)})})
    assert diff(config, WANTED, flying, renderer).result.bound("POS1/0", "input") == "TRUSTED-IN"
    other = Owned(rows(EF).objects, {("policy-map", "TRUSTED-IN"): frozenset({"0" * 64})})
    assert diff(config, WANTED, other, renderer).conflicts[0].kind is ConflictKind.HAND_EDIT
    anything = Owned(rows(EF).objects, {("policy-map", "TRUSTED-IN"): frozenset()})
    assert diff(config, WANTED, anything, renderer).conflicts == ()


def test_a_policy_that_is_not_ours_is_not_unbound(renderer):
    theirs = "policy-map THEIRS\n class class-default\n  set dscp 0\ninterface POS1/0\n service-policy input THEIRS\n"
    found = diff(running(BARE + theirs), WANTED, Owned(), renderer)
    assert [conflict.kind for conflict in found.conflicts] == [ConflictKind.FOREIGN_BINDING]
    assert "THEIRS" in found.conflicts[0].text


def test_an_interface_the_router_does_not_have_is_named(renderer):
    found = diff(running("interface POS9/0\n shutdown\n"), WANTED, Owned(), renderer)
    assert [(conflict.kind, conflict.name) for conflict in found.conflicts] == [
        (ConflictKind.MISSING_INTERFACE, "POS1/0")
    ]


def test_what_somebody_else_still_uses_stays(renderer):
    theirs = "policy-map THEIRS\n class EF\n  set dscp 0\n"
    found = diff(running(BARE + EF + TRUSTED + BOUND + theirs), removal(WANTED), rows(EF + TRUSTED), renderer)
    assert as_text(found.commands) == (
        "interface POS1/0\n no service-policy input TRUSTED-IN\nno policy-map TRUSTED-IN\n"
    )
    assert any("class-map EF stays" in warning for warning in found.warnings)


def test_a_policy_of_ours_bound_elsewhere_by_others_is_never_edited_under_them(renderer):
    """Editing a shared policy can strip it from interfaces nobody thought of (ios-facts 2.8)."""
    elsewhere = "interface POS1/1\n service-policy input TRUSTED-IN\n"
    config = running(BARE + EF + TRUSTED + BOUND + elsewhere)
    wanted = intent(EF + TRUSTED.replace("percent 5", "percent 4") + BOUND)
    found = diff(config, wanted, rows(EF + TRUSTED), renderer)
    assert found.result.bound("POS1/0", "input") == "TRUSTED-IN-2"
    assert found.result.bound("POS1/1", "input") == "TRUSTED-IN"
    assert found.result.policy_maps["TRUSTED-IN"] == config.policy_maps["TRUSTED-IN"]


def test_a_version_number_others_use_is_skipped(renderer):
    theirs = OTHER_TRUSTED.replace("TRUSTED-IN", "TRUSTED-IN-2")
    config = running(BARE + EF + TRUSTED + BOUND + theirs)
    reordered = intent(EF + OTHER_TRUSTED.replace("8", "10") + BOUND)
    found = diff(config, reordered, rows(EF + TRUSTED), renderer)
    assert found.result.bound("POS1/0", "input") == "TRUSTED-IN-3"
    assert found.result.policy_maps["TRUSTED-IN-2"] == config.policy_maps["TRUSTED-IN-2"]


def test_a_row_whose_object_is_gone_is_released(renderer):
    found = diff(running(BARE), removal(WANTED), rows(EF), renderer)
    assert found.commands == ()
    assert found.released == (("class-map", "EF"),)


@pytest.mark.parametrize("times", [1, 2, 3])
def test_versions_come_back_to_the_base_name(renderer: Renderer, times):
    """BASE, BASE-2, BASE: a name is never longer than it must be."""
    config, owned = running(BARE + EF + TRUSTED + BOUND), rows(EF + TRUSTED)
    names = []
    for turn in range(times):
        text = OTHER_TRUSTED if turn % 2 == 0 else TRUSTED
        found = diff(config, intent(EF + text + BOUND), owned, renderer)
        config, owned = found.result, Owned(found.owned_after)
        names.append(config.bound("POS1/0", "input"))
    assert names == ["TRUSTED-IN-2", "TRUSTED-IN", "TRUSTED-IN-2"][:times]


def test_what_the_rows_say_cannot_be_changed_afterwards():
    given = {("policy-map", "B"): "1", ("class-map", "A"): "2"}
    flying = {("policy-map", "D"): frozenset({"3"}), ("class-map", "C"): frozenset()}
    owned = Owned(given, flying)
    given.clear()
    flying.clear()
    assert list(owned.objects) == [("class-map", "A"), ("policy-map", "B")]
    assert list(owned.in_flight) == [("class-map", "C"), ("policy-map", "D")]
    for said in (owned.objects, owned.in_flight):
        with pytest.raises(TypeError):
            said["class-map", "X"] = ""


IN = "policy-map {}\n class class-default\n  set dscp {}\n"
WANTED_IN = intent(IN.format("IN", 0) + BOUND.replace("TRUSTED-IN", "IN"))


@pytest.mark.parametrize("name", ["IN-10", "IN-2", "IN-3"])
@pytest.mark.parametrize("dscp", [0, 8], ids=["identical", "other content"])
def test_without_a_row_a_name_is_no_version_of_another(renderer, name, dscp):
    """Whoever made IN-10 made it: neither is it taken over for IN, nor moved, nor deleted."""
    config = running(BARE + IN.format(name, dscp))
    found = diff(config, WANTED_IN, Owned(), renderer)
    assert found.conflicts == ()
    assert found.takeovers == ()
    assert found.result.policy_maps[name] == config.policy_maps[name]
    assert found.result.bound("POS1/0", "input") == "IN"
    assert ("policy-map", name) not in found.ours_after


@pytest.mark.parametrize("dscp", [0, 8], ids=["identical", "other content"])
def test_without_a_row_a_bound_policy_of_such_a_name_is_not_unbound(renderer, dscp):
    config = running(BARE + IN.format("IN-2", dscp) + BOUND.replace("TRUSTED-IN", "IN-2"))
    found = diff(config, WANTED_IN, Owned(), renderer)
    assert [conflict.kind for conflict in found.conflicts] == [ConflictKind.FOREIGN_BINDING]
    assert found.commands == ()


def test_with_a_row_it_is_a_version(renderer):
    held = IN.format("IN-10", 0)
    config = running(BARE + held + BOUND.replace("TRUSTED-IN", "IN-10"))
    found = diff(config, WANTED_IN, rows(held), renderer)
    assert found.empty
    assert set(found.ours_after) == {("policy-map", "IN-10")}
