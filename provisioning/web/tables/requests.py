"""Tables of requests."""

from __future__ import annotations

import django_tables2
from django.utils.html import format_html
from django.utils.safestring import SafeString

from provisioning.models import PremiumRequest
from provisioning.pipeline.change import RequestState
from provisioning.web.listing import Listing
from provisioning.web.tables.cells import AtColumn, RateColumn, StateColumn, UntilColumn, WhenColumn, link
from provisioning.web.templatetags.expedite import badge, icon
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
        exclude = ("consent",)
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
