"""Who is newly authorised meets the policer that is meant for them, never the one before it."""

from __future__ import annotations

import dataclasses

import pytest

from provisioning.pipeline.diff import Owned, diff
from provisioning.pipeline.rendering import Renderer
from provisioning.pipeline.safety import check
from provisioning.selectors.templates import ios_environment
from tests.pipeline.practice import BANDWIDTHS, Oracle, profile_of
from tests.pipeline.worlds import World

RENDERER = Renderer(ios_environment())
NOBODY = World(
    cases=(("ALPHA", "filtered", True),),
    core=(),
    ef_percent=10,
)
SOMEBODY = (("ALPHA", "2001:db8:b::/48", "2001:db8:f::/48", None, 500000),)
BY_A_NEW_VERSION = dataclasses.replace(NOBODY, reservations=SOMEBODY, ef_percent=5, lbe_dscp=10)
AT_THE_GRANTED_RATE = dataclasses.replace(NOBODY, reservations=SOMEBODY, policer="grants")
KIND = "12000"


@pytest.mark.parametrize(
    "wanted", [BY_A_NEW_VERSION, AT_THE_GRANTED_RATE], ids=["new version", "granted rate"]
)
@pytest.mark.parametrize("way", ["authorising", "taking back"])
def test_no_prefix_lets_more_in_than_both_ends(wanted: World, way: str) -> None:
    before, after = (NOBODY, wanted) if way == "authorising" else (wanted, NOBODY)
    oracle, profile = Oracle(KIND, ""), profile_of(KIND)
    first = diff(oracle.read(), before.intent(KIND), Owned(), RENDERER, profile)
    assert oracle.send(first.commands) == []
    running, intent = oracle.read(), after.intent(KIND)
    found = diff(running, intent, Owned(first.owned_after), RENDERER, profile)
    assert any("nren-auth-ef" in line.text for line in found.commands)
    for start, lines in ((running, found.commands), (found.result, found.rollback)):
        gaps = frozenset(index - 1 for index, line in enumerate(lines) if line.joined)
        states = check(start, lines, intent.roles, gap_lines=gaps, bandwidths=BANDWIDTHS, profile=profile)
        assert [text for state in states for text in state.violations] == []
    assert oracle.send(found.commands) == []
    assert oracle.read().policy_maps == found.result.policy_maps
