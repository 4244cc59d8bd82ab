"""Tables of requests."""

from __future__ import annotations

from datetime import datetime
from functools import cached_property
from typing import Any

import django_tables2
from django.db.models import QuerySet
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from provisioning.models import PremiumRequest
from provisioning.pipeline.states import RequestState
from provisioning.pipeline.units import how_many
from provisioning.selectors.series import LIVE
from provisioning.web import reading
from provisioning.web.listing import Listing
from provisioning.web.tables.cells import (
    MONO,
    AtColumn,
    RateColumn,
    StateColumn,
    UntilColumn,
    WhenColumn,
    link,
)
from provisioning.web.templatetags.expedite import at, badge, icon, until
from provisioning.web.words import word


class RequestTable(Listing):
    """All requests a person may see."""

    empty_title = "No request yet."
    empty_next = "An NREN asks in its portal or through the API."

    reference = django_tables2.Column(verbose_name="Request", accessor="pk", order_by="pk")
    nren = django_tables2.Column(verbose_name="From", accessor="nren__name")
    receiving_nren = django_tables2.Column(
        verbose_name="To", accessor="receiving_nren__name", default="anywhere"
    )
    rate_bps = RateColumn(verbose_name="Rate")
    start = AtColumn(verbose_name="Begins")
    end = UntilColumn(verbose_name="Ends")
    state = StateColumn()
    consent = StateColumn()
    submitted_at = WhenColumn(verbose_name="Asked")
    source_link = django_tables2.Column(
        verbose_name="Enters on", accessor="source_link__name", attrs=MONO, orderable=False
    )
    destination_link = django_tables2.Column(
        verbose_name="Leaves on", accessor="destination_link__name", attrs=MONO, orderable=False
    )
    service_class = django_tables2.Column(verbose_name="Class", orderable=False)
    contact = django_tables2.Column(orderable=False)
    reason = django_tables2.Column(orderable=False)
    decided_at = WhenColumn(verbose_name="Decided", orderable=False)

    spare = ("source_link", "destination_link", "service_class", "contact", "reason", "decided_at")

    class Meta(Listing.Meta):
        model = PremiumRequest
        fields = (
            "reference",
            "nren",
            "receiving_nren",
            "rate_bps",
            "start",
            "end",
            "state",
            "consent",
            "submitted_at",
            "source_link",
            "destination_link",
            "service_class",
            "contact",
            "reason",
            "decided_at",
        )
        order_by = ("-reference",)

    def render_reference(self, record: PremiumRequest) -> SafeString:
        return link("request", record.reference, record.pk)

    def render_consent(self, record: PremiumRequest) -> SafeString:
        if record.never_answered:
            return format_html('<span class="quiet">{}</span>', "not answered")
        shown = word(record.consent)
        return format_html(
            '<span class="tag {}" title="{}">{}</span>',
            shown.kind,
            shown.meaning,
            shown.text.removeprefix("Consent ").capitalize(),
        )


class GroupedTable(RequestTable):
    """Requests, and of a series one row: with what is under way or next of it, and how many there are."""

    class Meta(RequestTable.Meta):
        pass

    def __init__(self, rows: QuerySet[PremiumRequest], *, now: datetime, **more: Any) -> None:
        super().__init__(reading.one_row_each(rows, now=now), order_by="-reference", **more)
        self._now = now

    @cached_property
    def _series(self) -> dict[int, reading.Occurrences]:
        """Of the series of this page, read once."""
        keys = {row.record.series_id for row in self.paginated_rows} - {None}
        return reading.occurrences_of(keys, now=self._now)

    def render_reference(self, record: PremiumRequest) -> SafeString:
        if record.series is None:
            return super().render_reference(record)
        left = self._series[record.series.pk].to_come
        return format_html(
            '{}<br><span class="quiet small nowrap">{}, {}</span>',
            link("series", record.series.reference, record.series.pk),
            how_many(record.series.occurrences, "time"),
            f"{left} to come" if left else "over",
        )

    def render_start(self, record: PremiumRequest) -> SafeString | str:
        return self._which(record, at(record.start))

    def render_end(self, record: PremiumRequest) -> SafeString | str:
        return until(record.end)

    def render_state(self, record: PremiumRequest) -> SafeString | str:
        if record.series is None:
            return badge(record.state)
        return format_html_join(
            SafeString("<br>"),
            '<span class="nowrap">{} <span class="quiet small">{}</span></span>',
            ((badge(state), count) for state, count in sorted(self._series[record.series.pk].states.items())),
        )

    def _which(self, record: PremiumRequest, shown: SafeString | str) -> SafeString | str:
        if record.series is None:
            return shown
        if record.state in LIVE and (record.end is None or record.end > self._now):
            said = "under way" if record.start <= self._now else "the next one"
        else:  # of those that the filter left
            said = "one of them" if self._series[record.series.pk].to_come else "the last one"
        which = link("request", record.reference, record.pk)
        return format_html('{}<br><span class="quiet small nowrap">{} {}</span>', shown, said, which)


class SentTable(GroupedTable):
    """What an NREN asked for; from whom is said only where there are ``several``."""

    class Meta(GroupedTable.Meta):
        pass

    def __init__(self, rows: QuerySet[PremiumRequest], *, now: datetime, several: bool = False) -> None:
        super().__init__(rows, now=now, exclude=() if several else ("nren",))


class QueueTable(RequestTable):
    """The requests of one group of the queue: what a person needs to choose the next one."""

    empty_icon = "circle-check"

    route = django_tables2.Column(verbose_name="Route", empty_values=(), orderable=False)

    class Meta(RequestTable.Meta):
        fields = (
            "reference",
            "nren",
            "receiving_nren",
            "route",
            "rate_bps",
            "start",
            "end",
            "state",
            "submitted_at",
        )
        sequence = fields
        exclude = ("consent", *RequestTable.spare)
        order_by = ()

    def render_reference(self, record: PremiumRequest) -> SafeString:
        if record.series is None or record.state == RequestState.ACTIVE:
            return super().render_reference(record)
        return format_html(
            '{} <span class="quiet small">{} times</span>',
            link("series", record.series.reference, record.series_id),
            record.series.occurrences,
        )

    def render_route(self, record: PremiumRequest) -> SafeString:
        target = record.destination_link.name if record.destination_link else "anywhere"
        return format_html(
            '<span class="mono">{}</span> {} <span class="mono">{}</span>',
            record.source_link.name,
            icon("arrow-right"),
            target,
        )

    def render_state(self, record: PremiumRequest) -> SafeString:
        if record.never_answered:
            return badge(record.state)
        return format_html("{} {}", badge(record.state), badge(record.consent))
