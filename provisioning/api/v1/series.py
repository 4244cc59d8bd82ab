"""The resource ``series``: windows that come again, asked for and shown as one."""

from __future__ import annotations

from typing import Any, Literal

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from provisioning.api.fields import Strict, Text
from provisioning.api.v1.premium_requests import Asked
from provisioning.api.v1.verdicts import ReasonRow
from provisioning.models import PremiumRequest, Series
from provisioning.pipeline.admission import reason_row
from provisioning.selectors import series as selecting
from provisioning.selectors.viewers import viewer_of
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


class WindowView(serializers.Serializer[Any]):
    """When one occurrence is: as instants, and the same as the clocks of the series' time zone show them."""

    start = serializers.DateTimeField()
    end = serializers.DateTimeField(
        allow_null=True, help_text="Null where it was extended until further notice."
    )
    start_local = serializers.DateTimeField(help_text="In the time zone of the series, with its offset.")
    end_local = serializers.DateTimeField(allow_null=True)


def window_shown(row: PremiumRequest, zone: str) -> dict[str, str | None]:
    """Return the window of an occurrence as `WindowView` has it."""
    start, end = row.start, row.end
    return {
        "start": start.isoformat(),
        "end": end.isoformat() if end else None,
        "start_local": service.local_time(start, zone).isoformat(),
        "end_local": service.local_time(end, zone).isoformat() if end else None,
    }


class OccurrenceView(WindowView):
    """One request of a series; while it is undecided whether it would fit now, and if not, why."""

    request = serializers.IntegerField()
    twin = serializers.IntegerField(allow_null=True, help_text="The other way's request, if any.")
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
        """Return the rate at which nothing would be refused; None for who receives."""
        verdict = self._verdict(series)
        asks = verdict.viewer is None or series.nren_id in verdict.viewer.nrens
        return verdict.rate_that_fits if asks else None

    @extend_schema_field(OccurrenceView(many=True))
    def get_items(self, series: Series) -> list[dict[str, Any]]:
        """Return a row for each occurrence."""
        verdict = self._verdict(series)
        judged = {each.requests[0].pk: each for each in verdict.occurrences}
        rows = PremiumRequest.objects.filter(series=series).order_by("start", "pk")
        # Of both ways the way out, which is stored first.
        outs = [row for row in rows if row.twin_id is None or row.pk < row.twin_id]
        return [
            {
                "request": row.pk,
                "twin": row.twin_id,
                **window_shown(row, series.time_zone),
                "state": row.state,
                **self._fit(verdict, judged.get(row.pk)),
            }
            for row in outs
        ]

    def _verdict(self, series: Series) -> service.Verdict:
        if not hasattr(self, "_found"):
            viewer = viewer_of(self.context["actor"], series.nren.domain)
            self._found = service.evidence(series=series, viewer=viewer)
        return self._found

    def _fit(self, verdict: service.Verdict, occurrence: Occurrence | None) -> dict[str, Any]:
        if occurrence is None:
            return {"fits": None, "reasons": []}
        reasons = [reason_row(each) for each in verdict.reasons_of(occurrence)]
        return {"fits": occurrence.fits, "reasons": reasons}
