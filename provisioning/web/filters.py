"""The filters above the lists."""

from __future__ import annotations

from collections.abc import Collection
from ipaddress import IPv4Network, IPv6Network
from typing import Any, ClassVar

import django_filters
from django import forms
from django.contrib.auth.models import User
from django.db.models import Q, QuerySet

from inventory.models import AccessLink, Nren, Pop, Prefix, Router
from provisioning.models import (
    ApiToken,
    AuditEvent,
    Change,
    ChangeKind,
    Consent,
    PremiumRequest,
    RouterDifference,
    RouterPush,
    SyncState,
    Via,
)
from provisioning.models.requests import STATES
from provisioning.pipeline.authority import ROLES
from provisioning.pipeline.units import TimeWindow
from provisioning.selectors import requests, tokens
from provisioning.selectors.audit import kinds_of_subjects
from provisioning.selectors.differences import of_state
from provisioning.selectors.ends import standing
from provisioning.services import clock
from provisioning.web.filtering import EverFilter, LinkFilter, OneFilter, PersonFilter, Search
from provisioning.web.forms.addresses import NetworkFilter
from provisioning.web.forms.ever import ever
from provisioning.web.forms.when import WhenFilter

_MORE_OF_REQUESTS = ("consent", "to", "link", "router", "begins", "ends", "asked", "by")


