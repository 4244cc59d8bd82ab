"""SIGTERM ends beat in order, whatever it was doing."""

from __future__ import annotations

import os
import shelve
import signal
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from celery.apps.beat import Beat
from celery.beat import PersistentScheduler

from provisioning.celery import app


@pytest.fixture(autouse=True)
def _handlers() -> Iterator[None]:
    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


class Interrupted(PersistentScheduler):  # type: ignore[misc]
    """Told to stop while it sends its first tick; `lost` where the exception of that is swallowed by what it sends with."""

    lost = False
    rounds = 0
    producer = None  # no broker

    def setup_schedule(self) -> None:
        super().setup_schedule()
        long_ago = datetime.now(UTC) - timedelta(hours=1)
        self.schedule["tick"] = self.Entry("tick", "provisioning.tick", long_ago, schedule=1, app=self.app)

    def apply_async(self, entry: object, **_kwargs: object) -> None:
        type(self).rounds += 1
        if self.lost:
            with suppress(SystemExit):
                os.kill(os.getpid(), signal.SIGTERM)
        else:
            os.kill(os.getpid(), signal.SIGTERM)
        assert self.schedule, "the schedule file is open until the loop has ended"


@pytest.mark.parametrize("lost", [False, True])
def test_told_to_stop_while_it_sends(lost: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Interrupted, "lost", lost)
    monkeypatch.setattr(Interrupted, "rounds", 0)
    file = str(tmp_path / "beat")
    beat = Beat(app=app, schedule=file, scheduler_cls=Interrupted, quiet=True)
    with suppress(SystemExit):
        beat.start_scheduler()
    assert Interrupted.rounds == 1
    with shelve.open(file) as kept:
        assert kept["entries"]["tick"].total_run_count == 1
