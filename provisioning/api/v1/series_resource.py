"""The resource ``series``: ask, look, agree, decide, take back."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet
from django.urls import reverse
from drf_spectacular.utils import extend_schema
from rest_framework.decorators import action
from rest_framework.mixins import ListModelMixin
from rest_framework.request import Request
from rest_framework.response import Response

from provisioning.api.fields import Strict
from provisioning.api.problems import details
from provisioning.api.v1.base import IDEMPOTENCY, Answered, deed
from provisioning.api.v1.deciding import Decided, Held
from provisioning.api.v1.evidence import own_links_of
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

    def get_serializer_context(self) -> dict[str, Any]:
        """Return the context with the names of the actor's own links."""
        context = super().get_serializer_context()
        if not getattr(self, "swagger_fake_view", False):
            context["own_links"] = own_links_of(self.actor)
        return context

    @extend_schema(responses=SeriesDetail)
    def retrieve(self, _request: Request, pk: str) -> Response:
        """One series with its occurrences, and which of the undecided would fit now."""
        return Response(self._detail(int(pk)))

    @extend_schema(request=AskedSeries, responses={201: SeriesDetail}, parameters=[IDEMPOTENCY])
    def create(self, request: Request) -> Response:
        """Ask for a window that comes again: a request for each occurrence, answered and decided as one."""
        asked = AskedSeries(data=request.data)
        asked.is_valid(raise_exception=True)

        def act() -> tuple[int, dict[str, Any]]:
            made = service.submit(actor=self.actor, data=asked.series())
            return 201, self._detail(made.pk)

        response = deed(request, act)
        location = reverse("api:series-detail", kwargs={"pk": response.data["id"]})
        response["Location"] = request.build_absolute_uri(location)
        return response

    @extend_schema(request=ConsentGiven, responses=SeriesDetail, parameters=[IDEMPOTENCY])
    @action(detail=True, methods=["post"])
    def consent(self, request: Request, pk: str) -> Response:
        """Agree to receive every occurrence, or decline with a reason; the receiving NREN's matter."""
        series = selecting.visible(self.actor, int(pk))
        given = ConsentGiven(data=request.data)
        given.is_valid(raise_exception=True)

        def act() -> tuple[int, dict[str, Any]]:
            service.consent(actor=self.actor, series=series, **given.validated_data)
            return 200, self._detail(series.pk)

        return deed(request, act)

    @extend_schema(request=Withdrawal, responses=SeriesDetail, parameters=[IDEMPOTENCY])
    @action(detail=True, methods=["post"])
    def withdraw(self, request: Request, pk: str) -> Response:
        """Take back what is left of a series; what was admitted stays charged until it is seen gone."""
        series = selecting.visible(self.actor, int(pk))
        why = Withdrawal(data=request.data)
        why.is_valid(raise_exception=True)

        def act() -> tuple[int, dict[str, Any]]:
            service.withdraw(actor=self.actor, series=series, **why.validated_data)
            return 200, self._detail(series.pk)

        return deed(request, act)

    @extend_schema(request=Held, responses=SeriesDetail, parameters=[IDEMPOTENCY])
    @action(detail=True, methods=["post"])
    def hold(self, request: Request, pk: str) -> Response:
        """Keep the capacity of every open occurrence aside until an instant; the NOC's matter."""
        return self._decided(request, pk, Held, service.hold)

    @extend_schema(request=Decided, responses=SeriesDetail, parameters=[IDEMPOTENCY])
    @action(detail=True, methods=["post"])
    def unhold(self, request: Request, pk: str) -> Response:
        """Let go of a hold before its time; the NOC's matter."""
        return self._decided(request, pk, Decided, service.unhold)

    @extend_schema(request=Decided, responses=SeriesDetail, parameters=[IDEMPOTENCY])
    @action(detail=True, methods=["post"])
    def admit(self, request: Request, pk: str) -> Response:
        """Grant every open occurrence, or those that fit where that was asked for; the NOC's matter."""
        return self._decided(request, pk, Decided, service.admit)

    @extend_schema(request=Decided, responses=SeriesDetail, parameters=[IDEMPOTENCY])
    @action(detail=True, methods=["post"])
    def refuse(self, request: Request, pk: str) -> Response:
        """Refuse every open occurrence; the NOC's matter."""
        return self._decided(request, pk, Decided, service.refuse)

    def _decided(self, request: Request, pk: str, asked: type[Strict], act: Any) -> Response:
        series = selecting.visible(self.actor, int(pk))
        given = asked(data=request.data)
        given.is_valid(raise_exception=True)

        def answer() -> Answered:
            verdict = act(actor=self.actor, series=series, **given.validated_data)
            if act in (service.admit, service.hold) and not verdict.granted:
                shown = self._detail(series.pk)
                found = {"items": shown["items"], "rate_that_fits": shown["rate_that_fits"]}
                many = len(verdict.misfits)
                said = f"{many} of {len(verdict.occurrences)} occurrences do not fit: nothing was granted"
                return 409, details(409, "does-not-fit", said, request.path, **found)
            return 200, self._detail(series.pk)

        return deed(request, answer)

    def _detail(self, pk: int) -> dict[str, Any]:
        found = selecting.visible(self.actor, pk)
        return dict(SeriesDetail(found, context=self.get_serializer_context()).data)
