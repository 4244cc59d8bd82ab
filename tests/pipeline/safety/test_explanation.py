"""A proof in words: only what a line changed, gaps where they open and close, every danger said."""

from __future__ import annotations

import pytest

from provisioning.pipeline import ios
from provisioning.pipeline.diff import Line
from provisioning.pipeline.mqc import RunningConfig
from provisioning.pipeline.safety import GapMark, LineState, Role, Told, check, roles_of, tell, tell_lines
from tests.pipeline.safety.test_interpreter import OBJECTS

EDGE = {"POS1/0": Role.ACCESS}
BW = {"POS1/0": 155_000_000}
INTERFACE = "interface POS1/0\n bandwidth 155000\n"


def running(policy: str = "TRUSTED-IN") -> RunningConfig:
    return ios.parse_fragment(f"{OBJECTS}{INTERFACE} service-policy input {policy}\n")


def told(*texts: str, policy: str = "TRUSTED-IN", joined: tuple[int, ...] = ()) -> Told:
    lines = [Line(text) for text in texts]
    return tell_lines(running(policy), lines, EDGE, joined=joined, bandwidths=BW)


def said(found: Told) -> list[str]:
    return [f"{each.names}: {each.text}" for line in found.lines for each in line.together]


def test_start_and_end_say_who_marks_who_polices_and_at_what_rate() -> None:
    found = told("policy-map TRUSTED-IN", "class EF", "police cir percent 4")
    assert [each.text for each in found.start] == [
        "TRUSTED-IN: the NREN marks; EF policed at 5 % of BW = 7.75 Mbit/s; the rest becomes DSCP 0"
    ]
    assert [each.text for each in found.end] == [
        "TRUSTED-IN: the NREN marks; EF policed at 4 % of BW = 6.2 Mbit/s; the rest becomes DSCP 0"
    ]
    assert not found.unsafe


def test_a_line_tells_only_what_it_changed() -> None:
    found = told("policy-map TRUSTED-IN", "class EF", "police cir percent 4")
    assert [line.changed for line in found.lines[:2]] == [(), ()]
    assert said(found) == ["POS1/0: EF policed at 4 % of BW = 6.2 Mbit/s (was 5 % of BW = 7.75 Mbit/s)"]


def test_entries_of_a_list_in_use_come_and_go_by_name() -> None:
    found = told(
        "ipv6 access-list nren-auth-ef",
        "sequence 30 permit ipv6 2001:db8:c::/48 any",
        "no sequence 10",
        policy="FILTERED-IN",
    )
    assert said(found) == [
        "POS1/0: authorised now: ipv6 2001:db8:c::/48 any",
        "POS1/0: authorised no longer: ipv6 2001:db8:a::/48 any",
    ]


def test_a_swap_opens_a_gap_and_closes_it() -> None:
    found = told(
        "interface POS1/0",
        "no service-policy input TRUSTED-IN",
        "service-policy input NON-PARTICIPANT",
        joined=(2,),
    )
    assert [line.gap for line in found.lines] == [None, GapMark.OPENS, GapMark.CLOSES]
    assert found.lines[1].changed[0].bad
    assert said(found) == [
        "POS1/0: TRUSTED-IN off: nobody marks, whatever arrives passes as it is",
        "POS1/0: NON-PARTICIPANT on: everything becomes DSCP 0",
    ]
    assert not found.unsafe


def test_without_the_one_write_the_same_swap_is_unsafe() -> None:
    found = told(
        "interface POS1/0", "no service-policy input TRUSTED-IN", "service-policy input NON-PARTICIPANT"
    )
    assert found.unsafe
    assert found.lines[1].violations == (
        "POS1/0: what is not authorised keeps its marking",
        "POS1/0: EF enters unpoliced",
    )
    assert found.to_json()["safe"] is False


def test_a_policer_taken_away_is_shouted() -> None:
    found = told("policy-map TRUSTED-IN", "class EF", "no police")
    assert said(found) == ["POS1/0: EF IS NOT POLICED (was 5 % of BW = 7.75 Mbit/s)"]
    assert found.lines[-1].changed[0].bad


def test_interfaces_of_which_the_same_is_to_be_said_are_said_together() -> None:
    ports = [f"POS1/{number}" for number in range(9)]
    bound = "".join(f"interface {port}\n service-policy input TRUSTED-IN\n" for port in ports)
    config = ios.parse_fragment(OBJECTS + bound)
    lines = [Line("policy-map TRUSTED-IN"), Line("class EF"), Line("police cir percent 4")]
    found = tell_lines(config, lines, dict.fromkeys(ports, Role.ACCESS))
    assert said(found) == [
        "POS1/0, POS1/1, POS1/2, POS1/3 and 5 more: EF policed at 4 % of BW (was 5 % of BW)"
    ]
    assert len(found.to_json()["lines"][2]["changed"]) == 9, "a script gets every one"


def test_a_core_queue_is_told_as_such() -> None:
    lines = [Line("interface POS1/0"), Line("service-policy output my_policy")]
    config = ios.parse_fragment(f"{OBJECTS}policy-map my_policy\n class EF\n  priority\n{INTERFACE}")
    found = tell_lines(config, lines, {"POS1/0": Role.CORE})
    assert said(found) == ["POS1/0: my_policy on outbound: EF is queued first"]


def test_a_line_a_router_would_refuse_is_unsafe_and_the_last_that_is_told() -> None:
    found = told("no policy-map TRUSTED-IN", "policy-map OTHER")
    assert [line.text for line in found.lines] == ["no policy-map TRUSTED-IN"]
    assert "would refuse" in found.lines[0].violations[0]
    assert found.unsafe


def test_what_no_line_is_to_blame_for_is_told_at_the_end() -> None:
    proof = check(running(), [Line("policy-map TRUSTED-IN")], EDGE)
    found = tell((*proof, LineState(None, (), ("POS1/0: a rate out of range",))))
    assert found.problems == ("POS1/0: a rate out of range",)
    assert found.unsafe


@pytest.mark.parametrize(
    ("binding", "role"),
    [
        ("service-policy input TRUSTED-IN", Role.ACCESS),
        ("service-policy output TRUSTED-IN", Role.CORE),
        ("service-policy input TRUSTED-IN\n service-policy output TRUSTED-IN", Role.ACCESS),
    ],
)
def test_without_an_inventory_roles_follow_what_is_bound(binding: str, role: Role) -> None:
    config = ios.parse_fragment(f"{OBJECTS}{INTERFACE} {binding}\n")
    assert roles_of(config) == {"POS1/0": role}


def test_percentages_are_compared_without_a_bandwidth_too() -> None:
    """What is policed at 4 % between 5 % and 3 % is in between, whatever the BW is; 9 % is not."""
    texts = ["policy-map TRUSTED-IN", "class EF", "police cir percent {}", "police cir percent 3"]

    def through(percent: int) -> Told:
        return tell_lines(running(), [Line(text.format(percent)) for text in texts], EDGE)

    assert not through(4).unsafe
    assert through(9).lines[2].violations == ("POS1/0: EF may take percent 9, more than before and after",)
