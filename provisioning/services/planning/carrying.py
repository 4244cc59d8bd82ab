"""An approval goes with the same lines: who approved them once is not asked again (ADR 16, ADR 22)."""

from __future__ import annotations

from provisioning.models import Approval, Change
from provisioning.pipeline.states import PushState
from provisioning.selectors.approvals import approvers
from provisioning.selectors.plans import content_of
from provisioning.services import approval, intents
from provisioning.services.planning.covering import cover

MOST = 20
"""Earlier plans of the same requests that are compared, newest first."""


def carry_approvals(change: Change) -> None:
    """Take over the approvals of earlier plans that carried all of these requests with the very same lines, then let the
    change go when they are enough; when they are not, those given ahead (`covering`).

    The same means the same lines, the same rollback, the same gaps, alternatives and doubts for the same routers (the very
    boxes), of a plan that went out of date, or failed, before its first line. One that a person cancelled is not to go out;
    the word of whoever is not of the NOC any more counts no more. Leave to save other people's edits is never carried over.
    """
    requests = set(change.requests.values_list("pk", flat=True))
    earlier = (
        Change.objects.filter(
            kind__in=intents.FOLLOWS_REQUESTS, requests__in=requests, approvals__isnull=False
        )
        .exclude(pk=change.pk)
        .distinct()
        .order_by("-pk")[:MOST]
    )
    lines: object = None
    found = approval.fingerprint(change)
    known = set(change.approvals.values_list("user_id", flat=True))
    for other in earlier:
        if not requests <= set(other.requests.values_list("pk", flat=True)):
            continue
        if set(other.takes_off) & requests != set(change.takes_off) or other.base_lines != change.base_lines:
            continue
        if other.modifies != change.modifies:
            continue
        if not _went_stale_unsent(other):
            continue
        lines = lines or _sent_by(change)
        if _sent_by(other) != lines:
            continue
        for each in other.approvals.filter(user__in=approvers()):
            # What was approved ahead is held against this plan by itself: it may have been revoked.
            if each.user_id in known or each.rule:
                continue
            known.add(each.user_id)
            Approval.objects.create(
                change=change,
                user_id=each.user_id,
                issuer_id=each.issuer_id,
                fingerprint=found,
                reason=each.reason,
                gaps_confirmed=each.gaps_confirmed,
                override_reason=each.override_reason,
                save_others_edits=False,
                carried_from=other,
            )
    if not approval.let_go(change, reason="the same lines as approved before"):
        cover(change)


def _went_stale_unsent(change: Change) -> bool:
    ended = {push.state for push in change.pushes.all() if push.lines}
    went = {PushState.STALE, PushState.FAILED}
    return bool(ended & went) and ended <= {*went, PushState.CANCELLED}


def _sent_by(change: Change) -> list[tuple[object, ...]]:
    sending = change.pushes.select_related("router", "before").filter(lines__gt=0).order_by("position", "pk")
    return [
        (
            push.router.name,
            push.phase,
            (push.before.serial, push.before.host_key) if push.before is not None else None,
            plan["commands"],
            plan["rollback"],
            plan["gaps"],
            plan.get("doubts", []),
            # What may be sent, not its effect in words: that says a rate, which follows the BW.
            [{**each, "effect": ""} for each in plan.get("alternatives", [])],
        )
        for push in sending
        for plan in [content_of(push)]
    ]
