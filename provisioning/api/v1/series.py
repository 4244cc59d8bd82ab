"""The resource ``series``: windows that come again, asked for and shown as one."""

from __future__ import annotations

from typing import Any, Literal

from django.db.models import QuerySet
from django.urls import reverse
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.mixins import ListModelMixin
from rest_framework.request import Request
from rest_framework.response import Response

from provisioning.api.fields import Strict, Text
from provisioning.api.problems import details
from provisioning.api.v1.base import IDEMPOTENCY, Answered, ApiView, deed
from provisioning.api.v1.deciding import Decided, Held
from provisioning.api.v1.evidence import own_links_of, shown_to
from provisioning.api.v1.filters import SeriesFilters
from provisioning.api.v1.premium_requests import Asked, ConsentGiven, ReasonRow, Withdrawal
from provisioning.models import PremiumRequest, Series
from provisioning.pipeline.admission import Refused, to_json
from provisioning.selectors import series as selecting
from provisioning.services import series as service
from provisioning.services.decisions import Occurrence


class Recurrence(Strict):
    """When the window comes again: by the clocks of a time zone, at most one time a day, and not for ever."""

    rrule = Text(
        max_length=300,
        help_text="RFC 5545: FREQ=WEEKLY;BYDAY=TU;COUNT=12. COUNT or UNTIL ends it; BYHOUR and the like are not offered.",
    )
    time_zone = Text(max_length=64, help_text="A name of the IANA time zone database: Europe/Athens.")
    exdates = serializers.ListField(
        child=serializers.DateField(format="iso-8601", input_formats=["iso-8601"]),
        max_length=400,
        default=list,
        help_text="Local days without an occurrence.",
    )
    take = serializers.ChoiceField(
        choices=["all", "those-that-fit"],
        default="all",
        help_text="What is granted when an occurrence does not fit: nothing, or the others.",
    )


class AskedSeries(Asked):
    """What an NREN asks for; start and end are the first occurrence's."""

    recurrence = Recurrence()

    def series(self) -> service.SubmitSeries:
        """Return what the service takes."""
        again = self.validated_data["recurrence"]
        return service.SubmitSeries(
            asked=self.submission(),
            rrule=again["rrule"],
            time_zone=again["time_zone"],
            left_out=tuple(again["exdates"]),
            only_whole=again["take"] == "all",
        )


class OccurrenceView(serializers.Serializer[Any]):
    """One request of a series; while it is undecided whether it would fit now, and if not, why."""

    request = serializers.IntegerField()
    twin = serializers.IntegerField(allow_null=True, help_text="The other way's request, if any.")
    start = serializers.DateTimeField()
    end = serializers.DateTimeField()
    state = serializers.CharField()
    fits = serializers.BooleanField(allow_null=True, help_text="Null when it is decided, or over.")
    reasons = ReasonRow(many=True)


class SeriesList(serializers.ListSerializer[Any]):
    """Several series: how many of their requests are in which state is read for all of them at once."""

    def to_representation(self, data: Any) -> list[Any]:
        """Return the rows, each with its states."""
        rows = list(data)
        self.child.standing = selecting.standing_of([row.pk for row in rows])  # type: ignore[union-attr]
        return super().to_representation(rows)


class SeriesSummary(serializers.ModelSerializer[Series]):
    """A series, as source NREN, receiving NREN, NOC and auditors see it."""

    nren = serializers.CharField(source="nren.name")
    receiving_nren = serializers.SerializerMethodField()
    role = serializers.SerializerMethodField(help_text="What the reader is to this series.")
    rrule = serializers.CharField(source="rule")
    exdates = serializers.ListField(child=serializers.CharField(), source="left_out")
    take = serializers.SerializerMethodField()
    states = serializers.SerializerMethodField(
        help_text="How many of its requests (two an occurrence for both ways) are in which state."
    )

    standing: dict[int, dict[str, int]] | None = None

    class Meta:
        model = Series
        list_serializer_class = SeriesList
        fields = ["id", "reference", "nren", "receiving_nren", "role", "rrule", "time_zone", "exdates", "take",
                  "occurrences", "submitted_at", "states"]  # fmt: skip
        read_only_fields = fields

    def get_receiving_nren(self, series: Series) -> str | None:
        """Return the name of the receiving NREN, None where the far end is open."""
        return series.receiving_nren.name if series.receiving_nren else None

    def get_role(self, series: Series) -> Literal["source", "receiver", "observer"]:
        """Return whether the reader asked, receives, or looks on."""
        nrens = self.context["actor"].nren_ids
        if series.nren_id in nrens:
            return "source"
        return "receiver" if series.receiving_nren_id in nrens else "observer"

    def get_take(self, series: Series) -> Literal["all", "those-that-fit"]:
        """Return what is granted when an occurrence does not fit."""
        return "all" if series.only_whole else "those-that-fit"

    def get_states(self, series: Series) -> dict[str, int]:
        """Return the requests counted by state."""
        return (self.standing or selecting.standing_of([series.pk]))[series.pk]


class SeriesDetail(SeriesSummary):
    """A series with its occurrences."""

    rate_that_fits = serializers.SerializerMethodField(
        help_text="The highest rate, bit/s, that fits every undecided occurrence; null where all fit, or none would."
    )
    items = serializers.SerializerMethodField(help_text="The occurrences, in order.")

    class Meta(SeriesSummary.Meta):
        fields = [*SeriesSummary.Meta.fields, "rate_that_fits", "items"]
        read_only_fields = fields

    def get_rate_that_fits(self, series: Series) -> int | None:
        """Return the rate at which nothing would be refused."""
        return self._verdict(series).rate_that_fits

    @extend_schema_field(OccurrenceView(many=True))
    def get_items(self, series: Series) -> list[dict[str, Any]]:
        """Return a row for each occurrence."""
        judged = {each.requests[0].pk: each for each in self._verdict(series).occurrences}
        rows = PremiumRequest.objects.filter(series=series).order_by("start", "pk")
        # Of both ways the way out, which is stored first.
        outs = [row for row in rows if row.twin_id is None or row.pk < row.twin_id]
        return [
            {
                "request": row.pk,
                "twin": row.twin_id,
                "start": row.start.isoformat(),
                "end": row.end.isoformat() if row.end else None,
                "state": row.state,
                **self._fit(judged.get(row.pk)),
            }
            for row in outs
        ]

    def _verdict(self, series: Series) -> service.Verdict:
        if not hasattr(self, "_found"):
            self._found = service.evidence(series=series)
        return self._found

    def _fit(self, occurrence: Occurrence | None) -> dict[str, Any]:
        if occurrence is None:
            return {"fits": None, "reasons": []}
        verdict = occurrence.judged.verdict
        if not isinstance(verdict, Refused):
            return {"fits": True, "reasons": []}
        everything, own = self.context["actor"].sees_everything, self.context["own_links"]
        shown = shown_to(to_json(verdict), everything=everything, own_links=own) or {}
        return {"fits": False, "reasons": shown["reasons"]}


class SeriesResource(ListModelMixin, ApiView):
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
