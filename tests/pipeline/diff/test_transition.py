"""From one exact config to another: which line goes when, and what is refused."""

from __future__ import annotations

import pytest

from provisioning.errors import InvalidInput
from provisioning.pipeline import ios
from provisioning.pipeline.diff import Step, Transition, transition
from provisioning.pipeline.mqc import RunningConfig
from provisioning.pipeline.rendering import Renderer
from provisioning.selectors.templates import ios_environment
from tests.pipeline.practice import profile_of

RENDERER = Renderer(ios_environment())
BW = {"POS1/0": 155_000_000, "GigabitEthernet3/0": 1_000_000_000, "ATM5/0.1": 34_368_000}


def parsed(text: str) -> RunningConfig:
    return ios.parse(f"hostname r1\n{text}", profile_of("12000"))


def between(before: str, after: str, **given) -> Transition:
    return transition(parsed(before), parsed(after), RENDERER, profile_of("12000"), **given)


def lines(before: str, after: str, **given) -> list[str]:
    return [line.text for line in between(before, after, **given).lines]


CLASSES = """\
class-map match-all EF
 match dscp 46
class-map match-all LBE
 match dscp 8
class-map match-all BULK
 match dscp 10
"""
DROP = "conform-action transmit exceed-action drop"
OTHER = "policy-map OTHER\n class class-default\n  set dscp 0\n"


def rates(ef: str, lbe: str, bulk: str = "1000000", where: str = "interface POS1/0\n{}") -> str:
    policy = f"policy-map IN\n class EF\n  police cir {ef}\n class LBE\n  police cir {lbe}\n class BULK\n  police cir {bulk}\n"
    return CLASSES + policy + where.format(" service-policy input IN\n")


def typed_over(before: str, after: str, **given) -> list[str]:
    """The classes whose policers are typed over, in order."""
    found = lines(before, after, **given)
    return [text.removeprefix("class ") for text in found if text.startswith("class ")]


def test_only_what_changed_is_typed_over_wherever_it_stands_in_the_policy():
    assert lines(rates("2000000", "percent 5"), rates("2000000", "percent 1")) == [
        "policy-map IN",
        "class LBE",
        f"police cir percent 1 {DROP}",
    ]


PVC = "interface ATM5/0.1 point-to-point\n bandwidth 34368\n pvc 0/32\n {}"
TWO = "interface POS1/0\n{0}interface GigabitEthernet3/0\n{0}"
INSIDE = (
    "policy-map OUTER\n class class-default\n  service-policy IN\n  shape average 20000000\n"
    "interface POS1/0\n service-policy output OUTER\n"
)
BOTH = INSIDE + "interface GigabitEthernet3/0\n{}"
SLOW = "interface POS1/0\n bandwidth 100000\n{}"


@pytest.mark.parametrize(
    ("where", "before", "after", "given", "order"),
    [
        (PVC, ("percent 5", "percent 5"), ("percent 6", "percent 4"), BW, ["LBE", "EF"]),
        (PVC, ("percent 5", "100000", "90000"), ("64000", "90000", "100000"), BW, ["LBE", "EF", "BULK"]),
        (TWO, ("90000", "percent 1", "100000"), ("100000", "2000000", "90000"), BW, ["BULK", "LBE", "EF"]),
        (BOTH, ("percent 5", "100000"), ("64000", "90000"), BW, ["LBE", "EF"]),
        (SLOW, ("percent 1", "percent 2"), ("1000500", "percent 1"), {}, ["LBE", "EF"]),
        (SLOW, ("percent 1", "percent 2"), ("999500", "percent 1"), {}, ["EF", "LBE"]),
        (SLOW, ("90000", "percent 1"), ("100000", "1500000"), {}, ["EF", "LBE"]),
        (SLOW, ("90000", "percent 1"), ("100000", "1500000"), BW, ["LBE", "EF"]),
        ("{0:.0}", ("percent 1", "100000"), ("64000", "90000"), BW, ["LBE", "EF"]),
    ],
    ids=[
        "two percentages need no BW",
        "the share of a PVC is not known",
        "higher here and lower there",
        "bound and inside another",
        "a little higher by the line in the config",
        "a little lower by the line in the config",
        "higher by the line in the config",
        "lower by what the router shows",
        "bound nowhere",
    ],
)
def test_lower_then_not_known_then_higher(where, before, after, given, order):
    assert typed_over(rates(*before, where=where), rates(*after, where=where), bandwidths=given) == order


@pytest.mark.parametrize(("before", "after"), [("IN", "OTHER"), ("OTHER", "IN")], ids=["leaves", "joins"])
def test_a_place_of_either_end_counts_for_what_is_higher(before, after):
    """1 % is less than 2 Mbit/s on POS1/0 and more on the other interface, which has the policy at one end only."""
    where = "interface POS1/0\n{{}}interface GigabitEthernet3/0\n service-policy input {}\n"
    held = OTHER + rates("90000", "percent 1", "100000", where=where.format(before))
    wanted = OTHER + rates("100000", "2000000", "90000", where=where.format(after))
    assert typed_over(held, wanted, bandwidths=BW) == ["BULK", "LBE", "EF"]


