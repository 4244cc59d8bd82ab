"""Any Linux router of ours to any other: the steps arrive, no step opens what was closed, and the way back leads back."""

from __future__ import annotations

from functools import reduce
from ipaddress import ip_address, ip_network
from itertools import accumulate

from hypothesis import given
from hypothesis import strategies as st

from provisioning.pipeline.intent import RouterIntent
from provisioning.pipeline.linux import LinuxState, Selector, apply, difference, gaps, intended, names
from tests.pipeline.linux.intents import BANDWIDTHS, Packet, class_of, intents, packets

PREMIUM = frozenset({46})


def state_of(intent: RouterIntent) -> LinuxState:
    return intended(intent, BANDWIDTHS).state


def reached(intent: RouterIntent) -> LinuxState:
    """The state as a router that was brought there holds it: with the places of its filters."""
    return reduce(apply, difference(LinuxState(), state_of(intent)), LinuxState())


@given(intents(), intents())
def test_the_steps_arrive_and_so_does_the_way_back(one: RouterIntent, other: RouterIntent) -> None:
    before, wanted = reached(one), state_of(other)
    after = reduce(apply, difference(before, wanted), before)
    assert after == wanted
    assert difference(after, wanted) == ()
    assert reduce(apply, difference(after, before), after) == before


@given(intents(), intents())
def test_no_step_opens_an_edge_or_lets_premium_past_its_policer(
    one: RouterIntent, other: RouterIntent
) -> None:
    before, wanted = reached(one), state_of(other)
    allowed = gaps(before, PREMIUM) | gaps(wanted, PREMIUM)
    both = before.inward.keys() & wanted.inward.keys()
    for state in accumulate(difference(before, wanted), apply, initial=before):
        assert gaps(state, PREMIUM) <= allowed
        assert both <= state.inward.keys()


@given(intents(), intents())
def test_no_policer_is_ever_looser_than_before_and_after(one: RouterIntent, other: RouterIntent) -> None:
    before, wanted = reached(one), state_of(other)
    for state in accumulate(difference(before, wanted), apply, initial=before):
        for device, policer in state.policers.items():
            known = [each.policers[device] for each in (before, wanted) if device in each.policers]
            assert policer.rate_bps <= max(each.rate_bps for each in known)
            assert policer.burst_bytes <= max(each.burst_bytes for each in known)
            assert policer.rate_bps > 0


@given(intents(), intents(), st.data())
def test_from_wherever_it_stopped_it_goes_on_or_back(
    one: RouterIntent, other: RouterIntent, data: st.DataObject
) -> None:
    before, wanted = reached(one), state_of(other)
    steps = difference(before, wanted)
    stopped = reduce(apply, steps[: data.draw(st.integers(0, len(steps)))], before)
    for goal in (before, wanted):
        assert reduce(apply, difference(stopped, goal), stopped) == goal


@given(intents(), st.data())
def test_a_packet_is_marked_and_policed_as_the_policy_says(intent: RouterIntent, data: st.DataObject) -> None:
    """Judged by an oracle that reads class-maps and lists by itself."""
    state = state_of(intent)
    policies = {each.name: each for each in intent.policy_maps}
    for binding in intent.bindings:
        packet = data.draw(packets(intent))
        wanted = class_of(intent, policies[binding.policy], packet)
        rules = (state.inward if binding.direction == "input" else state.outward)[binding.interface]
        rule = next(each for each in rules if takes(each.selector, packet))
        assert rule.counter.endswith(f"/{wanted.name}")
        marks = {mark.value for mark in wanted.set_fields}
        assert rule.dscp == (marks.pop() if marks else None)
        if binding.direction == "input":
            met = [
                each.device
                for each in state.filters.get(binding.interface, ())
                if takes(each.selector, packet)
            ]
            drops = wanted.police is not None and wanted.police.exceed == ("drop",)
            assert met[:1] == ([names.device(binding.interface, wanted.name)] if drops else [])


def takes(selector: Selector, packet: Packet) -> bool:
    return (
        selector.family == packet.family
        and selector.dscp in (None, packet.dscp)
        and selector.flow_label in (None, packet.flow_label)
        and all(
            prefix is None or ip_address(address) in ip_network(prefix)
            for prefix, address in (
                (selector.source, packet.source),
                (selector.destination, packet.destination),
            )
        )
    )


@given(intents())
def test_every_policy_of_the_scheme_is_closed(intent: RouterIntent) -> None:
    assert gaps(state_of(intent), PREMIUM) == frozenset()


@given(intents(), intents())
def test_a_rate_goes_up_only_after_who_may_use_it_has_changed(one: RouterIntent, other: RouterIntent) -> None:
    before, wanted = reached(one), state_of(other)
    for state in accumulate(difference(before, wanted), apply, initial=before):
        if state.inward != before.inward or before.inward == wanted.inward:
            continue
        for device in state.policers.keys() & before.policers.keys():
            assert state.policers[device].rate_bps <= before.policers[device].rate_bps
            assert state.policers[device].burst_bytes <= before.policers[device].burst_bytes
