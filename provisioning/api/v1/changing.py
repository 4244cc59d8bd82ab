"""What changes a request that exists already, as the API takes it."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from provisioning.api.choices import OFFER_KINDS
from provisioning.api.fields import Instant, Strict, Text, Whole
from provisioning.models import Modification
from provisioning.selectors.modifications import TERMS
from provisioning.services.modifications import UNCHANGED, Modify
from provisioning.services.requests import SeenOffer

LARGEST_RATE_BPS = 10**15


class OfferTaken(Strict):
    """Which counter-offer; with its terms as they were read, which are all given or none."""

    kind = serializers.ChoiceField(choices=OFFER_KINDS)
    rate_bps = Whole(min_value=1, max_value=LARGEST_RATE_BPS, required=False)
    start = Instant(required=False)
    end = Instant(required=False, allow_null=True, help_text="Null: until further notice.")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Return them; refuse a part of an offer."""
        missing = {"rate_bps", "start", "end"} - set(attrs)
        if 0 < len(missing) < 3:
            raise serializers.ValidationError(
                dict.fromkeys(missing, "An offer is named whole, or by kind alone.")
            )
        return attrs

    def choice(self) -> dict[str, Any]:
        """Return what the service takes."""
        given = dict(self.validated_data)
        kind = given.pop("kind")
        return {"kind": kind, "seen": SeenOffer(**given) if given else None}


_PARTY = "where it enters and leaves stays: withdraw it and ask anew"
_FLOW = "stays as it was asked for, because the policer was granted with it: withdraw it and ask anew"
FIXED = {
    "source_link": _PARTY,
    "destination_link": _PARTY,
    "direction": _PARTY,
    "bucket_bytes": _FLOW,
    "max_packet_bytes": _FLOW,
    "min_packet_bytes": _FLOW,
    "service_class": "a request stays in its class: withdraw it and ask anew",
    "flow_label": "is drawn or given when it is asked for: withdraw it and ask anew",
}
"""What no modification changes, and why."""


class Modified(Strict):
    """What a request is to become; what is not given stays. Before a decision it is replaced, afterwards this is a proposal."""

    fixed = FIXED
    rate_bps = Whole(min_value=1, max_value=LARGEST_RATE_BPS, required=False, help_text="Layer 3, bit/s.")
    start = Instant(required=False, help_text="Of what has not begun, and is not on a router yet.")
    end = Instant(required=False, allow_null=True, help_text="Null: until further notice.")
    source_prefixes = serializers.ListField(
        child=Text(max_length=50), min_length=1, max_length=64, required=False
    )
    destination_prefixes = serializers.ListField(child=Text(max_length=50), max_length=64, required=False)
    reason = Text(max_length=2000)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Return them; refuse a body that changes nothing."""
        if not set(attrs) - {"reason"}:
            raise serializers.ValidationError(f"say what is to change: {', '.join(TERMS)}")
        return attrs

    def wanted(self) -> Modify:
        """Return what the service takes."""
        return modify_of(dict(self.validated_data))


class ModifiedWhatIf(Modified):
    """As `Modified`, without a reason: nothing is proposed."""

    reason = Text(max_length=2000, allow_blank=True, default="")


class Extended(Strict):
    """Until when a request is to last."""

    end = Instant(allow_null=True, help_text="Null: until further notice.")
    reason = Text(max_length=2000)


class EndedEarly(Strict):
    """When a granted request is to end; now when not given."""

    end = Instant(required=False, allow_null=True, default=None)
    reason = Text(max_length=2000)


def modify_of(data: dict[str, Any]) -> Modify:
    """Return what the service takes of fields that were checked for their shape."""
    prefixes = {
        name: tuple(data[name]) for name in ("source_prefixes", "destination_prefixes") if name in data
    }
    return Modify(
        rate=data.get("rate_bps"), start=data.get("start"), end=data.get("end", UNCHANGED), **prefixes
    )


class ModificationView(serializers.ModelSerializer[Modification]):
    """What a request is, or was, to become, and how far that is."""

    consent = serializers.CharField()
    state = serializers.CharField(
        help_text="PROPOSED, ADMITTED (granted, and not yet seen on the routers), IN_FORCE, REFUSED, WITHDRAWN or LAPSED."
    )
    before = serializers.JSONField(help_text="The terms when it was proposed.")
    source_prefixes = serializers.ListField(child=serializers.CharField())
    destination_prefixes = serializers.ListField(child=serializers.CharField())

    class Meta:
        model = Modification
        fields = [
            "id", "reference", "state", "consent", "rate_bps", "start", "end", "source_prefixes", "destination_prefixes",
            "before", "reason", "proposed_at", "decided_at", "decision_reason", "in_force_at",
        ]  # fmt: skip
        read_only_fields = fields


class RangeView(serializers.Serializer[Any]):
    """How far a request could change at this moment, each alone, by what others hold; nothing is kept aside."""

    least_bps = serializers.IntegerField()
    most_bps = serializers.IntegerField(help_text="The highest rate in its window.")
    latest_end = serializers.DateTimeField(
        allow_null=True, help_text="At its rate; null: until further notice."
    )
    earliest_start = serializers.DateTimeField(allow_null=True, help_text="At its rate; null: it has begun.")
