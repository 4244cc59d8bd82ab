"""What was approved ahead, held against the plan that is due: covered, it carries its approval; else it says what differs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from django.conf import settings

from provisioning.models import SYSTEM, Approval, ApprovedLines, CarryRule, Change, RouterPush
from provisioning.pipeline import ios
from provisioning.pipeline.ahead import (
    Covered,
    Effect,
    Part,
    PlannedLine,
    covers_effect,
    covers_lines,
    effect_of,
    lines_of,
    text_of,
)
from provisioning.pipeline.authority import apart
from provisioning.pipeline.change import ChangePlan
from provisioning.pipeline.platforms import profile
from provisioning.selectors.approvals import approvers, parts_of
from provisioning.selectors.plans import plans_of
from provisioning.services import approval, audit

NEWEST = 20
"""So many approvals of one request in one direction are looked at, newest first."""
LONGEST = 8000
"""Characters of each text that the audit trail keeps; the whole stands in the rows."""
SET_BY = "the setting APPROVAL_CARRIES"


def cover(change: Change) -> bool:
    """Give a plan that is stored, and that nobody has approved, the approvals given ahead, if together they are exactly
    this plan; then let it go. Returns whether it is approved. Otherwise the change and the audit trail say what differs.

    Never for lines that no request asked for, nor for what is on and becomes something else; never with leave to
    save other people's edits. People count who are of the NOC still. To be called inside the transaction that holds the change.
    """
    members = [(pk, pk not in change.takes_off) for pk in change.requests.values_list("pk", flat=True)]
    rows = [] if change.modifies else given_ahead(members)
    if not rows or change.approved_at is not None:
        return False
    theirs = _of_the_noc(rows)
    parts = [_part(row) for row in theirs]
    pushes = list(change.pushes.select_related("router", "before", "change").order_by("position", "pk"))
    found = plans_of(pushes)
    plans = [found[push.pk] for push in pushes if push.pk in found and push.lines]
    lines = _lines(pushes, plans)
    effect = effect_of(plans)
    covered, rule = _covered(change, parts, members, plans, lines, effect)
    mine = [row for row in theirs if row.pk in covered.parts]
    if covered:
        covered = _people_missing(change, mine, members) or covered
    if not covered:
        left = sorted({row.user.get_username() for row in rows} - {row.user.get_username() for row in theirs})
        gone = (
            (f"not of the NOC any more, so what they approved counts no more: {', '.join(left)}",)
            if left
            else ()
        )
        _say(change, rows, (*gone, *covered.differs), lines)
        return False
    _carry(change, mine, rule, lines, effect)
    return approval.let_go(change, reason=f"approved ahead: {CarryRule(rule).label.lower()}")


def given_ahead(members: Iterable[tuple[int, bool]]) -> list[ApprovedLines]:
    """The approvals given ahead for these requests in these directions, newest first."""
    wanted = set(members)
    rows = ApprovedLines.objects.filter(
        request__in=[pk for pk, _on in wanted], revoked_at__isnull=True
    ).select_related("user")
    found: dict[tuple[int, bool], list[ApprovedLines]] = {}
    for row in rows.order_by("-pk"):
        if (row.request_id, row.puts_on) in wanted:
            found.setdefault((row.request_id, row.puts_on), []).append(row)
    return [row for each in found.values() for row in each[:NEWEST]]


def _of_the_noc(rows: Sequence[ApprovedLines]) -> list[ApprovedLines]:
    counting = set(approvers().filter(pk__in={row.user_id for row in rows}).values_list("pk", flat=True))
    return [row for row in rows if row.user_id in counting]


def _part(row: ApprovedLines) -> Part:
    return Part(
        key=row.pk,
        member=(row.request_id, row.puts_on),
        person=row.user_id,
        lines=tuple(PlannedLine.from_json(line) for line in row.lines),
        effect=Effect.from_json(row.effect),
        confirmed=row.gaps_confirmed,
        overridden=bool(row.override_reason),
    )


def _lines(pushes: Sequence[RouterPush], plans: Sequence[ChangePlan]) -> tuple[PlannedLine, ...]:
    push = pushes[0]
    known = profile(push.router.platform, push.router.ios)
    assert push.before is not None
    return lines_of(plans, ios.parse(push.before.text, known), known)


def _covered(
    change: Change,
    parts: Sequence[Part],
    members: Sequence[tuple[int, bool]],
    plans: Sequence[ChangePlan],
    lines: Sequence[PlannedLine],
    effect: Effect,
) -> tuple[Covered, CarryRule]:
    if change.base_lines:
        why = "it carries lines that no request asked for; those are never approved ahead"
        return Covered(differs=(why,)), CarryRule.LINES
    if any(plan.violations or plan.conflicts for plan in plans):
        return Covered(differs=("something is in the way of it",)), CarryRule.LINES
    covered = covers_lines(parts, members, lines, effect)
    if covered or settings.APPROVAL_CARRIES != CarryRule.EFFECT:
        return covered, CarryRule.LINES
    by_effect = covers_effect(parts, members, effect)
    return (by_effect, CarryRule.EFFECT) if by_effect else (covered, CarryRule.LINES)


def _people_missing(
    change: Change, rows: Sequence[ApprovedLines], members: Sequence[tuple[int, bool]]
) -> Covered | None:
    """What keeps the people behind the parts from being enough: each part has its own, two of them where every change needs
    two. None when they are.
    """
    parts = parts_of(change)
    behind = {one.name: one for one in parts.requests}
    needed = 2 if parts.two else 1
    found = []
    for pk, puts_on in members:
        of = behind[f"PIP-{pk}"]
        words = [row.word for row in rows if (row.request_id, row.puts_on) == (pk, puts_on)]
        if apart([word for word in words if not any(person in of for person in word)]) < needed:
            found.append(
                f"PIP-{pk} {'on' if puts_on else 'off'} needs the word of {needed} who did not submit it"
            )
    return Covered(differs=tuple(found)) if found else None


def _carry(
    change: Change,
    rows: Sequence[ApprovedLines],
    rule: CarryRule,
    lines: Sequence[PlannedLine],
    effect: Effect,
) -> None:
    fingerprint = approval.fingerprint(change)
    by_person: dict[int, list[ApprovedLines]] = {}
    for row in sorted(rows, key=lambda each: each.pk):
        by_person.setdefault(row.user_id, []).append(row)
    for person, given in by_person.items():
        if change.approvals.filter(user_id=person).exists():
            continue
        Approval.objects.create(
            change=change,
            user_id=person,
            issuer_id=given[-1].issuer_id,
            fingerprint=fingerprint,
            reason="; ".join(dict.fromkeys(row.reason for row in given if row.reason))[:2000],
            gaps_confirmed=bool(effect.gaps),
            override_reason="; ".join(
                dict.fromkeys(row.override_reason for row in given if row.override_reason)
            )[:2000]
            if effect.doubts
            else "",
            save_others_edits=False,
            rule=rule,
            ahead=[row.pk for row in given],
        )
    Change.objects.filter(pk=change.pk).update(ahead_covered=True, ahead_why="")
    audit.record(
        actor=SYSTEM,
        action="change.approved-ahead",
        obj=change,
        reason=f"{CarryRule(rule).label} as approved ahead",
        after={
            "rule": rule,
            "set_by": SET_BY,
            "fingerprint": fingerprint,
            "approved": [_told(row) for row in rows],
            "planned": text_of(lines)[:LONGEST],
            "effect": effect.digest(),
        },
    )


def _say(
    change: Change, rows: Sequence[ApprovedLines], differs: Sequence[str], lines: Sequence[PlannedLine]
) -> None:
    why = "\n".join(differs)
    Change.objects.filter(pk=change.pk).update(ahead_covered=False, ahead_why=why)
    audit.record(
        actor=SYSTEM,
        action="change.not-as-approved-ahead",
        obj=change,
        reason="; ".join(differs)[:2000],
        after={
            "rule": settings.APPROVAL_CARRIES,
            "set_by": SET_BY,
            "approved": [_told(row) for row in rows],
            "planned": text_of(lines)[:LONGEST],
        },
    )


def _told(row: ApprovedLines) -> dict[str, object]:
    return {
        "request": row.request_id,
        "puts_on": row.puts_on,
        "by": row.user_id,
        "approval": row.pk,
        "lines": row.text[:LONGEST],
        "effect": row.effect_digest,
    }