class RequestFilter(django_filters.FilterSet):
    """Requests by text, state, consent, NREN, link, router, address, time and person."""

    MORE: ClassVar[tuple[str, ...]] = _MORE_OF_REQUESTS

    q = Search(
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
    nren = EverFilter(queryset=ever(Nren), label="From NREN", empty_label="Any")
    to = EverFilter(field_name="receiving_nren", queryset=ever(Nren), label="To NREN", empty_label="Any")
    address = NetworkFilter(label="Address or prefix", method="by_address")
    active = WhenFilter(label="Window overlaps (UTC)", method="by_window")
    begins = WhenFilter(field_name="start", label="Begins (UTC)")
    ends = WhenFilter(field_name="end", label="Ends (UTC)")
    asked = WhenFilter(field_name="submitted_at", label="Asked (UTC)", past=True)
    link = LinkFilter(label="Enters or leaves on", method="by_link")
    by = PersonFilter(field_name="submitted_by__username", label="Asked by")
    router = EverFilter(
        queryset=ever(Router),
        label="Enters or leaves at",
        empty_label="Any router",
        method="by_router",
    )

    class Meta:
        model = PremiumRequest
        fields = ("q", "state", "nren", "address", "active", *_MORE_OF_REQUESTS)

    def by_address(
        self, queryset: QuerySet[PremiumRequest], _name: str, value: IPv4Network | IPv6Network
    ) -> QuerySet[PremiumRequest]:
        """Return those of which a prefix holds this one or lies in it."""
        return queryset if value is None else requests.touching(queryset, value)

    def by_window(
        self, queryset: QuerySet[PremiumRequest], _name: str, value: TimeWindow
    ) -> QuerySet[PremiumRequest]:
        """Return those whose window overlaps this one."""
        return queryset if value is None else requests.within(queryset, value)

    def by_link(self, queryset: QuerySet[PremiumRequest], _name: str, value: str) -> QuerySet[PremiumRequest]:
        """Return those that enter or leave on an access link that has this name, or had it."""
        return _on(queryset, AccessLink.every.filter(name=value))

    def by_router(
        self, queryset: QuerySet[PremiumRequest], _name: str, value: Router
    ) -> QuerySet[PremiumRequest]:
        # Who is affected when a router's edge is worked on; the core in between is on each request's own page.
        return _on(queryset, AccessLink.every.filter(interface__router__name=value.name))


def _on(queryset: QuerySet[PremiumRequest], links: QuerySet[AccessLink]) -> QuerySet[PremiumRequest]:
    keys = links.order_by().values("pk")
    return queryset.filter(Q(source_link__in=keys) | Q(destination_link__in=keys))


class SentFilter(RequestFilter):
    """The requests of one's own NRENs (``nrens``: their keys) by side, text, state, consent, address and time."""

    MORE: ClassVar[tuple[str, ...]] = ("consent", "begins", "ends", "asked")
    side = django_filters.ChoiceFilter(
        label="Whose",
        choices=[("received", "What others send to us"), ("both", "Both")],
        empty_label="What we ask for",
        method="by_side",
    )
    nren = None
    to = None
    router = None
    link = None
    by = None

    class Meta:
        model = PremiumRequest
        fields = ("q", "side", "state", "address", "active", "consent", "begins", "ends", "asked")

    def __init__(self, *args: Any, nrens: Collection[int], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._nrens = nrens

    def by_side(
        self,
        queryset: QuerySet[PremiumRequest],
        name: str,  # noqa: ARG002 - as django-filter calls it
        value: str,  # noqa: ARG002
    ) -> QuerySet[PremiumRequest]:
        """All of them: `filter_queryset` has chosen, also where no side is named."""
        return queryset

    def filter_queryset(self, queryset: QuerySet[PremiumRequest]) -> QuerySet[PremiumRequest]:
        """Nothing but what these NRENs ask for or receive, whatever else the reader may see."""
        sent, received = Q(nren_id__in=self._nrens), Q(receiving_nren_id__in=self._nrens)
        side = self.form.cleaned_data.get("side")
        chosen = received if side == "received" else sent | received if side == "both" else sent
        found: QuerySet[PremiumRequest] = super().filter_queryset(queryset.filter(chosen))
        return found


class ChangeFilter(django_filters.FilterSet):
    """Changes by text, kind, router, NREN, person, time, and how far they are."""

    MORE: ClassVar[tuple[str, ...]] = ("nren", "by", "approved", "over")

    STAGES: ClassVar[dict[str, tuple[str, Q]]] = {
        "planning": ("Being planned", Q(finished_at=None, planned_at=None)),
        "waiting": ("Waiting for approval", Q(finished_at=None, approved_at=None, planned_at__isnull=False)),
        "under-way": ("Under way", Q(finished_at=None, approved_at__isnull=False)),
        "stopped": ("Stopped, to be seen to", Q(pk__in=standing().order_by().values("change"))),
        "over": ("Over", Q(finished_at__isnull=False)),
    }

    q = Search(("title", "reason", "submitted_by__username"), "CHG-3, title, person")
    kind = django_filters.ChoiceFilter(choices=ChangeKind.choices, empty_label="Any kind")
    router = EverFilter(queryset=ever(Router), label="Router", empty_label="Any", method="by_router")
    nren = EverFilter(queryset=ever(Nren), label="Carries requests of", empty_label="Any", method="by_nren")
    by = PersonFilter(field_name="submitted_by__username", label="Planned by")
    made = WhenFilter(field_name="created_at", label="Planned (UTC)", past=True)
    approved = WhenFilter(field_name="approved_at", label="Approved (UTC)", past=True)
    over = WhenFilter(field_name="finished_at", label="Over (UTC)", past=True)
    stage = django_filters.ChoiceFilter(
        choices=[(key, title) for key, (title, _) in STAGES.items()],
        widget=forms.HiddenInput(),
        method="by_stage",
    )

    class Meta:
        model = Change
        fields = ("q", "kind", "router", "made", "nren", "by", "approved", "over", "stage")

    def by_router(self, queryset: QuerySet[Change], _name: str, value: Router) -> QuerySet[Change]:
        """Return those that have a push to this router."""
        return queryset.filter(pk__in=RouterPush.objects.filter(router=value).order_by().values("change"))

    def by_nren(self, queryset: QuerySet[Change], _name: str, value: Nren) -> QuerySet[Change]:
        """Return those that carry out what this NREN asked for, or receives."""
        theirs = PremiumRequest.objects.filter(Q(nren=value) | Q(receiving_nren=value))
        carrying = Change.requests.through.objects.filter(premiumrequest__in=theirs.values("pk"))
        return queryset.filter(pk__in=carrying.values("change"))

    def by_stage(self, queryset: QuerySet[Change], _name: str, value: str) -> QuerySet[Change]:
        return queryset.filter(self.STAGES[value][1])


class RouterFilter(django_filters.FilterSet):
    """Routers by text, what is known about them and since when, place, and who enters there."""

    MORE: ClassVar[tuple[str, ...]] = ()

    q = Search(
        ("name", "platform", "ios", "pop__name", "serial", "management_host"), "name, platform, serial"
    )
    state = django_filters.ChoiceFilter(
        choices=SyncState.choices, label="State", empty_label="Any", method="by_state"
    )
    pop = OneFilter(queryset=Pop.objects.all(), label="PoP", empty_label="Any")
    nren = OneFilter(
        queryset=Nren.objects.all(), label="Where this NREN enters", empty_label="Any", method="by_nren"
    )
    seen = WhenFilter(field_name="sync__checked_at", label="Last seen (UTC)", past=True)

    class Meta:
        model = Router
        fields = ("q", "state", "pop", "nren", "seen")

    def by_nren(self, queryset: QuerySet[Router], _name: str, value: Nren) -> QuerySet[Router]:
        """Return those on which an access link of this NREN ends."""
        ends = AccessLink.objects.filter(nren=value)
        return queryset.filter(pk__in=ends.values("interface__router"))

    def by_state(self, queryset: QuerySet[Router], _name: str, value: str) -> QuerySet[Router]:
        # A router that was never read has no row: it is unknown all the same.
        if value == SyncState.UNKNOWN:
            return queryset.exclude(sync__state__in=[SyncState.IN_SYNC, SyncState.DIFFERS])
        return queryset.filter(sync__state=value)


def _kinds() -> list[tuple[str, str]]:
    return [(kind, kind) for kind in kinds_of_subjects()]


class AuditFilter(django_filters.FilterSet):
    """Events by text, person, kind of object, door and time."""

    MORE: ClassVar[tuple[str, ...]] = ("via", "since", "to")

    q = Search(("actor", "action", "object_label", "reason"), "person, action, object")
    actor = PersonFilter(label="Who")
    at = WhenFilter(label="When (UTC)", past=True)
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
        fields = ("q", "actor", "object_type", "at", "via", "since", "to")


class NrenFilter(django_filters.FilterSet):
    """NRENs by name, country and prefix."""

    MORE: ClassVar[tuple[str, ...]] = ()
    q = Search(("name", "country"), "name, country")
    address = NetworkFilter(label="Address or prefix", method="by_address")

    class Meta:
        model = Nren
        fields = ("q", "address")

    def by_address(
        self, queryset: QuerySet[Nren], _name: str, value: IPv4Network | IPv6Network
    ) -> QuerySet[Nren]:
        """Return those of which a prefix holds this one or lies in it."""
        theirs = Prefix.objects.filter(Q(network__net_around=value) | Q(network__net_within=value))
        return queryset.filter(pk__in=theirs.values("nren"))


class PersonListFilter(django_filters.FilterSet):
    """People by text, NREN, role, and whether their account is open."""

    MORE: ClassVar[tuple[str, ...]] = ()

    q = Search(("username", "first_name", "last_name", "email"), "name, mail")
    nren = OneFilter(
        field_name="memberships__nren", queryset=Nren.objects.all(), label="Acts for", empty_label="Any"
    )
    role = django_filters.ChoiceFilter(
        field_name="groups__name",
        choices=[(role.value, role.value) for role in ROLES],
        label="Role",
        empty_label="Any",
    )
    account = django_filters.ChoiceFilter(
        field_name="is_active",
        choices=[("True", "Open"), ("False", "Closed")],
        label="Account",
        empty_label="Any",
    )

    class Meta:
        model = User
        fields = ("q", "nren", "role", "account")


class TokenFilter(django_filters.FilterSet):
    """Tokens by text, and whether they can be used."""

    MORE: ClassVar[tuple[str, ...]] = ()

    q = Search(("name", "prefix", "user__username", "nren__name"), "name, person, NREN")
    state = django_filters.ChoiceFilter(
        label="State",
        choices=[("live", "Can be used"), ("ended", "Ended")],
        empty_label="Any",
        method="by_life",
    )

    class Meta:
        model = ApiToken
        fields = ("q", "state")

    def by_life(self, rows: QuerySet[ApiToken], _name: str, value: str) -> QuerySet[ApiToken]:
        """Return those that can be used at this moment, or the others."""
        return tokens.by_life(rows, clock.now(), live=value == "live")


class DifferenceFilter(django_filters.FilterSet):
    """Differences by text, router, whether they stand, and since when."""

    MORE: ClassVar[tuple[str, ...]] = ()

    q = Search(("object", "found", "expected", "router__name", "ignored_reason"), "policy, class, router")
    state = django_filters.ChoiceFilter(
        choices=[
            ("standing", "Differs"),
            ("heeded", "Differs, not ignored"),
            ("ignored", "Ignored"),
            ("gone", "Gone"),
        ],
        label="State",
        empty_label="Any",
        method="by_state",
    )
    router = EverFilter(queryset=ever(Router), label="Router", empty_label="Any")
    first_seen_at = WhenFilter(label="Since (UTC)", past=True)

    class Meta:
        model = RouterDifference
        fields = ("q", "state", "router", "first_seen_at")

    def by_state(
        self, queryset: QuerySet[RouterDifference], _name: str, value: str
    ) -> QuerySet[RouterDifference]:
        """Return those that stand, are ignored, or are gone at this moment."""
        return queryset.filter(of_state(value, clock.now()))
