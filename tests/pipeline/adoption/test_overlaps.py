"""Prefixes of one owner, or of one link, alone: the same as when every pair is compared."""

from __future__ import annotations

from ipaddress import ip_network

from hypothesis import given
from hypothesis import strategies as st

from provisioning.pipeline.adoption.overlaps import of_one_alone, on_one_link


@st.composite
def prefixes(draw: st.DrawFn) -> str:
    length = draw(st.integers(0, 4))
    if draw(st.booleans()):
        return str(ip_network((draw(st.integers(0, 15)) << 28, length), strict=False))
    return str(ip_network((draw(st.integers(0, 15)) << 124, length), strict=False))


def overlap(one: str, other: str) -> bool:
    mine, theirs = ip_network(one), ip_network(other)
    return mine.version == theirs.version and mine.overlaps(theirs)


@given(st.dictionaries(st.sampled_from("ABC"), st.sets(prefixes(), max_size=5)))
def test_a_prefix_that_two_owners_have_in_part_is_nobody_s(owned: dict[str, set[str]]) -> None:
    kept, said = of_one_alone(owned)
    alone = {
        name: {
            each
            for each in own
            if not any(overlap(each, far) for other in owned if other != name for far in owned[other])
        }
        for name, own in owned.items()
    }
    widest = {
        name: {each for each in own if not any(each != far and overlap(each, far) for far in own)}
        | {
            each
            for each in own
            if all(
                ip_network(each).prefixlen <= ip_network(far).prefixlen for far in own if overlap(each, far)
            )
        }
        for name, own in alone.items()
    }
    assert {name: set(own) for name, own in kept.items()} == widest
    assert len(said) == sum(len(own) for own in owned.values()) - sum(len(own) for own in alone.values())


@given(st.lists(prefixes(), max_size=8))
def test_a_subnet_of_two_links_is_the_prefix_of_none(subnets: list[str]) -> None:
    expected = {
        each
        for at, each in enumerate(subnets)
        if not any(overlap(each, far) for place, far in enumerate(subnets) if place != at)
    }
    assert on_one_link(subnets) == expected
