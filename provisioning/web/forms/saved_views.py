"""Forms in which somebody keeps what a list shows under a name, and edits that."""

from __future__ import annotations

from typing import Any

from django import forms

from provisioning.services.saved_views import LONGEST_NAME, LONGEST_QUERY


class ViewForm(forms.Form):
    """A name for what a list shows."""

    page = forms.CharField(max_length=40, widget=forms.HiddenInput())
    query = forms.CharField(max_length=LONGEST_QUERY, required=False, widget=forms.HiddenInput())
    name = forms.CharField(
        label="Name", max_length=LONGEST_NAME, error_messages={"required": "Give it a name."}
    )
    shared = forms.BooleanField(
        label="Everybody who may open this list sees it",
        required=False,
        help_text="Who says what others are shown may edit and delete it, too.",
    )

    def __init__(self, *args: Any, may_share: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not may_share:
            del self.fields["shared"]


class EditViewForm(ViewForm):
    """A view that there is, as it was read: ``edition`` says which one that was."""

    edition = forms.IntegerField(widget=forms.HiddenInput(), min_value=1)
