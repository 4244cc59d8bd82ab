"""`manage.py push CHANGE`: release an approved change, and stay until it is verified or says why not."""

from __future__ import annotations

import json
import signal
import threading
import time
from argparse import ArgumentParser
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError

from provisioning.management import acting, changes_as_text
from provisioning.management.refusing import RefusingCommand
from provisioning.models import Change
from provisioning.selectors import changes as selecting
from provisioning.selectors.workers import SENDING, why_no_work

INTERRUPTED = 128 + signal.SIGINT
LOOK_SECONDS = 5.0
"""How often somebody who only waits looks whether any worker is alive."""


class Command(RefusingCommand):
    help = (
        "Release an approved change and wait for it, working as one more worker meanwhile. "
        "Exits 0 when every router is verified and saved, 1 when not, 2 when a router is unknown."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("change", help="the change: 12 or CHG-12")
        parser.add_argument("--as", dest="user", help="user name of who releases it")
        parser.add_argument(
            "--wait", action="store_true", help="only wait: let the workers that run do the work"
        )
        parser.add_argument("--timeout", type=float, default=1800, help="seconds to wait (default 1800)")
        parser.add_argument("--json", action="store_true", help="print the outcome as JSON, and nothing else")

    def handle(self, *args: Any, **options: Any) -> None:
        actor = acting.as_named(options["user"]) if options["user"] else acting.as_shell()
        change = selecting.by_reference(options["change"])
        # Loaded once there is a change: it takes longer to load than to say that there is none.
        from provisioning.services import changes, jobs

        change = changes.release(actor=actor, change=change)
        watch = Watch(change, quiet=options["json"], say=self.stdout.write, timeout=options["timeout"])
        stop = threading.Event()
        if options["wait"]:
            # Who only waits is no worker: where there is none it would wait in silence until its time is over. Those there are
            # need not wait for their next tick.
            try:
                jobs.tick_after_jobs()
                while not watch.over():
                    watch.tell_of_workers(self.stderr.write)
                    time.sleep(0.5)
            except KeyboardInterrupt:
                self.stderr.write(
                    f"Interrupted: nothing is stopped by that. {_goes_on(change, options['user'])}"
                )
                stop.set()
        else:
            with self._interruptible(stop, change, options["user"]):
                jobs.work(stop=stop, until=watch.over)
        change = selecting.by_reference(change.pk)
        if options["json"]:
            self.stdout.write(json.dumps(changes_as_text.as_json(change), indent=2))
        else:
            self.stdout.write(changes_as_text.outcome(change))
        if stop.is_set():
            raise SystemExit(INTERRUPTED)
        if watch.timed_out:
            raise CommandError(
                f"{change.reference} is not over after {options['timeout']:g} seconds; the workers go on with it.",
                returncode=2,
            )
        code = changes_as_text.exit_code(change)
        if code:
            raise SystemExit(code)

    @contextmanager
    def _interruptible(self, stop: threading.Event, change: Change, user: str | None) -> Iterator[None]:
        """Meanwhile Ctrl-C tells this worker to stop as `runjobs` is told, and says at once what becomes of what is under way."""
        from provisioning.services import stopping

        def let_go(*_: object) -> None:
            if stop.is_set():
                return
            stop.set()
            stopping.ask()
            self.stderr.write(
                f"Interrupted: finishing what is under way, for {settings.STOP_GRACE_SECONDS:g} seconds at most; then it stops "
                f"before the next line, which is safe. {_goes_on(change, user)}"
            )

        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = signal.signal(signal.SIGINT, let_go)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)


def _goes_on(change: Change, user: str | None) -> str:
    """What becomes of a change that is left alone half way, and how it is gone on with or held."""
    who = f"--as {user or 'USER'}"
    return (
        f"What is left of {change.reference} stays released: a worker goes on with it, or manage.py push {change.pk} {who}. "
        f"To hold it: manage.py pause {change.pk} {who} --reason WHY"
    )


class Watch:
    """Tells what is new about a change's routers, and when nothing more will be."""

    def __init__(self, change: Change, *, quiet: bool, say: Any, timeout: float) -> None:
        self.pk, self.quiet, self.say = change.pk, quiet, say
        self.deadline = time.monotonic() + timeout
        self.told: dict[int, str] = {}
        self.timed_out = False
        self.not_before = 0.0
        self.no_worker = ""
        self.workers_again = 0.0

    def tell_of_workers(self, say: Callable[[str], object]) -> None:
        """Say that no worker is alive, once, and again when that has changed; looked at every few seconds."""
        if time.monotonic() < self.workers_again:
            return
        self.workers_again = time.monotonic() + LOOK_SECONDS
        why, before = why_no_work(SENDING), self.no_worker
        self.no_worker = why
        if why != before:
            say(why or "A worker is alive again.")

    def over(self) -> bool:
        """Whether nothing more is to be waited for; asked more often, the answer is that of the last look, which may take a
        tenth of the time and no more.
        """
        began = time.monotonic()
        if began < self.not_before:
            return False
        try:
            return self._look()
        finally:
            self.not_before = time.monotonic() + 10 * (time.monotonic() - began)

    def _look(self) -> bool:
        change, pushes = selecting.progress_of(self.pk)
        width = changes_as_text.name_width(push.router.name for push in pushes)
        for push in pushes:
            line = changes_as_text.progress(push, width)
            if self.told.get(push.pk) != line:
                self.told[push.pk] = line
                if not self.quiet:
                    self.say(line)
        if selecting.is_over(change):
            return True
        self.timed_out = time.monotonic() > self.deadline
        return self.timed_out
