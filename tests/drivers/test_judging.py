"""What counts as silence and what as a refusal (ios-facts 3.3, 2.2, 2.8)."""

from __future__ import annotations

import pytest

from provisioning.drivers.judging import is_syslog, judge, judge_reading

SILENCE = [
    "",
    "\n  \n",
    "Enter configuration commands, one per line.  End with CNTL/Z.",
    "Conform burst size increased to 46875",
    "Building configuration...\n[OK]",
    "*Mar  1 00:00:01.123: %SYS-5-CONFIG_I: Configured from console by noc on vty0 (192.0.2.1)",
    "Nov 21 10:00:00 UTC: %LINK-3-UPDOWN: Interface POS2/0, changed state to up",
    "000123: Nov 21 10:00:00.123 CET: %BGP-5-ADJCHANGE: neighbor 2001:DB8::1 Up",
    "1w2d: %CLNS-5-ADJCHANGE: ISIS: Adjacency to nl6 (POS2/0) Up, new adjacency",
    ".Nov 21 2026 10:00:00: %SEC-6-IPACCESSLOGP: list 101 denied tcp",
    "SLOT 2:Nov 21 10:00:00: %LINEPROTO-5-UPDOWN: Line protocol on Interface POS2/1, changed state to down",
    "%SEC_LOGIN-5-LOGIN_SUCCESS: Login Success [user: noc]",
    "%QOS-6-RATE: class EF of policy TRUSTED-IN exceeded its rate on POS1/0",
    "%QOS-5-POLICY_CHANGED: policy map TRUSTED-IN changed on POS1/0",
    "%PARSER-5-CFGLOG_LOGGEDCMD: User:noc  logged command:no policy-map removed-and-invalid",
    "%PARSER-5-CFGLOG_LOGGEDCMD: User:noc  logged command:policy-map X class Y police 8000 exceed-action drop",
    "Load for five secs: 1%/0%; one minute: 1%; five minutes: 1%\nTime source is NTP, 10:00:00.000 UTC Sat Nov 21 2026",
]

REFUSALS = [
    "                  ^\n% Invalid input detected at '^' marker.\n",
    "                  ^\n",
    "% Incomplete command.",
    '% Ambiguous command:  "po"',
    "Command authorization failed.",
    "CBWFQ : Not supported on subinterfaces",
    "I/f POS1/0 class EF requested bandwidth 10%, available only 0%",
    "Policy map OLD is already attached",
    "% Class-map EF is being used",
    "% class-map EF not configured",
    "QoS: Policy attachment failed for policymap X",
    "*Mar 11 09:12:59.897: Empty class unsupported",
    "SLOT 2:Nov 21 10:00:00: service-policy my_policy not supported on this engine",
    "SLOT 2:Nov 21 10:00:00: %EE48-3-QOS: cannot program policy my_policy",
    "%QM-2-PLC_ATTACH_REJECT_SET: Command rejected: (policy FILTERED-IN interface Gi1/1 dir in)",
    "Nov 21 10:00:00: %QOS-4-ATTACH: policy map my_policy removed from POS2/0",
    "*Nov 21 10:00:00: %SYS-2-MALLOCFAIL: Memory allocation of 65536 bytes failed",
    "Nov 21 10:00:00: %CPPOSLIB-3-ERROR_NOTIFY: service-policy could not be installed",
    "%QOS-6-LIMIT: policy TRUSTED-IN exceeds the maximum number of classes",
    "Nov 21 10:00:00: %XYZ-5-CLASS: service-policy exceeds available bandwidth",
    "%QOS-5-INST: policy TRUSTED-IN could not be installed on POS1/0",
    "%Please turn config archive on",
    "Some words nobody has seen before",
]


@pytest.mark.parametrize("reply", SILENCE)
def test_notices_and_log_lines_are_no_refusal(reply: str) -> None:
    assert judge(reply) is None


@pytest.mark.parametrize("reply", REFUSALS)
def test_everything_else_is(reply: str) -> None:
    reason = judge(reply)
    assert reason is not None
    assert reason in reply


@pytest.mark.parametrize("refusal", REFUSALS[2:])
def test_a_refusal_is_found_among_noise(refusal: str) -> None:
    reason = judge("\n".join([*SILENCE, refusal, *SILENCE]))
    assert reason is not None and reason == judge(refusal)


def test_a_time_stamp_alone_makes_no_log_line() -> None:
    assert not is_syslog("*Mar 11 09:12:59.897: Empty class unsupported")
    assert not is_syslog("% Invalid input detected at '^' marker.")
    assert is_syslog("%SYS-5-CONFIG_I: Configured from console by vty0")


@pytest.mark.parametrize(
    ("reply", "understood"),
    [
        ("        ^\n% Invalid input detected at '^' marker.\n", False),
        ("% Incomplete command.\n", False),
        ("% Unknown command or computer name, or unable to find computer address", False),
        ('Translating "shwo"...domain server (255.255.255.255)', False),
        ("Command authorization failed.", False),
        ("POS1/0\n\n  Service-policy input: TRUSTED-IN\n", True),
        ("", True),
    ],
)
def test_an_error_is_not_taken_for_an_answer(reply: str, understood: bool) -> None:
    assert (judge_reading(reply) is None) is understood
