"""Editing an access list in use, without a router: which entries come and go, and where new ones stand."""

from __future__ import annotations

import pytest

from provisioning.pipeline.diff.access_edits import edit, same_meaning, settled, without_repeats
from provisioning.pipeline.mqc import AccessEntry, AccessList

A, B, C, D = (f"permit ipv6 2001:db8:{letter}::/48 any" for letter in "abcd")
NO = "deny ipv6 any any"
BAD = "deny ipv6 2001:db8:bad::/48 any"
NOTE = "remark by hand"


def listed(*entries: tuple[int, str] | str, family: int = 6, name: str = "hosts") -> AccessList:
    numbered = (
        each if isinstance(each, tuple) else (10 * at, each) for at, each in enumerate(entries, start=1)
    )
    return AccessList(name, family, tuple(AccessEntry(number, text) for number, text in numbered))


def numbers(current: AccessList, wanted: AccessList) -> list[tuple[int, str]]:
    edited = edit(current, wanted)
    assert edited is not None
    assert same_meaning(edited.result, wanted)
    return [(entry.sequence, entry.text) for entry in edited.added]


@pytest.mark.parametrize(
    ("left", "right", "same"),
    [
        (listed(A, B), listed(B, A), True),
        (listed(A, B), listed((5, A), (7, B)), True),
        (listed(A, B), listed(A), False),
        (listed(A, B, A), listed(A, B), True),
        (listed(A, NO), listed(A), False),
        (listed(A, B, NO), listed(B, A, NO), True),
        (listed(BAD, A), listed(A, BAD), False),
        (listed(BAD, A, B), listed(BAD, B, A), False),
        (listed(A, BAD), listed(BAD, A), False),
        (listed(A, BAD, NO), listed(BAD, A, NO), False),
        (listed(A), listed(A, family=4), False),
    ],
)
def test_what_means_the_same(left, right, same):
    assert same_meaning(left, right) is same
    assert same_meaning(right, left) is same


@pytest.mark.parametrize(
    ("current", "wanted", "added"),
    [
        (listed(A, C), listed((10, A), (13, B), (20, C)), [(13, B)]),
        (listed(A, C), listed(A, B, C), [(15, B)]),
        (listed(A), listed(A, B), [(20, B)]),
        (listed(B), listed(A, B), [(5, A)]),
        (listed((10, A), (11, C)), listed(A, B, C), [(21, B)]),
        (listed((1, A), (2, C)), listed(A, B, C), [(12, B)]),
        (listed((1, A), (2, C)), listed(A, B, D, C), [(12, B), (22, D)]),
        (listed((1, A), (2, C), (3, NO)), listed(A, B, C, NO), None),
        (listed((2, A), (3, C), (4, NO)), listed(A, B, C, NO), [(1, B)]),
        (listed((10, B)), listed((1, A), (10, B)), [(1, A)]),
        (listed((15, A)), listed((5, A), (12, B)), [(20, B)]),
        (listed(A, NO), listed(A, B, NO), [(15, B)]),
        (listed(A, (50, C)), listed(A, B, C), [(20, B)]),
        (listed(A, (50, C)), listed(A, B, D, C), [(20, B), (30, D)]),
        (listed(A), listed(A, NO), [(20, NO)]),
        (listed((15, A), (20, B)), listed(A, (17, NO)), [(30, NO)]),
    ],
)
def test_a_new_entry_stands_between_its_neighbours(current, wanted, added):
    if added is None:
        assert edit(current, wanted) is None
    else:
        assert numbers(current, wanted) == added


def test_entries_go_by_what_they_are_and_the_others_keep_their_numbers():
    edited = edit(listed(A, B, C), listed(A, C, D))
    assert edited is not None
    assert [(entry.sequence, entry.text) for entry in edited.removed] == [(20, B)]
    assert edited.result == listed((10, A), (30, C), (40, D))
    assert not edited.by_words


def test_what_stays_may_be_several_in_a_row():
    edited = edit(listed(A, B, C), listed(A, B))
    assert edited is not None
    assert edited.removed == (AccessEntry(30, C),)
    assert edited.result == listed(A, B)


def test_an_entry_that_only_moves_stays_where_it_is():
    edited = edit(listed(A, B), listed(B, A))
    assert edited is not None
    assert (edited.added, edited.removed) == ((), ())


@pytest.mark.parametrize(
    ("current", "wanted"),
    [
        (listed(BAD, A), listed(A)),
        (listed(A), listed(BAD, A)),
        (listed(A, A), listed(A)),
        (listed(A), listed()),
        (listed(family=4), listed(A, family=4)),
        (listed(NOTE, family=4), listed(NOTE, A, family=4)),
        (listed(NOTE, A, family=4), listed(NOTE, family=4)),
        (listed(A), listed(A, NOTE)),
        (listed(NOTE, A), listed(A)),
        (listed(NOTE, A, NO), listed(NOTE, A, B, NO)),
        (listed(A, "deny ip any any", family=4), listed(A, B, family=4)),
        (listed(A), listed(A, family=4)),
    ],
    ids=[
        "deny",
        "new deny",
        "repeat",
        "empty",
        "from empty",
        "from remarks",
        "to remarks",
        "remark comes",
        "remark goes",
        "unnumbered closes",
        "IPv4 closes",
        "family",
    ],
)
def test_where_only_a_new_list_is_safe(current, wanted):
    assert edit(current, wanted) is None


def test_without_numbers_new_entries_come_last():
    edited = edit(listed(NOTE, B), listed(NOTE, A, B))
    assert edited is not None
    assert edited.by_words
    assert edited.added == (AccessEntry(30, A),)


def test_what_routers_agree_on():
    assert settled(listed((5, A), (7, B))) == listed((5, A), (7, B))
    assert settled(listed((5, B), (7, A), family=4)) == listed(A, B, family=4)
    assert settled(listed((5, B), (7, A), (9, NO), family=4)) == settled(
        listed((1, A), (2, B), (3, NO), family=4)
    )
    assert settled(listed(BAD, A, family=4)) != settled(listed(A, BAD, family=4))
    assert settled(listed((3, NOTE), (5, B), (7, A))) == listed(A, B, NOTE)
    assert settled(listed(A, B, A)) == listed(A, B)
    assert without_repeats(listed(A, B, A, B, C)) == listed((10, A), (20, B), (50, C))


def test_any_free_number_before_the_closing_deny_will_do():
    """The only one left is the lowest: a list in use is edited as long as there is one."""
    permits = [f"permit ipv6 2001:db8:{net}::/48 any" for net in "ab"]
    current = AccessList("hosts", 6, (AccessEntry(2, permits[0]), AccessEntry(3, "deny ipv6 any any")))
    wanted = AccessList(
        "hosts",
        6,
        (AccessEntry(10, permits[0]), AccessEntry(20, permits[1]), AccessEntry(30, "deny ipv6 any any")),
    )
    found = edit(current, wanted)
    assert found is not None
    assert found.added == (AccessEntry(1, permits[1]),)


def test_permits_before_a_closing_deny_mean_the_same_in_any_order_in_both_families():
    for family, closing in ((4, "deny ip any any"), (6, "deny ipv6 any any")):
        left = listed("permit a", "permit b", closing, family=family)
        right = listed("permit b", "permit a", closing, family=family)
        assert same_meaning(left, right)
        assert settled(left).entries[-1].text == closing
        assert not same_meaning(left, listed("permit a", closing, "permit b", family=family))
