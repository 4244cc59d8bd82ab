"""The forms above lists that are no rows of one table. What a form does not offer is refused by the list (`web.listing`)."""

from __future__ import annotations

from collections.abc import Iterable

from django import forms
from django.http import QueryDict

from provisioning.web.forms.addresses import NetworkField, touch
from provisioning.web.forms.choosing import Choice
from provisioning.web.reading.links import LinkRow


def search_box(hint: str) -> forms.TextInput:
    """The box in which one searches, and what may be typed into it."""
    return forms.TextInput(attrs={"type": "search", "placeholder": hint, "maxlength": "100"})


class FindForm(forms.Form):
    """Rows by text, and by one of what is offered in each of ``choices``, by the names of the fields."""

    q = forms.CharField(label="Search", required=False)

    def __init__(self, data: QueryDict, *, hint: str, **choices: Iterable[str]) -> None:
        super().__init__(data)
        self.fields["q"].widget = search_box(hint)
        for name, offered in choices.items():
            self.fields[name] = forms.ChoiceField(
                required=False, choices=[("", "Any"), *((one, one) for one in offered)], widget=Choice
            )
        self.full_clean()

    def chosen(self, name: str) -> str:
        """What is asked for in this field; empty where that is nothing, or nothing that is offered."""
        return str(self.cleaned_data.get(name, ""))


class LinkForm(FindForm):
    """Links by text, by what is offered, and by the addresses of the link itself."""

    address = NetworkField(
        label="Address or prefix",
        required=False,
        widget=forms.TextInput(attrs={"placeholder": "2001:db8::/32", "maxlength": "60"}),
    )

    def lets_through(self, row: LinkRow) -> bool:
        """Whether a link is among those that are asked for."""
        text, address = self.chosen("q").lower(), self.cleaned_data.get("address")
        return (
            self.chosen("kind") in ("", row.kind)
            and (not self.chosen("router") or self.chosen("router") in row.routers)
            and (not self.chosen("nren") or (row.kind == "access" and row.owner == self.chosen("nren")))
            and self.chosen("case") in ("", row.case)
            and (not text or text in row.name.lower() or text in row.owner.lower())
            and (address is None or touch(address, row.prefix))
        )
