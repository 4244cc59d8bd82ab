"""kill -9 of `manage.py runjobs` at a chosen line: the successor finishes exactly what was approved."""

from __future__ import annotations

from pathlib import Path

import pytest

from provisioning.models import RouterLease, RouterPush
from provisioning.selectors.plans import plan_of
from provisioning.services import changes
from tests.jobs.ageing import UNHURRIED, let_an_hour_pass
from tests.jobs.sent import each_line_once
from tests.jobs.workers import kill, runjobs, until
from tests.services.backbone import Backbone

ONCE = pytest.mark.once


@pytest.mark.parametrize(
    "line", [1, pytest.param(5, marks=ONCE), pytest.param(11, marks=ONCE), 16, pytest.param(17, marks=ONCE)]
)
def test_a_killed_worker_leaves_a_push_that_its_successor_finishes(
    backbone: Backbone, tmp_path: Path, line: int
) -> None:
    """Lines 16 and 17 are the interface and its policy: before, at and after what changes traffic."""
    change = backbone.approve(backbone.plan(routers=["uk6"]))
    push = change.pushes.get()
    plan = plan_of(push)
    commands = [each.text for each in plan.commands]
    assert len(commands) > 17
    backbone.fault("uk6", "slow", line=line, seconds=30)
    changes.release(actor=backbone.approver, change=change)

    def sent() -> bool:
        return len([each for each in backbone.typed("uk6") if each != "end"]) >= line

    with runjobs(tmp_path / "first.log", **UNHURRIED) as first:
        until(sent, 120, f"line {line} is sent", tmp_path / "first.log")
        kill(first)
    push.refresh_from_db()
    assert push.state == "PUSHING"
    lease = RouterLease.objects.get(router__name="uk6")
    assert lease.owner
    before = len([each for each in backbone.typed("uk6") if each != "end"])
    backbone.clear()

    let_an_hour_pass()
    with runjobs(tmp_path / "second.log", **UNHURRIED):
        until(
            lambda: RouterPush.objects.filter(pk=push.pk, state="VERIFIED").exists(),
            120,
            "done",
            tmp_path / "second.log",
        )

    after = RouterLease.objects.get(router__name="uk6")
    assert after.epoch > lease.epoch
    push.refresh_from_db()
    assert push.saved is True
    assert push.transcripts.count() == 2, "the killed session left its trace"
    typed = [each for each in backbone.typed("uk6") if each != "end"]
    each_line_once(commands, typed[:before], typed[before:])
    assert backbone.bound("uk6") == {("POS1/0", "input", "TRUSTED-IN")}
