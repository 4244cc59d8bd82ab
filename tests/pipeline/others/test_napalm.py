"""What NAPALM's IOS driver makes of a 12000: its own code, on a practice router of 12.0(28)S.

The transcripts are files and stand on docs/explanation/why-not-the-others.md (EXPEDITE_UPDATE=1 rewrites them).
"""

from __future__ import annotations

import os

import pytest
from napalm.base.exceptions import MergeConfigException

from provisioning.pipeline import ios
from provisioning.pipeline.diff import diff_configs
from tests.pipeline.others.engines import CASES, RENDERER
from tests.pipeline.others.on_a_router import Wire, driver, transcript
from tests.pipeline.practice import profile_of

KIND = "12000"
HELD = """\
class-map match-all EF
 match dscp 46
policy-map TRUSTED-IN
 class EF
  police cir percent 5 conform-action transmit exceed-action drop
policy-map NON-PARTICIPANT
 class class-default
  set dscp 0
interface POS1/0
 service-policy input TRUSTED-IN
"""
QUARANTINE = "interface POS1/0\n service-policy input NON-PARTICIPANT\nend\n"
UNCHANGED = "class-map match-all EF\n match dscp 46\nend\n"


def as_written(name: str, text: str) -> bool:
    path = CASES / name
    if os.environ.get("EXPEDITE_UPDATE"):
        path.write_text(text)
    return path.read_text() == text


def committed() -> tuple[object, Wire]:
    napalm, wire = driver(KIND, HELD, QUARANTINE)
    return napalm.commit_config(), wire


def test_a_refusal_is_success_and_is_saved() -> None:
    """The old policy stays, the operator is told nothing, and the startup-config is written."""
    result, wire = committed()
    assert result is None
    assert (
        "Policy map TRUSTED-IN is already attached"
        in dict(wire.said)["copy disk0:/merge_config.txt running-config"]
    )
    assert wire.router.read().bound("POS1/0", "input") == "TRUSTED-IN"
    assert wire.said[-1][0] == "write memory"
    assert as_written("napalm-refusal.txt", f"{transcript(wire)}\ncommit_config() returned {result}\n")


def test_ours_takes_the_old_policy_off_first() -> None:
    _, wire = driver(KIND, HELD, "")
    wanted = ios.parse_fragment(QUARANTINE.removesuffix("end\n"))
    held = wire.router.read()
    found = diff_configs(held, wanted, RENDERER, profile_of(KIND))
    assert wire.router.send(found.commands) == []
    assert wire.router.read().bound("POS1/0", "input") == "NON-PARTICIPANT"


def test_the_dry_run_is_an_echo_of_the_file() -> None:
    """12.0S has no archive: what is compared with nothing is shown as new, though the router holds every line."""
    napalm, wire = driver(KIND, HELD, UNCHANGED)
    shown = napalm.compare_config()
    assert shown.splitlines()[0] == "! incremental-diff failed; falling back to echo of merge file"
    assert [line[1:] for line in shown.splitlines()[1:]] == UNCHANGED.splitlines()
    assert as_written("napalm-echo.txt", f"{transcript(wire)}\ncompare_config() returned\n{shown}\n")
    wanted = ios.parse_fragment(UNCHANGED.removesuffix("end\n"))
    assert diff_configs(wire.router.read(), wanted, RENDERER, profile_of(KIND)).empty


def test_a_rollback_that_did_nothing_is_success_and_is_saved() -> None:
    napalm, wire = driver(KIND, HELD, "policy-map NON-PARTICIPANT\n class class-default\n  set dscp 8\nend\n")
    napalm.commit_config()
    changed = wire.router.read()
    wire.said.clear()
    assert napalm.rollback() is None
    assert wire.router.read() == changed
    assert wire.said[-1][0] == "write memory"
    assert as_written("napalm-rollback.txt", f"{transcript(wire)}\nrollback() returned None\n")


@pytest.mark.parametrize("line", ["no class-map EF", "policy-map TRUSTED-IN\n class MISSING"])
def test_other_refusals_are_success_too(line: str) -> None:
    napalm, wire = driver(KIND, HELD, f"{line}\nend\n")
    assert napalm.commit_config() is None
    assert "%" in dict(wire.said)["copy disk0:/merge_config.txt running-config"]


def test_the_one_refusal_it_sees_is_not_rolled_back_either() -> None:
    """`Invalid input` raises; the automatic rollback that the message speaks of was refused too, and saved over."""
    napalm, wire = driver(
        KIND, HELD, "policy-map NON-PARTICIPANT\n class class-default\n  set dscp 8\nnonsense\nend\n"
    )
    with pytest.raises(MergeConfigException, match="automatic rollback attempted"):
        napalm.commit_config()
    (mark,) = wire.router.read().policy_maps["NON-PARTICIPANT"].classes[0].set_fields
    assert mark.value == 8
    assert wire.said[-1][0] == "write memory"
