"""A worker that stands still in the one moment that no lease can guard: between its look at the lease and its write.

It is stopped by itself, in exactly that moment, and wakes when a successor has the router. The one approved write reaches the
router, nothing after it does, and the router is read after it.
"""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import pytest

from provisioning.models import Job, RouterLease, RouterPush
from provisioning.selectors.plans import plan_of
from provisioning.services import changes, jobs
from tests.jobs.ageing import UNHURRIED, let_an_hour_pass
from tests.jobs.workers import process, runjobs, until
from tests.services.backbone import Backbone

STOPS = """
import signal, sys, threading
import django
django.setup()
from django.core.management import call_command
from provisioning.services.pushing import sending
whole, stopped = sending._Gate.__call__, []
def gate(self, index, **closing):
    whole(self, index, **closing)
    if not stopped and any(line.text == sys.argv[1] for line in self._units[index].lines):
        stopped.append(index)
        # At this thread: of a signal to the process another thread may be told first, and this one would write meanwhile.
        signal.pthread_kill(threading.get_ident(), signal.SIGSTOP)
sending._Gate.__call__ = gate
# Nothing but the push: no other thread is to stand still in a transaction, with the locks of that.
call_command("runjobs", "--workers", "2", "--queues", "push")
"""


def stopped(pid: int) -> bool:
    return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "T"


def typed(backbone: Backbone) -> list[dict[str, Any]]:
    return [each for each in backbone.call("state", "uk6")["log"] if each["line"] != "end"]


def ended(push: RouterPush) -> bool:
    return RouterPush.objects.filter(pk=push.pk, state="VERIFIED").exists()


@pytest.mark.parametrize(
    "wakes", ["while its successor writes", pytest.param("after", marks=pytest.mark.once)]
)
def test_at_most_the_one_approved_write_reaches_the_router_and_it_is_read_after_that(
    backbone: Backbone, tmp_path: Path, wakes: str
) -> None:
    change = backbone.approve(backbone.plan(routers=["uk6"]))
    push = change.pushes.get()
    commands = [line.text for line in plan_of(push).commands]
    binding = next(line for line in commands if line.startswith("service-policy input"))
    changes.release(actor=backbone.approver, change=change)
    for job in jobs.tick():
        jobs.run(job_id=job.pk, worker="reads it again")
    jobs.tick()
    log = tmp_path / "first.log"
    with process("-c", STOPS, binding, log=log, **UNHURRIED) as first:
        until(lambda: stopped(first.pid), 120, "it stands still before the binding", log)
        before = typed(backbone)
        assert binding not in [each["line"] for each in before], "not written yet"
        mine = before[-1]["session"]
        epoch = RouterLease.objects.get(router=push.router).epoch
        let_an_hour_pass()
        if wakes != "after":
            backbone.fault("uk6", "slow", match=f"^{binding}$", seconds=3, times=1)
        with runjobs(tmp_path / "second.log", **UNHURRIED):
            if wakes == "after":
                until(lambda: ended(push), 120, "done by the successor", tmp_path / "second.log")
            else:
                until(lambda: len(typed(backbone)) > len(before), 120, "the successor writes", log)
            assert RouterLease.objects.get(router=push.router).epoch > epoch
            os.kill(first.pid, signal.SIGCONT)
            until(lambda: ended(push), 120, "done by the successor", tmp_path / "second.log")
            until(lambda: "taken over" in log.read_text(), 60, "the first worker found out", log)
            read_again = Job.objects.filter(kind="verify-router", state="done")
            until(read_again.exists, 60, "read once more", tmp_path / "second.log")
    late = [each for each in typed(backbone)[len(before) :] if each["session"] == mine]
    assert [each["line"] for each in late] == [binding], "the write it was stopped before, and no other"
    reads = [
        each
        for each in backbone.call("state", "uk6")["asked"]
        if each["line"].startswith("show running-config") and each["session"] != mine
    ]
    assert any(each["at"] > late[0]["at"] for each in reads), "read after it"
    assert backbone.bound("uk6") == {("POS1/0", "input", "TRUSTED-IN")}
    push.refresh_from_db()
    assert (push.state, push.saved) == ("VERIFIED", True)
