"""`manage.py runjobs`: do what is due on this machine, without Redis; the same jobs a Celery worker runs."""

from __future__ import annotations

import json
import os
import signal
import threading
from argparse import ArgumentParser
from datetime import UTC, datetime
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError

from provisioning.management.refusing import BAD_INPUT, RefusingCommand
from provisioning.pipeline.units import how_many
from provisioning.services import jobs, stopping


class Command(RefusingCommand):
    help = "Find what is due and do it, until stopped (or with --once, until nothing is due)."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--workers",
            type=int,
            default=jobs.AT_ONCE,
            help=f"jobs done side by side (default {jobs.AT_ONCE})",
        )
        parser.add_argument(
            "--queues",
            default=",".join(jobs.ALL_QUEUES),
            help="the queues served, as of a Celery worker (default all)",
        )
        parser.add_argument("--beside", type=int, help="stop when this process is no longer the parent")
        parser.add_argument("--once", action="store_true", help="stop when nothing is due")

    def handle(
        self, *args: Any, workers: int, once: bool, queues: str, beside: int | None, **options: Any
    ) -> None:
        if not 1 <= workers <= 32:
            raise CommandError("--workers is between 1 and 32", returncode=BAD_INPUT)
        stop = threading.Event()
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: (stop.set(), stopping.ask()))
        jobs.make_ready()
        count = jobs.work(
            workers=workers,
            stop=stop,
            until_idle=once,
            until=None if beside is None else lambda: os.getppid() != beside,
            say=self._say,
            queues=[name.strip() for name in queues.split(",")],
        )
        self._say(f"{how_many(count, 'job')} done.")

    def _say(self, sentence: str) -> None:
        self.stdout.write(_as_json(sentence) if settings.LOG_JSON else sentence)


def _as_json(sentence: str) -> str:
    now = datetime.now(UTC).isoformat()
    return json.dumps({"timestamp": now, "level": "info", "logger": "runjobs", "event": sentence})
