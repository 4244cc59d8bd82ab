"""Changes, pushes and routers for a terminal: for somebody tired at night, and as JSON for a script."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict
from typing import Any

from provisioning.management import ends_as_text, rates_as_text, swaps_as_text
from provisioning.management.capping import SHOWN, capped
from provisioning.management.mqc_as_text import told_as_text
from provisioning.management.printable import printable
from provisioning.models import Change, ChangeKind, RouterPush
from provisioning.pipeline.change import ChangePlan
from provisioning.pipeline.safety import tell
from provisioning.pipeline.states import ChangeState, PushState
from provisioning.pipeline.units import first_few, how_many, instant_text
from provisioning.selectors import changes as selecting
from provisioning.selectors.approvals import given_to, missing_of
from provisioning.selectors.ends import end_of_push
from provisioning.selectors.plans import content_of, plan_of, removed
from provisioning.selectors.waiting import waits_of
from provisioning.selectors.way_back import way_back

HOLDS: dict[str, str] = {
    PushState.ROLLED_BACK: "it was taken back and read: it holds what it held before, nothing was saved.",
    PushState.STALE: "nothing of this plan was sent to it.",
    PushState.UNKNOWN: "what it holds is not known until it is read.",
    PushState.FAILED: "nothing was sent to it, it holds what it held before.",
}


def plan(change: Change, *, explain: bool = False) -> str:
    """A change as it would be sent: what it is, what keeps it from being approved, then each router's lines.

    `explain` says below each line what it changes on which interface, and shows the way back likewise.
    """
    planning = selecting.planning_of(change)
    if planning is not None:
        return printable(
            "\n".join([f"{change.reference}  {change.title}", *_being_planned(change, planning)])
        )
    pushes = selecting.pushes_of(change)
    lines = [f"{change.reference}  {change.title}", _counted(pushes), *_parts(change), ""]
    lines += capped(
        f"  OPEN EDGE  {edge['router']} {edge['interface']}: {edge['reason']}" for edge in change.open_edges
    )
    if change.open_edges:
        lines += ["  The core queues are left out of this plan until every edge is closed.", ""]
    idle = [push for push in pushes if selecting.is_idle(push)]
    for push in pushes:
        if push not in idle:
            lines += [*_push(push, explain=explain), ""]
    if idle:
        lines.append(_idle_in_words(idle))
        lines += capped(f"  WARNING   {name}: {text}" for name, text in selecting.said_of_idle(pushes))
        lines.append("")
    lines += rates_as_text.rates(change)
    blocked = not_approvable(change)
    if blocked:
        lines += ["This change cannot be approved:", *capped(f"  {text}" for text in blocked)]
        again = f"{_same_routers(pushes)}{' --repair' if change.kind == ChangeKind.REPAIR else ''}"
        lines.append(f"Next: mend what is named above, then manage.py plan{again} --as USER")
    elif any(push.state == PushState.PLANNED for push in pushes):
        lines += _left_out(pushes)
        gaps = any(push.stored_plan.gaps for push in pushes if push.has_plan)
        doubts = any(push.stored_plan.doubts for push in pushes if push.has_plan)
        asked = f"{' --confirm-gaps' if gaps else ''}{' --override WHY' if doubts else ''}"
        lines += _still_needed(change)
        lines.append(f"Next: manage.py approve {change.pk} --as {_who(change)}{asked}")
    elif all(selecting.is_idle(push) for push in pushes):
        lines.append("Nothing to send: the routers hold it already.")
    else:
        lines += outcome(change).strip().splitlines()
        if any(push.state == PushState.APPROVED for push in pushes):
            lines.append(f"Next: manage.py push {change.pk} --as USER")
        lines += _undoing(change)
    return printable("\n".join(lines))


def _being_planned(change: Change, planning: selecting.Planning) -> Iterator[str]:
    """How far a plan is that somebody asked for, or why it could not be made."""
    if planning.error:
        yield f"It could not be planned: {planning.error}"
        yield "Nothing was sent. Next: mend what is named, then manage.py plan --as USER"
    else:
        yield f"It is being planned: {planning.read} of {how_many(planning.routers, 'router')} read. Nothing is sent."
        yield f"Next: manage.py plan --show {change.pk}"


def _parts(change: Change) -> Iterator[str]:
    """Who planned it, what it puts on and takes off, and whose word it has."""
    yield f"Planned by {change.submitted_by or 'Expedite'}"
    for word, requests in (
        ("Puts on", selecting.put_on_by(change)),
        ("Changes", selecting.changed_by(change)),
        ("Takes off", selecting.taken_off_by(change)),
    ):
        if requests:
            yield f"{word} {first_few([each.reference for each in requests], SHOWN)}"
    if change.due_at is not None:
        yield f"Due {instant_text(change.due_at)}"
    if change.base_lines:
        yield "It carries lines that no request asked for: two people of the NOC stand behind it."
    for each in given_to(change):
        over = f", of the same lines in {each.carried_from.reference}" if each.carried_from else ""
        yield f"Approved by {each.user} at {instant_text(each.at)}{over}"


def _still_needed(change: Change) -> Iterator[str]:
    """Whose word is missing although somebody has approved; nothing where nobody has."""
    if change.approvals.exists():
        yield "Approved in part; nothing goes out yet. Still needed:"
        yield from (f"  {text}" for text in missing_of(change))


def _who(change: Change) -> str:
    return "ANOTHER" if change.approvals.exists() else "USER"


def _left_out(pushes: list[RouterPush]) -> Iterator[str]:
    """The routers that were not read: they are no part of what is approved."""
    unread = [push for push in pushes if not push.has_plan and push.state == PushState.UNKNOWN]
    if unread:
        yield "Not read, and left out when the rest is approved:"
        yield from capped(f"  {push.router.name}: UNKNOWN, {push.error}" for push in unread)


def _undoing(change: Change) -> Iterator[str]:
    """The steps that undo what was verified, each with where it is taken; nothing while nothing was."""
    for number, step in enumerate(way_back(change)):
        if not number:
            yield from ("", "To undo what was verified (its stored lines are not sent backwards):")
        yield f"  {step.text}"
        if step.code == "withdraw":
            yield (
                f"  It is done on the page /requests/{step.request}/withdraw/, or "
                f"POST /api/v1/premium-requests/{step.request}/withdraw/ with a reason."
            )


def not_approvable(change: Change) -> list[str]:
    """Why a change cannot be approved as it is: conflicts, unsafe lines, or that nothing of it was read. Empty when it can."""
    pushes = selecting.pushes_of(change)
    waiting = any(push.has_plan and push.state != PushState.VERIFIED for push in pushes)
    texts = []
    for push in pushes:
        if not push.has_plan:
            if not waiting:
                texts.append(f"{push.router.name}: UNKNOWN, {push.error}")
            continue
        texts += [
            f"{push.router.name}: {conflict['text']}{_way_out(push, conflict['text'])}"
            for conflict in push.conflicts
        ]
        texts += [f"{push.router.name}: UNSAFE, {text}" for text in push.stored_plan.violations]
    return texts


def unread(change: Change) -> list[str]:
    """The routers of a plan that were not read, by name."""
    pushes = selecting.pushes_of(change)
    return [push.router.name for push in pushes if not push.has_plan and push.state == PushState.UNKNOWN]


def _same_routers(pushes: list[RouterPush]) -> str:
    """What makes a new plan for the routers that were asked for, where they are few enough to name."""
    names = list(dict.fromkeys(push.router.name for push in pushes))
    return "".join(f" --router {name}" for name in names) if len(names) <= 3 else ""


def _way_out(push: RouterPush, text: str) -> str:
    if "edited by hand" not in text:
        return ""
    return f"; to put it back: manage.py plan --repair --router {push.router.name} --as USER"


def _idle_in_words(pushes: list[RouterPush]) -> str:
    names = ", ".join(dict.fromkeys(push.router.name for push in pushes))
    return f"Read, and nothing to send: {names}"


def name_width(names: Iterable[str]) -> int:
    """How many characters the names of these routers take, so that what stands beside them lines up."""
    return max((len(name) for name in names), default=0)


def progress(push: RouterPush, width: int = 0) -> str:
    """One line about one router: where it stands, how far it is; its name padded to `width`."""
    name = f"{push.router.name:<{max(6, width)}} {push.phase:<8} {push.state:<11}"
    if push.state == PushState.PUSHING:
        doing = "taking back" if push.undo_from is not None else "line"
        return f"{name} {doing} {push.line} of {push.lines}"
    if push.error:
        return printable(f"{name} {push.error}")
    if push.state == PushState.VERIFIED:
        return f"{name} {(push.verification or {}).get('save', 'seen as intended')}"
    return name.rstrip()


def outcome(change: Change) -> str:
    """How a change ended, router by router."""
    lines = ["", f"{change.reference} is {selecting.state_of(change)}."]
    pushes = selecting.pushes_of(change)
    idle = [push for push in pushes if selecting.is_idle(push)]
    width = name_width(push.router.name for push in pushes)
    lines += [f"  {progress(push, width)}" for push in pushes if push not in idle]
    if idle:
        lines.append(f"  {_idle_in_words(idle)}")
    lines += ends_as_text.bare(change)
    lines += _what_they_hold(pushes)
    lines += ends_as_text.next_steps(change, pushes)
    return printable("\n".join(lines))


def _what_they_hold(pushes: list[RouterPush]) -> Iterator[str]:
    """What the routers hold that did not end well, a line for all of which the same is true."""
    alike: dict[str, dict[str, None]] = {}
    for push in pushes:
        said = HOLDS.get(push.state, "")
        if push.saved is False and not said:
            said = "the lines run, but a reload would lose them."
        if said:
            alike.setdefault(said, {})[push.router.name] = None
    for said, names in alike.items():
        yield f"  {first_few(list(names), SHOWN)}: {said}"


def exit_code(change: Change) -> int:
    """0 when every router is verified and saved, 2 when one is unknown, else 1."""
    state = selecting.state_of(change)
    if state is ChangeState.UNKNOWN:
        return 2
    unsaved = any(push.saved is False for push in selecting.pushes_of(change))
    return 0 if state is ChangeState.VERIFIED and not unsaved else 1


def as_json(change: Change) -> dict[str, Any]:
    """A change with everything that is approved and everything that came of it."""
    requests = list(change.requests.order_by("pk"))
    waits = waits_of(requests)
    return {
        "id": change.pk,
        "reference": change.reference,
        "kind": change.kind,
        "title": change.title,
        "state": selecting.state_of(change).value,
        "overdue": selecting.is_overdue(change),
        "requests": [request.reference for request in requests],
        "waits_for": {row.reference: waits[row.pk].text for row in requests if row.pk in waits},
        "takes_off": [request.reference for request in selecting.taken_off_by(change)],
        "modifies": {f"PIP-{pk}": f"MOD-{key}" for pk, key in sorted(change.modifies.items())},
        "base_lines": change.base_lines,
        "due_at": change.due_at.isoformat() if change.due_at else None,
        "planning": asdict(planning) if (planning := selecting.planning_of(change)) else None,
        "submitted_by": change.submitted_by.get_username() if change.submitted_by else None,
        "approvals": [
            {
                "user": each.user.get_username(),
                "at": each.at.isoformat(),
                "carried_from": each.carried_from.reference if each.carried_from else None,
            }
            for each in given_to(change)
        ],
        "still_needed": list(missing_of(change)) if _waits_for_approval(change) else [],
        "approved_by": change.approved_by.get_username() if change.approved_by else None,
        "approved_fingerprint": change.approved_fingerprint,
        "override_reason": change.override_reason,
        "open_edges": change.open_edges,
        "not_approvable": not_approvable(change),
        "rates": change.rates,
        "way_back": [step.to_json() for step in way_back(change)],
        "pushes": [_push_as_json(push) for push in selecting.pushes_of(change)],
    }


def _waits_for_approval(change: Change) -> bool:
    return change.planned_at is not None and change.approved_at is None and change.finished_at is None


def _push_as_json(push: RouterPush) -> dict[str, Any]:
    stored = content_of(push) if push.has_plan and not push.plan_removed else {}
    planned = ChangePlan.from_json(stored) if stored else None
    return {
        "id": push.pk,
        "router": push.router.name,
        "phase": push.phase,
        "state": push.state,
        "commands": [line["text"] for line in stored.get("commands", [])],
        "rollback": [line["text"] for line in stored.get("rollback", [])],
        **swaps_as_text.as_json(stored, push.router),
        "conflicts": push.conflicts,
        "equal_today": stored.get("equal_today", []),
        "proof": [state.to_json() for state in planned.proof] if planned else [],
        "proof_of_rollback": [state.to_json() for state in planned.back] if planned else [],
        "warnings": stored.get("warnings", []),
        "doubts": stored.get("doubts", []),
        "unsaved": push.unsaved,
        "fingerprint": push.fingerprint,
        "line": push.line,
        "lines": push.lines,
        "saved": push.saved,
        "error": push.error,
        "error_code": push.error_code,
        "next_step": None if (end := end_of_push(push)) is None else end.to_json(),
        "verification": push.verification,
        "health": push.health,
    }


def _counted(pushes: list[RouterPush]) -> str:
    sending = [push for push in pushes if push.lines]
    routers = {push.router.name for push in pushes}
    has = "has" if len(sending) == 1 else "have"
    return (
        f"{how_many(len(routers), 'router')}, {len(sending)} of {len(pushes)} pushes {has} something to send"
    )


def _push(push: RouterPush, *, explain: bool = False) -> list[str]:
    head = f"=== {push.router.name}  {push.phase}  {push.state}"
    if not push.has_plan:
        return [head, f"  not read: {push.error}"]
    if push.plan_removed:
        return [head, f"  {removed(push)}"]
    planned = plan_of(push)
    lines = [head if planned.commands else f"{head}  (nothing to send)"]
    if explain:
        bandwidths = push.before.bandwidths if push.before else {}
        there, back = tell(planned.proof, bandwidths), tell(planned.back, bandwidths)
        lines += [f"  {text}" for text in told_as_text(planned.commands, there)]
        lines += ["  ! rollback", *(f"  {text}" for text in told_as_text(planned.rollback, back))]
    else:
        lines += [f"  {'  ' * line.depth}{line.text}" for line in planned.commands]
    lines += swaps_as_text.told(planned, push.router)
    lines += [f"  EQUAL TODAY {same.text}" for same in planned.equal_today]
    lines += capped(f"  CONFLICT  {conflict.text}" for conflict in planned.conflicts)
    lines += capped(f"  UNSAFE    {text}" for text in planned.violations)
    lines += [
        f"  TAKEOVER  {each.object_kind} {each.name} is there already, exactly as intended"
        for each in planned.takeovers
    ]
    lines += [f"  DOUBT     {doubt.text}" for doubt in planned.doubts]
    if planned.doubts and push.change.override_reason:
        lines.append(f"  OVERRIDE  {push.change.override_reason}")
    lines += [f"  WARNING   {text}" for text in planned.warnings]
    if push.unsaved:
        are = "is" if len(push.unsaved) == 1 else "are"
        lines.append(
            f"  UNSAVED   {how_many(len(push.unsaved), 'line')} of other people {are} not in startup-config:"
        )
        lines += [f"              {text}" for text in push.unsaved]
        lines.append(
            "            `write memory` would save them too; it is left out unless --save-others-edits"
        )
    return lines
