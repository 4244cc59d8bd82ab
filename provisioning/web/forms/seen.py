"""A form that is written over what was read, and over nothing else."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from django import forms

from provisioning.web.forms.reasons import ReasonForm

_READ_IT: Final = "Read it and edit it from its own page."


def sealed(standing: Mapping[str, Any]) -> str:
    """Return how fields read, as the form carries it."""
    return json.dumps(dict(standing), sort_keys=True)


class SeenForm(ReasonForm):
    """``seen`` carries how the fields read when the form was made."""

    seen = forms.CharField(
        widget=forms.HiddenInput(), max_length=20000, error_messages={"required": _READ_IT}
    )

    def clean_seen(self) -> dict[str, str]:
        """How the fields read when the page was made."""
        try:
            found = json.loads(self.cleaned_data["seen"])
        except ValueError as error:
            raise forms.ValidationError(_READ_IT) from error
        if not isinstance(found, dict) or not all(isinstance(text, str) for text in found.values()):
            raise forms.ValidationError(_READ_IT)
        return found

    def read_again(self, standing: Mapping[str, Any]) -> None:
        """Have what was written stand, and be set over ``standing`` when it is sent once more."""
        self.data = self.data.copy()
        self.data["seen"] = sealed(standing)
