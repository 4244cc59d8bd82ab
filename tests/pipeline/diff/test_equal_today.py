"""A percentage on one side and a rate on the other that come to the same at today's BW: said, never merged."""

from __future__ import annotations

import json

import pytest

from provisioning.pipeline import ios
from provisioning.pipeline.diff import EqualToday, as_intended, equal_today
from provisioning.pipeline.intent import RouterIntent
from provisioning.pipeline.mqc import RunningConfig

BW = {"POS1/0": 155_000_000, "POS1/1": 155_000_000, "ATM5/0.1": 155_000_000}
CLASSES = "".join(
    f"class-map match-all {name}\n match dscp {dscp}\n"
    for name, dscp in (("EF", 46), ("EF-2", 46), ("LBE", 8))
)
PLACE = "interface POS1/0\n service-policy input P\n"


def parsed(text: str) -> RunningConfig:
    return ios.parse(f"hostname r1\n{CLASSES}{text}")


def policy(*actions: str, name: str = "P", of: str = "EF") -> str:
    return f"policy-map {name}\n class {of}\n" + "".join(f"  {action}\n" for action in actions)


def found(held: str, wanted: str, bandwidths: dict[str, int] | None = BW) -> list[tuple[str, str, int]]:
    said = equal_today(parsed(held), parsed(wanted), bandwidths)
    return [(each.held, each.wanted, each.bps) for each in said]


@pytest.mark.parametrize(
    ("held", "wanted", "bps"),
    [
        ("police cir percent 5", "police cir 7750000", 7_750_000),
        ("police cir 7750000", "police cir percent 5", 7_750_000),
        ("police cir percent 10", "police cir 15500000", 15_500_000),
        ("shape average percent 10", "shape average 15500000", 15_500_000),
        ("priority percent 20", "priority 31000", 31_000_000),
        ("bandwidth percent 20", "bandwidth 31000", 31_000_000),
        ("bandwidth 31000", "bandwidth percent 20", 31_000_000),
        ("police cir percent 5", "police cir 7750001", None),
        ("police cir percent 5", "police cir percent 5", None),
        ("police cir 7750000", "police cir 7750000", None),
        ("bandwidth percent 20", "priority 31000", None),
        ("bandwidth remaining percent 20", "bandwidth 31000", None),
        ("bandwidth remaining percent 20", "bandwidth percent 20", None),
        ("priority", "priority percent 20", None),
        ("set dscp 46", "police cir 7750000", None),
        ("police cir percent 5", "set dscp 46", None),
    ],
)
def test_one_action_in_per_cent_and_as_a_rate(held, wanted, bps):
    same = found(policy(held) + PLACE, policy(wanted) + PLACE)
    assert same == ([] if bps is None else [(held, wanted, bps)])


def test_every_action_is_compared_with_its_own_kind():
    held = policy("police cir percent 5", "bandwidth percent 20", "shape average percent 10") + PLACE
    wanted = policy("police cir 7750000", "bandwidth 31000", "shape average 15500000") + PLACE
    assert found(held, wanted) == [
        ("bandwidth percent 20", "bandwidth 31000", 31_000_000),
        ("police cir percent 5", "police cir 7750000", 7_750_000),
        ("shape average percent 10", "shape average 15500000", 15_500_000),
    ]


def test_an_action_that_is_not_equal_hides_no_other():
    held = policy("bandwidth percent 20", "police cir percent 5", "shape average percent 10") + PLACE
    wanted = policy("bandwidth 100", "police cir 7750000", "shape average percent 10") + PLACE
    assert found(held, wanted) == [("police cir percent 5", "police cir 7750000", 7_750_000)]
    assert len(found(held, policy("police cir 7750000") + PLACE)) == 1


