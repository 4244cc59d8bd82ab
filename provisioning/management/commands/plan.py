"""`manage.py plan [--router R] [--json] [--as USER]`: read the routers, plan what they lack, print it."""

from __future__ import annotations

import json
import sys
import threading
import time
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError
from django.db import connection

from provisioning.management import acting, changes_as_text
from provisioning.management.refusing import RefusingCommand
from provisioning.management.request_argument import request_named
from provisioning.models import Change, ChangeKind, JobKind
from provisioning.selectors import changes as selecting


class Command(RefusingCommand):
    help = (
        "Read the routers over SSH and plan what the domain (or --router) lacks, as one change. Nothing is sent. "
        "Exits 0 with a plan, 1 when a router could not be read or something is in the way."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--router", action="append", help="only this router; may be repeated")
        parser.add_argument("--as", dest="user", help="user name of who plans, and so may not approve")
        parser.add_argument("--reason", default="", help="why; kept in the audit trail")
        parser.add_argument(
            "--repair", action="store_true", help="put back what was edited by hand in objects of ours"
        )
        parser.add_argument(
            "--show", metavar="CHANGE", help="print a change that exists (12 or CHG-12); plan nothing"
        )
        parser.add_argument(
            "--explain",
            action="store_true",
            help="below each line what it changes: who marks, who polices, at what rate; the way back too",
        )
        parser.add_argument(
            "--request",
            metavar="PIP",
            help="have a request planned again that waits for a person (with --reason)",
        )
        parser.add_argument("--json", action="store_true", help="print the change as JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["show"]:
            change = selecting.by_reference(options["show"])
            if options["user"]:
                from provisioning.services import changes

                changes.look(actor=acting.as_named(options["user"]), change=change)
        elif options["request"]:
            self._retry(options)
            return
        else:
            change = self._plan(options)
        if options["json"]:
            self.stdout.write(json.dumps(changes_as_text.as_json(change), indent=2))
        else:
            self.stdout.write(changes_as_text.plan(change, explain=options["explain"]))
        if changes_as_text.not_approvable(change) or changes_as_text.unread(change):
            raise SystemExit(1)

    def _retry(self, options: dict[str, Any]) -> None:
        """Have one request planned again that waits for a person."""
        request = request_named(options["request"])
        actor = acting.as_named(options["user"]) if options["user"] else acting.as_shell()
        from provisioning.services import queues

        queues.retry(actor=actor, request=request, reason=options["reason"])
        self.stdout.write(f"{request.reference} is planned again by whoever works the queue of its router.")

    def _plan(self, options: dict[str, Any]) -> Change:
        """Ask for the plan and make it here, as a job among others; the workers may be faster."""
        actor = acting.as_named(options["user"]) if options["user"] else acting.as_shell()
        # Loaded once it is known who plans: it takes longer to load than to say that there is no such person.
        from provisioning.services import jobs, planning

        change = planning.ask_for_plan(
            actor=actor,
            kind=ChangeKind.REPAIR if options["repair"] else ChangeKind.BASELINE,
            routers=options["router"],
            reason=options["reason"],
        )
        jobs.enqueue(JobKind.PLAN_CHANGE, [change.pk])
        with Progress(change, self.stderr if sys.stderr.isatty() else None):
            if not jobs.run_subject(
                kind=JobKind.PLAN_CHANGE, subject_id=change.pk, worker=jobs.worker_name("plan")
            ):
                while Change.objects.filter(pk=change.pk, planned_at=None, finished_at=None).exists():
                    time.sleep(0.2)
        change = selecting.by_reference(change.pk)
        if change.planned_at is None:
            raise CommandError(change.asked.get("error", "it was not planned; see the jobs"), returncode=1)
        return change


class Progress:
    """A line on a terminal that says how many routers are read, while the plan is made."""

    def __init__(self, change: Change, out: Any) -> None:
        self.change, self.out, self.over = change, out, threading.Event()
        self.thread = threading.Thread(target=self._tell, daemon=True)

    def __enter__(self) -> None:
        if self.out is not None:
            self.thread.start()

    def __exit__(self, *_: object) -> None:
        self.over.set()
        if self.out is not None:
            self.thread.join()
            self.out.write("\r\033[K", ending="")

    def _tell(self) -> None:
        try:
            while not self.over.wait(0.5):
                asked = Change.objects.filter(pk=self.change.pk).values_list("asked", flat=True)[0]
                said = f"\r{self.change.reference}: {asked.get('read', 0)} of {len(asked['routers'])} routers read"
                self.out.write(said, ending="")
                self.out.flush()
        finally:
            connection.close()
