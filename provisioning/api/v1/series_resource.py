"""The resource ``series``: ask, look, agree, decide, take back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework.decorators import action
from rest_framework.mixins import ListModelMixin
from rest_framework.request import Request
from rest_framework.response import Response

from provisioning.api.problems import details
from provisioning.api.v1.base import IDEMPOTENCY, Answered, create, deed, read_body
from provisioning.api.v1.deciding import Decided, Granted, Held
from provisioning.api.v1.filters import SeriesFilters
from provisioning.api.v1.premium_requests import ConsentGiven, Withdrawal
from provisioning.api.v1.series import AskedSeries, SeriesDetail, SeriesSummary
from provisioning.api.v1.series_changing import ChangesSeries
from provisioning.models import Series
from provisioning.selectors import series as selecting
from provisioning.services import series as service


class SeriesResource(ListModelMixin, ChangesSeries):
    """Series: an NREN sees those it asked for and those it receives, the NOC and auditors all; nobody else any."""

    queryset = Series.objects.none()
    serializer_class = SeriesSummary
    filterset_class = SeriesFilters

    def get_queryset(self) -> QuerySet[Series]:
        """Return the series the actor may see."""
        return selecting.for_actor(self.actor).order_by("-pk")

    @extend_schema(responses=SeriesDetail)
    def retrieve(self, _request: Request, pk: str) -> Response:
        """One series with its occurrences, and which of the undecided would fit now."""
        return Response(self._detail(int(pk)))

    @extend_schema(request=AskedSeries, responses={201: SeriesDetail}, parameters=[IDEMPOTENCY])
    def create(self, request: Request) -> Response:
        """Ask for a window that comes again: a request for each occurrence, answered and decided as one."""
        asked = read_body(request, AskedSeries)

        def act() -> dict[str, Any]:
            return self._detail(service.submit(actor=self.actor, data=asked.series()).pk)

        return create(request, "series", act)

    @extend_schema(request=ConsentGiven, responses=SeriesDetail, parameters=[IDEMPOTENCY])
    @action(detail=True, methods=["post"])
    def consent(self, request: Request, pk: str) -> Response:
        """Agree to receive every occurrence, or decline with a reason; the receiving NREN's matter."""
        return self._done(request, pk, ConsentGiven, service.consent)

    @extend_schema(request=Withdrawal, responses=SeriesDetail, parameters=[IDEMPOTENCY])
    @action(detail=True, methods=["post"])
    def withdraw(self, request: Request, pk: str) -> Response:
        """Take back what is left of a series; what was admitted stays charged until it is seen gone."""
        return self._done(request, pk, Withdrawal, service.withdraw)

    @extend_schema(request=Held, responses=SeriesDetail, parameters=[IDEMPOTENCY])
    @action(detail=True, methods=["post"])
    def hold(self, request: Request, pk: str) -> Response:
        """Keep the capacity of every open occurrence aside until an instant; the NOC's matter."""
        return self._granted(request, pk, Held, service.hold)

    @extend_schema(request=Decided, responses=SeriesDetail, parameters=[IDEMPOTENCY])
    @action(detail=True, methods=["post"])
    def unhold(self, request: Request, pk: str) -> Response:
        """Let go of a hold before its time; the NOC's matter."""
        return self._done(request, pk, Decided, service.unhold)

    @extend_schema(request=Granted, responses=SeriesDetail, parameters=[IDEMPOTENCY])
    @action(detail=True, methods=["post"])
    def admit(self, request: Request, pk: str) -> Response:
        """Grant every open occurrence, or those that fit where that was asked for; the NOC's matter."""
        return self._granted(request, pk, Granted, service.admit)

    @extend_schema(request=Decided, responses=SeriesDetail, parameters=[IDEMPOTENCY])
    @action(detail=True, methods=["post"])
    def refuse(self, request: Request, pk: str) -> Response:
        """Refuse every open occurrence; the NOC's matter."""
        return self._done(request, pk, Decided, service.refuse)

    def _granted(
        self, request: Request, pk: str, shape: type[Decided], act: Callable[..., service.Verdict]
    ) -> Response:
        """As `_done`, where it can come to nothing: 409 with the occurrences that do not fit, if nothing was granted."""
        series = selecting.visible(self.actor, int(pk))
        body = read_body(request, shape)

        def answer() -> Answered:
            verdict = act(actor=self.actor, series=series, **body.validated_data)
            shown = self._detail(series.pk)
            return (200, shown) if verdict.granted else _does_not_fit(request, verdict, shown)

        return deed(request, answer)


def _does_not_fit(request: Request, verdict: service.Verdict, shown: dict[str, Any]) -> Answered:
    found = {"items": shown["items"], "rate_that_fits": shown["rate_that_fits"]}
    many = len(verdict.misfits)
    said = f"{many} of {len(verdict.occurrences)} occurrences do not fit: nothing was granted"
    return 409, details(409, "does-not-fit", said, request.path, **found)
