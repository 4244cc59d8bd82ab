"""Tables of the network: routers, links, NRENs."""

from __future__ import annotations

import django_tables2
from django.template.loader import render_to_string
from django.utils.html import format_html
from django.utils.safestring import SafeString

from inventory.models import Nren, Router
from provisioning.models import FailureEffect, SyncState
from provisioning.pipeline.units import how_many, rate_text
from provisioning.web.bars import bar_of_use, percent
from provisioning.web.listing import Listing
from provisioning.web.reading.links import LinkRow
from provisioning.web.tables.cells import MONO, NUMBER, RateColumn, StateColumn, WhenColumn, link


class RouterTable(Listing):
    """Routers and what is known about them."""

    empty_title = "No router yet."
    empty_next = "Import the network: manage.py import_inventory FILE."
    empty_icon = "router"

    name = django_tables2.Column(verbose_name="Router")
    sync = StateColumn(verbose_name="State", accessor="sync__state", default=SyncState.UNKNOWN)
    open_edges = django_tables2.Column(verbose_name="Open edges", empty_values=(), orderable=False)
    core = django_tables2.Column(verbose_name="Core queue", accessor="sync__core_live", default="not known")
    platform = django_tables2.Column()
    ios = django_tables2.Column(verbose_name="IOS")
    pop = django_tables2.Column(verbose_name="PoP", accessor="pop__name")
    checked = WhenColumn(verbose_name="Last seen", accessor="sync__checked_at", default="never")
    serial = django_tables2.Column(attrs=MONO)

    spare = ("serial",)

    class Meta(Listing.Meta):
        model = Router
        fields = ("name", "sync", "open_edges", "core", "platform", "ios", "pop", "checked", "serial")

    def render_name(self, record: Router) -> SafeString:
        return link("router", record.name, record.name)

    def render_open_edges(self, record: Router) -> SafeString | str:
        sync = getattr(record, "sync", None)
        if sync is None or sync.checked_at is None:
            return format_html('<span class="tag warn">{}</span>', "not read")
        return (
            format_html('<span class="tag bad">{} open</span>', len(sync.open_edges))
            if sync.open_edges
            else "none"
        )

    def render_core(self, value: bool) -> SafeString | str:
        return format_html('<span class="tag info">{}</span>', "live") if value else "off"


class LinkTable(Listing):
    """Links of every kind, as rows of plain values (``web.reading.links.LinkRow``)."""

    empty_title = "No link yet."
    empty_next = "Import the network: manage.py import_inventory FILE."
    empty_icon = "plug-connected"

    name = django_tables2.Column(verbose_name="Link")
    kind = django_tables2.Column()
    owner = django_tables2.Column(verbose_name="NREN, peer")
    case = StateColumn(verbose_name="Case")
    base_bps = RateColumn(verbose_name="Base")
    share_bps = RateColumn(verbose_name="Share")
    committed_bps = RateColumn(verbose_name="Committed")
    headroom_bps = RateColumn(verbose_name="Headroom")
    use = django_tables2.Column(verbose_name="Now, peak", empty_values=(), orderable=False)

    class Meta(Listing.Meta):
        order_by = ("kind", "name")

    def render_name(self, record: object, value: str) -> SafeString:
        return format_html('<a class="mono" href="{}">{}</a>', record.url, value)  # type: ignore[attr-defined]

    def render_use(self, record: LinkRow) -> SafeString | str:
        share = record.share_bps
        if share is None:
            return "-"
        shown = {
            "bar": bar_of_use(record.committed_bps, record.peak_bps, share),
            "now": percent(record.committed_bps, share),
            "peak": percent(record.peak_bps, share),
            "over": record.peak_bps > share,
        }
        return render_to_string("web/parts/use.html", shown)


class FailureTable(Listing):
    """Single failures that reroute or cut off anybody, as they were last worked out."""

    empty_title = "No single failure reroutes anybody."
    empty_next = (
        "Nothing is reserved over a core link, or it was not worked out yet: manage.py failures --work-out."
    )
    empty_icon = "plug-connected"
    caption = "Single failures"

    name = django_tables2.Column(verbose_name="If this fails")
    unprotected = django_tables2.Column(attrs=NUMBER, verbose_name="Unprotected")
    cut_off = django_tables2.Column(attrs=NUMBER, verbose_name="Without a path")
    rerouted = django_tables2.Column(attrs=NUMBER, verbose_name="Rerouted")
    overloaded = django_tables2.Column(attrs=NUMBER, verbose_name="Links too full")
    excess_bps = RateColumn(verbose_name="Most too much")

    class Meta(Listing.Meta):
        model = FailureEffect
        fields = ("name", "unprotected", "cut_off", "rerouted", "overloaded", "excess_bps")
        order_by = ("-unprotected", "name")

    def render_name(self, record: FailureEffect) -> SafeString:
        if record.kind == "router":
            return format_html("router {}", link("router-failure", record.name, record.name))
        key = getattr(record, "link_pk", None)
        if record.kind != "link" or key is None:
            return format_html('{} <span class="mono">{}</span>', record.kind, record.name)
        return link("link-failure", record.name, key)


class NrenTable(Listing):
    """NRENs and what they have in use."""

    empty_title = "No NREN yet."
    empty_next = "Import the network: manage.py import_inventory FILE."
    empty_icon = "building-community"

    name = django_tables2.Column(verbose_name="NREN")
    country = django_tables2.Column()
    prefixes = django_tables2.Column(verbose_name="Prefixes", empty_values=(), orderable=False)
    links = django_tables2.Column(accessor="links_count", attrs=NUMBER)
    open_requests = django_tables2.Column(verbose_name="Open requests", attrs=NUMBER)
    granted_requests = django_tables2.Column(verbose_name="Admitted", attrs=NUMBER)
    active_requests = django_tables2.Column(verbose_name="Active", attrs=NUMBER)
    quota = django_tables2.Column(verbose_name="Quota", empty_values=(), orderable=False)

    class Meta(Listing.Meta):
        model = Nren
        fields = (
            "name",
            "country",
            "prefixes",
            "links",
            "open_requests",
            "granted_requests",
            "active_requests",
            "quota",
        )

    def render_name(self, record: Nren) -> SafeString:
        return link("nren", record.name, record.pk)

    def render_country(self, value: str) -> str:
        return value.upper()

    def render_quota(self, record: Nren) -> SafeString | str:
        own = getattr(record, "quota", None)
        if own is None:
            return format_html('<span class="quiet">{}</span>', "as all")
        bounds = (
            (own.rate_bps, rate_text),
            (own.open_requests, lambda number: how_many(number, "open request")),
            (own.holds, lambda number: how_many(number, "hold")),
        )
        return ", ".join(spelled(bound) for bound, spelled in bounds if bound is not None)

    def render_prefixes(self, record: Nren) -> SafeString:
        return format_html(
            '<span class="mono">{}</span>', ", ".join(str(p.network) for p in record.prefixes.all())
        )
