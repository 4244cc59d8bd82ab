"""How single changes are typed: what the train spells otherwise, and what a terminal takes."""

from __future__ import annotations

import pytest

from provisioning.errors import InvalidInput
from provisioning.pipeline import ios
from provisioning.pipeline.diff import diff_configs, transition
from provisioning.pipeline.platforms import Profile, profile
from provisioning.pipeline.rendering import Renderer
from provisioning.selectors.templates import ios_environment

RENDERER = Renderer(ios_environment())
OLD = profile("cisco-12400", "12.0(25)S")
NEW = profile("cisco-12400", "12.0(28)S")
EF = "class-map match-all EF\n match dscp 46\nclass-map match-all LBE\n match dscp 8\n"


def typed(before: str, after: str, known: Profile = NEW, **given: bool) -> list[str]:
    one, other = (ios.parse(f"hostname r1\n{EF}{text}", known) for text in (before, after))
    return [line.text for line in transition(one, other, RENDERER, known, **given).lines]


def policy(*lines: str) -> str:
    return "".join(f"{line}\n" for line in ("policy-map P", " class EF", *lines))


SLOW, FAST = (
    "  police 1000000 31250 31250 conform-action transmit exceed-action drop",
    "  police 2000000 62500 62500 conform-action transmit exceed-action drop",
)


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("", policy(SLOW), ["policy-map P", "class EF", "police 1000000 {}"]),
        (policy(SLOW), policy(FAST), ["policy-map P", "class EF", "police 2000000 {}"]),
        (
            policy("  set dscp 0"),
            policy("  set dscp 0", SLOW),
            ["policy-map P", "class EF", "police 1000000 {}"],
        ),
        (
            policy("  set dscp 0", SLOW),
            policy("  set dscp 0"),
            ["policy-map P", "class EF", "no police 1000000"],
        ),
    ],
    ids=["made", "typed over", "added", "taken away"],
)
def test_a_train_without_cir_is_told_the_bare_rate(before, after, said):
    """12.0(27)S knows no `police cir` (ios-facts 2.1)."""
    rest = "conform-action transmit exceed-action drop"
    assert typed(before, after, OLD) == [line.format(rest) for line in said]
    assert typed(before, after, NEW) == [line.replace("police ", "police cir ").format(rest) for line in said]


def test_a_new_class_with_nothing_in_it_is_added_and_one_that_stays_is_not_entered():
    before = policy("  set dscp 46")
    assert typed(before, before + " class LBE\n") == ["policy-map P", "class LBE"]
    assert typed(before, before + " class LBE\n  set dscp 0\n") == ["policy-map P", "class LBE", "set dscp 0"]


RATE, FASTER = policy(SLOW), policy(FAST)
ONE, TWO = policy("  set dscp 46"), policy("  set dscp 46", " class LBE", "  set dscp 0")
PLAIN = "class-map match-all C\n match dscp 1\n"


def told(text: str, words: str) -> str:
    head, rest = text.split("\n", 1)
    return f"{head}\n description {words}\n{rest}"


WAYS = [("", ONE), (ONE, TWO), (RATE, FASTER), ("", PLAIN), (PLAIN, PLAIN)]
NAMED = pytest.mark.parametrize(
    ("before", "after"), WAYS, ids=["policy", "edited", "in use", "class-map", "edited class-map"]
)


@NAMED
def test_a_description_is_typed_and_put_back_as_far_as_a_terminal_takes_it(before, after):
    """At a question mark a router prints help."""
    assert typed(before, told(after, "who asked"))[1] == "description who asked"
    assert typed(before, told(after, "who? ask"), restoring=True)[1] == "description who ask"
    if before:
        assert typed(told(before, "who asked"), after)[1] == "no description"


@NAMED
def test_a_description_that_no_terminal_takes_is_refused_however_it_would_be_typed(before, after):
    with pytest.raises(InvalidInput, match="a character that a router does not read as text"):
        typed(before, told(after, "who? ask"))
    one, other = (ios.parse(f"hostname r1\n{EF}{text}") for text in (before, told(after, "who? ask")))
    with pytest.raises(InvalidInput, match="a character that a router does not read as text"):
        diff_configs(one, other, RENDERER)


LISTS = {
    "standard": ("ip access-list standard hosts", "permit host 192.0.2.1", "permit host 192.0.2.2"),
    "extended": (
        "ip access-list extended hosts",
        "permit ip host 192.0.2.1 any",
        "permit ip host 192.0.2.2 any",
    ),
}


@pytest.mark.parametrize("sort", ["standard", "extended"])
def test_an_ipv4_entry_is_named_by_its_words(sort):
    """Old trains print no numbers there (ios-facts N33)."""
    head, one, other = LISTS[sort]
    both, first = f"{head}\n {one}\n {other}\n", f"{head}\n {one}\n"
    assert typed(both, first) == [head, f"no {other}"]
    assert typed(first, both) == [head, other]
    assert typed(first, "") == [f"no {head}"]
    assert typed("", first) == [head, one]


@pytest.mark.parametrize(
    ("head", "entry"),
    [
        ("ipv6 access-list hosts", "sequence 10 permit ipv6 2001:db8:a::/48 any"),
        ("class-map match-any C", "match dscp 1"),
    ],
)
def test_what_goes_is_named_and_no_more(head, entry):
    text = f"{head}\n {entry}\n"
    assert typed(text, "") == [f"no {head}".replace("match-any ", "")]
    assert typed("", text) == [head, entry]


def test_an_ipv6_entry_is_named_by_its_words_where_a_remark_hides_the_numbers():
    """A remark is printed without its number, and may take one (ios-facts N32, N35)."""
    head, one, other = (
        "ipv6 access-list hosts",
        "permit ipv6 2001:db8:a::/48 any",
        "permit ipv6 2001:db8:b::/48 any",
    )
    both, first = (f"{head}\n remark who asked\n{rest}" for rest in (f" {one}\n {other}\n", f" {one}\n"))
    assert typed(first, both) == [head, other]
    assert typed(both, first) == [head, f"no {other}"]
