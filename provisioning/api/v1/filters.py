"""What lists can be narrowed to."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from ipaddress import IPv4Network, IPv6Network

import django_filters as filters
from django.db.models import F, Q, QuerySet

from provisioning.api.authentication import actor_of
from provisioning.api.v1.narrowing import Address, At, Rows, WhetherOrNot, choices
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

_ORDERS = ("id", "start", "end", "rate_bps", "submitted_at")


class RequestFilters(Rows):
    """By state, consent, NREN on either side, link, series, time, and address; in an order."""

    state = filters.MultipleChoiceFilter(choices=choices(RequestState))
    stage = filters.MultipleChoiceFilter(choices=choices(Stage), method="at_stages")
    consent = filters.ChoiceFilter(choices=Consent.choices)
    nren = filters.CharFilter(field_name="nren__name")
    receiving_nren = filters.CharFilter(field_name="receiving_nren__name")
    source_link = filters.CharFilter(field_name="source_link__name")
    destination_link = filters.CharFilter(field_name="destination_link__name")
    series = filters.NumberFilter(field_name="series", decimal_places=0, min_value=1, max_value=10**15)
    link = filters.CharFilter(method="of_link", label="The name of the link it enters or leaves on.")
    address = Address(
        method="covers",
        label="Those whose sources or destinations hold this address, or the whole of this prefix.",
    )
    active_at = At(method="holds", label="Those whose window holds this instant.")
    start_after = At(field_name="start", lookup_expr="gte")
    start_before = At(field_name="start", lookup_expr="lt")
    end_after = At(field_name="end", lookup_expr="gte")
    end_before = At(field_name="end", lookup_expr="lt")
    submitted_after = At(field_name="submitted_at", lookup_expr="gte")
    submitted_before = At(field_name="submitted_at", lookup_expr="lt")
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

    state = filters.MultipleChoiceFilter(choices=choices(ModificationState))
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
    standing = WhetherOrNot(field_name="acknowledged_at", lookup_expr="isnull")

    class Meta:
        model = BreakGlass
        fields: list[str] = []


class MessageFilters(filters.FilterSet):
    """By state, and by when it was made. It names no model: the resource whose rows have these lists is of another."""

    state = filters.MultipleChoiceFilter(choices=MessageState.choices)
    made_after = At(field_name="created_at", lookup_expr="gte")
    made_before = At(field_name="created_at", lookup_expr="lt")


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
    taken_back = WhetherOrNot(field_name="taken_back_at", lookup_expr="isnull", exclude=True)

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
    state = filters.MultipleChoiceFilter(choices=choices(PushState))

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
    live = WhetherOrNot(method="by_life")

    class Meta:
        model = ApiToken
        fields: list[str] = []

    def by_life(self, rows: QuerySet[ApiToken], _name: str, live: bool) -> QuerySet[ApiToken]:
        """Return those that can be used at this moment, or the others."""
        return tokens.by_life(rows, clock.now(), live=live)
