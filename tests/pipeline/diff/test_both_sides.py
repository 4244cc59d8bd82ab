"""An access list that changes while an interface moves between two policies that both meet it."""

from __future__ import annotations

import pytest

from provisioning.pipeline import ios
from provisioning.pipeline.diff import Remediation, diff_configs
from provisioning.pipeline.rendering import Renderer
from provisioning.selectors.templates import ios_environment
from tests.pipeline.diff.meanwhile import meanwhile

RENDERER = Renderer(ios_environment())
ONE, OTHER, THIRD = (f"permit ipv6 2001:db8:{net}::/48 any" for net in "abc")
DENIED = "deny ipv6 2001:db8:d::/48 any"


def router(entries: tuple[str, ...], first: str, second: str, *, name: str = "hosts") -> str:
    """Policies A and B police what the list matches; C matches something else."""
    return (
        f"hostname r1\nipv6 access-list {name}\n"
        + "".join(
            f" sequence {number} {entry}\n" for number, entry in zip((10, 20, 30), entries, strict=False)
        )
        + f"class-map match-all EF\n match access-group name {name}\nclass-map match-all LBE\n match dscp 8\n"
        + "policy-map A\n class EF\n  police cir percent 5\n"
        + "policy-map B\n class EF\n  set dscp 46\n  police cir percent 5\n"
        + "policy-map C\n class LBE\n  set dscp 0\n"
        + f"interface POS1/0\n service-policy input {first}\ninterface POS1/1\n service-policy input {second}\n"
    )


def planned(before: str, after: str) -> Remediation:
    found = diff_configs(ios.parse(before), ios.parse(after), RENDERER)
    assert found.conflicts == ()
    return found


@pytest.mark.parametrize(
    ("held", "wanted", "moves", "lists"),
    [
        ((ONE,), (OTHER,), ("AC", "BC"), {"hosts-2"}),
        ((ONE,), (OTHER,), ("CA", "CB"), {"hosts-2"}),
        ((ONE,), (OTHER,), ("AC", "CC"), {"hosts"}),
        ((ONE,), (OTHER,), ("CC", "BC"), {"hosts"}),
        ((ONE,), (OTHER,), ("AC", "AC"), {"hosts"}),
        ((ONE,), (OTHER,), ("AC", "CB"), {"hosts"}),
        ((ONE,), (ONE, OTHER), ("AC", "BC"), {"hosts"}),
        ((ONE, OTHER), (ONE,), ("AC", "BC"), {"hosts"}),
        ((ONE,), (ONE,), ("AC", "BC"), {"hosts"}),
    ],
    ids=[
        "between both",
        "the second place",
        "away from it",
        "to it",
        "nothing moves",
        "one leaves and another joins",
        "sources come",
        "sources go",
        "the list stays",
    ],
)
def test_only_a_list_that_both_sides_meet_in_a_move_gets_a_copy(held, wanted, moves, lists):
    """Before the move who is new would meet the old policer, after it who shall go would meet the new one."""
    before, after = moves
    found = planned(router(held, *before), router(wanted, *after))
    assert meanwhile(found, found.result.access_lists) == lists
    for number, policy in enumerate(after):
        assert found.result.bound(f"POS1/{number}", "input") == policy


def test_every_such_list_gets_one():
    def two(first: str, second: str, place: str) -> str:
        more = (
            f"ipv6 access-list more\n {second}\nclass-map match-all MORE\n match access-group name more\n"
            "policy-map A\n class EF\n  police cir percent 5\n class MORE\n  set dscp 0\n"
            "policy-map B\n class EF\n  set dscp 46\n  police cir percent 5\n class MORE\n  set dscp 0\n"
        )
        whole = router((first,), place, "C")
        start = whole.index("policy-map A")
        return whole[:start] + more + whole[whole.index("policy-map C") :]

    found = planned(two(ONE, OTHER, "A"), two(OTHER, THIRD, "B"))
    assert meanwhile(found, found.result.access_lists) == {"hosts-2", "more-2"}


def two_lists(first: str, second: str, policy: str) -> str:
    """POS1/0 is bound to `policy`, POS1/1 to A; A meets both lists, B the first only."""
    return (
        f"hostname r1\nipv6 access-list hosts\n {first}\nipv6 access-list more\n {second}\n"
        "class-map match-all EF\n match access-group name hosts\n"
        "class-map match-all MORE\n match access-group name more\n"
        "policy-map A\n class EF\n  police cir percent 5\n class MORE\n  set dscp 0\n"
        "policy-map B\n class EF\n  set dscp 46\n  police cir percent 5\n"
        f"interface POS1/0\n service-policy input {policy}\ninterface POS1/1\n service-policy input A\n"
    )


