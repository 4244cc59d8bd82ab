"""What routers print when they are asked what they can do, and what that proves."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from provisioning.pipeline.platforms.capabilities import (
    ARCHIVE,
    FLOW_LABEL,
    PERCENT,
    REPLACE,
    REVERT,
    Answer,
    beyond,
    shown,
    told,
    understood,
)

AT = datetime(2026, 11, 24, 2, 0, tzinfo=UTC)
INVALID = "                 ^\n% Invalid input detected at '^' marker.\n"


@pytest.mark.parametrize(
    ("capability", "said", "can"),
    [
        (ARCHIVE, " Archive feature not enabled", True),
        (ARCHIVE, "The maximum archive configurations allowed is 10.", True),
        (ARCHIVE, "There are currently 2 archive configurations saved.", True),
        (ARCHIVE, "", True),  # the filter left nothing of an answer
        (ARCHIVE, INVALID, False),
        (ARCHIVE, "Command authorization failed.", None),
        (REVERT, "%No Rollback Confirmed Change pending", True),
        (
            REVERT,
            "Time configured(or reconfigured): 22:50:48 UTC Sat Feb 21 2009\nTimer type: absolute timer\n"
            "Timer value: 2 min\nUser: console",
            True,
        ),
        (REVERT, INVALID, False),
        (REVERT, "% Incomplete command.", None),
        (REPLACE, "% Incomplete command.", True),
        (REPLACE, INVALID, False),
        (REPLACE, "Command authorization failed.", None),
        (PERCENT, "% Incomplete command.", True),
        (PERCENT, INVALID, False),
        (FLOW_LABEL, "", None),
    ],
)
def test_what_an_answer_proves(capability: str, said: str, can: bool | None) -> None:
    assert understood(capability, said) is can


def test_an_answer_is_kept_as_it_was_said() -> None:
    answer = told(REPLACE, "configure replace", INVALID, ios="12.0(28)S", at=AT)
    assert answer.said == "% Invalid input detected at '^' marker."
    assert Answer.from_json(REPLACE, answer.to_json()) == answer
    assert str(answer) == (
        "asked 2026-11-24 02:00 UTC with `configure replace`, 12.0(28)S said \"% Invalid input detected at '^' marker.\""
    )


def test_a_line_in_the_running_config_proves_that_the_router_knows_it() -> None:
    running = (
        " class EF\n   police cir percent 5 conform-action transmit  exceed-action drop\n"
        "ipv6 access-list A\n permit ipv6 any any"
    )
    (answer,) = shown(running, ios="12.0(28)S", at=AT)
    assert (answer.capability, answer.can) == (PERCENT, True)
    assert answer.said.startswith("police cir percent 5")
    assert [each.capability for each in shown(" permit ipv6 any any flow-label 7", ios="x", at=AT)] == [
        FLOW_LABEL
    ]


def test_lines_beyond_a_router_are_named_with_what_it_said() -> None:
    no = told(PERCENT, "police cir percent", INVALID, ios="12.0(27)S", at=AT)
    lines = [
        "policy-map P",
        "class EF",
        "police cir percent 5 conform-action transmit exceed-action drop",
        "police 8000",
    ]
    (found,) = beyond(lines, {PERCENT: no})
    assert found.startswith("line 3, `police cir percent 5 ")
    assert "12.0(27)S said" in found
    assert beyond(lines, {}) == beyond(lines, {REPLACE: no}) == ()
