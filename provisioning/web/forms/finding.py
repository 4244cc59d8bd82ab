"""The forms above lists that are no rows of one table. What a form does not offer is as if nothing were asked."""

from __future__ import annotations

from collections.abc import Iterable

from django import forms
from django.http import QueryDict


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
                required=False, choices=[("", "Any"), *((one, one) for one in offered)]
            )
        self.full_clean()

    def chosen(self, name: str) -> str:
        """What is asked for in this field; empty where that is nothing, or nothing that is offered."""
        return str(self.cleaned_data.get(name, ""))
