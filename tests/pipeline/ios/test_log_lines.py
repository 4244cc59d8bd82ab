"""A message of the log in the middle of what was captured ends no section and takes no line with it."""

from __future__ import annotations

import pytest

from provisioning.pipeline import ios
from provisioning.pipeline.counters import parse as parse_counters

CONFIGURATION = """\
class-map match-all EF
 match dscp ef
policy-map IN
 class EF
  police cir percent 5 conform-action transmit exceed-action drop
 class class-default
  set dscp default
ipv6 access-list OURS
 permit ipv6 2001:DB8:1::/48 any
 permit ipv6 2001:DB8:2::/48 any
interface POS1/0
 description behind %LINK-3-UPDOWN: and the like
 service-policy input IN
"""
MESSAGES = [
    "*Mar  1 00:12:03.187: %LINK-3-UPDOWN: Interface POS1/1, changed state to up",
    "Mar  1 00:12:03: %SYS-5-CONFIG_I: Configured from console by noc on vty0 (192.0.2.7)",
    ".Mar  1 2005 00:12:03.187 CET: %LINEPROTO-5-UPDOWN: Line protocol on Interface POS1/1, changed state to up",
    "000123: *Mar  1 00:12:03.187: %OSPFv3-5-ADJCHG: Process 1, Nbr 192.0.2.1 on POS1/0 from LOADING to FULL",
    "1d02h: %BGP-3-NOTIFICATION: sent to neighbor 2001:DB8::1 4/0 (hold time expired) 0 bytes",
    "00:12:03: %LINK-5-CHANGED: Interface POS1/1, changed state to administratively down",
    "SLOT 3:00:12:03: %QOS-3-BAD: not on this line card",
    "%SYS-2-MALLOCFAIL: Memory allocation of 65536 bytes failed",
]


@pytest.mark.parametrize("message", MESSAGES, ids=lambda message: message.partition("%")[2].partition(":")[0])
def test_a_message_of_the_log_is_no_line_of_the_configuration(message: str) -> None:
    lines = CONFIGURATION.splitlines()
    whole = ios.parse(CONFIGURATION)
    for place in range(len(lines) + 1):
        assert ios.parse("\n".join([*lines[:place], message, *lines[place:]])) == whole, place
    described = whole.interfaces["POS1/0"].description
    assert described == "behind %LINK-3-UPDOWN: and the like"


COUNTERS = """\
 POS1/0

  Service-policy input: IN

    Class-map: EF (match-all)
      9 packets, 900 bytes
      Match: dscp ef (46)
      police:
          cir 5 %
        conformed 8 packets, 800 bytes; actions:
          transmit
        exceeded 1 packets, 100 bytes; actions:
          drop

  Service-policy output: OUT

    Class-map: class-default (match-any)
      3 packets, 300 bytes
"""


@pytest.mark.parametrize("message", MESSAGES, ids=lambda message: message.partition("%")[2].partition(":")[0])
def test_a_message_of_the_log_is_no_counter(message: str) -> None:
    lines = COUNTERS.splitlines()
    for place in range(len(lines) + 1):
        text = "\n".join([*lines[:place], message, *lines[place:]])
        assert parse_counters(text) == parse_counters(COUNTERS), place
