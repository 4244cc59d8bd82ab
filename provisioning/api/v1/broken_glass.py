"""The resource ``break-glass``: what an approver did alone, and the word of another that it was seen."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from provisioning.api.fields import Strict, Text
from provisioning.api.v1.base import IDEMPOTENCY, Answered, ReadOnly, deed, read_body
from provisioning.api.v1.filters import BreakGlassFilters
from provisioning.models import BreakGlass
from provisioning.selectors import broken_glass as selecting
from provisioning.services import break_glass


class BreakGlassView(serializers.ModelSerializer[BreakGlass]):
    """One deed of one approver against the separation of duties; it stands until ``acknowledged_at``."""

    by = serializers.CharField(source="user.username")
    acknowledged_by = serializers.CharField(source="acknowledged_by.username", default=None, allow_null=True)

    objections = serializers.SerializerMethodField(
        help_text="What it went against; of a change empty for an NREN: it names other people's requests."
    )

    class Meta:
        model = BreakGlass
        fields = [
            "id", "reference", "deed", "by", "at", "reason", "objections", "request", "series", "change",
            "acknowledged_by", "acknowledged_at", "acknowledgement",
        ]  # fmt: skip
        read_only_fields = fields

    def get_objections(self, row: BreakGlass) -> list[str]:
        """Return the sentences."""
        shown = row.change_id is None or self.context["actor"].sees_everything
        return list(row.objections) if shown else []


class Acknowledged(Strict):
    """That it was seen, with a word if need be."""

    reason = Text(max_length=2000, required=False, allow_blank=True, default="")


class BreakGlassResource(ReadOnly):
    """What stands, and what stood: an NREN sees what was decided about its requests and the changes that carry them."""

    queryset = BreakGlass.objects.none()
    serializer_class = BreakGlassView
    filterset_class = BreakGlassFilters

    def get_queryset(self) -> QuerySet[BreakGlass]:
        """Return those the actor may see, the newest first."""
        return selecting.for_actor(self.actor)

    @extend_schema(request=Acknowledged, responses=BreakGlassView, parameters=[IDEMPOTENCY])
    @action(detail=True, methods=["post"], pagination_class=None, filterset_class=None)
    def acknowledge(self, request: Request, pk: str) -> Response:
        """Say that somebody else of the NOC has seen it: it stands no longer. 409 when that was said already."""
        row = selecting.visible(self.actor, int(pk))
        said = read_body(request, Acknowledged).validated_data

        def act() -> Answered:
            done = break_glass.acknowledge(actor=self.actor, row=row, **said)
            shown: dict[str, Any] = dict(
                BreakGlassView(
                    selecting.visible(self.actor, done.pk), context=self.get_serializer_context()
                ).data
            )
            return 200, shown

        return deed(request, act)
