"""Tables of changes."""

from __future__ import annotations

from typing import Any

import django_tables2
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from provisioning.models import Change
from provisioning.selectors.changes import is_idle, state_of
from provisioning.web.listing import Listing
from provisioning.web.tables.cells import WhenColumn, link
from provisioning.web.templatetags.expedite import badge


class ChangeTable(Listing):
    """Changes, newest first."""

    empty_title = "No change yet."
    empty_next = (
        "Plan the baseline: it covers every access, peering and core interface, and comes before any request."
    )
    empty_icon = "git-pull-request"

    reference = django_tables2.Column(verbose_name="Change", accessor="pk", order_by="pk")
    title = django_tables2.Column()
    kind = django_tables2.Column()
    state = django_tables2.Column(empty_values=(), orderable=False)
    routers = django_tables2.Column(empty_values=(), orderable=False)
    lines = django_tables2.Column(
        empty_values=(), orderable=False, attrs={"th": {"class": "num"}, "td": {"class": "num"}}
    )
    submitted_by = django_tables2.Column(verbose_name="Asked or planned by", default="Expedite")
    created_at = WhenColumn(verbose_name="Planned")
    approved_by = django_tables2.Column(verbose_name="Approved by")
    approved_at = WhenColumn(verbose_name="Approved")
    finished_at = WhenColumn(verbose_name="Over")
    reason = django_tables2.Column(verbose_name="Why", orderable=False)

    spare = ("approved_by", "approved_at", "finished_at", "reason")

    class Meta(Listing.Meta):
        model = Change
        fields = (
            "reference",
            "title",
            "kind",
            "state",
            "routers",
            "lines",
            "submitted_by",
            "created_at",
            "approved_by",
            "approved_at",
            "finished_at",
            "reason",
        )
        order_by = ("-reference",)

    def render_reference(self, record: Change) -> SafeString:
        return link("change", record.reference, record.pk)

    def render_state(self, record: Change) -> SafeString:
        pushes = list(record.pushes.all())
        return badge("empty") if all(is_idle(push) for push in pushes) else badge(state_of(record))

    def render_routers(self, record: Change) -> SafeString | str:
        pushes = list(record.pushes.all())
        names = list(dict.fromkeys(push.router.name for push in pushes if not is_idle(push)))
        others = {push.router.name for push in pushes} - set(names)
        if not names:
            return format_html('<span class="quiet">none of {}</span>', len(others)) if others else "none"
        touched = format_html_join(" ", "{}", ((link("router", name, name),) for name in names))
        if not others:
            return touched
        return format_html('{} <span class="quiet nowrap">of {}</span>', touched, len(names) + len(others))

    def render_lines(self, record: Change) -> Any:
        return sum(push.lines for push in record.pushes.all())


class RouterChangeTable(ChangeTable):
    """The changes of one router."""

    empty_next = "No change has touched this router."

    class Meta(ChangeTable.Meta):
        exclude = ("routers",)
