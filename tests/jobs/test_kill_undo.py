"""kill -9 of `manage.py runjobs` while it takes back: the successor reads first and finishes exactly that undo."""

from __future__ import annotations

from pathlib import Path

import pytest

from provisioning.models import RouterPush
from provisioning.pipeline import ios
from provisioning.selectors.plans import plan_of
from provisioning.services import changes
from tests.jobs.ageing import UNHURRIED, let_all_but_ten_seconds_pass, let_an_hour_pass
from tests.jobs.workers import kill, runjobs, until
from tests.services.backbone import Backbone

pytestmark = pytest.mark.once


@pytest.mark.parametrize("line", [1, 2])
def test_a_worker_killed_while_taking_back_is_succeeded_by_one_that_finishes_the_undo(
    backbone: Backbone, tmp_path: Path, line: int
) -> None:
    """The first time, the router becomes free while its successor waits for it, as it does in service."""
    change = backbone.approve(backbone.plan(routers=["uk6"]))
    push = change.pushes.get()
    before = backbone.call("state", "uk6")
    backbone.fault("uk6", "refuse", match="^set dscp", message="QoS: this is not supported here")
    if line > 1:
        backbone.fault("uk6", "slow", match="^no ", seconds=0, times=line - 1)
    backbone.fault("uk6", "slow", match="^no ", seconds=30)
    changes.release(actor=backbone.approver, change=change)

    def undone() -> list[str]:
        return [each for each in backbone.typed("uk6") if each.startswith("no ")]

    with runjobs(tmp_path / "first.log", **UNHURRIED) as first:
        until(lambda: len(undone()) >= line, 120, "the undo is half sent", tmp_path / "first.log")
        kill(first)
    push.refresh_from_db()
    assert push.state == "PUSHING"
    assert push.undo_from is not None
    sent = undone()
    # The refused line went out with the others of its block, so the whole block goes, whatever of it is in.
    block = next(each for each in plan_of(push).blocks if each.start == push.undo_from)
    undo = [each.text for each in block.clearing]
    assert sent == undo[: len(sent)]
    assert len(sent) < len(undo), "killed before the undo was through"
    backbone.clear()
    if line == 1:
        let_all_but_ten_seconds_pass()
    else:
        let_an_hour_pass()
    with runjobs(tmp_path / "second.log", **UNHURRIED):
        until(
            lambda: RouterPush.objects.filter(pk=push.pk, state="ROLLED_BACK").exists(),
            180,
            "taken back",
            tmp_path / "second.log",
        )
    assert undone() == undo, "every line of the undo once, from two workers"
    after = backbone.call("state", "uk6")
    assert ios.parse(after["running"]) == ios.parse(before["running"])
    assert after["startup"] == before["startup"]
    push.refresh_from_db()
    assert "'set dscp 0' was refused" in push.error
