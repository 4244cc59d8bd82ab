"""The list of what routers were seen to hold that is not intended."""

from __future__ import annotations

from typing import Any

import django_tables2
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString

from provisioning.models import RouterDifference
from provisioning.selectors.differences import how
from provisioning.web.listing import Listing
from provisioning.web.tables.cells import AtColumn, WhenColumn, link
from provisioning.web.templatetags.expedite import at


class DifferenceTable(Listing):
    """Differences, the oldest first: what stands longest is what everybody got used to."""

    empty_title = "Nothing differs."
    empty_next = "Every router that was read holds what is intended, as far as it is watched."
    empty_icon = "git-compare"
    caption = "Differences"

    router = django_tables2.Column(verbose_name="Router", accessor="router__name")
    object = django_tables2.Column(verbose_name="What differs")
    kind = django_tables2.Column(verbose_name="How", empty_values=(), orderable=False)
    first = WhenColumn(verbose_name="Since", accessor="first_seen_at")
    last = WhenColumn(verbose_name="Last seen", accessor="last_seen_at")
    state = django_tables2.Column(verbose_name="State", empty_values=(), orderable=False)
    gone = AtColumn(verbose_name="Gone", accessor="gone_at")
    ignored_reason = django_tables2.Column(verbose_name="Ignored because", orderable=False)

    spare = ("ignored_reason",)

    class Meta(Listing.Meta):
        model = RouterDifference
        fields = ("router", "object", "kind", "first", "last", "state", "gone", "ignored_reason")
        order_by = ("first", "router")

    def render_router(self, value: str) -> SafeString:
        return link("router", value, value)

    def render_object(self, record: RouterDifference, value: str) -> SafeString:
        return link("difference", value, record.pk)

    def render_kind(self, record: RouterDifference) -> str:
        return how(record)

    def render_state(self, record: RouterDifference) -> SafeString:
        return state(record)


def state(row: RouterDifference, *, until: bool = True) -> SafeString:
    """Whether it stands, is left so (``until`` says until when), or is gone."""
    if row.gone_at is not None:
        return format_html('<span class="tag">{}</span>', "gone")
    if row.is_ignored(timezone.now()):
        tag = format_html('<span class="tag warn">{}</span>', "ignored")
        return format_html("{} until {}", tag, at(row.ignored_until)) if until else tag
    return format_html('<span class="tag bad">{}</span>', "differs")


def as_row(row: RouterDifference) -> dict[str, Any]:
    """What a page shows of one beside its texts."""
    return {"how": how(row), "state": state(row, until=False)}
