"""Stored plans, by primary key: what is read of them is proven to be what was stored before anybody sees or sends it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from typing import Any

from provisioning.errors import StaleState
from provisioning.models import RouterPush, StoredPlan
from provisioning.pipeline.change import ChangePlan
from provisioning.pipeline.units import how_many

# What a push without a plan counts as in the fingerprint of its change.
NO_PLAN = hashlib.sha256(b"null").hexdigest()
_WORKED_OUT = "_plan_worked_out"


def text_of(data: Mapping[str, Any]) -> str:
    """A plan as the text that is stored; the same values always give the same bytes."""
    return json.dumps(data, sort_keys=True)


def digest_of(text: str) -> str:
    """sha256 (hex) of a stored plan."""
    return hashlib.sha256(text.encode()).hexdigest()


def plan_of(push: RouterPush) -> ChangePlan:
    """The plan of a push as stored; raises StaleState when its router was not read and there is none, or when the stored
    text is not the one that was stored with the push.

    The text is read, and proven, each time; what it says is worked out once for the same row in hand.
    """
    text = _text_of(push)
    known: tuple[str, ChangePlan] | None = push.__dict__.get(_WORKED_OUT)
    if known is None or known[0] != push.plan_digest:
        known = push.__dict__[_WORKED_OUT] = (push.plan_digest, ChangePlan.from_json(json.loads(text)))
    return known[1]


def content_of(push: RouterPush) -> dict[str, Any]:
    """The plan of a push as stored, as plain values; raises StaleState as `plan_of`."""
    data: dict[str, Any] = json.loads(_text_of(push))
    return data


def _text_of(push: RouterPush) -> str:
    text = StoredPlan.objects.filter(pk=push.pk).values_list("content", flat=True).first()
    if not push.has_plan or text is None:
        raise StaleState(f"{push.router.name} was not read when this was planned; there is nothing to send")
    return _proven(push, text)


def plans_of(pushes: Iterable[RouterPush]) -> dict[int, ChangePlan]:
    """The plans of pushes by the pushes' primary keys, in one query; a push that has none, or whose lines were
    removed, is left out.
    """
    found = {push.pk: push for push in pushes if push.has_plan}
    rows = StoredPlan.objects.filter(pk__in=found, size__gt=0).order_by("pk").values_list("pk", "content")
    return {
        pk: ChangePlan.from_json(json.loads(_proven(found[pk], text)))
        for pk, text in rows.iterator(chunk_size=50)
    }


def removed(push: RouterPush) -> str:
    """The sentence for a plan whose lines are older than they are kept."""
    return (
        f"The {how_many(push.lines, 'line')} for {push.router.name} were removed: the change was over for longer than plans are "
        f"kept. Their digest is {push.plan_digest}; the audit trail has it too."
    )


def is_emptied(push: RouterPush) -> bool:
    """Whether the row of the plan is there and holds no text, as pruning leaves it."""
    return StoredPlan.objects.filter(pk=push.pk, content="").exists()


def edited(pushes: Iterable[RouterPush]) -> list[RouterPush]:
    """The pushes whose stored plan is gone or is not, byte for byte, the one that was stored with them."""
    found = {push.pk: push for push in pushes if push.has_plan}
    rows = StoredPlan.objects.filter(pk__in=found).order_by("pk").values_list("pk", "content")
    same = {pk for pk, text in rows.iterator(chunk_size=50) if digest_of(text) == found[pk].plan_digest}
    return [push for pk, push in found.items() if pk not in same]


def _proven(push: RouterPush, text: str) -> str:
    """The text, seen to be the one that was stored with the push."""
    if not text:
        raise StaleState(removed(push), field="plan")
    if digest_of(text) != push.plan_digest:
        raise StaleState(
            f"the stored plan of {push.router.name} in {push.change.reference} is not the one that was planned: plan again",
            field="plan",
        )
    return text
