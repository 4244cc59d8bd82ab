"""What each match line of a class counted, where the router says it: IPv4 and IPv6 apart."""

from __future__ import annotations

import pytest

from provisioning.pipeline import counters
from provisioning.pipeline.counters import MatchCounters

TWO_FAMILIES = """ POS1/0

  Service-policy input: FILTERED-IN

    Class-map: EF-FILTERED (match-any)
      700 packets, 420000 bytes
      5 minute offered rate 8000 bps, drop rate 0 bps
      Match: access-group name auth-ef
        500 packets, 300000 bytes
        5 minute rate 6000 bps
      Match: access-group name auth-ef-v4
        200 packets, 120000 bytes
        5 minute rate 2000 bps
      police:
          cir 5 %
          cir 7750000 bps, bc 242187 bytes
        conformed 690 packets, 414000 bytes; actions:
          set-dscp-transmit ef
        exceeded 10 packets, 6000 bytes; actions:
          drop
        conformed 8000 bps, exceed 0 bps

    Class-map: class-default (match-any)
      5 packets, 500 bytes
      5 minute offered rate 0 bps, drop rate 0 bps
      Match: any
"""


@pytest.mark.parametrize("eol", ["\n", "\r\n"])
def test_each_match_has_its_own_count(eol: str) -> None:
    (policy,) = counters.parse(TWO_FAMILIES.replace("\n", eol))
    ef, rest = policy.classes
    assert (ef.packets, ef.bytes) == (700, 420000)
    assert ef.matched == (
        MatchCounters("access-group name auth-ef", 500, 300000),
        MatchCounters("access-group name auth-ef-v4", 200, 120000),
    )
    assert ef.matches == ("access-group name auth-ef", "access-group name auth-ef-v4")
    assert rest.matched == (MatchCounters("any"),)
    assert ef.police is not None
    assert (ef.police.conformed.packets, ef.police.exceeded.packets) == (690, 10)


def test_the_json_says_them() -> None:
    said = counters.to_json(counters.parse(TWO_FAMILIES))
    assert said[0]["classes"][0]["matched"][1] == {
        "match": "access-group name auth-ef-v4",
        "packets": 200,
        "bytes": 120000,
    }
