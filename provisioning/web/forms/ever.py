"""Rows of the network to choose from where what was retired is asked for, too: a request of then refers to it still."""

from __future__ import annotations

from typing import Any

from django import forms
from django.db.models import F, QuerySet

from inventory.models import Nren, Router


def ever(model: type[Nren] | type[Router]) -> QuerySet[Any]:
    """Return every row there is and was, by name; of those of one name what is in use first, then the first that went."""
    return model.every.order_by("name", F("retired_at").asc(nulls_first=True), "pk")


def label_of(row: Nren | Router) -> str:
    """Return what a row is called in a choice: by its name, and that it was retired, with the day (UTC), as two may have one."""
    return row.name if row.retired_at is None else f"{row.name} (retired {row.retired_at:%Y-%m-%d})"


class EverField(forms.ModelChoiceField):
    """One of what there is and was."""

    def label_from_instance(self, obj: Any) -> str:
        """Return its name, and whether it was retired."""
        return label_of(obj)
