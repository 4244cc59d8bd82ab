"""The lines of a request before they are due: read, approved once, and taken back; and a request planned again that waits."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from provisioning.api.fields import Flag
from provisioning.api.permissions import SeesEverything
from provisioning.api.v1.base import IDEMPOTENCY, Answered, ApiView, deed, read_body
from provisioning.api.v1.premium_requests import RequestDetail
from provisioning.api.v1.reasons import AsRead, Why
from provisioning.models import PremiumRequest
from provisioning.selectors import requests as selecting
from provisioning.selectors.ahead import approved_lines
from provisioning.services import ahead, queues


class LinesApproved(AsRead):
    """One person's approval of exactly the lines that have this fingerprint, for when they are due."""

    on = Flag(default=True, help_text="Those that put it on.")
    off = Flag(default=True, help_text="Those that take it off.")


class SideView(serializers.Serializer[Any]):
    """What puts it on, or takes it off. `why_not`: why it cannot be foreseen; then there are no lines."""

    puts_on = serializers.BooleanField()
    at = serializers.DateTimeField(allow_null=True, help_text="Null: whenever it ends.")
    beside = serializers.ListField(
        child=serializers.IntegerField(), help_text="Ids of the requests that are on there then besides it."
    )
    together = serializers.ListField(
        child=serializers.IntegerField(),
        help_text="Ids of those that begin, or end, with it on the same link.",
    )
    why_not = serializers.CharField(allow_blank=True)
    commands = serializers.ListField(child=serializers.CharField())
    rollback = serializers.ListField(child=serializers.CharField())
    gaps = serializers.ListField(child=serializers.CharField())
    alternatives = serializers.JSONField(help_text="What is sent where the router refuses a line of a swap.")
    doubts = serializers.ListField(child=serializers.CharField())
    effect = serializers.JSONField(help_text="What is bound, made and gone in the end.")


class LinesGiven(serializers.Serializer[Any]):
    """One approval that was given ahead."""

    puts_on = serializers.BooleanField()
    by = serializers.CharField()
    at = serializers.DateTimeField()
    gaps_confirmed = serializers.BooleanField()
    override = serializers.CharField(allow_blank=True)


class LinesView(serializers.Serializer[Any]):
    """The lines of a request as foreseen now; a plan sends them only where they are the same when they are due."""

    request = serializers.IntegerField()
    waits_for = serializers.CharField(allow_null=True)
    router = serializers.CharField()
    seen_at = serializers.DateTimeField(
        allow_null=True, help_text="When the router was read last; null: never."
    )
    fingerprint = serializers.CharField(help_text="sha256 (hex): what `seen` of an approval is.")
    sides = SideView(many=True)
    approved = LinesGiven(many=True)


class ApprovesLines(ApiView):
    """The actions about the lines of a request, mixed into its resource."""

    def _detail(self, row: PremiumRequest) -> dict[str, Any]:
        raise NotImplementedError

    @extend_schema(responses=LinesView)
    @action(detail=True, permission_classes=(*ApiView.permission_classes, SeesEverything))
    def lines(self, _request: Request, pk: str) -> Response:
        """The lines that put it on and take it off, as foreseen now; the NOC's and auditors' matter. Nothing is sent."""
        return Response(self._lines(selecting.visible(self.actor, int(pk))))

    @extend_schema(request=LinesApproved, responses=LinesView, parameters=[IDEMPOTENCY])
    @action(detail=True, methods=["post"], url_path="approve-lines")
    def approve_lines(self, request: Request, pk: str) -> Response:
        """Approve its lines before they are due: they go out then if they are still the same. An approver's matter.

        409 where they are not those that were read, cannot be foreseen, or it is not granted.
        """
        row = selecting.visible(self.actor, int(pk))
        said = read_body(request, LinesApproved).validated_data

        def act() -> Answered:
            ahead.approve_ahead(actor=self.actor, request=row, **said)
            return 200, self._lines(selecting.visible(self.actor, row.pk))

        return deed(request, act)

    @extend_schema(request=Why, responses=LinesView, parameters=[IDEMPOTENCY])
    @action(detail=True, methods=["post"], url_path="revoke-lines")
    def revoke_lines(self, request: Request, pk: str) -> Response:
        """Revoke every approval given ahead; 409 when there is none. What one of them approved stays approved."""
        row = selecting.visible(self.actor, int(pk))
        said = read_body(request, Why).validated_data

        def act() -> Answered:
            ahead.revoke(actor=self.actor, request=row, **said)
            return 200, self._lines(row)

        return deed(request, act)

    @extend_schema(request=Why, responses=RequestDetail, parameters=[IDEMPOTENCY])
    @action(detail=True, methods=["post"], url_path="plan-again")
    def plan_again(self, request: Request, pk: str) -> Response:
        """Have it planned again where it waits for a person of the NOC who has mended why. 409 where it waits for nobody."""
        row = selecting.visible(self.actor, int(pk))
        said = read_body(request, Why).validated_data

        def act() -> Answered:
            queues.retry(actor=self.actor, request=row, **said)
            return 200, self._detail(selecting.visible(self.actor, row.pk))

        return deed(request, act)

    def _lines(self, row: PremiumRequest) -> dict[str, Any]:
        return dict(LinesView(ahead.shown(ahead.foresee(row), approved_lines(row))).data)
