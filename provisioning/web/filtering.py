"""The kinds of filters above the lists."""

from __future__ import annotations

from typing import Any, Final

import django_filters
from django import forms
from django.contrib.auth import get_user_model
from django.db.models import Model, Q, QuerySet

from inventory.models import AccessLink
from provisioning.models import AuditEvent, Change, PremiumRequest
from provisioning.selectors import fingerprints
from provisioning.web.forms.choosing import Choice
from provisioning.web.forms.ever import label_of
from provisioning.web.forms.finding import search_box

_FEW: Final = 200


class Search(django_filters.CharFilter):
    """Free text; looks where ``looks_in`` says."""

    def __init__(self, looks_in: tuple[str, ...], hint: str) -> None:
        super().__init__(label="Search", widget=search_box(hint))
        self.looks_in = looks_in

    def filter(self, qs: QuerySet[Any], value: str) -> QuerySet[Any]:
        """Return the rows that hold the text, or are named by it."""
        if not value:
            return qs
        chosen = Q()
        for name in self.looks_in:
            chosen |= self._holding(qs.model, name, value)
        digits = value.upper().removeprefix("PIP-").removeprefix("CHG-").removeprefix("#")
        if digits.isdecimal() and len(digits) < 18:
            chosen |= Q(pk=int(digits))
        if qs.model is Change:
            chosen |= fingerprints.of_change(value)
        return qs.filter(chosen | self._occurrences(qs.model, value))

    @staticmethod
    def _occurrences(model: type[Model], value: str) -> Q:
        """The requests of a series that is named."""
        number = value.upper().removeprefix("SER-")
        of_one = (
            model is PremiumRequest and number != value.upper() and number.isdecimal() and len(number) < 18
        )
        return Q(series=int(number)) if of_one else Q()

    @staticmethod
    def _holding(model: type[Model], name: str, value: str) -> Q:
        """Rows whose column holds the text; a column of another table is looked through there, not beside every row here.

        The keys of a few are named: then an index finds them, and with them what else the text may be in.
        """
        relation, _, column = name.partition("__")
        if not column:
            return Q(**{f"{name}__icontains": value})
        related: Any = model._meta.get_field(relation).related_model
        rows = getattr(related, "every", related._default_manager)  # a row refers to what was retired, too
        holding = rows.order_by().filter(**{f"{column}__icontains": value}).values_list("pk", flat=True)
        keys = list(holding[: _FEW + 1])
        return Q(**{f"{relation}__in": keys if len(keys) <= _FEW else holding})


class _Person(forms.CharField):
    """The name under which somebody signs in, or that the audit trail knows: the service itself, an account that is gone."""

    def clean(self, value: Any) -> str:
        """Return it; an error where nobody has it or had it."""
        name = super().clean(value)
        if not name or get_user_model().objects.filter(username=name).exists():
            return name
        if not AuditEvent.objects.filter(actor=name).exists():
            raise forms.ValidationError(f"nobody is called “{name}”.")
        return name


class PersonFilter(django_filters.Filter):
    """Rows by the name of a person."""

    field_class = _Person

    def __init__(self, **more: Any) -> None:
        super().__init__(widget=forms.TextInput(attrs={"placeholder": "nora", "maxlength": "150"}), **more)


class _Link(forms.CharField):
    """The name of an access link that there is or was."""

    def clean(self, value: Any) -> str:
        """Return it; an error where there is none of that name."""
        name = super().clean(value)
        if name and not AccessLink.every.filter(name=name).exists():
            raise forms.ValidationError(
                f"there is no access link “{name}”; write one such as JANET@uk6:POS1/0."
            )
        return name


class LinkFilter(django_filters.Filter):
    """Rows by the name of an access link."""

    field_class = _Link

    def __init__(self, **more: Any) -> None:
        super().__init__(
            widget=forms.TextInput(attrs={"placeholder": "JANET@uk6:POS1/0", "maxlength": "200"}), **more
        )


class _Ever(django_filters.fields.ModelChoiceField):
    """One of what there is and was (`forms.ever`)."""

    def label_from_instance(self, obj: Any) -> str:
        """Return its name, and whether it was retired."""
        return label_of(obj)


class OneFilter(django_filters.ModelChoiceFilter):
    """Rows by one of what is in use."""

    def __init__(self, **more: Any) -> None:
        super().__init__(widget=Choice, **more)


class EverFilter(OneFilter):
    """Rows by an NREN or a router, in use or retired."""

    field_class = _Ever
