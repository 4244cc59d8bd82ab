"""Lists edited in one plan: which are edited where they stand, and which get an interim copy because of one another."""

from __future__ import annotations

from provisioning.pipeline import ios
from provisioning.pipeline.diff import Remediation, diff_configs
from provisioning.pipeline.rendering import Renderer
from provisioning.selectors.templates import ios_environment
from tests.pipeline.diff.meanwhile import meanwhile

RENDERER = Renderer(ios_environment())
A, B, C = (f"permit ipv6 2001:db8:{net}::/48 any" for net in "abc")
A_TO_F = "permit ipv6 2001:db8:a::/48 2001:db8:f::/48"


def router(
    lists: dict[str, tuple[str, ...]], policies: dict[str, dict[str, str]], bound: tuple[str, ...]
) -> str:
    """Lists by name, policies as the mark of each class (a list's name, or `dscp 46`), and the policy of each port, if any."""
    text = "hostname r1\n"
    for name, entries in lists.items():
        text += f"ipv6 access-list {name}\n"
        text += "".join(f" sequence {number * 10} {entry}\n" for number, entry in enumerate(entries, 1))
    for name in sorted({name for classes in policies.values() for name in classes}):
        asked = name if name.startswith("dscp") else f"access-group name {name}"
        text += f"class-map match-all OF-{name.replace(' ', '-')}\n match {asked}\n"
    for policy, classes in policies.items():
        text += f"policy-map {policy}\n"
        for name, mark in classes.items():
            text += f" class OF-{name.replace(' ', '-')}\n  set dscp {mark}\n"
    for number, policy in enumerate(bound):
        text += f"interface POS1/{number}\n" + (f" service-policy input {policy}\n" if policy else "")
    return text


def planned(before: str, after: str) -> Remediation:
    """The plan, which arrives at what is wanted, and has no conflict."""
    wanted = ios.parse(after)
    found = diff_configs(ios.parse(before), wanted, RENDERER)
    assert found.conflicts == ()
    assert diff_configs(found.result, wanted, RENDERER).empty
    return found


def test_each_of_three_lists_that_keep_the_same_source_out_gets_a_copy() -> None:
    policies = {"P": {"a": "0", "b": "0", "c": "46"}}
    found = planned(
        router({"a": (A, B), "b": (A, B), "c": (A, C)}, policies, ("P",)),
        router({"a": (B,), "b": (B,), "c": (C,)}, policies, ("P",)),
    )
    assert meanwhile(found, found.result.access_lists).isdisjoint({"a", "b", "c"})


def test_only_a_policy_with_both_lists_can_keep_a_source_of_one_out_of_the_other() -> None:
    policies = {"P": {"a": "46", "b": "46"}, "Q": {"a": "0"}}
    found = planned(
        router({"a": (B,), "b": (C,)}, policies, ("P", "Q")),
        router({"a": (B, A), "b": (C, A)}, policies, ("P", "Q")),
    )
    assert meanwhile(found, found.result.access_lists) == {"a", "b"}


def test_a_policy_that_only_one_end_has_is_asked_at_that_end() -> None:
    lists, more = {"a": (B,), "b": (C,)}, {"a": (B, A), "b": (C, A), "c": (C,)}
    classes = {"a": "0", "b": "46"}
    found = planned(
        router(lists, {"P": classes}, ("P", "")),
        router(more, {"P": classes, "Q": {**classes, "c": "8"}}, ("P", "Q")),
    )
    assert meanwhile(found, found.result.access_lists).isdisjoint({"a", "b"})


def test_another_class_of_the_policy_keeps_nobody_out() -> None:
    """Not even one whose codepoint reads like the name of a list."""
    policies = {"P": {"46": "46", "b": "46", "dscp 46": "0"}}
    found = planned(
        router({"46": (B,), "b": (C,)}, policies, ("P",)),
        router({"46": (B, A), "b": (C, A)}, policies, ("P",)),
    )
    assert meanwhile(found, found.result.access_lists) == {"46", "b"}


def test_what_a_list_itself_goes_on_to_let_in_is_of_no_other_list() -> None:
    policies = {"P": {"a": "0"}, "Q": {"a": "46"}}
    few, many = {"a": (B, A_TO_F)}, {"a": (B, A_TO_F, A)}
    for before, after in ((few, many), (many, few)):
        found = planned(router(before, policies, ("P", "Q")), router(after, policies, ("Q", "Q")))
        assert meanwhile(found, found.result.access_lists) == {"a"}


def test_an_interface_that_waits_between_two_edits_closes_a_circle() -> None:
    """Who comes to `a` may not meet P, so the move is first; before it goes whoever goes from `b`; and that is A, who would be
    in neither.
    """
    policies = {"P": {"a": "8"}, "Q": {"a": "46", "b": "46"}}
    found = planned(
        router({"a": (B,), "b": (C, A)}, policies, ("P", "Q")),
        router({"a": (B, A), "b": (C,)}, policies, ("Q", "Q")),
    )
    assert meanwhile(found, found.result.access_lists).isdisjoint({"a", "b"})


def test_a_circle_is_found_beside_many_sources_that_only_go_over() -> None:
    """A goes from `a` to `b` and B the other way round; the others that go from either are in nobody's way."""
    others = {f"to{number}": f"permit ipv6 2001:db8:1{number:02}::/48 any" for number in range(24)}
    sources, policies = tuple(others.values()), {"P": dict.fromkeys(("a", "b", *others), "46")}
    found = planned(
        router(
            {"a": (A, *sources[:12]), "b": (B, *sources[12:]), **dict.fromkeys(others, (C,))},
            policies,
            ("P",),
        ),
        router({"a": (B,), "b": (A,), **{name: (C, one) for name, one in others.items()}}, policies, ("P",)),
    )
    assert meanwhile(found, found.result.access_lists).isdisjoint({"a", "b"})


def test_sources_change_places_in_place_where_no_packet_meets_the_lists() -> None:
    policies = {"P": {"a": "46", "b": "0"}}
    found = planned(
        router({"a": (A, C), "b": (B, C)}, policies, ("",)),
        router({"a": (B, C), "b": (A, C)}, policies, ("",)),
    )
    assert meanwhile(found, found.result.access_lists) == {"a", "b"}