def test_who_leaves_a_policy_goes_before_its_rate_changes_and_who_joins_comes_after():
    def bound(rate: str, first: str, second: str) -> str:
        places = f"interface POS1/0\n service-policy input {first}\ninterface POS1/1\n service-policy input {second}\n"
        return rates(rate, "percent 1", where="{0:.0}") + OTHER + places

    found = lines(bound("percent 5", "IN", "OTHER"), bound("percent 6", "OTHER", "IN"))
    assert found == [
        "interface POS1/0",
        "no service-policy input IN",
        "service-policy input OTHER",
        "policy-map IN",
        "class EF",
        f"police cir percent 6 {DROP}",
        "interface POS1/1",
        "no service-policy input OTHER",
        "service-policy input IN",
    ]


ORDER = "policy-map P\n class EF\n  set dscp 46\n class LBE\n  set dscp 8\n"
TURNED = "policy-map P\n class LBE\n  set dscp 8\n class EF\n  set dscp 46\n"
BOUND = "interface POS1/0\n service-policy input P\n"
FREE = "interface POS1/0\n shutdown\n"
CREATED = [
    "policy-map P",
    "class LBE",
    "set dscp 8",
    "class EF",
    "set dscp 46",
]
UNBINDING = ["interface POS1/0", "no service-policy input P"]
BINDING = ["interface POS1/0", "service-policy input P"]


def test_what_is_to_be_used_is_made_anew_before_and_what_was_used_afterwards():
    assert lines(CLASSES + ORDER + FREE, CLASSES + TURNED + BOUND) == ["no policy-map P", *CREATED, *BINDING]
    assert lines(CLASSES + ORDER + BOUND, CLASSES + TURNED + FREE) == [
        *UNBINDING,
        "no policy-map P",
        *CREATED,
    ]


CONTROL_PLANE = "control-plane\n service-policy input P\n"
OUTER = "policy-map OUTER\n class class-default\n  service-policy P\n"


@pytest.mark.parametrize(
    "user",
    [BOUND, CONTROL_PLANE, OUTER + BOUND.replace("input P", "input OUTER")],
    ids=["bound", "not MQC", "inside another that is bound"],
)
def test_what_is_used_all_the_time_is_not_made_anew(user):
    with pytest.raises(InvalidInput, match="policy-map P cannot be changed while it is in use") as refused:
        between(CLASSES + ORDER + user, CLASSES + TURNED + user)
    assert refused.value.field == "policy-map"


def test_what_only_unbound_policies_use_is_made_anew_with_them():
    """No router takes away a policy that another refers to; it comes back as it was, or as it shall be."""
    again = ["policy-map OUTER", "class class-default", "service-policy P"]
    assert lines(CLASSES + ORDER + OUTER, CLASSES + TURNED + OUTER) == [
        "no policy-map OUTER",
        "no policy-map P",
        *CREATED,
        *again,
    ]
    more = OUTER.replace("default\n", "default\n  set dscp 0\n")
    found = lines(CLASSES + ORDER + OUTER, CLASSES + TURNED + more)
    assert [line for line in found if line.endswith("policy-map OUTER")] == [
        "no policy-map OUTER",
        "policy-map OUTER",
    ]
    assert "set dscp 0" in found


@pytest.mark.parametrize("there", [True, False], ids=["there before", "made"])
def test_what_was_bound_and_is_only_referred_to_is_made_anew_with_its_users_after_the_bindings(there):
    held = OUTER if there else ""
    found = lines(CLASSES + ORDER + held + BOUND, CLASSES + TURNED + OUTER + FREE)
    assert found == [
        *UNBINDING,
        *(["no policy-map OUTER"] if there else []),
        "no policy-map P",
        *CREATED,
        "policy-map OUTER",
        "class class-default",
        "service-policy P",
    ]


def test_a_user_that_goes_goes_before_what_is_made_anew():
    found = lines(
        CLASSES + ORDER + OUTER, CLASSES + TURNED + "policy-map Q\n class LBE\n  service-policy P\n"
    )
    assert found[:2] == ["no policy-map OUTER", "no policy-map P"]
    assert found.count("no policy-map OUTER") == 1


def test_others_being_used_is_no_reason_to_wait():
    """Of three policies the unused one is made anew at once, whoever is bound, inside another or used by others."""
    used = "policy-map Q\n class EF\n  set dscp 46\npolicy-map R\n class class-default\n  service-policy Q\n"
    places = "interface POS1/0\n service-policy output R\ncontrol-plane\n service-policy input Q\n"
    found = lines(CLASSES + ORDER + used + places, CLASSES + TURNED + used + places)
    assert found == ["no policy-map P", *CREATED]


