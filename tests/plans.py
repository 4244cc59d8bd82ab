"""Stored plans as tests need them: another plan in the place of one, or one altered behind everybody's back."""

from __future__ import annotations

import json
from typing import Any

from provisioning.models import RouterPush, StoredPlan
from provisioning.pipeline.change import ChangePlan
from provisioning.selectors.plans import content_of, digest_of, text_of
from provisioning.services.plans import keep_plan


def replan(push: RouterPush, **members: Any) -> None:
    """Store the plan of a push anew, with these members of its JSON, as if it had been planned so."""
    keep(push, {**content_of(RouterPush.objects.get(pk=push.pk)), **members})


def keep(push: RouterPush, content: dict[str, Any]) -> None:
    """Store this plan as that of a push."""
    StoredPlan.objects.filter(pk=push.pk).delete()
    plan = ChangePlan.from_json(content)
    keep_plan(push, plan)
    push.lines = len(plan.commands)
    RouterPush.objects.filter(pk=push.pk).update(lines=push.lines)


def forget(push: RouterPush) -> None:
    """Leave a push without a plan, as one whose router was not read."""
    StoredPlan.objects.filter(pk=push.pk).delete()
    RouterPush.objects.filter(pk=push.pk).update(plan_digest="", lines=0)


def tamper(push: RouterPush, line: int, text: str, *, both: bool = False) -> None:
    """Alter one command in the stored text; with `both` its digest beside the push as well."""
    content = json.loads(StoredPlan.objects.get(pk=push.pk).content)
    content["commands"][line]["text"] = text
    altered = text_of(content)
    StoredPlan.objects.filter(pk=push.pk).update(content=altered)
    if both:
        RouterPush.objects.filter(pk=push.pk).update(plan_digest=digest_of(altered))
