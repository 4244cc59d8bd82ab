"""What an NREN may have at most: its own people read it, the NOC sets it."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from inventory.models import Domain, Nren
from provisioning.api.fields import Strict, Text, Whole
from provisioning.api.v1.base import IDEMPOTENCY, Answered, ApiView, deed, read_body
from provisioning.errors import Conflict, NotPermitted, NotVisible
from provisioning.selectors import quotas as reading
from provisioning.selectors.quotas import Limits
from provisioning.services import quotas


class QuotaSeen(Strict):
    """What was set when it was read: `own` of an NREN, or what is read of all. All three are named."""

    rate_bps = Whole(min_value=0, max_value=2**63 - 1, allow_null=True)
    open_requests = Whole(min_value=0, max_value=2**31 - 1, allow_null=True)
    holds = Whole(min_value=0, max_value=2**31 - 1, allow_null=True)


class QuotaSet(Strict):
    """What an NREN may have; null is no bound of its own. All three are named. It replaces what was `seen` and nothing else: what
    somebody set since stays, 409 `stale` with what it is as `standing`.
    """

    rate_bps = Whole(
        min_value=0, max_value=2**63 - 1, allow_null=True, help_text="Sum at any instant, layer 3."
    )
    open_requests = Whole(min_value=0, max_value=2**31 - 1, allow_null=True, help_text="Not decided.")
    holds = Whole(min_value=0, max_value=2**31 - 1, allow_null=True, help_text="Held at once.")
    reason = Text(max_length=2000)
    seen = QuotaSeen()

    def wanted(self) -> dict[str, Any]:
        """Return what the service takes."""
        given = dict(self.validated_data)
        return {
            "reason": given.pop("reason"),
            "seen": Limits(**given.pop("seen")),
            "limits": Limits(**given),
        }


class LimitsView(serializers.Serializer[Any]):
    """Bounds; null is none."""

    rate_bps = serializers.IntegerField(allow_null=True, help_text="Sum of rates at any instant, layer 3.")
    open_requests = serializers.IntegerField(allow_null=True)
    holds = serializers.IntegerField(allow_null=True)


class UsedView(serializers.Serializer[Any]):
    """What an NREN has: the most of its rates at an instant from now on, and when that is; a series counts once."""

    rate_bps = serializers.IntegerField()
    rate_at = serializers.DateTimeField(allow_null=True)
    open_requests = serializers.IntegerField()
    holds = serializers.IntegerField()


class QuotaView(serializers.Serializer[Any]):
    """What an NREN may have, and has. Where it has no bound of its own it has that of all."""

    limits = LimitsView()
    own = LimitsView(help_text="What was set for itself: send it as `seen` with what it is to be.")
    used = UsedView()


class HasQuotas(ApiView):
    """Quotas of the NRENs; mixed into their resource."""

    @extend_schema(methods=["GET"], responses=QuotaView)
    @extend_schema(
        methods=["POST"],
        operation_id="nrens_set_quota",
        request=QuotaSet,
        responses=QuotaView,
        parameters=[IDEMPOTENCY],
    )
    @action(detail=True, methods=["get", "post"])
    def quota(self, request: Request, pk: str) -> Response:
        """What it may have, and has: read by its own people, the NOC and auditors; set by the NOC."""
        nren = Nren.objects.select_related("domain").filter(pk=int(pk)).first()
        if nren is None:
            raise NotVisible("There is no such NREN.")
        if not (self.actor.sees_everything or nren.pk in self.actor.nren_ids):
            raise NotPermitted("A quota is read by its own NREN, the NOC and auditors.")
        if request.method == "GET":
            return Response(_shown(nren))
        return self._set(request, nren.domain, nren)

    @extend_schema(methods=["GET"], responses=LimitsView)
    @extend_schema(
        methods=["POST"],
        operation_id="nrens_set_quota_of_all",
        request=QuotaSet,
        responses=LimitsView,
        parameters=[IDEMPOTENCY],
    )
    @action(
        detail=False, methods=["get", "post"], url_path="quota", pagination_class=None, filterset_class=None
    )
    def quota_of_all(self, request: Request) -> Response:
        """What each NREN may have that has no bound of its own; the NOC's and auditors' to read, the NOC's to set."""
        if not self.actor.sees_everything:
            raise NotPermitted("What holds for all is read by the NOC and auditors.")
        domain = Domain.objects.order_by("pk").first()
        if domain is None:
            raise Conflict("there is no network yet")
        if request.method == "GET":
            return Response(asdict(reading.standing_limits(domain, None)))
        return self._set(request, domain, None)

    def _set(self, request: Request, domain: Domain, nren: Nren | None) -> Response:
        given = read_body(request, QuotaSet)

        def act() -> Answered:
            quotas.set_quota(actor=self.actor, domain=domain, nren=nren, **given.wanted())
            return 200, asdict(reading.standing_limits(domain, None)) if nren is None else _shown(nren)

        return deed(request, act)


def _shown(nren: Nren) -> dict[str, Any]:
    found = reading.used_of(nren, now=timezone.now())
    used = {name: getattr(found, name) for name in ("rate_bps", "open_requests", "holds")}
    at = None if found.rate_at is None else found.rate_at.isoformat()
    own = asdict(reading.standing_limits(nren.domain, nren))
    return {"limits": asdict(found.limits), "own": own, "used": {**used, "rate_at": at}}
