"""The resource ``differences``: what routers were seen to hold that is not intended, and what the NOC leaves so for a time."""

from __future__ import annotations

from typing import ClassVar

import django_filters as filters
from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from inventory.models import Router
from provisioning.api.fields import Instant, Strict, Text
from provisioning.api.permissions import SeesEverything
from provisioning.api.v1.base import IDEMPOTENCY, Answered, ApiView, ReadOnly, deed, read_body
from provisioning.errors import NotVisible
from provisioning.models import RouterDifference
from provisioning.selectors.differences import NOT_FOUND, STATES, differences, of_state
from provisioning.services import clock
from provisioning.services import differences as deciding


class DifferenceView(serializers.ModelSerializer[RouterDifference]):
    """One object, or one place of a policy, of a router; `expected` and `found` are text, empty where it is absent."""

    router = serializers.CharField(source="router.name")
    ignored_by = serializers.CharField(source="ignored_by.username", allow_null=True, default=None)
    gone_at = serializers.DateTimeField(
        allow_null=True, help_text="When it was not seen any more; null while it stands."
    )
    ignored_until = serializers.DateTimeField(
        allow_null=True, help_text="It differs all the same; nobody is told of it until then."
    )

    class Meta:
        model = RouterDifference
        fields: ClassVar[list[str]] = [
            "id",
            "router",
            "object",
            "expected",
            "found",
            "first_seen_at",
            "last_seen_at",
            "gone_at",
            "ignored_until",
            "ignored_by",
            "ignored_reason",
        ]


class Ignoring(Strict):
    """Until when it is left as it is, at most 90 days, and why."""

    until = Instant()
    reason = Text(max_length=2000)


class Heeding(Strict):
    """Why it is ignored no longer."""

    reason = Text(max_length=2000)


class DifferenceFilter(filters.FilterSet):
    """Differences by router, and by whether they stand, are ignored, or are gone."""

    router = filters.ModelChoiceFilter(queryset=Router.objects.all(), to_field_name="name")
    state = filters.ChoiceFilter(choices=[(name, name) for name in STATES], method="by_state")

    class Meta:
        model = RouterDifference
        fields = ("router", "state")

    def by_state(
        self, queryset: QuerySet[RouterDifference], _name: str, value: str
    ) -> QuerySet[RouterDifference]:
        """Return those of this state at this moment."""
        return queryset.filter(of_state(value, clock.now()))


class DifferenceResource(ReadOnly):
    """Drift of routers: the NOC's and auditors' matter; the NOC ignores."""

    queryset = RouterDifference.objects.none()
    serializer_class = DifferenceView
    permission_classes = (*ApiView.permission_classes, SeesEverything)
    filterset_class = DifferenceFilter

    def get_queryset(self) -> QuerySet[RouterDifference]:
        """Return all, the oldest first."""
        return differences().order_by("first_seen_at", "pk")

    @extend_schema(request=Ignoring, responses=DifferenceView, parameters=[IDEMPOTENCY])
    @action(detail=True, methods=["post"], pagination_class=None, filterset_class=None)
    def ignore(self, request: Request, pk: str) -> Response:
        """Leave it as it is until then. The router differs all the same; 409 where it has an open edge, or it does not stand."""
        given = read_body(request, Ignoring)

        def act() -> Answered:
            row = deciding.ignore(actor=self.actor, difference=_key(pk), **given.validated_data)
            return 200, dict(DifferenceView(row).data)

        return deed(request, act)

    @extend_schema(request=Heeding, responses=DifferenceView, parameters=[IDEMPOTENCY])
    @action(detail=True, methods=["post"], pagination_class=None, filterset_class=None)
    def heed(self, request: Request, pk: str) -> Response:
        """Ignore it no longer: the next reading that shows it tells of it."""
        given = read_body(request, Heeding)

        def act() -> Answered:
            row = deciding.heed(actor=self.actor, difference=_key(pk), **given.validated_data)
            return 200, dict(DifferenceView(row).data)

        return deed(request, act)


def _key(pk: str) -> int:
    if not RouterDifference.objects.filter(pk=int(pk)).exists():
        raise NotVisible(NOT_FOUND)
    return int(pk)
