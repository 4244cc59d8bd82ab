"""The table of the audit log."""

from __future__ import annotations

import django_tables2
from django.utils.html import format_html
from django.utils.safestring import SafeString

from provisioning.models import AuditEvent
from provisioning.web.listing import Listing
from provisioning.web.objects import page_about
from provisioning.web.tables.cells import NUMBER, AtColumn, link


class AuditTable(Listing):
    """Events, newest first."""

    empty_title = "No event yet."
    empty_next = "Everything that is asked, decided, approved, pushed or seen is written here."
    empty_icon = "history"

    sequence = django_tables2.Column(verbose_name="No.", attrs=NUMBER)
    at = AtColumn(verbose_name="When (UTC)")
    actor = django_tables2.Column(verbose_name="Who")
    via = django_tables2.Column()
    action = django_tables2.Column(verbose_name="What")
    object_label = django_tables2.Column(verbose_name="Object")
    reason = django_tables2.Column(verbose_name="Why", orderable=False, default="-")

    class Meta(Listing.Meta):
        model = AuditEvent
        fields = ("sequence", "at", "actor", "via", "action", "object_label", "reason")
        order_by = ("-sequence",)

    def render_sequence(self, value: int) -> SafeString:
        return link("audit-event", f"#{value}", value)

    def render_object_label(self, value: str, record: AuditEvent) -> SafeString | str:
        page = page_about(record)
        return format_html('<a href="{}">{}</a>', page, value) if page else value

    def render_action(self, value: str) -> SafeString:
        return format_html('<span class="mono">{}</span>', value)
