"""What the properties found: each written down as the smallest pair of configurations that showed it."""

from __future__ import annotations

import pytest

from provisioning.pipeline import ios
from provisioning.pipeline.diff import diff_configs, digest_of
from tests.pipeline.practice import Oracle, profile_of

IN_USE = """\
ipv6 access-list hosts
{entries}class-map match-all VIDEO
 match access-group name hosts
policy-map IN
 class VIDEO
  set dscp af41
 class class-default
  set dscp default
interface POS1/0
 service-policy input IN
"""


def in_use(*entries: str) -> str:
    return IN_USE.format(entries="".join(f" {entry}\n" for entry in entries))


@pytest.mark.parametrize("kind", ["12000", "7200-12.3T", "ios-xe"])
def test_a_list_in_use_without_entries_gets_them_by_a_new_version_and_is_put_back(kind, renderer):
    """In place there would be no way back: what a list without entries does is not known (ios-facts 2.7, U4)."""
    oracle = Oracle(kind, in_use())
    start = oracle.read()
    wanted = ios.parse_fragment(in_use("permit ipv6 2001:DB8:A::/48 any"), profile_of(kind))
    found = diff_configs(start, wanted, renderer, profile_of(kind))
    assert oracle.send(found.commands) == []
    assert oracle.read() == found.result
    assert oracle.send(found.rollback) == []
    assert oracle.read() == start


@pytest.mark.parametrize("kind", ["12000", "7200-12.3T", "ios-xe"])
@pytest.mark.parametrize("back", [False, True], ids=["gets entries", "loses them"])
def test_a_list_in_use_with_remarks_only_is_one_without_entries(kind, back, renderer):
    """What it matches is as little known: nothing bound may meet it on the way to entries or away from them."""
    one, other = (
        in_use(entry).replace("ipv6 access-list", "ip access-list extended")
        for entry in ("remark who asked", "permit ip 192.0.2.0 0.0.0.255 any")
    )
    one, other = (other, one) if back else (one, other)
    oracle = Oracle(kind, one)
    start = oracle.read()
    found = diff_configs(start, ios.parse_fragment(other, profile_of(kind)), renderer, profile_of(kind))
    assert "ip access-list extended hosts-2" in [line.text for line in found.commands]
    assert oracle.send(found.commands) == []
    assert oracle.read() == found.result
    assert oracle.send(found.rollback) == []
    assert oracle.read() == start


@pytest.mark.parametrize("kind", ["12000", "7200-12.3T", "ios-xe"])
def test_a_list_that_is_used_and_missing_is_not_filled_under_live_policies(kind, renderer):
    """Entry by entry it would come into force half, and no router lets go of a list in use on the way back."""
    whole = in_use("permit ipv6 2001:db8:1::/48 2001:db8:2::/48")
    missing = whole[whole.index("class-map") :]
    oracle = Oracle(kind, missing)
    start = oracle.read()
    found = diff_configs(start, ios.parse_fragment(whole, profile_of(kind)), renderer, profile_of(kind))
    assert "ipv6 access-list hosts-2" in [line.text for line in found.commands]
    assert oracle.send(found.commands) == []
    assert oracle.read() == found.result
    assert oracle.send(found.rollback) == []
    assert oracle.read() == start


RATES = """\
class-map match-all EF
 match dscp ef
class-map match-all LBE
 match dscp cs1
policy-map IN
 class EF
  police cir {ef}
 class LBE
  police cir {lbe}
interface POS1/0
 service-policy input IN
"""


@pytest.mark.parametrize(
    ("bandwidths", "ef", "lbe", "first"),
    [
        ({"POS1/0": 155_000_000}, ("percent 1", "percent 2"), ("percent 5", "2000000"), "LBE"),
        ({"POS1/0": 155_000_000}, ("percent 5", "percent 4"), ("percent 1", "2000000"), "EF"),
        ({"POS1/0": 155_000_000}, ("percent 5", "percent 6"), ("percent 1", "2000000"), "EF"),
        ({}, ("percent 1", "percent 2"), ("percent 5", "2000000"), "LBE"),
        ({}, ("percent 2", "percent 1"), ("percent 5", "2000000"), "EF"),
    ],
    ids=["lower in bit/s", "higher in bit/s", "both higher", "unknown before higher", "unknown after lower"],
)
def test_a_percentage_that_becomes_a_rate_is_put_in_order(bandwidths, ef, lbe, first, renderer):
    """Decreases come before increases; where BW is not known the rate stands between them."""
    profile = profile_of("12000")
    running = Oracle("12000", RATES.format(ef=ef[0], lbe=lbe[0])).read()
    wanted = ios.parse_fragment(RATES.format(ef=ef[1], lbe=lbe[1]), profile)
    found = diff_configs(running, wanted, renderer, profile, bandwidths=bandwidths)
    classes = [line.text for line in found.commands if line.text.startswith("class ")]
    assert classes[0] == f"class {first}"
    assert len(classes) == 2


