"""How a link is chosen: from a list where there are few, else by typing a part of its name or of its NREN's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django import forms
from django.db.models import Q, QuerySet
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from inventory.models import AccessLink
from provisioning.pipeline.units import how_many

FEW = 100
"""Up to so many links are one list."""
OFFERED = 20
"""So many of those that hold what was typed are shown."""
AGAIN = "?"
"""Chosen in the list of what was found: back to the box. Not empty, which may mean that no link is wanted."""


def links_holding(links: QuerySet[AccessLink], text: str) -> QuerySet[AccessLink]:
    """Return the links in whose name, or whose NREN's, ``text`` occurs."""
    return links.filter(Q(name__icontains=text) | Q(nren__name__icontains=text))


class LinkInput(forms.TextInput):
    """A box to type in that offers links while one types; without JavaScript the form itself asks back."""

    def __init__(
        self,
        view: str = "web:my-links",
        query: str = "",
        placeholder: str = "part of a link's or an NREN's name",
    ) -> None:
        super().__init__(attrs={"placeholder": placeholder, "autocomplete": "off"})
        self.view, self.query = view, query

    def format_value(self, value: Any) -> str | None:
        return None if value == AGAIN else super().format_value(value)

    def render(
        self, name: str, value: Any, attrs: dict[str, Any] | None = None, renderer: Any = None
    ) -> SafeString:
        offered = f"{name}_offered"
        asking = {
            "list": offered,
            "hx-get": f"{reverse(self.view)}{self.query}",
            "hx-trigger": "input changed delay:250ms, focus once",
            "hx-target": f"#{offered}",
        }
        box = super().render(name, value, {**asking, **(attrs or {})}, renderer)
        return format_html('{}<datalist id="{}"></datalist>', box, offered)


class LinkField(forms.CharField):
    """The name of one of ``links``.

    What is no link's name is an error that says how many links hold it; the field is a list of those then, with a first
    entry that leads back to the box.
    """

    def __init__(
        self, links: QuerySet[AccessLink], say: Callable[[AccessLink], str], *, unknown: str, **kwargs: Any
    ) -> None:
        super().__init__(widget=LinkInput(), max_length=200, **kwargs)
        self.links, self.say, self.unknown = links, say, unknown

    def clean(self, value: Any) -> str:
        """Return the name of a link; raises ValidationError."""
        text = str(super().clean(value))
        if not text or self.links.filter(name=text).exists():
            return text
        if text == AGAIN:
            raise forms.ValidationError(self.error_messages["required"])
        holding = links_holding(self.links, text)
        found = list(holding.select_related("nren").order_by("nren__name", "name")[:OFFERED])
        if not found:
            raise forms.ValidationError(self.unknown)
        self.widget = forms.Select(
            choices=[(AGAIN, "Search again"), *((link.name, self.say(link)) for link in found)]
        )
        count = holding.count()
        first = f" The first {OFFERED} are listed: choose one" if count > OFFERED else " Choose one"
        raise forms.ValidationError(
            f"{how_many(count, 'link')} {'holds' if count == 1 else 'hold'} “{text}”.{first}, or search again."
        )


def link_field(
    standing: forms.ChoiceField,
    links: QuerySet[AccessLink],
    say: Callable[[AccessLink], str],
    *,
    empty: str = "",
) -> forms.Field:
    """Return the field to choose one of ``links``: ``standing`` with all of them when they are few, else a box to type in."""
    rows = list(links.select_related("nren").order_by("nren__name", "name")[: FEW + 1])
    if len(rows) <= FEW:
        listed = [(link.name, say(link)) for link in rows]
        standing.choices = [("", empty), *listed] if empty else listed
        return standing
    return LinkField(
        links,
        say,
        unknown="No such link, and none that holds this in its name: type a part of it, or of its NREN's name.",
        label=standing.label,
        required=standing.required,
        help_text=standing.help_text,
        error_messages={"required": standing.error_messages["required"]},
    )
