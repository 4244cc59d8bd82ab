"""What a request sends, as its router counts it, beside what is reserved."""

from __future__ import annotations

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter, OpenApiTypes, extend_schema
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from provisioning.api.choices import USAGE_SPANS
from provisioning.api.fields import Instant, Strict
from provisioning.api.v1.base import ApiView, asked_in_the_query
from provisioning.errors import InvalidInput, NotVisible
from provisioning.models import Span, Verb
from provisioning.selectors import requests as selecting
from provisioning.selectors.usage import Point, Usage, as_seen_by, usage_of_request


class UsageQuestion(Strict):
    """Which stretches are asked: as polled, by the hour or by the day; from when until when."""

    span = serializers.ChoiceField(choices=USAGE_SPANS, default=Span.HOUR.value)
    since = Instant(required=False, default=None)
    until = Instant(required=False, default=None)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Return what was asked; a time that ends before it begins is refused."""
        if attrs["since"] and attrs["until"] and attrs["until"] <= attrs["since"]:
            raise serializers.ValidationError({"until": ["it is not after `since`"]})
        return attrs


class UsagePointView(serializers.Serializer[Any]):
    """One stretch of time. Rates in bit/s at layer 3; null where the router does not print what is needed."""

    at = serializers.DateTimeField(help_text="Its beginning; of a poll its end.")
    seconds = serializers.FloatField(allow_null=True, help_text="How much of it was counted.")
    sent_bps = serializers.IntegerField(allow_null=True)
    passed_bps = serializers.IntegerField(allow_null=True)
    reserved_bps = serializers.IntegerField(help_text="The most that was reserved in it.")
    packets = serializers.IntegerField(allow_null=True)
    dropped_packets = serializers.IntegerField(allow_null=True, help_text="By the policer.")
    at_least = serializers.BooleanField(help_text="A counter began again: some of it is not known.")
    by_match = serializers.DictField(
        child=serializers.IntegerField(), help_text="Packets by match line: IPv4 and IPv6 apart."
    )


class UsageView(serializers.Serializer[Any]):
    """What the class counted that its traffic enters by. `shared_with`: other requests that enter by it too; of several nobody
    can tell who sent what.
    """

    request = serializers.IntegerField()
    span = serializers.ChoiceField(choices=USAGE_SPANS)
    router = serializers.CharField(allow_null=True)
    interface = serializers.CharField(allow_null=True)
    class_name = serializers.CharField(allow_null=True)
    shared_with = serializers.ListField(child=serializers.IntegerField())
    read_at = serializers.DateTimeField(
        allow_null=True, help_text="When the router was counted last; null: never."
    )
    error = serializers.CharField(allow_blank=True, help_text="Why it could not be counted since.")
    dropping_since = serializers.DateTimeField(
        allow_null=True, help_text="Since when packets are dropped, up to now."
    )
    points = UsagePointView(many=True, help_text="The oldest first; 5,000 at most, the newest.")


class ShowsUsage(ApiView):
    """The action about what a request uses, mixed into its resource."""

    @extend_schema(
        responses=UsageView,
        parameters=[
            OpenApiParameter("span", str, enum=USAGE_SPANS, description="`hour` when not given."),
            OpenApiParameter(
                "since",
                OpenApiTypes.DATETIME,
                description="A day ago for polls, two weeks for hours, 400 days for days.",
            ),
            OpenApiParameter("until", OpenApiTypes.DATETIME),
        ],
    )
    @action(detail=True, pagination_class=None, filterset_class=None)
    def usage(self, request: Request, pk: str) -> Response:
        """What it sends and what was dropped of it; for who asked it and the NOC, not for who receives."""
        row = selecting.visible(self.actor, int(pk))
        if not self.actor.may_with(Verb.SEE_USAGE, row.nren_id, row.receiving_nren_id):
            raise NotVisible("What a request uses is for who asked for it and the NOC.")

        def answer(asked: dict[str, Any]) -> Any:
            span, now = Span(asked.pop("span")), timezone.now()
            if asked["since"] and asked["since"] > now:
                raise InvalidInput("it is in the future", field="since")
            usage = usage_of_request(row, now=now, span=span, **asked)
            return _shown(row.pk, span, as_seen_by(self.actor, usage))

        return Response(asked_in_the_query(request, UsageQuestion, answer))


def _shown(request: int, span: Span, usage: Usage | None) -> dict[str, Any]:
    series = usage.series if usage else None
    return dict(
        UsageView(
            {
                "request": request,
                "span": span.value,
                "router": series.router.name if series else None,
                "interface": series.interface if series else None,
                "class_name": series.classes if series else None,
                "shared_with": [pk for pk in usage.shares if pk != request] if usage else [],
                "read_at": usage.read_at if usage else None,
                "error": usage.error if usage else "",
                "dropping_since": usage.dropping_since if usage else None,
                "points": [_point(each) for each in usage.points] if usage else [],
            }
        ).data
    )


def _point(point: Point) -> dict[str, Any]:
    return {
        "at": point.at,
        "seconds": point.seconds,
        "sent_bps": point.verdict.sent_bps,
        "passed_bps": point.verdict.passed_bps,
        "reserved_bps": point.verdict.reserved_bps,
        "packets": point.packets,
        "dropped_packets": point.dropped_packets,
        "at_least": point.verdict.is_at_least,
        "by_match": point.by_match,
    }
