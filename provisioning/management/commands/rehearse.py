"""`manage.py rehearse CHANGE`: play a change on practice routers and say what became of each router."""

from __future__ import annotations

import json
import time
from argparse import ArgumentParser
from typing import Any

from provisioning.management import acting
from provisioning.management.printable import printable
from provisioning.management.refusing import RefusingCommand
from provisioning.models import JobKind, Rehearsal, RehearsedPush
from provisioning.selectors import changes as selecting
from provisioning.selectors.rehearsals import Rehearsed, rehearsed, result_of

OTHERWISE, BROKE_OFF = 1, 2


class Command(RefusingCommand):
    help = (
        "Play a planned change on practice routers that hold what its routers showed; nothing is sent to a router of the "
        "network. Exits 0 when every router took every line and ended as planned, 1 when not, 2 when it could not be played."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("change", help="the change: 12 or CHG-12")
        parser.add_argument("--as", dest="user", help="user name of who wants it; of the NOC")
        parser.add_argument("--show", action="store_true", help="show the last rehearsal; play nothing")
        parser.add_argument("--lines", action="store_true", help="every line with its reply, too")
        parser.add_argument("--json", action="store_true", help="print as JSON, every line included")

    def handle(self, *_args: Any, **options: Any) -> None:
        change = selecting.by_reference(options["change"])
        # Loaded once there is a change: it takes longer to load than to say that there is none.
        from provisioning.services import rehearsing
        from provisioning.services.approval import fingerprint

        if not options["show"]:
            actor = acting.as_named(options["user"]) if options["user"] else acting.as_shell()
            self._play(rehearsing.ask(actor=actor, change=change))
        found = rehearsed(change, fingerprint(change))
        if options["json"]:
            self.stdout.write(json.dumps(_as_json(found), indent=2))
        else:
            self.stdout.write(printable(_as_text(change.reference, found, lines=options["lines"])))
        if found is None or not found.current or found.row.error:
            raise SystemExit(BROKE_OFF)
        if not found.through:
            raise SystemExit(OTHERWISE)

    def _play(self, row: Rehearsal) -> None:
        """Play it here, as one worker more; others may be faster."""
        from provisioning.services import jobs

        me = jobs.worker_name("rehearse")
        while Rehearsal.objects.filter(pk=row.pk, finished_at=None).exists():
            jobs.enqueue(JobKind.REHEARSE, [row.pk])
            if not jobs.run_subject(kind=JobKind.REHEARSE, subject_id=row.pk, worker=me):
                time.sleep(0.3)


def _as_text(reference: str, found: Rehearsed | None, *, lines: bool) -> str:
    if found is None:
        return f"{reference} was not rehearsed."
    said = [f"{reference} rehearsed on practice routers: {found.summary}"]
    if not found.current:
        said.append("It was planned anew since: these lines are not rehearsed.")
    for each in found.played:
        said.append(
            f"  {each.push.router.name} {each.push.phase}: {each.get_outcome_display().upper()}, {each.said}"
        )
        if lines:
            said += _lines(result_of(found.row.change, each.push_id))
    return "\n".join(said)


def _lines(each: RehearsedPush) -> list[str]:
    return [
        f"    {number:4} {text}{f'  <- {reply}' if reply else ''}" for number, text, reply in each.lines
    ] + [
        f"    not known: line {number} of the running-config: {line}" for number, line, _reply in each.unknown
    ]


def _as_json(found: Rehearsed | None) -> dict[str, Any] | None:
    if found is None:
        return None
    row = found.row
    return {
        "change": row.change.reference,
        "fingerprint": row.fingerprint,
        "current": found.current,
        "passed": found.through,
        "summary": found.summary,
        "finished_at": row.finished_at.isoformat() if row.finished_at else None,
        "error": row.error,
        "digest": row.digest,
        "pushes": [
            {
                "router": each.push.router.name,
                "phase": each.push.phase,
                **{
                    name: getattr(each, name)
                    for name in (
                        "outcome",
                        "said",
                        "line",
                        "reply",
                        "lines",
                        "differs",
                        "unknown",
                        "transcript",
                    )
                },
            }
            for each in (result_of(row.change, one.push_id) for one in found.played)
        ],
    }