def test_several_made_anew_at_once_go_from_the_top_and_come_from_the_bottom():
    def two(first: str, second: str, held: str) -> str:
        """B comes after A in the alphabet and holds it, or not."""
        classes = f" class {first}\n  set dscp 46\n class {second}\n  set dscp 8\n"
        return f"{CLASSES}policy-map A\n{classes}policy-map B\n{classes}{held}"

    holds = " class class-default\n  service-policy A\n"
    place = "interface POS1/0\n service-policy output B\n"
    heads = ("policy-map", "no policy-map", "interface")
    early = lines(two("EF", "LBE", "") + FREE, two("LBE", "EF", holds) + place)
    assert [text for text in early if text.startswith(heads)] == [
        "no policy-map B",
        "no policy-map A",
        "policy-map A",
        "policy-map B",
        "interface POS1/0",
    ]
    late = lines(two("EF", "LBE", holds) + place, two("LBE", "EF", "") + FREE)
    assert [text for text in late if text.startswith(heads)] == [
        "interface POS1/0",
        "no policy-map B",
        "no policy-map A",
        "policy-map A",
        "policy-map B",
    ]


EF_41 = CLASSES.replace("match dscp 46", "match dscp 41")
ONE = "policy-map P\n class EF\n  set dscp 46\n"


def test_a_class_map_changes_while_no_packet_meets_it():
    edited = ["class-map match-all EF", "match dscp 41", "no match dscp 46"]
    assert lines(CLASSES + ONE + FREE, EF_41 + ONE + BOUND) == [*edited, *BINDING]
    assert lines(CLASSES + ONE + BOUND, EF_41 + ONE + FREE) == [*UNBINDING, *edited]
    two = EF_41.replace("match dscp 8", "match dscp 9")
    more = "policy-map P\n class EF\n  set dscp 46\n class LBE\n  set dscp 46\n"
    both = ["class-map match-all LBE", "match dscp 9", "no match dscp 8"]
    assert lines(CLASSES + more + BOUND, two + more + FREE) == [*UNBINDING, *edited, *both]
    with pytest.raises(InvalidInput, match="class-map EF cannot be changed while it is in use"):
        between(CLASSES + ONE + BOUND, EF_41 + ONE + BOUND)


def test_the_description_of_a_class_map_changes_while_packets_meet_it():
    told = CLASSES.replace("match-all EF\n", "match-all EF\n description voice\n")
    assert lines(CLASSES + ONE + BOUND, told + ONE + BOUND) == ["class-map match-all EF", "description voice"]


def test_a_class_map_of_another_mode_is_made_anew():
    other = CLASSES.replace("match-all EF", "match-any EF")
    made = ["no class-map EF", "class-map match-any EF", "match dscp 46"]
    assert lines(CLASSES, other) == made
    assert lines(CLASSES + ONE, other) == ["no policy-map P", *made]
    again = lines(CLASSES + ONE, other + ONE)
    assert again[:4] == ["no policy-map P", *made]
    assert again[4] == "policy-map P"
    with pytest.raises(InvalidInput, match="class-map EF cannot be changed while it is in use"):
        between(CLASSES + ONE + BOUND, other + ONE + BOUND)


def test_a_policy_changes_while_no_packet_meets_it():
    more = ONE + " class LBE\n  set dscp 8\n"
    edited = ["policy-map P", "class LBE", "set dscp 8"]
    assert lines(CLASSES + ONE + FREE, CLASSES + more + BOUND) == [*edited, *BINDING]
    assert lines(CLASSES + ONE + BOUND, CLASSES + more + FREE) == [*UNBINDING, *edited]
    second = " service-policy output Q\n"
    two, more_of_both = (text + text.replace("-map P", "-map Q") for text in (ONE, more))
    found = lines(CLASSES + two + BOUND + second, CLASSES + more_of_both + FREE)
    assert found[-6:] == [*edited, *(line.replace("-map P", "-map Q") for line in edited)]
    with pytest.raises(InvalidInput, match="policy-map P cannot be changed while it is in use"):
        between(CLASSES + ONE + BOUND, CLASSES + more + BOUND)


def test_the_description_of_a_policy_changes_with_a_rate():
    one = CLASSES + "policy-map P\n class EF\n  police cir percent 5\n" + BOUND
    other = one.replace("policy-map P\n", "policy-map P\n description who asked\n").replace(
        "percent 5", "percent 4"
    )
    assert lines(one, other) == [
        "policy-map P",
        "description who asked",
        "policy-map P",
        "class EF",
        f"police cir percent 4 {DROP}",
    ]


