"""`mqc diff --exact`, and what is said of what a difference without it leaves alone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.management.test_mqc_refusals import HELD, differ

OTHER = """\
ipv6 access-list WHO
 permit ipv6 2001:DB8:A::/48 any
class-map match-all BY
 match access-group name WHO
policy-map OTHER
 class BY
  police cir percent 2
interface GigabitEthernet0/2
 service-policy output OTHER
"""
CONTROL = "control-plane\n service-policy input OTHER\n"


def test_what_intended_lacks_goes_unbound_before_it_is_deleted(tmp_path: Path) -> None:
    status, said, told = differ(tmp_path, HELD, "--exact", running=HELD + OTHER)
    assert (status, told) == (1, "")
    commands, _, rollback = said.partition("! rollback\n")
    assert commands.splitlines() == [
        "interface GigabitEthernet0/2",
        " no service-policy output OTHER",
        "no policy-map OTHER",
        "no class-map BY",
        "no ipv6 access-list WHO",
    ]
    lines = rollback.splitlines()
    assert lines[0] == "ipv6 access-list WHO" and lines[-1] == " service-policy output OTHER"


def test_equal_means_equal(tmp_path: Path) -> None:
    assert differ(tmp_path, HELD, "--exact") == (0, "", "")
    status, said, _ = differ(tmp_path, HELD, "--exact", "--json", running=HELD + OTHER)
    assert status == 1 and json.loads(said)["equal"] is False
    assert differ(tmp_path, HELD + OTHER, "--exact", running=HELD + OTHER) == (0, "", "")


def test_what_something_else_uses_cannot_go(tmp_path: Path) -> None:
    status, said, told = differ(tmp_path, HELD, "--exact", running=HELD + OTHER + CONTROL)
    assert (status, said) == (2, "")
    assert (
        "policy-map OTHER, which INTENDED lacks, is used by `control-plane / service-policy input OTHER`"
        in told
    )


def test_what_intended_uses_it_has(tmp_path: Path) -> None:
    """The class is on the router and would go: a list of all there shall be is not whole without it."""
    status, said, told = differ(
        tmp_path, HELD.partition("policy-map")[1] + HELD.partition("policy-map")[2], "--exact"
    )
    assert (status, said) == (2, "")
    assert "policy-map CUSTOMER uses class-map VOICE, which INTENDED lacks" in told


def test_without_it_what_was_not_compared_is_said(tmp_path: Path) -> None:
    status, said, told = differ(tmp_path, HELD, running=HELD + OTHER)
    assert (status, said) == (0, "")
    assert told.splitlines() == [
        "note: not compared: 1 access list that INTENDED does not name (WHO)",
        "note: not compared: 1 class-map that INTENDED does not name (BY)",
        "note: not compared: 1 policy-map that INTENDED does not name (OTHER)",
        "note: not compared: service-policies of 1 interface that INTENDED does not list (GigabitEthernet0/2)",
    ]
    told_json = json.loads(differ(tmp_path, HELD, "--json", running=HELD + OTHER)[1])
    assert told_json["equal"] is True
    assert {each["kind"]: each["names"] for each in told_json["not_compared"]} == {
        "access-list": ["WHO"],
        "class-map": ["BY"],
        "policy-map": ["OTHER"],
        "interface": ["GigabitEthernet0/2"],
    }


@pytest.mark.parametrize("whole", [False, True])
def test_a_service_policy_that_a_listed_interface_lacks_is_a_difference(whole: bool, tmp_path: Path) -> None:
    frame = "version 12.4\nhostname r1\n{}end\n" if whole else "{}"
    lacks = HELD.replace(" service-policy input CUSTOMER\n", "")
    status, said, _ = differ(tmp_path, frame.format(lacks), running=frame.format(HELD))
    assert status == 1
    commands, _, rollback = said.partition("! rollback\n")
    assert commands == "interface GigabitEthernet0/1\n no service-policy input CUSTOMER\n"
    assert rollback == "interface GigabitEthernet0/1\n service-policy input CUSTOMER\n"
    told = json.loads(differ(tmp_path, frame.format(lacks), "--json", running=frame.format(HELD))[1])
    assert told["equal"] is False


def test_a_listed_interface_is_owned_in_both_directions_and_under_any_spelling(tmp_path: Path) -> None:
    running = HELD + " service-policy output CUSTOMER\n"
    status, said, _ = differ(tmp_path, HELD.replace("GigabitEthernet0/1", "gi 0/1"), running=running)
    assert status == 1
    assert said.startswith("interface GigabitEthernet0/1\n no service-policy output CUSTOMER\n! rollback\n")


def test_policies_nested_as_deep_as_a_file_is_long_are_a_refusal_and_no_traceback(tmp_path: Path) -> None:
    from tests.pipeline.ios.test_understanding import nested

    for names in ("P{}", "P{:05}"):
        deep = nested(1500, names)
        status, said, told = differ(tmp_path, deep)
        assert (status, said) == (2, "")
        assert "levels of policies deep; there are at most 3" in told and "Traceback" not in told
        # What a router is said to hold, and nobody asks about, is no matter.
        assert differ(tmp_path, HELD, running=HELD + deep)[0] == 0
        status, _, told = differ(tmp_path, HELD, "--exact", running=HELD + deep)
        assert status in (1, 2) and "Traceback" not in told


def test_a_router_may_hold_what_nobody_here_understands(tmp_path: Path) -> None:
    odd = "policy-map ODD\n class\n  frobnicate\n!\npolicy-map ODD2\n class X Y Z\n!\n"
    status, said, told = differ(tmp_path, HELD, running=HELD + odd)
    assert (status, said) == (0, "")
    assert "not compared" in told
    status, said, told = differ(tmp_path, HELD, "--exact", running=HELD + odd)
    assert (status, said) == (2, "") and "running" in told


def test_what_the_way_back_would_type_is_understood_too(tmp_path: Path) -> None:
    running = HELD.replace("  police cir percent 5\n", "  police cir percent 5\n  frobnicate 7\n")
    assert differ(tmp_path, HELD.partition("policy-map")[0], running=running)[0] == 0
    status, said, told = differ(tmp_path, HELD, running=running)
    assert (status, said) == (2, "")
    assert f"{tmp_path / 'running'}:6:3: `frobnicate`" in told
