"""The two doors, `diff` and `diff_configs`: what they hand on, both ways, and what they say beside the lines."""

from __future__ import annotations

import pytest

from provisioning.errors import InvalidInput
from provisioning.pipeline import ios
from provisioning.pipeline.diff import Line, Owned, Remediation, diff, diff_configs, digest_of
from provisioning.pipeline.intent import ManagedInterface, Role, RouterIntent
from provisioning.pipeline.mqc import RunningConfig
from provisioning.pipeline.platforms import Profile, profile
from provisioning.pipeline.rendering import Renderer
from provisioning.selectors.templates import ios_environment
from tests.pipeline.intents import everything_of, intent_of

RENDERER = Renderer(ios_environment())
OLD = profile("cisco-12400", "12.0(25)S")
BW = {"POS1/0": 155_000_000}
CLASSES = "class-map match-all EF\n match dscp 46\nclass-map match-all LBE\n match dscp 8\n"


def parsed(text: str, known: Profile | None = None) -> RunningConfig:
    return ios.parse(f"hostname r1\n{text}", known)


def intent(text: str, known: Profile | None = None) -> RouterIntent:
    place = ManagedInterface("POS1/0", None, Role.ACCESS, "N@r1:POS1/0")
    return intent_of(parsed(text, known), place)


def rows(text: str, known: Profile | None = None) -> Owned:
    return everything_of(parsed(text, known))


def by_rows(held: str, wanted: str, known: Profile | None = None, **given) -> Remediation:
    return diff(parsed(held, known), intent(wanted, known), rows(held, known), RENDERER, known, **given)


def by_names(held: str, wanted: str, known: Profile | None = None, **given) -> Remediation:
    return diff_configs(parsed(held, known), parsed(wanted, known), RENDERER, known, **given)


BOTH = pytest.mark.parametrize("door", [by_rows, by_names])


def texts(lines: tuple[Line, ...]) -> list[str]:
    return [line.text for line in lines]


def rates(ef: str, lbe: str) -> str:
    return (
        f"{CLASSES}policy-map IN\n class EF\n  police cir {ef}\n class LBE\n  police cir {lbe}\n"
        "interface POS1/0\n service-policy input IN\n"
    )


@BOTH
def test_bandwidths_put_lines_in_order_both_ways(door):
    """EF goes from 1.55 to 2 Mbit/s and LBE down; on the way back it is the other way round."""
    found = door(rates("percent 1", "percent 2"), rates("2000000", "percent 1"), bandwidths=BW)
    assert [text for text in texts(found.commands) if text.startswith("class ")] == ["class LBE", "class EF"]
    assert [text for text in texts(found.rollback) if text.startswith("class ")] == ["class EF", "class LBE"]
    found = door(rates("2000000", "percent 2"), rates("percent 1", "percent 1"), bandwidths=BW)
    assert [text for text in texts(found.rollback) if text.startswith("class ")] == ["class EF", "class LBE"]
    found = door(rates("percent 1", "percent 1"), rates("2000000", "percent 2"), bandwidths=BW)
    assert [text for text in texts(found.rollback) if text.startswith("class ")] == ["class EF", "class LBE"]


def test_the_gaps_of_the_way_there_are_handed_on():
    place = "interface POS1/0\n service-policy input {}\n"
    two = CLASSES + "".join(f"policy-map {name}\n class EF\n  set dscp 0\n" for name in "AB")
    found = by_names(two + place.format("A"), two + place.format("B"))
    assert [(gap.old, gap.new, gap.after_line) for gap in found.gaps] == [("A", "B", 1)]


LESS = "policy-map P\n class EF\n  set dscp 0\n"
MORE = LESS + "  police 1000000 31250 31250 conform-action transmit exceed-action drop\n"
OTHER = LESS + "  police 2000000 62500 62500 conform-action transmit exceed-action drop\n"


@BOTH
def test_both_ways_are_spelled_as_the_train_takes_them(door):
    found = door(CLASSES + MORE, CLASSES + LESS, OLD)
    assert texts(found.commands)[2:] == ["no police 1000000"]
    assert texts(found.rollback)[2:] == ["police 1000000 conform-action transmit exceed-action drop"]