def test_places_in_order_each_with_its_own_bw():
    both = PLACE + "interface POS1/1\n service-policy input P\n"
    atm = "interface ATM5/0.1 point-to-point\n pvc 0/32\n  service-policy input P\n"
    held, wanted = policy("police cir percent 5") + both + atm, policy("police cir 7750000") + both + atm
    said = equal_today(parsed(held), parsed(wanted), BW)
    assert [each.interface for each in said] == ["ATM5/0.1 pvc 0/32", "POS1/0", "POS1/1"]
    within = atm.replace("\n pvc", "\n service-policy input P\n pvc")
    said = equal_today(parsed(held.replace(atm, within)), parsed(wanted.replace(atm, within)), BW)
    assert [each.interface for each in said][:2] == ["ATM5/0.1", "ATM5/0.1 pvc 0/32"]
    other = equal_today(parsed(held), parsed(wanted), {**BW, "POS1/0": 100_000_000, "ATM5/0.1": 1})
    assert [(each.interface, each.bw_bps) for each in other] == [("POS1/1", 155_000_000)]


def test_where_no_bw_is_shown_the_line_in_the_config_counts_and_else_nothing_is_said():
    typed = PLACE.replace("\n service", "\n bandwidth 155000\n service")
    for bandwidths, count in ((None, 1), ({}, 1), ({"POS1/0": 1_000_000}, 0)):
        held, wanted = policy("police cir percent 5") + typed, policy("police cir 7750000") + typed
        assert len(found(held, wanted, bandwidths)) == count
    assert found(policy("police cir percent 5") + PLACE, policy("police cir 7750000") + PLACE, None) == []


def test_a_class_is_known_again_under_its_next_version_and_no_other_is():
    held = policy("police cir percent 5") + PLACE
    assert len(found(held, policy("police cir 7750000", of="EF-2") + PLACE)) == 1
    assert found(held, policy("police cir 7750000", of="LBE") + PLACE) == []
    both = "policy-map P\n class EF-2\n  police cir 1000000\n class EF\n  police cir 7750000\n" + PLACE
    assert len(found(held, both)) == 1
    later = "policy-map P\n class LBE\n  set dscp 0\n class EF\n  police cir percent 5\n" + PLACE
    assert len(found(later, policy("police cir 7750000") + PLACE)) == 1


def test_a_place_that_was_free_or_becomes_free_says_nothing_and_hides_no_other():
    both = "interface POS1/0\n{}interface POS1/1\n service-policy input P\n"
    bound, gone = both.format(" service-policy input P\n"), both.format(" shutdown\n")
    held, wanted = policy("police cir percent 5"), policy("police cir 7750000")
    for before, after in ((bound, gone), (gone, bound)):
        said = equal_today(parsed(held + before), parsed(wanted + after), BW)
        assert [each.interface for each in said] == ["POS1/1"]
    missing = both.format(" service-policy input NOWHERE\n")
    assert len(found(held + missing, wanted + bound)) == 1


ONE = EqualToday(
    "POS1/0", "input", "P", "EF", "police cir percent 5", "police cir 7750000", 7_750_000, 155_000_000
)


def test_what_is_said():
    (said,) = equal_today(
        parsed(policy("police cir percent 5") + PLACE), parsed(policy("police cir 7750000") + PLACE), BW
    )
    assert said == ONE
    assert said.text == (
        "POS1/0 input: class EF of P has `police cir percent 5`, intended is `police cir 7750000`: equal today, "
        "7.75 Mbit/s either way at BW 155 Mbit/s; a percentage follows the BW and a rate does not, so it is a "
        "difference all the same"
    )
    kept = json.loads(json.dumps(said.to_json()))
    assert EqualToday.from_json(kept) == said
    assert kept["text"] == said.text


def test_an_intent_in_force_replaces_what_it_names_and_leaves_the_rest():
    held = parsed(policy("police cir percent 5") + policy("set dscp 0", name="X") + PLACE)
    read = parsed(policy("police cir 7750000") + "interface POS1/0\n service-policy input Q\n")
    more = parsed("interface POS1/1\n service-policy input P\n")
    intent = RouterIntent("r1", (), (), tuple(read.policy_maps.values()), read.bindings | more.bindings)
    there = as_intended(held, intent)
    assert there.policy_maps == {**held.policy_maps, **read.policy_maps}
    assert there.bindings == intent.bindings
    assert there.class_maps == held.class_maps
