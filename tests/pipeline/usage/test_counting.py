"""What a class counts, as it is kept: let through or dropped by what its policer does, not by its colours."""

from __future__ import annotations

import pytest

from provisioning.pipeline import counters
from provisioning.pipeline.usage import Place, counts_of

SHOWN = """ POS1/0

  Service-policy input: IN

    Class-map: VIDEO (match-any)
      1000 packets, 500000 bytes
      5 minute offered rate 8000 bps, drop rate 0 bps
      Match: access-group name v6
        600 packets, 300000 bytes
        5 minute rate 6000 bps
      Match: access-group name v4
        0 packets, 0 bytes
        5 minute rate 0 bps
      police:
          cir 1000000 bps, bc 25000 bytes
        conformed 700 packets, 350000 bytes; actions:
          set-dscp-transmit af11
        exceeded 200 packets, 100000 bytes; actions:
          {exceed}
        violated 100 packets, 50000 bytes; actions:
          {violate}
        conformed 8000 bps, exceed 0 bps, violate 0 bps
"""
HERE = Place("POS1/0", "", "input", "IN", ("VIDEO",))


@pytest.mark.parametrize(
    ("exceed", "violate", "passed", "dropped"),
    [
        ("drop", "drop", 700, 300),
        ("set-dscp-transmit af12", "drop", 900, 100),
        ("transmit", "set-dscp-transmit af13", 1000, 0),
    ],
)
def test_what_is_let_through_is_not_dropped(exceed: str, violate: str, passed: int, dropped: int) -> None:
    count = counts_of(counters.parse(SHOWN.format(exceed=exceed, violate=violate)))[HERE]
    assert (count.passed_packets, count.dropped_packets) == (passed, dropped)
    assert (count.passed_bytes, count.dropped_bytes) == (passed * 500, dropped * 500)
    assert count.by_match == {"access-group name v6": 600, "access-group name v4": 0}
    assert type(count).from_json(count.to_json()) == count


def test_what_is_printed_once_for_each_line_card_is_kept_apart() -> None:
    twice = SHOWN.format(exceed="drop", violate="drop") * 2
    found = counts_of(counters.parse(twice))
    assert [place.copy for place in found] == [1, 2]


def test_a_count_that_no_database_has_a_place_for_is_not_known() -> None:
    text = SHOWN.format(exceed="drop", violate="drop").replace("1000 packets", f"{2**63} packets")
    assert counts_of(counters.parse(text))[HERE].packets is None
