"""Forms in which an administrator keeps accounts."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from django import forms

from inventory.models import Nren
from provisioning.models import Role
from provisioning.pipeline.authority import ROLES
from provisioning.web.forms.reasons import ReasonForm

_READ_IT = {"required": "Read the person and edit them from their own page."}
_ROLES = [(role.value, f"{role.spoken.partition(' ')[2]} ({role.value})") for role in ROLES]


class PersonForm(ReasonForm):
    """Who somebody is and what they may do; ``seen`` carries what they were when the form was made."""

    full_name = forms.CharField(label="Name", max_length=150, required=False)
    email = forms.EmailField(label="Mail", max_length=254, required=False)
    roles = forms.MultipleChoiceField(
        label="Roles",
        choices=_ROLES,
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text="Whoever acts for an NREN is its engineer, unless they only read.",
    )
    nrens = forms.ModelMultipleChoiceField(
        label="Acts for",
        queryset=Nren.objects.none(),
        required=False,
        help_text="None, one or several NRENs.",
        widget=forms.SelectMultiple(attrs={"size": 8}),
    )
    seen = forms.CharField(widget=forms.HiddenInput(), max_length=20000, error_messages=_READ_IT)
    field_order = ("full_name", "email", "roles", "nrens", "reason")

    def __init__(self, *args: Any, standing: Mapping[str, str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.initial.setdefault("seen", json.dumps(dict(standing), sort_keys=True))
        self.fields["nrens"].queryset = Nren.objects.order_by("name")  # type: ignore[attr-defined]

    def clean_seen(self) -> dict[str, str]:
        """What they were when the page was made."""
        try:
            found = json.loads(self.cleaned_data["seen"])
        except ValueError as error:
            raise forms.ValidationError(_READ_IT["required"]) from error
        if not isinstance(found, dict) or not all(isinstance(text, str) for text in found.values()):
            raise forms.ValidationError(_READ_IT["required"])
        return found

    def read_again(self, standing: Mapping[str, str]) -> None:
        """Have what was written stand, and be set over ``standing`` when it is sent once more."""
        self.data = self.data.copy()
        self.data["seen"] = json.dumps(dict(standing), sort_keys=True)

    def given_roles(self) -> list[Role]:
        """Return the roles that were chosen."""
        return [Role(name) for name in self.cleaned_data["roles"]]


class NewPersonForm(PersonForm):
    """Somebody who has no account yet."""

    username = forms.CharField(
        label="User name",
        max_length=150,
        help_text="Without blanks; it stays.",
        error_messages={"required": "Say how they are called when they sign in."},
    )
    reason = None  # type: ignore[assignment]
    seen = None  # type: ignore[assignment]
    field_order = ("username", "full_name", "email", "roles", "nrens")


class AccountForm(ReasonForm):
    """The end of an account, or its return: which of them the page said."""

    deed = forms.ChoiceField(
        choices=[("close", "close"), ("open", "open")],
        widget=forms.HiddenInput(),
        error_messages={"required": "Close or open it from its own page."},
    )