def test_a_list_that_is_met_on_both_sides_because_of_another_one_gets_a_copy_too():
    """The copy of the first list takes a copy of A, and so a move that meets the second on both sides."""
    found = planned(two_lists(ONE, OTHER, "A"), two_lists(OTHER, THIRD, "B"))
    assert meanwhile(found, found.result.access_lists) == {"hosts-2", "more-2"}
    assert found.result.bound("POS1/0", "input") == "B"
    assert found.result.bound("POS1/1", "input") == "A"
    swaps = [(gap.old, gap.new) for gap in found.gaps if gap.interface == "POS1/1"]
    assert swaps == [("A", "A-2"), ("A-2", "A")]


def test_a_policy_and_its_copy_are_two_sides():
    def turned(text: str) -> str:
        classes = " class EF\n  police cir percent 5\n class MORE\n  set dscp 0\n"
        return text.replace(classes, " class MORE\n  set dscp 0\n class EF\n  police cir percent 5\n")

    found = planned(two_lists(ONE, OTHER, "A"), turned(two_lists(OTHER, OTHER, "A")))
    assert meanwhile(found, found.result.access_lists) == {"hosts-2", "more"}


WIDE = "permit ipv6 2001:db8::/32 any"
NOBODY = "deny ipv6 any any"


@pytest.mark.parametrize(
    ("held", "wanted", "lists"),
    [
        ((f"{THIRD}\n {ONE}", OTHER), (THIRD, ONE), {"hosts-2", "more-2"}),
        ((THIRD, ONE), (f"{THIRD}\n {ONE}", ONE), {"hosts-2", "more"}),
        ((THIRD, WIDE), (f"{THIRD}\n {ONE}", WIDE), {"hosts-2", "more"}),
        ((THIRD, OTHER), (f"{THIRD}\n {ONE}", OTHER), {"hosts", "more"}),
        ((THIRD, NOBODY), (f"{THIRD}\n {ONE}", NOBODY), {"hosts", "more"}),
    ],
    ids=[
        "goes over to the other",
        "was in the other",
        "was in a wider one",
        "was in none",
        "the other denies",
    ],
)
def test_a_source_that_another_list_lets_in_before_the_move_is_never_without(held, wanted, lists):
    """POS1/0 moves from A, which meets both lists, to B, which meets the first: who comes to it was let in by the other.

    Who goes over to the other is let in there after the move (nobody new meets A before it), goes from here after that (for
    POS1/1, which stays) and before the move (nobody who goes meets B).
    """
    found = planned(two_lists(*held, "A"), two_lists(*wanted, "B"))
    assert meanwhile(found, found.result.access_lists) == lists


@pytest.mark.parametrize(
    ("held", "wanted", "lists"),
    [
        ((f"{THIRD}\n {ONE}", ONE), (THIRD, ONE), {"hosts-2", "more"}),
        ((f"{THIRD}\n {ONE}", WIDE), (THIRD, WIDE), {"hosts-2", "more"}),
        ((f"{THIRD}\n {ONE}", OTHER), (THIRD, OTHER), {"hosts", "more"}),
        ((f"{WIDE}\n {ONE}", "permit udp any any"), (WIDE, "permit udp any any"), {"hosts", "more"}),
    ],
    ids=["is in the other", "is in a wider one", "is in none", "stays in its own"],
)
def test_a_source_that_another_list_lets_in_after_the_move_is_never_without(held, wanted, lists):
    """POS1/0 moves from B, which meets the first list, to A, which meets both: who goes from it is let in by the other."""
    found = planned(two_lists(*held, "B"), two_lists(*wanted, "A"))
    assert meanwhile(found, found.result.access_lists) == lists


def test_a_source_that_its_own_list_lets_in_already_needs_no_copy():
    held = two_lists(WIDE, "permit udp any any", "A")
    wanted = two_lists(f"{WIDE}\n {ONE}", "permit udp any any", "B")
    found = planned(held, wanted)
    assert meanwhile(found, found.result.access_lists) == {"hosts", "more"}


@pytest.mark.parametrize(
    ("held", "wanted"),
    [((THIRD,), (OTHER,)), ((DENIED, THIRD), (THIRD, DENIED))],
    ids=["edited in place", "made anew"],
)
@pytest.mark.parametrize("before", [True, False], ids=["before", "behind"])
def test_a_list_that_no_policy_meets_changes_nothing_of_the_others(held, wanted, before):
    def beside(text: str, entries: tuple[str, ...]) -> str:
        alone = "ipv6 access-list alone\n" + "".join(f" {entry}\n" for entry in entries)
        at = text.index("ipv6 access-list" if before else "class-map")
        return text[:at] + alone + text[at:]

    found = planned(beside(router((ONE,), "A", "C"), held), beside(router((OTHER,), "B", "C"), wanted))
    assert meanwhile(found, found.result.access_lists) == {"alone", "hosts-2"}


def test_a_source_that_changes_lists_is_let_in_there_before_it_goes_here():
    found = planned(two_lists(f"{THIRD}\n {ONE}", OTHER, "A"), two_lists(THIRD, f"{OTHER}\n {ONE}", "A"))
    lines = [line.text for line in found.commands]
    assert found.gaps == ()
    assert lines.index(f"sequence 20 {ONE}") < lines.index("no sequence 20")
