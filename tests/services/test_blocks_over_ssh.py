"""A block of definitions on a practice router: a line of it refused, ignored or cut off, and the router is as it was."""

from __future__ import annotations

import pytest

from provisioning.models import RouterPush
from provisioning.pipeline import ios
from provisioning.selectors.plans import plan_of
from tests.services.backbone import Backbone
from tests.services.test_broken_pushes import edges_of, ready

pytestmark = pytest.mark.once


def as_before(backbone: Backbone, before: dict[str, str]) -> bool:
    after = backbone.call("state", "uk6")
    same = ios.parse(after["running"]) == ios.parse(before["running"])
    return same and after["startup"] == before["startup"]


def sent_together(push: RouterPush) -> list[str]:
    plan = plan_of(push)
    return [
        line.text for block in plan.blocks for each in block.together for line in plan.commands[slice(*each)]
    ]


def test_a_block_goes_out_before_a_reply_is_read_and_ends_verified(backbone: Backbone) -> None:
    change = ready(backbone)
    backbone.push(change)
    push = edges_of(change)
    assert push.state == "VERIFIED", push.error
    together = sent_together(push)
    assert len(together) > 8
    said = push.transcripts.get().lines
    first = next(index for index, (_at, way, text) in enumerate(said) if (way, text) == (">", together[0]))
    assert [text for _at, way, text in said[first : first + len(together)] if way == ">"] == together


@pytest.mark.parametrize(
    "match", ["^class-map match-all LBE", "^match dscp 8", "^policy-map TRUSTED", "^class class-default"]
)
def test_a_refused_line_takes_the_whole_block_back_and_nothing_else(backbone: Backbone, match: str) -> None:
    change = ready(backbone)
    before = backbone.call("state", "uk6")
    backbone.fault("uk6", "refuse", match=match, message="% Memory allocation failed", times=1)
    backbone.push(change)
    push = edges_of(change)
    assert (push.state, push.error_code) == ("ROLLED_BACK", "line-refused"), push.error
    assert "Memory allocation failed" in push.error and "on their way" in push.error
    assert as_before(backbone, before)
    assert not any(line.startswith("interface") for line in backbone.typed("uk6"))


def test_a_line_ignored_in_silence_is_found_before_anything_is_bound(backbone: Backbone) -> None:
    change = ready(backbone)
    before = backbone.call("state", "uk6")
    backbone.fault("uk6", "ignore", match="^match dscp 8")
    backbone.push(change)
    push = edges_of(change)
    assert (push.state, push.error_code) == ("ROLLED_BACK", "silently-refused"), push.error
    assert as_before(backbone, before)


def test_a_session_cut_off_in_a_block_of_which_a_line_was_refused_is_taken_back(backbone: Backbone) -> None:
    """Nobody read the refusal: the successor finds a state that is no prefix, and takes off what there is of the block."""
    change = ready(backbone)
    before = backbone.call("state", "uk6")
    backbone.fault("uk6", "refuse", match="^match dscp 8", message="% No room", times=1)
    backbone.fault("uk6", "drop", match="^policy-map TRUSTED-IN", when="after", times=1)
    backbone.push(change)
    push = edges_of(change)
    assert push.state == "ROLLED_BACK", push.error
    assert push.transcripts.count() == 2
    assert as_before(backbone, before)


def test_a_session_cut_off_in_a_block_goes_on_where_the_router_stands(backbone: Backbone) -> None:
    change = ready(backbone)
    backbone.fault("uk6", "drop", match="^policy-map TRUSTED-IN", when="before", times=1)
    backbone.push(change)
    push = edges_of(change)
    assert push.state == "VERIFIED", push.error
    assert push.transcripts.count() == 2
