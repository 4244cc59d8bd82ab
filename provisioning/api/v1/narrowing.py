"""How lists are narrowed: by keys, by an instant, by an address, by whether something is so."""

from __future__ import annotations

from datetime import datetime
from ipaddress import IPv4Network, IPv6Network, ip_network
from typing import Any

import django_filters as filters
from django import forms
from django.db.models import QuerySet
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from provisioning.api.fields import Instant
from provisioning.pipeline.states import ModificationState, PushState, RequestState, Stage

MOST_KEYS = 200
LONGEST_KEY = 15


def choices(
    states: type[RequestState] | type[PushState] | type[ModificationState] | type[Stage],
) -> list[tuple[str, str]]:
    return [(state.value, state.value) for state in states]


class _Keys(forms.Field):
    """Keys of rows, given once for each."""

    widget = forms.SelectMultiple

    def clean(self, value: list[str] | None) -> list[int]:
        """Return them; an error where one is no key, or where there are too many."""
        said = value or []
        if len(said) > MOST_KEYS:
            raise forms.ValidationError(f"at most {MOST_KEYS} at once")
        for text in said:
            if not (text.isascii() and text.isdecimal() and len(text) <= LONGEST_KEY):
                raise forms.ValidationError("is no id: a number, given once for each row")
        return [int(text) for text in said]


@extend_schema_field({"type": "array", "items": {"type": "integer", "minimum": 0}, "maxItems": MOST_KEYS})
class _ByKey(filters.Filter):
    """Rows by their keys."""

    field_class = _Keys

    def filter(self, rows: QuerySet[Any], value: list[int]) -> QuerySet[Any]:
        """Return those of the rows that have one of these keys."""
        return rows.filter(pk__in=value) if value else rows


class Rows(filters.FilterSet):
    """Many rows at once, by their ids; of those that are not there, or are somebody else's, nothing is said."""

    id = _ByKey(label=f"Those with these ids: `?id=3&id=5`, {MOST_KEYS} at most.")


class _Truth(forms.Field):
    """`true` or `false`; Django's own takes anything else for neither, and shows every row."""

    widget = forms.TextInput

    def clean(self, value: str | None) -> bool | None:
        """Return which; an error for any other word."""
        if not value:
            return None
        if value not in ("true", "false"):
            raise forms.ValidationError("is true or false")
        return value == "true"


@extend_schema_field(OpenApiTypes.BOOL)
class WhetherOrNot(filters.BooleanFilter):
    """Rows of which something is so, or is not."""

    field_class = _Truth


class _Instant(forms.CharField):
    """An instant with its offset, as everywhere in the API."""

    def clean(self, value: str | None) -> datetime | None:  # type: ignore[override]
        """Return it; an error where it is none, or has no offset."""
        if not value:
            return None
        try:
            return Instant().to_internal_value(value)
        except serializers.ValidationError as error:
            raise forms.ValidationError([str(each) for each in error.detail]) from error


@extend_schema_field(OpenApiTypes.DATETIME)
class At(filters.Filter):
    """Rows by an instant."""

    field_class = _Instant


class _Prefix(forms.CharField):
    """An address, or a prefix without bits behind its length."""

    def clean(self, value: str | None) -> IPv4Network | IPv6Network | None:  # type: ignore[override]
        """Return it; an error where it is none."""
        if not value:
            return None
        try:
            return ip_network(value)
        except ValueError as error:
            raise forms.ValidationError(
                "is no address and no prefix, such as 2001:db8::1 or 2001:db8::/32"
            ) from error


@extend_schema_field(OpenApiTypes.STR)
class Address(filters.Filter):
    """Rows by an address."""

    field_class = _Prefix
