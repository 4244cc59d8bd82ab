"""A box to choose from many: a template for each of a thousand routers takes longer than the list that is filtered by them."""

from __future__ import annotations

from typing import Any

from django import forms
from django.forms.utils import flatatt
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString


class Choice(forms.Select):
    """What `django.forms.Select` draws, written at once."""

    def render(self, name: str, value: Any, attrs: Any = None, renderer: Any = None) -> SafeString:  # noqa: ARG002
        """Return the box with its options."""
        given = self.build_attrs(self.attrs, attrs)
        chosen = set(self.format_value(value))
        options = format_html_join(
            "\n",
            '<option value="{}"{}>{}</option>',
            (
                (text, SafeString(" selected") if text in chosen else "", label)
                for key, label in self.choices
                for text in ["" if key is None else str(key)]
            ),
        )
        return format_html('<select name="{}"{}>{}</select>', name, SafeString(flatatt(given)), options)