@pytest.mark.parametrize(
    ("description", "typed"),
    [("!!! do not touch !!!", "!!! do not touch !!!"), ("who? ask the NOC", "who ask the NOC")],
)
def test_a_description_is_put_back_as_far_as_it_can_be_typed(description, typed, renderer):
    """A router prints help at a question mark; an exclamation mark is text but where it begins the line."""
    profile = profile_of("12000")
    running = ios.parse(
        f"hostname r1\nclass-map match-all EF\n description {description}\n match dscp ef\n", profile
    )
    wanted = ios.parse_fragment("class-map match-all EF\n match dscp ef\n", profile)
    found = diff_configs(running, wanted, renderer, profile)
    assert [line.text for line in found.commands] == ["class-map match-all EF", "no description"]
    assert [line.text for line in found.rollback] == ["class-map match-all EF", f"description {typed}"]
    assert any("question mark" in text for text in found.warnings) == (description != typed)


NESTED = """\
class-map match-all EF
 match dscp {dscp}
class-map match-any VIDEO
 match class-map EF
 match dscp af41
policy-map CORE
 class EF
  bandwidth percent 10
interface POS2/0
 service-policy output CORE
"""


def test_a_class_map_is_edited_after_the_one_it_is_to_refer_to_is_made(renderer):
    oracle, profile = Oracle("12000", NESTED.format(dscp="ef")), profile_of("12000")
    start = oracle.read()
    wanted = ios.parse_fragment(NESTED.format(dscp="40"), profile)
    found = diff_configs(start, wanted, renderer, profile)
    assert oracle.send(found.commands) == []
    assert oracle.read() == found.result
    assert oracle.send(found.rollback) == []
    assert oracle.read() == start


def test_an_entry_taken_out_of_an_ipv4_list_and_put_back_is_no_hand_edit():
    """It comes last then, which changes nothing: old trains print no numbers to put it elsewhere by."""
    listed = "ip access-list extended hosts\n permit ip host 192.0.2.1 any\n permit ip host 192.0.2.2 any\n"
    oracle = Oracle("12000", listed)
    (before,) = oracle.read().access_lists.values()
    oracle.send(
        ["ip access-list extended hosts", "no permit ip host 192.0.2.1 any", "permit ip host 192.0.2.1 any"]
    )
    (after,) = oracle.read().access_lists.values()
    assert before != after
    assert digest_of(before) == digest_of(after)
    oracle.send(["ip access-list extended hosts", "no permit ip host 192.0.2.1 any"])
    (less,) = oracle.read().access_lists.values()
    assert digest_of(before) != digest_of(less)


def test_a_deny_before_the_permits_is_not_one_behind_them():
    permit, deny = " permit ip host 192.0.2.1 any\n", " deny ip any any\n"
    behind, before = (
        ios.parse_fragment(f"ip access-list extended hosts\n{entries}").access_lists["hosts"]
        for entries in (permit + deny, deny + permit)
    )
    assert digest_of(behind) != digest_of(before)


UNBOUND = """\
class-map match-all EF
 match dscp ef
class-map match-all LBE
 match dscp cs1
class-map match-all BULK
 match dscp 10
policy-map STANDBY
 description {description}
{classes}"""


def unbound(description: str, *classes: str) -> str:
    lines = "".join(f" class {each}\n" if not each.startswith(" ") else f" {each}\n" for each in classes)
    return UNBOUND.format(description=description, classes=lines)


@pytest.mark.parametrize("kind", ["12000", "7200-12.3T", "7200-hqf", "ios-xe"])
def test_a_policy_no_packet_meets_is_edited_not_made_anew(kind, renderer):
    """It keeps what did not change, and the way back edits it too."""
    before = unbound(
        "who? ask",
        "EF",
        " police cir percent 5",
        "LBE",
        " set dscp cs1",
        "class-default",
        " set dscp default",
    )
    after = unbound(
        "who? ask",
        "EF",
        " set dscp ef",
        " police cir 2000000",
        "LBE",
        " set precedence 1",
        "BULK",
        " set dscp default",
    )
    oracle, profile = Oracle(kind), profile_of(kind)
    oracle.send(before.replace("?", "").splitlines())
    start = oracle.read()
    wanted = ios.parse_fragment(after.replace("?", ""), profile)
    found = diff_configs(start, wanted, renderer, profile)
    assert not any(line.text.startswith("no policy-map") for line in (*found.commands, *found.rollback))
    assert oracle.send(found.commands) == []
    assert oracle.read() == found.result
    assert oracle.send(found.rollback) == []
    assert oracle.read() == start
