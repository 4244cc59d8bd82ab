"""What a cell shows: links, rates, times and states, the same in every table."""

from __future__ import annotations

from typing import Any

import django_tables2
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from provisioning.web import spelling
from provisioning.web.templatetags.expedite import at, badge, until, when

NUMBER = {"th": {"class": "num"}, "td": {"class": "num"}}
MONO = {"td": {"class": "mono"}}


def link(name: str, text: object, *args: Any) -> SafeString:
    """Return a link to a named page of this site."""
    return format_html('<a href="{}">{}</a>', reverse(f"web:{name}", args=args), text)


class RateColumn(django_tables2.Column):
    """A rate in bit/s, spelled with its unit, sorted by its number."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{"attrs": NUMBER, **kwargs})

    def render(self, value: Any) -> str:
        return spelling.rate(value)


class StateColumn(django_tables2.Column):
    """A state with its word; the stored value decides, not Django's label for it. ``default`` stands for no row."""

    def __init__(self, *args: Any, default: str = "", **kwargs: Any) -> None:
        super().__init__(*args, **{"empty_values": (), **kwargs})
        self.state_without_row = default

    def render(self, record: Any, bound_column: Any) -> SafeString | str:
        state = bound_column.accessor.resolve(record, quiet=True) or self.state_without_row
        return badge(state) if state else "-"


class WhenColumn(django_tables2.Column):
    """A moment: relative and absolute."""

    def render(self, value: Any) -> SafeString | str:
        return when(value)


class AtColumn(django_tables2.Column):
    """A moment: absolute."""

    def render(self, value: Any) -> SafeString | str:
        return at(value)


class UntilColumn(django_tables2.Column):
    """The end of a window; an empty one lasts until further notice."""

    empty_values = ()

    def render(self, value: Any) -> SafeString | str:
        return until(value)
