"""The resource ``advice``: bursts for a rate, with the reason and the formula of each."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from provisioning.api.choices import PROVENANCES, TRAFFIC
from provisioning.api.fields import Strict
from provisioning.api.v1.base import ApiView, asked_in_the_query
from provisioning.pipeline.advice import Traffic
from provisioning.pipeline.platforms import NAMES
from provisioning.pipeline.sls import LARGEST_PACKET_BYTES
from provisioning.selectors import advice


class BurstQuestion(Strict):
    """What bursts are asked for; the values of a query are text."""

    rate = serializers.CharField(max_length=60)
    traffic = serializers.ChoiceField(choices=TRAFFIC, default=Traffic.REAL_TIME.value)
    max_packet_bytes = serializers.IntegerField(
        min_value=1, max_value=LARGEST_PACKET_BYTES, default=advice.DEFAULT_PACKET_BYTES
    )
    platform = serializers.CharField(max_length=32, default="", allow_blank=True)
    ios = serializers.CharField(max_length=32, default="", allow_blank=True)


class PolicerBurst(serializers.Serializer[Any]):
    """The policer at the edge."""

    rate_bps = serializers.IntegerField()
    bucket_bytes = serializers.IntegerField(help_text="The unit of `police bc`.")
    bucket_ms = serializers.IntegerField(help_text="For `police cir percent N bc M ms`, rounded up.")
    line = serializers.CharField(help_text="The line inside a class.")


class ShaperBurst(serializers.Serializer[Any]):
    """The shaper in front of it."""

    rate_bps = serializers.IntegerField()
    burst_bits = serializers.IntegerField(help_text="The unit of `shape`.")
    burst_bytes = serializers.IntegerField(help_text="The unit of `tc`.")
    least_bits = serializers.IntegerField(help_text="Below it throughput falls.")
    most_bits = serializers.IntegerField(help_text="Above it the policer drops.")
    queue_packets = serializers.IntegerField()
    line = serializers.CharField(help_text="The line inside a class.")


class BurstFinding(serializers.Serializer[Any]):
    """One number: its formula, the formula worked, where it stands and why it is so."""

    about = serializers.CharField()
    formula = serializers.CharField()
    worked = serializers.CharField()
    source = serializers.CharField()
    provenance = serializers.ChoiceField(choices=PROVENANCES)
    reason = serializers.CharField()


class PlatformBurst(serializers.Serializer[Any]):
    """What the platform does when no burst is typed, and what it takes."""

    platform = serializers.CharField()
    ios = serializers.CharField()
    default_documented_bytes = serializers.IntegerField()
    default_observed_bytes = serializers.IntegerField(allow_null=True)
    default_is_certain = serializers.BooleanField()
    default_evidence = serializers.CharField()
    least_police_bytes = serializers.IntegerField()
    most_police_bytes = serializers.IntegerField()
    least_shape_ms = serializers.IntegerField(allow_null=True)


class BurstAdvice(serializers.Serializer[Any]):
    """The advice. Rates are bit/s."""

    traffic = serializers.ChoiceField(choices=TRAFFIC)
    rate_bps = serializers.IntegerField()
    max_packet_bytes = serializers.IntegerField()
    policer = PolicerBurst()
    shaper = ShaperBurst()
    findings = BurstFinding(many=True)
    warnings = serializers.ListField(child=serializers.CharField())
    platform = PlatformBurst(allow_null=True)


class AdviceResource(ApiView):
    """Advice: it changes nothing and is everybody's."""

    serializer_class = BurstAdvice
    filter_backends = ()
    pagination_class = None

    @extend_schema(
        parameters=[
            OpenApiParameter("rate", str, required=True, description="5M, 5 Mbit/s or 5000000; layer 3."),
            OpenApiParameter("traffic", str, enum=[kind.value for kind in Traffic]),
            OpenApiParameter(
                "max_packet_bytes", int, description="Largest packet at layer 3; 1500 when not given."
            ),
            OpenApiParameter("platform", str, description=f"{NAMES}."),
            OpenApiParameter("ios", str, description="Its release, such as 12.4(24)T."),
        ],
        responses=BurstAdvice,
    )
    @action(detail=False, methods=["get"])
    def bursts(self, request: Request) -> Response:
        """The bursts of a policer and of the shaper in front of it."""
        return Response(
            asked_in_the_query(
                request, BurstQuestion, lambda asked: advice.to_json(advice.burst_advice(**asked))
            )
        )
