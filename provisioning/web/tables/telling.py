"""The table of what was told."""

from __future__ import annotations

import django_tables2
from django.utils.html import format_html
from django.utils.safestring import SafeString

from provisioning.models import Notification
from provisioning.web.listing import Listing
from provisioning.web.tables.cells import NUMBER, AtColumn


class NotificationTable(Listing):
    """Notifications, newest first."""

    empty_title = "Nothing yet."
    empty_next = "What goes wrong with a push or on a router, and every decision, is noted here and told to who is listed above."
    empty_icon = "send"

    at = AtColumn(verbose_name="When (UTC)")
    topic = django_tables2.Column(verbose_name="What")
    title = django_tables2.Column(verbose_name="Notification", orderable=False)
    told = django_tables2.Column(verbose_name="Told to", attrs=NUMBER)

    class Meta(Listing.Meta):
        model = Notification
        fields = ("at", "topic", "title", "told")
        order_by = ("-at",)

    def render_title(self, value: str, record: Notification) -> SafeString:
        to = f" (for {record.nren.name})" if record.nren else ""
        # The path is an address of this site, made by ourselves.
        return (
            format_html('<a href="{}">{}</a>{}', record.path, value, to)
            if record.path
            else format_html("{}{}", value, to)
        )