def test_a_conflict_is_shown_as_the_train_prints_it_and_nothing_is_sent():
    running = parsed(CLASSES + MORE, OLD)
    found = diff(running, intent(CLASSES + OTHER, OLD), Owned(), RENDERER, OLD)
    (conflict,) = found.conflicts
    assert "  police 1000000 conform" in conflict.found
    assert "  police 2000000 conform" in conflict.expected
    assert (found.commands, found.rollback, found.gaps, found.owned_after) == ((), (), (), {})
    assert found.result == running
    assert [takeover.name for takeover in found.takeovers] == ["EF", "LBE"]
    assert not found.empty


def test_a_place_in_the_way_is_shown_as_the_train_prints_it_by_names_too():
    found = by_names(CLASSES + LESS, CLASSES + LESS + "interface POS9/9\n service-policy input P\n")
    assert [conflict.name for conflict in found.conflicts] == ["POS9/9"]
    assert not found.empty


def test_warnings_stand_beside_conflicts():
    theirs = "policy-map THEIRS\n class LBE\n  set dscp 0\n"
    running = parsed(CLASSES + theirs)
    found = diff(
        running, intent("class-map match-all EF\n match dscp 40\n"), Owned(rows(CLASSES).objects), RENDERER
    )
    assert found.warnings == ("class-map LBE stays: something that is not ours still uses it",)
    foreign = diff(
        running,
        intent("class-map match-all EF\n match dscp 40\n"),
        Owned({("class-map", "LBE"): digest_of(running.class_maps["LBE"])}),
        RENDERER,
    )
    assert foreign.conflicts
    assert foreign.warnings == found.warnings


def test_what_is_ours_afterwards_is_known_by_its_digest_in_order():
    held = CLASSES + LESS
    wanted = "ipv6 access-list hosts\n permit ipv6 any any\n" + CLASSES + OTHER
    found = by_rows(held, wanted)
    assert list(found.owned_after.items()) == [
        (("access-list", "hosts"), digest_of(found.result.access_lists["hosts"])),
        (("class-map", "EF"), digest_of(found.result.class_maps["EF"])),
        (("class-map", "LBE"), digest_of(found.result.class_maps["LBE"])),
        (("policy-map", "P"), digest_of(found.result.policy_maps["P"])),
    ]


def test_one_name_for_two_families_is_refused():
    two = "ip access-list extended hosts\n permit ip any any\nipv6 access-list hosts\n permit ipv6 any any\n"
    with pytest.raises(InvalidInput, match="hosts names both an IPv4 and an IPv6 access list") as refused:
        by_names("", two)
    assert refused.value.field == "access-list"
    assert str(refused.value).count("ipv6 hosts") == 0


def described(**words: str) -> str:
    return "ipv6 access-list hosts\n permit ipv6 any any\n" + "".join(
        f"class-map match-all {name}\n description {text}\n match dscp 46\n"
        if text
        else f"class-map match-all {name}\n match dscp 46\n"
        for name, text in words.items()
    )


def test_descriptions_that_cannot_be_put_back_whole_are_named_in_order():
    held = (
        described(A="who?", B="who asked", C="what?", D="when?", E="why?")
        + "policy-map P\n description where?\n"
    )
    wanted = described(A="who", B="who else", C="what", E="because").replace(
        "permit ipv6 any any", "permit ipv6 host 2001:db8::1 any"
    )
    found = by_rows(held, wanted)
    said = "its description holds a question mark, which cannot be typed: put back without it"
    assert found.warnings == tuple(
        f"{kind} {name}: {said}"
        for kind, name in [("class-map", each) for each in "ACDE"] + [("policy-map", "P")]
    )


def test_a_description_nobody_touches_is_no_matter():
    held = described(A="who?", B="what?")
    assert by_rows(held, held).warnings == ()
    assert by_rows(held, described(A="who?", B="what")).warnings[0].startswith("class-map B")
