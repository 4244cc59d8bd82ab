"""The third number of `police`: a second bucket only where a violate-action is, or where it has a name.

Routers of 12.4 print both `... exceed-action set-dscp-transmit af12` and the same with `violate-action drop` behind it:
with one bucket (command reference, `police`) nothing of the first is dropped.
"""

from __future__ import annotations

import pytest

from provisioning.pipeline.mqc import Bps, BurstBytes, Police
from provisioning.pipeline.rendering import Renderer
from provisioning.selectors.templates import ios_environment
from tests.pipeline.ios.spellings import actions, different, policy, same

RENDERER = Renderer(ios_environment())
MARKS = "conform-action transmit exceed-action set-dscp-transmit 12"


def test_what_exceeds_one_bucket_is_not_said_to_be_dropped() -> None:
    (held,) = actions(policy(f"police 96000 6000 18000 {MARKS}"))
    assert isinstance(held, Police)
    assert (held.excess_burst, held.violate) == (BurstBytes(18000), None)


@pytest.mark.parametrize("other", ["96000 6000 18000", "cir 96000 bc 6000 be 18000"])
def test_a_colour_that_drops_makes_another_policer(other: str) -> None:
    different(
        policy(f"police 96000 6000 18000 {MARKS}"), policy(f"police {other} {MARKS} violate-action drop")
    )


def test_a_second_bucket_that_is_named_drops_what_violates() -> None:
    same(
        policy(f"police cir 96000 bc 6000 be 18000 {MARKS}"),
        policy(f"police 96000 6000 18000 {MARKS}  violate-action drop "),
        policy(f"police cir 96000 bc 6000 be 18000 {MARKS} violate-action drop"),
    )


def test_where_all_that_exceeds_is_dropped_it_makes_no_difference() -> None:
    same(
        policy("police 96000 6000 18000"),
        policy("police 96000 6000 18000 conform-action transmit exceed-action drop violate-action drop"),
        policy("police cir 96000 bc 6000 be 18000"),
    )


def test_a_third_number_like_the_second_is_what_old_trains_print_of_one() -> None:
    same(policy(f"police 96000 6000 {MARKS}"), policy(f"police 96000 6000 6000 {MARKS}"))
    different(
        policy(f"police 96000 6000 {MARKS}"), policy(f"police 96000 6000 6000 {MARKS} violate-action drop")
    )


@pytest.mark.parametrize("burst", [None, BurstBytes(6000)])
def test_one_bucket_is_printed_by_place(burst: BurstBytes | None) -> None:
    held = Police(Bps(96000), burst, BurstBytes(18000), exceed=("set-dscp-transmit 12",))
    printed = RENDERER.action_lines(held)
    assert printed == (
        f"police 96000 {6000 if burst else 3000} 18000 conform-action transmit exceed-action set-dscp-transmit 12",
    )
    assert actions(policy(*printed)) == {held}
