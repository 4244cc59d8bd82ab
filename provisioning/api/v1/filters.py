"""What lists can be narrowed to."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from ipaddress import IPv4Network, IPv6Network, ip_network
from typing import Any

import django_filters as filters
from django import forms
from django.db.models import F, Q, QuerySet
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from inventory.models import AccessCase, AccessLink, CoreLink, Nren, Router
from provisioning.api.authentication import actor_of
from provisioning.api.fields import Instant
from provisioning.models import (
    ApiToken,
    AuditEvent,
    BreakGlass,
    CapacityChange,
    Change,
    ChangeKind,
    Consent,
    MessageState,
    Modification,
    PremiumRequest,
    RouterPush,
    Series,
)
from provisioning.pipeline.states import ModificationState, PushState, RequestState, Stage
from provisioning.selectors import requests, stages, tokens
from provisioning.selectors.ledger import leaving
from provisioning.services import clock

MOST_KEYS = 200
LONGEST_KEY = 15


def _choices(
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


class NrenFilters(Rows):
    """By name or country."""

    name = filters.CharFilter()
    country = filters.CharFilter()

    class Meta:
        model = Nren
        fields: list[str] = []


class RouterFilters(Rows):
    """By name or platform."""

    name = filters.CharFilter()
    platform = filters.CharFilter()

    class Meta:
        model = Router
        fields: list[str] = []


class AccessLinkFilters(Rows):
    """By name, NREN, router or case."""

    name = filters.CharFilter()
    nren = filters.CharFilter(field_name="nren__name")
    router = filters.CharFilter(field_name="interface__router__name")
    case = filters.ChoiceFilter(choices=AccessCase.choices)

    class Meta:
        model = AccessLink
        fields: list[str] = []


class CoreLinkFilters(Rows):
    """By name."""

    name = filters.CharFilter()

    class Meta:
        model = CoreLink
        fields: list[str] = []


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
class _WhetherOrNot(filters.BooleanFilter):
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
class _At(filters.Filter):
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
class _Address(filters.Filter):
    """Rows by an address."""

    field_class = _Prefix


_ORDERS = ("id", "start", "end", "rate_bps", "submitted_at")


class RequestFilters(Rows):
    """By state, consent, NREN on either side, link, series, time, and address; in an order."""

    state = filters.MultipleChoiceFilter(choices=_choices(RequestState))
    stage = filters.MultipleChoiceFilter(choices=_choices(Stage), method="at_stages")
    consent = filters.ChoiceFilter(choices=Consent.choices)
    nren = filters.CharFilter(field_name="nren__name")
    receiving_nren = filters.CharFilter(field_name="receiving_nren__name")
    source_link = filters.CharFilter(field_name="source_link__name")
    destination_link = filters.CharFilter(field_name="destination_link__name")
    series = filters.NumberFilter(field_name="series", decimal_places=0, min_value=1, max_value=10**15)
    link = filters.CharFilter(method="of_link", label="The name of the link it enters or leaves on.")
    address = _Address(
        method="covers",
        label="Those whose sources or destinations hold this address, or the whole of this prefix.",
    )
    active_at = _At(method="holds", label="Those whose window holds this instant.")
    start_after = _At(field_name="start", lookup_expr="gte")
    start_before = _At(field_name="start", lookup_expr="lt")
    end_after = _At(field_name="end", lookup_expr="gte")
    end_before = _At(field_name="end", lookup_expr="lt")
    submitted_after = _At(field_name="submitted_at", lookup_expr="gte")
    submitted_before = _At(field_name="submitted_at", lookup_expr="lt")
    ordering = filters.ChoiceFilter(
        method="in_order", choices=[(f"{way}{name}", f"{way}{name}") for name in _ORDERS for way in ("", "-")]
    )

    def at_stages(
        self, rows: QuerySet[PremiumRequest], _name: str, wanted: list[str]
    ) -> QuerySet[PremiumRequest]:
        """Return those that are at one of these stages now."""
        return stages.at_stages(rows, map(Stage, wanted), clock.now()) if wanted else rows

    def of_link(self, rows: QuerySet[PremiumRequest], _name: str, link: str) -> QuerySet[PremiumRequest]:
        """Return those that enter or leave there."""
        return rows.filter(Q(source_link__name=link) | Q(destination_link__name=link))

    def covers(
        self, rows: QuerySet[PremiumRequest], _name: str, prefix: IPv4Network | IPv6Network
    ) -> QuerySet[PremiumRequest]:
        """Return those that cover it."""
        return requests.covering(rows, prefix)

    def holds(self, rows: QuerySet[PremiumRequest], _name: str, moment: datetime) -> QuerySet[PremiumRequest]:
        """Return those whose window holds it."""
        return requests.at_instant(rows, moment)

    def in_order(self, rows: QuerySet[PremiumRequest], _name: str, order: str) -> QuerySet[PremiumRequest]:
        """Return them in that order: of those that are equal the oldest first, and downwards the newest. So one index serves
        both ways.
        """
        name, way = order.removeprefix("-"), "-" if order.startswith("-") else ""
        if name == "id":
            return rows.order_by(f"{way}pk")
        if name == "end":  # without one is after every end, on either database
            by = F(name).desc(nulls_first=True) if way else F(name).asc(nulls_last=True)
            return rows.order_by(by, f"{way}pk")
        return rows.order_by(order, f"{way}pk")

    class Meta:
        model = PremiumRequest
        fields: list[str] = []


class ModificationFilters(Rows):
    """By state, consent, the request it is of, or NREN on either side."""

    state = filters.MultipleChoiceFilter(choices=_choices(ModificationState))
    consent = filters.ChoiceFilter(choices=Consent.choices)
    request = filters.NumberFilter(field_name="request", decimal_places=0, min_value=1, max_value=10**15)
    nren = filters.CharFilter(field_name="request__nren__name")
    receiving_nren = filters.CharFilter(field_name="request__receiving_nren__name")

    class Meta:
        model = Modification
        fields: list[str] = []


class BreakGlassFilters(Rows):
    """By the request or change it is about; those that stand, or those that do not."""

    request = filters.NumberFilter(field_name="request", decimal_places=0, min_value=1, max_value=10**15)
    change = filters.NumberFilter(field_name="change", decimal_places=0, min_value=1, max_value=10**15)
    standing = _WhetherOrNot(field_name="acknowledged_at", lookup_expr="isnull")

    class Meta:
        model = BreakGlass
        fields: list[str] = []


class MessageFilters(filters.FilterSet):
    """By state, and by when it was made. It names no model: the resource whose rows have these lists is of another."""

    state = filters.MultipleChoiceFilter(choices=MessageState.choices)
    made_after = _At(field_name="created_at", lookup_expr="gte")
    made_before = _At(field_name="created_at", lookup_expr="lt")


class SeriesFilters(Rows):
    """By NREN on either side."""

    nren = filters.CharFilter(field_name="nren__name")
    receiving_nren = filters.CharFilter(field_name="receiving_nren__name")

    class Meta:
        model = Series
        fields: list[str] = []


class CapacityFilters(Rows):
    """By link or pool; all of them, those that stand, or those that were taken back."""

    link = filters.CharFilter()
    pool = filters.CharFilter()
    taken_back = _WhetherOrNot(field_name="taken_back_at", lookup_expr="isnull", exclude=True)

    class Meta:
        model = CapacityChange
        fields: list[str] = []


class MoveFilters(Rows):
    """By a link that is charged until the move is over."""

    link = filters.CharFilter(method="leaving")

    class Meta:
        model = PremiumRequest
        fields: list[str] = []

    def leaving(self, rows: QuerySet[PremiumRequest], _name: str, link: str) -> QuerySet[PremiumRequest]:
        """Return those that leave that link."""
        return rows.filter(pk__in=leaving().filter(link=link).values("request"))


class ChangeFilters(Rows):
    """By kind, or by the request it carries out."""

    kind = filters.ChoiceFilter(choices=ChangeKind.choices)
    request = filters.NumberFilter(method="of_request", decimal_places=0, min_value=1, max_value=10**15)

    class Meta:
        model = Change
        fields: list[str] = []

    def of_request(self, rows: QuerySet[Change], _name: str, pk: Decimal) -> QuerySet[Change]:
        """Return the changes of one request that the reader may see; none for somebody else's."""
        seen = requests.for_actor(actor_of(self.request)).filter(pk=int(pk))
        return rows.filter(requests__in=seen)


class PushFilters(Rows):
    """By router or state."""

    router = filters.CharFilter(field_name="router__name")
    state = filters.MultipleChoiceFilter(choices=_choices(PushState))

    class Meta:
        model = RouterPush
        fields: list[str] = []


class AuditFilters(filters.FilterSet):
    """By action or object."""

    action = filters.CharFilter()
    object_type = filters.CharFilter()
    object_id = filters.CharFilter()

    class Meta:
        model = AuditEvent
        fields: list[str] = []


class TokenFilters(Rows):
    """By whose it is, by NREN; those that can be used, or those that cannot."""

    user = filters.CharFilter(field_name="user__username")
    nren = filters.CharFilter(field_name="nren__name")
    live = _WhetherOrNot(method="by_life")

    class Meta:
        model = ApiToken
        fields: list[str] = []

    def by_life(self, rows: QuerySet[ApiToken], _name: str, live: bool) -> QuerySet[ApiToken]:
        """Return those that can be used at this moment, or the others."""
        return tokens.by_life(rows, clock.now(), live=live)
