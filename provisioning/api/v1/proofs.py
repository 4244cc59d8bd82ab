"""The safety proof of a change, told: the state of every interface before, after every line and in the end."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from provisioning.models import Change, RouterPush
from provisioning.pipeline.change import ChangePlan
from provisioning.pipeline.safety import tell
from provisioning.selectors.plans import plans_of


class ProofView(serializers.Serializer[Any]):
    """One router in one phase. `commands` and `rollback` hold `start`, `lines`, `end`, `problems` and `safe`.

    Of each line: what it `changed` (interface, sentence, whole state), whether a `gap` opens or closes, `violations`.
    """

    push = serializers.IntegerField()
    router = serializers.CharField()
    phase = serializers.CharField()
    fingerprint = serializers.CharField(help_text="What is approved: the lines and these proofs of them.")
    commands = serializers.JSONField()
    rollback = serializers.JSONField()
    equal_today = serializers.JSONField(
        help_text="Percentages and rates that come to the same at the BW read, and differ all the same."
    )


def proofs_of(change: Change) -> list[dict[str, Any]]:
    """Return the proofs of a change's pushes in the order in which they are sent; a router not read has none."""
    pushes = list(change.pushes.select_related("router", "before").order_by("position", "pk"))
    plans = plans_of(pushes)
    return [_proof(push, plans[push.pk]) for push in pushes if push.pk in plans]


def _proof(push: RouterPush, plan: ChangePlan) -> dict[str, Any]:
    bandwidths = push.before.bandwidths if push.before else {}
    return {
        "push": push.pk,
        "router": push.router.name,
        "phase": push.phase,
        "fingerprint": push.fingerprint,
        "commands": tell(plan.proof, bandwidths).to_json(),
        "rollback": tell(plan.back, bandwidths).to_json(),
        "equal_today": [each.to_json() for each in plan.equal_today],
    }
