"""The table of what was of the network and is no more."""

from __future__ import annotations

import django_tables2
from django.utils.html import format_html
from django.utils.safestring import SafeString

from provisioning.web.listing import Listing
from provisioning.web.reading.inventory import Retired
from provisioning.web.tables.cells import AtColumn


class RetiredTable(Listing):
    """Things that were retired, newest first."""

    empty_title = "Nothing was retired yet."
    empty_next = (
        "A link, a router or an NREN is retired from its own page; what referred to it sees it still."
    )
    empty_icon = "history"

    kind = django_tables2.Column(verbose_name="What")
    name = django_tables2.Column(verbose_name="Name")
    at = AtColumn(verbose_name="Retired (UTC)")
    log = django_tables2.Column(verbose_name="Change log", orderable=False)

    class Meta(Listing.Meta):
        fields = ("kind", "name", "at", "log")

    def render_name(self, value: str, record: Retired) -> SafeString | str:
        return format_html('<a class="mono" href="{}">{}</a>', record.page, value) if record.page else value

    def render_log(self, value: str) -> SafeString:
        return format_html('<a href="{}">who, when and why</a>', value)
