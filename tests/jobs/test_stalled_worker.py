"""A worker that stands still (SIGSTOP) for longer than its lease, and wakes when another has taken over."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from provisioning.models import Job, RouterLease, RouterPush
from provisioning.pipeline.change import writes
from provisioning.selectors.plans import plan_of
from provisioning.services import changes
from provisioning.services.pushing.standing import write_ends
from tests.jobs.ageing import UNHURRIED, let_an_hour_pass
from tests.jobs.workers import runjobs, stand_still, until
from tests.services.backbone import Backbone


@pytest.mark.parametrize("line", [pytest.param(5, marks=pytest.mark.once), 16])
def test_a_worker_that_wakes_after_a_takeover_writes_not_one_more_line(
    backbone: Backbone, tmp_path: Path, line: int
) -> None:
    change = backbone.approve(backbone.plan(routers=["uk6"]))
    push = change.pushes.get()
    plan = plan_of(push)
    commands = [each.text for each in plan.commands]
    together = [each for block in plan.blocks for each in block.together]
    written = next(
        end for end in write_ends(writes(plan.commands, plan.alternatives, together)) if end >= line
    )
    backbone.fault("uk6", "slow", line=line, seconds=10)
    changes.release(actor=backbone.approver, change=change)

    def typed() -> list[str]:
        return [each for each in backbone.typed("uk6") if each != "end"]

    with runjobs(tmp_path / "first.log", **UNHURRIED) as first:
        until(lambda: len(typed()) >= line, 60, f"line {line} is sent", tmp_path / "first.log")
        stand_still(first)
        push.refresh_from_db()
        assert push.state == "PUSHING"
        held = RouterLease.objects.get(router=push.router)
        stopped_at = typed()
        assert len(stopped_at) < len(commands)
        backbone.clear()
        let_an_hour_pass()
        with runjobs(tmp_path / "second.log", **UNHURRIED):
            until(
                lambda: RouterLease.objects.get().epoch > held.epoch,
                60,
                "taken over",
                tmp_path / "second.log",
            )
            os.killpg(first.pid, signal.SIGCONT)  # while its successor is at work
            until(
                lambda: RouterPush.objects.filter(pk=push.pk, state="VERIFIED").exists(),
                120,
                "done by the successor",
                tmp_path / "second.log",
            )
            job = Job.objects.get(kind="push", subject_id=push.pk)
            until(lambda: Job.objects.get(pk=job.pk).state == "done", 60, "said so")
            until(
                lambda: "taken over" in (tmp_path / "first.log").read_text(),
                60,
                "the first worker found out",
                tmp_path / "first.log",
            )
    push.refresh_from_db()
    assert push.state == "VERIFIED", push.error
    assert push.transcripts.count() == 2
    mine, successors = push.transcripts.order_by("pk")
    lines = [text for _, direction, text in mine.lines if direction == ">" and text in commands]
    assert stopped_at == commands[: len(stopped_at)]
    assert lines == commands[:written], "the write it was stopped in, and nothing after it woke"
    theirs = [text for _, direction, text in successors.lines if direction == ">"]
    assert "show running-config" in theirs[: theirs.index("configure terminal")]
    assert backbone.bound("uk6") == {("POS1/0", "input", "TRUSTED-IN")}
    assert job.attempts == 2
