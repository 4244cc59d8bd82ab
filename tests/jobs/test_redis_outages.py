"""Redis killed thirty times for 1 to 30 s under load: every change ends, no worker is gone. DEEP=1, or `make soak ONLY=redis`.

`make test` has the sample: two outages in the middle of a push (test_lost_broker.py).
"""

from __future__ import annotations

import os
import random
import time
from pathlib import Path

import pytest

from provisioning.models import Change, RouterPush
from provisioning.services import changes
from tests.jobs.ageing import UNHURRIED
from tests.jobs.broker import Broker
from tests.jobs.workers import WORKER, beat, process, until
from tests.services.backbone import Backbone

OUTAGES = int(os.environ.get("OUTAGES", "30"))
LONGEST = float(os.environ.get("LONGEST_OUTAGE", "30"))

pytestmark = [
    pytest.mark.skipif(not os.environ.get("DEEP"), reason="ten minutes: DEEP=1, or make soak ONLY=redis"),
    pytest.mark.timeout(3000),
]


def disturb_and_release(backbone: Backbone, router: str) -> Change:
    """Somebody takes a policy off by hand; a change that puts it on again is approved and released."""
    bound = sorted(each for each in backbone.bound(router) if each[1] == "input")
    if bound:
        interface, direction, policy = bound[0]
        backbone.console(router, f"interface {interface}", f"no service-policy {direction} {policy}")
    change = backbone.approve(backbone.plan(routers=[router]))
    changes.release(actor=backbone.approver, change=change)
    return change


def test_every_change_ends_and_no_worker_is_gone(backbone: Backbone, tmp_path: Path, broker: Broker) -> None:
    seed = int(os.environ.get("SEED", time.time()))
    chance = random.Random(seed)
    log = tmp_path / "celery.log"
    running = {"CELERY_BROKER_URL": broker.url, **UNHURRIED}
    took: list[float] = []
    away: list[float] = []
    with (
        process(*beat(tmp_path), log=log, **running) as clock,
        process(*WORKER, "-n", "one@%h", log=log, **running) as one,
        process(*WORKER, "-n", "two@%h", log=log, **running) as two,
    ):
        for outage in range(OUTAGES):
            change = disturb_and_release(backbone, chance.choice(["gr6", "nl6", "uk6"]))
            released = time.monotonic()
            time.sleep(chance.uniform(0, 3))
            broker.kill()
            away.append(chance.uniform(1, LONGEST))
            time.sleep(away[-1])
            broker.start()
            if chance.random() < 0.5:
                broker.flush()
            until(lambda change=change: _ended(change), 300, f"{change.reference} ends (seed {seed})", log)
            took.append(time.monotonic() - released)
            for name, worker in (("beat", clock), ("one", one), ("two", two)):
                assert worker.poll() is None, (outage, name, seed, log.read_text()[-3000:])
            print(
                f"outage {outage + 1}: {away[-1]:.0f} s away, the change ended {took[-1]:.0f} s after its release",
                flush=True,
            )
    assert "Unrecoverable" not in log.read_text()
    assert set(RouterPush.objects.values_list("state", flat=True)) == {"VERIFIED"}
    print(
        f"{OUTAGES} outages, {sum(away):.0f} s away in all; workers ended: 0; slowest change {max(took):.0f} s; seed {seed}"
    )


def _ended(change: Change) -> bool:
    return set(change.pushes.values_list("state", flat=True)) == {"VERIFIED"}
