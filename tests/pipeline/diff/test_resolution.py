"""Which exact name carries what is wanted: versions, circles of moves, what is referred to and not wanted."""

from __future__ import annotations

import pytest

from provisioning.errors import InvalidInput
from provisioning.pipeline import ios
from provisioning.pipeline.diff import Owned, Remediation, Takeover, diff, diff_configs, digest_of
from provisioning.pipeline.intent import ManagedInterface, Role, RouterIntent
from provisioning.pipeline.mqc import RunningConfig
from provisioning.pipeline.rendering import Renderer
from provisioning.selectors.templates import ios_environment
from tests.pipeline.diff.meanwhile import meanwhile
from tests.pipeline.intents import everything_of, intent_of

RENDERER = Renderer(ios_environment())
CLASSES = "class-map match-all EF\n match dscp 46\nclass-map match-all LBE\n match dscp 8\n"


def parsed(text: str) -> RunningConfig:
    return ios.parse(f"hostname r1\n{text}")


def planned(running: str, intended: str) -> Remediation:
    found = diff_configs(parsed(running), parsed(intended), RENDERER)
    assert found.conflicts == ()
    return found


def texts(found: Remediation) -> list[str]:
    return [line.text for line in found.commands]


def policing(rate: str, *names: str) -> str:
    return "".join(f"policy-map {name}\n class EF\n  police cir percent {rate}\n" for name in names)


def bound(**policies: str) -> str:
    return "".join(
        f"interface {place.replace('_', '/')}\n service-policy input {policy}\n"
        for place, policy in policies.items()
    )


FRESH = {f"POS9_{number}": "Z" for number in range(9)}
BARE = "".join(f"interface POS9/{number}\n shutdown\n" for number in range(9))


@pytest.mark.parametrize(
    ("before", "after", "circle"),
    [
        ("ABCD", "BACD", "AB"),
        ("ABCD", "BCAD", "ABC"),
        ("ABCD", "BCDD", ""),
        ("ABCC", "BCBC", "BC"),
        ("ABCD", "ABCD", ""),
    ],
    ids=["two", "three", "a chain", "two and one that joins", "none moves"],
)
def test_policies_that_exchange_interfaces_and_change_get_copies(before, after, circle):
    """Edited in place each would have to wait for the other."""
    places = ("POS1_0", "POS1_1", "POS1_2", "POS1_3")
    held = CLASSES + policing("5", *"ABCD") + policing("1", "Z") + BARE
    wanted = CLASSES + policing("4", *"ABCD") + policing("1", "Z")
    found = planned(
        held + bound(**dict(zip(places, before, strict=True))),
        wanted + bound(**dict(zip(places, after, strict=True)), **FRESH),
    )
    expected = {f"{name}-2" if name in circle else name for name in {*"ABCD"}} | {"Z"}
    assert meanwhile(found, found.result.policy_maps) == expected
    for place, name in zip(places, after, strict=True):
        assert found.result.bound(place.replace("_", "/"), "input") == name


def ours(*names: str) -> Owned:
    """Rows for policies of these names, all policing 5 per cent."""
    held = parsed(CLASSES + policing("5", *names))
    return Owned({("policy-map", name): digest_of(held.policy_maps[name]) for name in names})


PLACE = ManagedInterface("POS1/0", None, Role.ACCESS, "N@r1:POS1/0")


def wanting_a() -> RouterIntent:
    return intent_of(ios.parse_fragment(policing("5", "A") + bound(POS1_0="A")), PLACE)


def test_what_packets_meet_is_kept_among_equal_versions_and_the_other_goes():
    held = CLASSES + policing("5", "A", "A-2") + bound(POS1_0="A-2")
    found = diff(parsed(held), wanting_a(), ours("A", "A-2"), RENDERER)
    assert texts(found) == ["no policy-map A"]


def test_the_lowest_of_equal_versions_is_kept_where_no_packet_meets_one():
    held = CLASSES + policing("5", "A-10", "A-2") + "interface POS1/0\n shutdown\n"
    found = diff(parsed(held), wanting_a(), ours("A-10", "A-2"), RENDERER)
    assert texts(found) == ["interface POS1/0", "service-policy input A-2", "no policy-map A-10"]


def test_what_is_referred_to_and_not_wanted_keeps_its_name():
    held = CLASSES + BARE
    found = planned(held, policing("5", "A") + bound(POS9_0="A"))
    assert texts(found)[:2] == ["policy-map A", "class EF"]
    assert found.result.class_maps.keys() == {"EF", "LBE"}


def test_an_entry_written_twice_is_typed_once():
    entry = " permit ip host 192.0.2.1 any\n"
    found = planned("", f"ip access-list extended hosts\n{entry}{entry}")
    assert texts(found) == ["ip access-list extended hosts", entry.strip()]


def intent(*texts: str) -> RouterIntent:
    read = [ios.parse_fragment(text) for text in texts]
    return RouterIntent(
        "r1",
        (),
        tuple(thing for each in read for thing in each.class_maps.values()),
        tuple(thing for each in read for thing in each.policy_maps.values()),
        frozenset(),
    )


