"""`manage.py next_step CHANGE [--router R] [--do VERB --reason WHY --as USER]`: how each router ended, and what is next."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError
from django.utils import timezone

from provisioning.management import acting, ends_as_text
from provisioning.management.printable import printable
from provisioning.management.refusing import RefusingCommand
from provisioning.models import Change, RouterPush
from provisioning.pipeline.ends import Verb
from provisioning.pipeline.states import ChangeState
from provisioning.selectors import changes as selecting
from provisioning.selectors.ends import end_of_push, verbs_of
from provisioning.selectors.pushing import why_no_push
from provisioning.selectors.steering import goes_by_itself, why_held, window_over
from provisioning.selectors.workers import PLANNING, SENDING, why_no_work

OPEN = 1


class Command(RefusingCommand):
    help = (
        "Say how a change ended on each of its routers and what is to be done next (exit 0 when nothing, 1 when something is). "
        "With --do, do it."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("change", help="the change: 12 or CHG-12")
        parser.add_argument("--router", help="only this one")
        parser.add_argument("--do", choices=[verb.value for verb in Verb], help="do this step")
        parser.add_argument("--reason", default="", help="why; kept in the audit trail")
        parser.add_argument("--as", dest="user", help="user name of who acts; needed with --do")
        parser.add_argument("--json", action="store_true", help="print as JSON")

    def handle(self, *_args: Any, **options: Any) -> None:
        change = selecting.by_reference(options["change"])
        if options["do"]:
            self._do(change, options)
            return
        pushes = [push for push in _pushes(change, options["router"]) if _open(push)]
        said, person = _not_ended(change)
        bare = ends_as_text.bare(change)
        if options["json"]:
            rows = [
                {"push": push.pk, "router": push.router.name, "state": push.state, **_shown(push)}
                for push in pushes
            ]
            self.stdout.write(json.dumps(rows, indent=2))
        else:
            lines = ends_as_text.next_steps(change, pushes) or [said]
            lines += ends_as_text.seen_to_already(_pushes(change, options["router"]))
            self.stdout.write(printable("\n".join([*bare, *lines])))
        if pushes or person or bare:
            raise SystemExit(OPEN)

    def _do(self, change: Change, options: dict[str, Any]) -> None:
        if not options["user"]:
            raise CommandError("say who acts: --as USER", returncode=2)
        actor = acting.as_named(options["user"])
        # Loaded by who does something: to say what could be done takes neither planning nor a session.
        from provisioning.services import next_steps, saving

        verb = Verb(options["do"])
        offering = [push for push in _pushes(change, options["router"]) if verb in verbs_of(push)]
        if not offering:
            where = f" on {options['router']}" if options["router"] else ""
            raise CommandError(f"{change.reference}: no end{where} offers {verb}.", returncode=1)
        # One plan for the rest of a change, however many routers are left.
        for push in offering[:1] if verb is Verb.FINISH else _one_each(offering):
            seen = ""
            if verb is Verb.SAVE:
                seen = saving.look(actor=actor, router=push.router).digest
            done = next_steps.take(
                actor=actor,
                push=push,
                verb=verb,
                reason=options["reason"],
                seen=seen,
                alone=bool(options["router"]),
            )
            self.stdout.write(printable(done.said))


def _not_ended(change: Change) -> tuple[str, bool]:
    """What is said where no end asks for a step, and whether somebody has to do something: what has not ended may wait for a
    person, for a worker, or for nothing but time.
    """
    now, state = timezone.now(), selecting.state_of(change)
    if change.finished_at is not None or state not in _WAITS:
        return f"{change.reference}: there is nothing to be done.", False
    said = f"{change.reference} has not ended, it is {state}."
    if state is ChangeState.PLANNING:
        why = why_no_work(PLANNING)
        return f"{said} {why or _WAITS[state].format(change.pk)}", bool(why)
    if change.approved_at is None:
        return f"{said} {_WAITS[ChangeState.PLANNED].format(change.pk)}", True
    if why := why_held(change, now):
        opens = change.paused_at is None and not window_over(change, now)
        return f"{said} {why}", not opens
    if why := why_no_push() or why_no_work(SENDING):
        return f"{said} {why}", True
    if state is ChangeState.APPROVED and (waits := goes_by_itself(change, now)):
        return f"{said} {waits}", False
    return f"{said} {_WAITS[state].format(change.pk)}", state is ChangeState.APPROVED


_WAITS = {
    ChangeState.PLANNING: "Its routers are being read: manage.py plan --show {0}",
    ChangeState.PLANNED: "Next: manage.py plan --show {0}",
    ChangeState.APPROVED: "Next: manage.py push {0} --as USER",
    ChangeState.PUSHING: "Wait, or see it line by line: manage.py push {0} --as USER --wait",
}


def _pushes(change: Change, router: str | None) -> list[RouterPush]:
    return [push for push in selecting.pushes_of(change) if router in (None, push.router.name)]


def _one_each(pushes: list[RouterPush]) -> list[RouterPush]:
    """The last of each router: what is planned again is planned for the whole of it."""
    return list({push.router_id: push for push in pushes}.values())


def _open(push: RouterPush) -> bool:
    end = end_of_push(push)
    return end is not None and end.verb is not None


def _shown(push: RouterPush) -> dict[str, Any]:
    end = end_of_push(push)
    return {"next_step": None if end is None else end.to_json()}
