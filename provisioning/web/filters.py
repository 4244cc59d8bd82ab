"""The filters above the lists."""

from __future__ import annotations

from typing import Any, ClassVar

import django_filters
from django import forms
from django.db.models import Model, Q, QuerySet

from inventory.models import Nren, Pop, Router
from provisioning.models import (
    ApiToken,
    AuditEvent,
    Change,
    ChangeKind,
    Consent,
    PremiumRequest,
    SyncState,
    Via,
)
from provisioning.models.requests import STATES
from provisioning.selectors import fingerprints, tokens
from provisioning.selectors.audit import kinds_of_subjects
from provisioning.selectors.ends import standing
from provisioning.services import clock
from provisioning.web.forms.finding import search_box


class _Search(django_filters.CharFilter):
    """Free text; looks where ``looks_in`` says."""

    def __init__(self, looks_in: tuple[str, ...], hint: str) -> None:
        super().__init__(
            label="Search",
            widget=search_box(hint),
        )
        self.looks_in = looks_in

    def filter(self, qs: QuerySet[Any], value: str) -> QuerySet[Any]:
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
        """Rows whose column holds the text; a column of another table is looked through there, not beside every row here."""
        relation, _, column = name.partition("__")
        if not column:
            return Q(**{f"{name}__icontains": value})
        related: Any = model._meta.get_field(relation).related_model
        return Q(
            **{
                f"{relation}__in": related._default_manager.filter(**{f"{column}__icontains": value}).values(
                    "pk"
                )
            }
        )


class RequestFilter(django_filters.FilterSet):
    """Requests by text, state, consent and NREN."""

    q = _Search(
        (
            "nren__name",
            "receiving_nren__name",
            "source_link__name",
            "destination_link__name",
            "submitted_by__username",
            "contact",
            "reason",
        ),
        "PIP-12, SER-3, NREN, link",
    )
    state = django_filters.ChoiceFilter(choices=STATES, empty_label="Any state")
    consent = django_filters.ChoiceFilter(choices=Consent.choices, empty_label="Any")
    nren = django_filters.ModelChoiceFilter(queryset=Nren.objects.all(), label="From NREN", empty_label="Any")

    router = django_filters.ModelChoiceFilter(
        queryset=Router.objects.all(),
        label="Enters or leaves at",
        empty_label="Any router",
        method="by_router",
    )

    class Meta:
        model = PremiumRequest
        fields = ("q", "state", "consent", "nren", "router")

    def by_router(
        self, queryset: QuerySet[PremiumRequest], _name: str, value: Router
    ) -> QuerySet[PremiumRequest]:
        # Who is affected when a router's edge is worked on; the core in between is on each request's own page.
        return queryset.filter(
            Q(source_link__interface__router=value) | Q(destination_link__interface__router=value)
        )


class SentFilter(RequestFilter):
    """The requests of one's own NREN by text, state and consent."""

    nren = None
    router = None

    class Meta:
        model = PremiumRequest
        fields = ("q", "state", "consent")


class ChangeFilter(django_filters.FilterSet):
    """Changes by text, kind, router, and how far they are."""

    STAGES: ClassVar[dict[str, tuple[str, Q]]] = {
        "planning": ("Being planned", Q(finished_at=None, planned_at=None)),
        "waiting": ("Waiting for approval", Q(finished_at=None, approved_at=None, planned_at__isnull=False)),
        "under-way": ("Under way", Q(finished_at=None, approved_at__isnull=False)),
        "stopped": ("Stopped, to be seen to", Q(pk__in=standing().order_by().values("change"))),
        "over": ("Over", Q(finished_at__isnull=False)),
    }

    q = _Search(("title", "reason", "submitted_by__username"), "CHG-3, title, person")
    kind = django_filters.ChoiceFilter(choices=ChangeKind.choices, empty_label="Any kind")
    router = django_filters.ModelChoiceFilter(
        queryset=Router.objects.all(),
        label="Router",
        empty_label="Any",
        field_name="pushes__router",
        distinct=True,
    )
    stage = django_filters.ChoiceFilter(
        choices=[(key, title) for key, (title, _) in STAGES.items()],
        widget=forms.HiddenInput(),
        method="by_stage",
    )

    class Meta:
        model = Change
        fields = ("q", "kind", "router", "stage")

    def by_stage(self, queryset: QuerySet[Change], _name: str, value: str) -> QuerySet[Change]:
        return queryset.filter(self.STAGES[value][1])


class RouterFilter(django_filters.FilterSet):
    """Routers by text, what is known about them, and place."""

    q = _Search(
        ("name", "platform", "ios", "pop__name", "serial", "management_host"), "name, platform, serial"
    )
    state = django_filters.ChoiceFilter(
        choices=SyncState.choices, label="State", empty_label="Any", method="by_state"
    )
    pop = django_filters.ModelChoiceFilter(queryset=Pop.objects.all(), label="PoP", empty_label="Any")

    class Meta:
        model = Router
        fields = ("q", "state", "pop")

    def by_state(self, queryset: QuerySet[Router], _name: str, value: str) -> QuerySet[Router]:
        # A router that was never read has no row: it is unknown all the same.
        if value == SyncState.UNKNOWN:
            return queryset.exclude(sync__state__in=[SyncState.IN_SYNC, SyncState.DIFFERS])
        return queryset.filter(sync__state=value)


def _kinds() -> list[tuple[str, str]]:
    return [(kind, kind) for kind in kinds_of_subjects()]


class AuditFilter(django_filters.FilterSet):
    """Events by text, person, kind of object and day."""

    q = _Search(("actor", "action", "object_label", "reason"), "person, action, object")
    object_type = django_filters.ChoiceFilter(choices=_kinds, label="About", empty_label="Anything")
    via = django_filters.ChoiceFilter(
        choices=[(door.value, door.value) for door in Via], label="Through", empty_label="Any door"
    )
    since = django_filters.DateFilter(
        field_name="at",
        lookup_expr="date__gte",
        label="From day (UTC)",
        widget=forms.DateInput(attrs={"type": "date"}),
    )
    to = django_filters.DateFilter(
        field_name="at",
        lookup_expr="date__lte",
        label="To day (UTC)",
        widget=forms.DateInput(attrs={"type": "date"}),
    )

    class Meta:
        model = AuditEvent
        fields = ("q", "object_type", "via", "since", "to")


class TokenFilter(django_filters.FilterSet):
    """Tokens by text, and whether they can be used."""

    q = _Search(("name", "prefix", "user__username", "nren__name"), "name, person, NREN")
    state = django_filters.ChoiceFilter(
        label="State",
        choices=[("live", "Can be used"), ("ended", "Ended")],
        empty_label="Any",
        method="by_life",
    )

    class Meta:
        model = ApiToken
        fields: ClassVar[list[str]] = []

    def by_life(self, rows: QuerySet[ApiToken], _name: str, value: str) -> QuerySet[ApiToken]:
        """Return those that can be used at this moment, or the others."""
        return tokens.by_life(rows, clock.now(), live=value == "live")