HOSTS = "ipv6 access-list hosts\n"
A, B, DENY = (
    " permit ipv6 2001:db8:a::/48 any\n",
    " permit ipv6 2001:db8:b::/48 any\n",
    " deny ipv6 2001:db8::/32 any\n",
)


def test_a_list_nobody_uses_is_edited_or_made_anew():
    assert lines(HOSTS + A, HOSTS + A + B) == [
        "ipv6 access-list hosts",
        "sequence 20 permit ipv6 2001:db8:b::/48 any",
    ]
    assert lines(HOSTS + A + DENY, HOSTS + DENY + A) == [
        "no ipv6 access-list hosts",
        "ipv6 access-list hosts",
        "sequence 10 deny ipv6 2001:db8::/32 any",
        "sequence 20 permit ipv6 2001:db8:a::/48 any",
    ]


def test_a_list_in_use_whose_order_decides_is_refused():
    user = "class-map match-all EF\n match access-group name hosts\n" + ONE + BOUND
    with pytest.raises(InvalidInput, match="access-list hosts cannot be changed while it is in use"):
        between(HOSTS + A + DENY + user, HOSTS + DENY + A + user)


def steps(found: Transition) -> list[tuple[str, Step | None]]:
    return [(line.text, line.step) for line in found.lines]


def test_every_line_says_its_step():
    before = (
        HOSTS
        + A
        + "class-map match-all EF\n match access-group name hosts\nclass-map match-all OLD\n match dscp 1\n"
        + "policy-map P\n class EF\n  police cir percent 5\npolicy-map OLD\n class OLD\n  set dscp 0\n"
        + BOUND
    )
    after = (
        HOSTS
        + B
        + "class-map match-all EF\n match access-group name hosts\nclass-map match-all NEW\n match dscp 2\n"
        + "policy-map P\n class EF\n  police cir percent 4\npolicy-map CHILD\n class NEW\n  set dscp 0\n"
        + "policy-map OUT\n class NEW\n  service-policy CHILD\n"
        + BOUND
        + " service-policy output OUT\n"
    )
    assert steps(between(before, after)) == [
        ("class-map match-all NEW", Step.CLASS_MAP),
        ("match dscp 2", Step.CLASS_MAP),
        ("policy-map CHILD", Step.CHILD_POLICY),
        ("class NEW", Step.CHILD_POLICY),
        ("set dscp 0", Step.CHILD_POLICY),
        ("policy-map OUT", Step.POLICY),
        ("class NEW", Step.POLICY),
        ("service-policy CHILD", Step.POLICY),
        ("policy-map P", Step.DECREASE),
        ("class EF", Step.DECREASE),
        (f"police cir percent 4 {DROP}", Step.DECREASE),
        ("ipv6 access-list hosts", Step.ACCESS_LIST),
        ("sequence 65000 deny ipv6 any any", Step.ACCESS_LIST),
        ("no sequence 10", Step.ACCESS_LIST),
        ("sequence 1 permit ipv6 2001:db8:b::/48 any", Step.ACCESS_LIST),
        ("no sequence 65000", Step.ACCESS_LIST),
        ("interface POS1/0", Step.BINDING),
        ("service-policy output OUT", Step.BINDING),
        ("no policy-map OLD", Step.DELETE),
        ("no class-map OLD", Step.DELETE),
    ]


def test_every_line_says_its_step_when_only_policies_are_made():
    child = "policy-map CHILD\n class EF\n  set dscp 0\npolicy-map OUT\n class EF\n  service-policy CHILD\n"
    made = steps(between(CLASSES, CLASSES + child))
    assert made[0] == ("policy-map CHILD", Step.CHILD_POLICY)
    assert made[3] == ("policy-map OUT", Step.POLICY)


def test_every_line_says_its_step_when_it_waits_for_the_bindings():
    assert steps(between(CLASSES + ORDER + BOUND, EF_41 + TURNED + FREE)) == [
        *((line, Step.BINDING) for line in UNBINDING),
        ("class-map match-all EF", Step.CLASS_MAP),
        ("match dscp 41", Step.CLASS_MAP),
        ("no match dscp 46", Step.CLASS_MAP),
        ("no policy-map P", Step.DELETE),
        *((line, Step.POLICY) for line in CREATED),
    ]


def test_a_gap_is_counted_from_the_first_line_of_all():
    """After a policy that goes early and one that is made."""
    new = "policy-map NEW\n class EF\n  set dscp 0\n"
    after = CLASSES + TURNED + new + BOUND.replace("input P", "input NEW")
    found = between(CLASSES + ORDER + OTHER + BOUND.replace("input P", "input OTHER"), after)
    (gap,) = found.gaps
    assert found.lines[0].text == "no policy-map P"
    assert found.lines[gap.after_line].text == "no service-policy input OTHER"
    assert found.lines[gap.after_line + 1].text == "service-policy input NEW"
