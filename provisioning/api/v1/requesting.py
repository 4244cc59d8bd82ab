"""The resource ``premium-requests``: ask, look, agree, take back."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from django.db.models import QuerySet
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.decorators import action
from rest_framework.mixins import ListModelMixin
from rest_framework.request import Request
from rest_framework.response import Response

from provisioning.api.v1.base import IDEMPOTENCY, asked_in_the_query, create, read_body
from provisioning.api.v1.deciding import DecidesRequests
from provisioning.api.v1.filters import RequestFilters
from provisioning.api.v1.lines import ApprovesLines
from provisioning.api.v1.modifying import ChangesRequests
from provisioning.api.v1.packs import PackQuestion, PackView
from provisioning.api.v1.premium_requests import (
    Asked,
    ConsentGiven,
    RequestDetail,
    RequestSummary,
    Withdrawal,
)
from provisioning.api.v1.reasons import Nothing
from provisioning.api.v1.records import RecheckView, recheck_shown
from provisioning.api.v1.using import ShowsUsage
from provisioning.api.v1.verdicts import Evidence
from provisioning.models import PremiumRequest
from provisioning.pipeline.advice import Traffic
from provisioning.pipeline.packs import Kind
from provisioning.pipeline.platforms import USUAL
from provisioning.selectors import requests as selecting
from provisioning.selectors.packs import pack_for
from provisioning.services import flow_labels, records
from provisioning.services import requests as asking


class PremiumRequestResource(ListModelMixin, ChangesRequests, DecidesRequests, ApprovesLines, ShowsUsage):
    """Requests: an NREN sees those it asked for and those it receives, the NOC and auditors all; nobody else
    any.
    """

    queryset = PremiumRequest.objects.none()
    serializer_class = RequestSummary
    filterset_class = RequestFilters

    def get_queryset(self) -> QuerySet[PremiumRequest]:
        """Return the requests the actor may see."""
        return selecting.for_actor(self.actor).select_related("reservation").order_by("-pk")

    @extend_schema(responses=RequestDetail)
    def retrieve(self, _request: Request, pk: str) -> Response:
        """One request with the evidence."""
        return Response(self._detail(selecting.visible(self.actor, int(pk))))

    @extend_schema(request=Asked, responses={201: RequestDetail}, parameters=[IDEMPOTENCY])
    def create(self, request: Request) -> Response:
        """Ask for IP Premium; `both` makes two requests and answers with the way out."""
        asked = read_body(request, Asked)

        def act() -> dict[str, Any]:
            rows = asking.submit(actor=self.actor, data=asked.submission())
            return self._detail(selecting.visible(self.actor, rows[0].pk))

        return create(request, "premium-requests", act)

    @extend_schema(request=Asked, responses=Evidence)
    @action(detail=False, methods=["post"], url_path="what-if")
    def what_if(self, request: Request) -> Response:
        """Whether this would fit at this moment, with evidence and counter-offers; nothing is asked and no row is made."""
        asked = read_body(request, Asked)
        tried = asking.try_out(actor=self.actor, data=asked.submission())
        return Response(tried.to_json())

    @extend_schema(request=ConsentGiven, responses=RequestDetail, parameters=[IDEMPOTENCY])
    @action(detail=True, methods=["post"])
    def consent(self, request: Request, pk: str) -> Response:
        """Agree to receive, or decline with a reason; the receiving NREN's matter."""

        def act(row: PremiumRequest, given: ConsentGiven) -> None:
            asking.consent(actor=self.actor, request=row, **given.validated_data)

        return self._done(request, pk, ConsentGiven, act)

    @extend_schema(request=Withdrawal, responses=RequestDetail, parameters=[IDEMPOTENCY])
    @action(detail=True, methods=["post"])
    def withdraw(self, request: Request, pk: str) -> Response:
        """Take a request back; what was admitted stays charged until it is seen gone."""

        def act(row: PremiumRequest, why: Withdrawal) -> None:
            asking.withdraw(actor=self.actor, request=row, **why.validated_data)

        return self._done(request, pk, Withdrawal, act)

    @extend_schema(request=Nothing, responses=RequestDetail, parameters=[IDEMPOTENCY])
    @action(detail=True, methods=["post"], url_path="flow-label")
    def flow_label(self, request: Request, pk: str) -> Response:
        """Draw a flow label for a request that is not decided yet: one nobody of its NREN uses."""

        def act(row: PremiumRequest, _nothing: Nothing) -> None:
            flow_labels.draw(actor=self.actor, request=row)

        return self._done(request, pk, Nothing, act)

    @extend_schema(
        parameters=[
            OpenApiParameter("for", str, required=True, enum=[kind.value for kind in Kind]),
            OpenApiParameter("traffic", str, enum=[kind.value for kind in Traffic]),
            OpenApiParameter(
                "platform", str, description=f"The NREN's own router, for IOS; {USUAL.title} when not given."
            ),
            OpenApiParameter("ios", str, description="Its release."),
            OpenApiParameter("uplink", str, description="Its interface towards the backbone."),
        ],
        responses=PackView,
    )
    @action(detail=True, methods=["get"])
    def pack(self, request: Request, pk: str) -> Response:
        """What the sender configures on its own side: marker and shaper."""
        row = selecting.visible(self.actor, int(pk))

        def answer(asked: dict[str, Any]) -> Any:
            made = pack_for(row, asked.pop("for"), **asked)
            return PackView({"request": row.pk, "for": made.kind, **asdict(made)}).data

        return Response(asked_in_the_query(request, PackQuestion, answer))

    @extend_schema(responses=RecheckView)
    @action(detail=True, methods=["get"])
    def recheck(self, _request: Request, pk: str) -> Response:
        """The last decision about it, derived again from what was kept of it: whether it follows, and what does not hold."""
        row = selecting.visible(self.actor, int(pk))
        return Response(recheck_shown(records.recheck(row), everything=self.actor.sees_everything))
