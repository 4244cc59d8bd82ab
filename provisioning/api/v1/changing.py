"""What changes a request that exists already, as the API takes it."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from provisioning.api.fields import Instant, Strict, Whole
from provisioning.api.v1.premium_requests import LARGEST_RATE_BPS
from provisioning.services.requests import SeenOffer
from provisioning.services.requests.replacing import KINDS


class OfferTaken(Strict):
    """Which counter-offer; with its terms as they were read, which are all given or none."""

    kind = serializers.ChoiceField(choices=KINDS)
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
