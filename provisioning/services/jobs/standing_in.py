"""Somebody who does what is due while no message comes: the rows say what that is, with a broker or without.

A Celery worker that has lost its broker starts one as a process of its own (`manage.py runjobs` for the worker's queues)
and ends it when the broker is back. So a released change goes on while Redis is away, and a tick runs, too.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Sequence

import structlog
from django.conf import settings

from provisioning.services.patience import timeouts

log = structlog.get_logger(__name__)


class StandIn:
    """At most one such process; `lost` and `back` may be said as often as one likes."""

    def __init__(self, queues: Sequence[str]) -> None:
        self._queues = tuple(queues)
        self._lost_since: float | None = None
        self._process: subprocess.Popen[bytes] | None = None

    def lost(self) -> None:
        """The broker is away; after `BROKER_PATIENCE_SECONDS` of that the work goes on without it."""
        now = time.monotonic()
        if self._lost_since is None:
            self._lost_since = now
        if settings.BROKER_PATIENCE_SECONDS <= 0 or now - self._lost_since < settings.BROKER_PATIENCE_SECONDS:
            return
        if self._process is None or self._process.poll() is not None:
            log.warning("no broker; doing what is due without it", queues=",".join(self._queues))
            self._process = subprocess.Popen(  # noqa: S603 - our own program, arguments checked by it
                [
                    sys.executable,
                    str(settings.BASE_DIR / "manage.py"),
                    "runjobs",
                    "--queues",
                    ",".join(self._queues),
                    "--workers",
                    "2",
                    "--beside",
                    str(os.getpid()),
                ]
            )

    def back(self) -> None:
        """Messages come again; what is under way there reaches its end or a safe point by itself."""
        self._lost_since = None
        if self._process is not None and self._process.poll() is None:
            log.warning("the broker is back")
            self._process.terminate()

    def stop(self) -> None:
        """The worker ends: wait until its stand-in has reached a safe point."""
        self.back()
        if self._process is not None:
            try:
                self._process.wait(timeout=settings.STOP_GRACE_SECONDS + timeouts().reply + 5)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
