"""Forms in which an administrator keeps accounts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import forms

from inventory.models import Nren
from provisioning.models import Role
from provisioning.pipeline.authority import ROLES
from provisioning.web.forms.reasons import ReasonForm
from provisioning.web.forms.seen import SeenForm, sealed

_ROLES = [(role.value, f"{role.spoken.partition(' ')[2]} ({role.value})") for role in ROLES]


class PersonForm(SeenForm):
    """Who somebody is and what they may do."""

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
    field_order = ("full_name", "email", "roles", "nrens", "reason")

    def __init__(self, *args: Any, standing: Mapping[str, str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.initial.setdefault("seen", sealed(standing))
        self.fields["nrens"].queryset = Nren.objects.order_by("name")  # type: ignore[attr-defined]

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
