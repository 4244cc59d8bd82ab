"""What a search finds: a few things of each kind, each with why, and how many there are, counted to a bound."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.db.models import QuerySet
from django.urls import reverse
from django.utils.http import urlencode

MOST: Final = 10
"""Of each kind so many are shown."""
COUNTED: Final = 1000
"""And so many are counted: how many there are beyond that is for the list to say."""


@dataclass(frozen=True)
class Found:
    """One thing found: where it is, its name, what it says of itself, why it was found, and its state ("" for none)."""

    url: str
    name: str
    says: str
    why: str
    state: str = ""


@dataclass(frozen=True)
class Group:
    """What was found of one kind: the first ten, how many there are (to a bound), and where they all are ("" for nowhere)."""

    title: str
    found: tuple[Found, ...]
    count: int
    url: str = ""

    @property
    def said(self) -> str:
        """Return how many, in words."""
        return f"more than {COUNTED:,}" if self.count > COUNTED else f"{self.count} in all"


def counted(rows: QuerySet[Any], shown: Sequence[object]) -> int:
    """Return how many rows there are, of which ``shown`` are the first ten; one more than `COUNTED` where there are more.

    Where there are not ten nothing is looked for again: for a text that nothing holds that would be the whole table.
    """
    return len(shown) if len(shown) < MOST else rows.order_by()[: COUNTED + 1].values("pk").count()


def all_of(name: str, **asked: str) -> str:
    """Return the address of the list of that name with these filters, those that are empty left out."""
    said = urlencode({key: value for key, value in asked.items() if value})
    return f"{reverse(f'web:{name}')}?{said}" if said else reverse(f"web:{name}")


def holding(text: str, fields: Mapping[str, str]) -> str:
    """Return why a text was found: the first of the fields, by what they are called, that holds it; "" for none."""
    wanted = text.lower()
    for called, value in fields.items():
        if wanted in value.lower():
            return f"{called} {_around(value, value.lower().index(wanted))}"
    return ""


def _around(value: str, at: int, reach: int = 60) -> str:
    begin, end = max(0, at - reach), at + reach
    return f"{'…' if begin else ''}{value[begin:end].strip()}{'…' if end < len(value) else ''}"
