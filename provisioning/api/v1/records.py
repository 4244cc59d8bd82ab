"""A decision derived again, as one reader may see it."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from provisioning.api.choices import FINDING_KINDS, RECHECK_OUTCOMES
from provisioning.services.records import Recheck


class FoundView(serializers.Serializer[Any]):
    """One thing that was found: a fault, something missing to say so, or what changed since."""

    kind = serializers.ChoiceField(choices=FINDING_KINDS)
    part = serializers.CharField()
    text = serializers.CharField()


class RecheckView(serializers.Serializer[Any]):
    """Whether the last decision about a request follows from what was kept of it. An NREN reads the outcome and what does not
    hold; what others hold by now is the NOC's.
    """

    requests = serializers.ListField(
        child=serializers.CharField(), help_text="Both ways of one wish are one decision."
    )
    deed = serializers.CharField(
        help_text="admitted, held, refused or does-not-fit; empty where nothing is recorded."
    )
    at = serializers.DateTimeField(allow_null=True, help_text="The moment that was decided by.")
    topology = serializers.IntegerField(help_text="The version it was decided by; 0 for none.")
    verdict = serializers.CharField(
        help_text="What follows again: admitted or refused; empty where nothing can be derived."
    )
    status = serializers.ChoiceField(choices=RECHECK_OUTCOMES)
    findings = FoundView(many=True)


def recheck_shown(found: Recheck, *, everything: bool) -> dict[str, Any]:
    """Return it as `RecheckView` has it, for a reader who may see everything or not."""
    said = found.to_json()
    if not everything:
        said["findings"] = [each for each in said["findings"] if each["kind"] != "changed"]
    return said