def test_a_list_nobody_uses_keeps_the_numbers_of_what_stays():
    head, one, other = (
        "ipv6 access-list hosts",
        "permit ipv6 2001:db8:a::/48 any",
        "permit ipv6 2001:db8:b::/48 any",
    )
    found = planned(f"{head}\n sequence 5 {one}\n", f"{head}\n {one}\n {other}\n")
    assert texts(found) == [head, f"sequence 20 {other}"]
    entries = found.result.access_lists["hosts"].entries
    assert [(entry.sequence, entry.text) for entry in entries] == [(5, one), (20, other)]


def test_what_only_unbound_policies_refer_to_is_edited_under_its_name():
    held = CLASSES + policing("5", "A")
    found = planned(held, held.replace("dscp 46", "dscp 40"))
    assert texts(found) == ["class-map match-all EF", "match dscp 40", "no match dscp 46"]


EF, OTHER_EF = "class-map match-all EF\n match dscp 46\n", "class-map match-all EF\n match dscp 40\n"


def test_one_name_with_two_contents_is_refused_and_said_twice_it_is_one():
    twice = diff(parsed(""), intent(EF, EF), Owned(), RENDERER)
    assert texts(twice) == ["class-map match-all EF", "match dscp 46"]
    with pytest.raises(InvalidInput, match="class-map EF is wanted with two contents") as refused:
        diff(parsed(""), intent(EF, OTHER_EF), Owned(), RENDERER)
    assert refused.value.field == "class-map"


def test_what_is_taken_over_is_known_again_by_its_digest():
    running = parsed(EF)
    found = diff(running, intent(EF), Owned(), RENDERER)
    digest = digest_of(running.class_maps["EF"])
    assert found.takeovers == (Takeover("class-map", "EF", digest),)
    assert found.owned_after == {("class-map", "EF"): digest}


def row(text: str) -> Owned:
    return Owned({("class-map", "EF"): digest_of(parsed(text).class_maps["EF"])})


def test_what_others_refer_to_is_left_to_them():
    theirs = "policy-map THEIRS\n class EF\n  set dscp 0\n"
    found = diff(parsed(EF + theirs), intent(OTHER_EF), row(EF), RENDERER)
    assert texts(found) == ["class-map match-all EF-2", "match dscp 40"]
    assert any("class-map EF stays" in warning for warning in found.warnings)


def test_a_policy_of_others_with_the_name_of_a_class_of_ours_is_another_thing():
    theirs = "policy-map EF\n class class-default\n  set dscp 0\ninterface POS1/1\n service-policy input EF\n"
    found = diff(parsed(EF + theirs), intent(OTHER_EF), row(EF), RENDERER)
    assert texts(found) == ["class-map match-all EF", "match dscp 40", "no match dscp 46"]


def test_a_conflict_shows_what_is_there_and_what_was_expected():
    found = diff(parsed(EF), intent(OTHER_EF), Owned(), RENDERER)
    (conflict,) = found.conflicts
    assert (conflict.found, conflict.expected) == (EF, OTHER_EF)
    assert conflict.text == "class-map EF is on the router with other content and is not ours"


TURNED = "policy-map A\n class LBE\n  set dscp 8\n class EF\n  set dscp 46\n"
STRAIGHT = "policy-map A\n class EF\n  set dscp 46\n class LBE\n  set dscp 8\n"


def owned(text: str) -> Owned:
    return everything_of(ios.parse_fragment(text))


def managed(text: str) -> RouterIntent:
    return intent_of(ios.parse_fragment(text), PLACE)


def test_a_version_is_never_given_a_name_that_is_wanted_for_something_else():
    other = "policy-map A-2\n class class-default\n  set dscp 0\n"
    held = CLASSES + STRAIGHT + bound(POS1_0="A")
    found = diff(parsed(held), managed(CLASSES + TURNED + other + bound(POS1_0="A")), owned(held), RENDERER)
    assert found.result.policy_maps.keys() == {"A-2", "A-3"}
    assert found.result.bound("POS1/0", "input") == "A-3"


@pytest.mark.parametrize("length", [38, 39])
def test_a_version_is_no_longer_than_a_name_can_be(length):
    """40 characters (ios-facts 2.1): with `-2` a name of 38 is the longest that can get a version."""
    name = "P" * length
    held, wanted = (
        (CLASSES + text + bound(POS1_0="A"))
        .replace("-map A", f"-map {name}")
        .replace("input A", f"input {name}")
        for text in (STRAIGHT, TURNED)
    )
    if length == 38:
        found = diff(parsed(held), managed(wanted), owned(held), RENDERER)
        assert found.result.bound("POS1/0", "input") == f"{name}-2"
        return
    with pytest.raises(InvalidInput, match=f"{name}-2 is longer than the 40 characters IOS takes") as refused:
        diff(parsed(held), managed(wanted), owned(held), RENDERER)
    assert refused.value.field == "policy-map"
