"""The rate of EF between a plan's first line and its last, where several policers make it."""

from __future__ import annotations

import pytest

from provisioning.pipeline import ios
from provisioning.pipeline.intent import Role
from provisioning.pipeline.safety import check

TWO = """\
hostname r1
ipv6 access-list one
 permit ipv6 2001:db8:a::/48 any
ipv6 access-list other
 permit ipv6 2001:db8:b::/48 any
class-map match-all ONE
 match access-group name one
class-map match-all OTHER
 match access-group name other
policy-map IN
 class ONE
  set dscp 46
  police cir percent 1 conform-action transmit exceed-action drop
 class OTHER
  set dscp 46
  police cir percent 10 conform-action transmit exceed-action drop
 class class-default
  set dscp 0
interface POS1/0
 service-policy input IN
"""


def police(name: str, percent: int) -> list[str]:
    action = f"police cir percent {percent} conform-action transmit exceed-action drop"
    return ["policy-map IN", f"class {name}", action]


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ([*police("OTHER", 1), *police("ONE", 10)], set()),  # the lower one first: both are at 1 for a while
        ([*police("ONE", 10), *police("OTHER", 1)], {"POS1/0: EF may take percent 10 + percent 10, more than before and after"}),
        (
            [*police("OTHER", 2), *police("ONE", 10), *police("OTHER", 1)],
            {
                "POS1/0: EF may take only percent 1 + percent 2, less than before and after",
                "POS1/0: EF may take percent 10 + percent 2, more than before and after",
            },
        ),
    ],
    ids=["lower first", "higher first", "a rate of neither end"],
)  # fmt: skip
def test_two_policers_that_change_places(lines: list[str], said: set[str]) -> None:
    proof = check(ios.parse(TWO), lines, {"POS1/0": Role.ACCESS})
    assert {text for state in proof for text in state.violations} == said
