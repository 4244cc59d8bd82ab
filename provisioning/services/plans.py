"""Keeping a plan: one row of its own beside its push, written once."""

from __future__ import annotations

from provisioning.models import RouterPush, StoredPlan
from provisioning.pipeline.change import ChangePlan
from provisioning.selectors.plans import digest_of, text_of


def keep_plan(push: RouterPush, plan: ChangePlan) -> None:
    """Store the plan of a push, and its digest with the push; inside the caller's transaction."""
    text = text_of(plan.to_json())
    StoredPlan.objects.create(
        push=push,
        content=text,
        size=len(text.encode()),
        gaps=list(plan.told_gaps),
        violations=list(plan.violations),
        warnings=list(plan.warnings),
        doubts=[doubt.to_json() for doubt in plan.doubts],
    )
    push.plan_digest = digest_of(text)
    RouterPush.objects.filter(pk=push.pk).update(plan_digest=push.plan_digest)
