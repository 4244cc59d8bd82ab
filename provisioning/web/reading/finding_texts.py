"""What a text finds: of each kind what holds it, and where."""

from __future__ import annotations

from django.contrib.auth import get_user_model
from django.db.models import Q, QuerySet
from django.urls import reverse

from inventory.models import Interface, Nren, Router
from provisioning.models import Change, PremiumRequest
from provisioning.selectors.fingerprints import fingerprinted, is_beginning
from provisioning.web.reading.changes import change_states
from provisioning.web.reading.finding_addresses import listed
from provisioning.web.reading.found import MOST, Found, Group, all_of, counted, holding
from provisioning.web.reading.links import links_named


def requests_holding(text: str, rows: QuerySet[PremiumRequest], said: str) -> Group:
    """Return these requests as found by the text; ``said`` is the time that was asked for beside it."""
    shown = list(rows.order_by("-pk")[:MOST])
    return Group(
        "Requests", listed(shown, {one.pk: _why_request(one, text) for one in shown}), counted(rows, shown),
        all_of("requests", q=text, active=said),
    )  # fmt: skip


def _why_request(one: PremiumRequest, text: str) -> str:
    return holding(
        text,
        {
            "from": one.nren.name,
            "to": one.receiving_nren.name if one.receiving_nren else "",
            "enters on": one.source_link.name,
            "leaves on": one.destination_link.name if one.destination_link else "",
            "contact": one.contact,
            "reason": one.reason,
            "asked by": one.submitted_by.username,
        },
    ) or (f"of {one.series.reference}" if one.series else "")


def changes_holding(text: str, rows: QuerySet[Change]) -> Group:
    """Return these changes as found by the text."""
    shown = list(rows.order_by("-pk")[:MOST])
    states = change_states(shown)
    found = tuple(
        Found(reverse("web:change", args=[one.pk]), one.reference, one.title, _why_change(one, text), states[one.pk])
        for one in shown
    )  # fmt: skip
    return Group("Changes", found, counted(rows, shown), all_of("changes", q=text))


def _why_change(one: Change, text: str) -> str:
    person = one.submitted_by.username if one.submitted_by else ""
    held = holding(text, {"title": one.title, "reason": one.reason, "asked by": person})
    return held or (f"a fingerprint {text.lower()}…" if is_beginning(text) else "")


def routers_holding(text: str, rows: QuerySet[Router]) -> Group:
    """Return these routers as found by the text, and those of whose host key it is the fingerprint."""
    keys = fingerprinted(text) if text.startswith("SHA256:") else {}
    count = len(keys)
    if keys:
        rows = rows.model._default_manager.select_related("pop", "sync").filter(name__in=list(keys)[:MOST])
    found = tuple(
        Found(
            reverse("web:router", args=[one.name]),
            one.name,
            f"{one.platform}, {one.pop}",
            f"host key {keys[one.name]}" if keys else _why_router(one, text),
            one.sync.state if hasattr(one, "sync") else "unknown",
        )
        for one in rows.order_by("name")[:MOST]
    )
    count = count or counted(rows, found)
    return Group("Routers", found, count, "" if keys else all_of("routers", q=text))


def _why_router(one: Router, text: str) -> str:
    return holding(
        text,
        {
            "name": one.name,
            "serial": one.serial,
            "managed at": one.management_host,
            "platform": one.platform,
            "IOS": one.ios,
            "PoP": one.pop.name,
        },
    )


def interfaces_holding(text: str) -> Group:
    """Return the interfaces whose name, description or PVC holds the text, or that it names as ``router:interface``."""
    router, _, name = text.partition(":")
    named = Q(name__icontains=text) | Q(description__icontains=text) | Q(pvc=text)
    if name:
        named |= Q(router__name__iexact=router, name__istartswith=name)
    rows = Interface.objects.filter(named).select_related("router")
    found = tuple(
        Found(
            reverse("web:router", args=[one.router.name]),
            str(one),
            one.description,
            holding(text, {"name": str(one), "description": one.description, "PVC": one.pvc}),
        )
        for one in rows.order_by("router__name", "name")[:MOST]
    )
    return Group("Interfaces", found, counted(rows, found))


def links_holding(text: str) -> Group:
    """Return the links whose name, NREN or peer holds the text."""
    rows, count = links_named(text, most=MOST)
    found = tuple(
        Found(
            row.url, row.name, f"{row.kind} {row.owner}".strip(), holding(text, {"name": row.name, "of": row.owner})
        )
        for row in rows
    )  # fmt: skip
    return Group("Links", found, count, all_of("links", q=text))


def nrens_holding(text: str) -> Group:
    """Return the NRENs whose name holds the text."""
    rows = Nren.objects.filter(name__icontains=text).prefetch_related("prefixes")
    found = tuple(
        Found(
            reverse("web:nren", args=[one.pk]),
            one.name,
            ", ".join(str(prefix.network) for prefix in one.prefixes.all()),
            f"name {one.name}",
        )
        for one in rows.order_by("name")[:MOST]
    )
    return Group("NRENs", found, counted(rows, found), all_of("nrens", q=text))


def people_holding(text: str) -> Group:
    """Return the people whose name holds the text, each with what they did."""
    rows = get_user_model().objects.filter(username__icontains=text)
    found = tuple(
        Found(all_of("audit", actor=name), name, "what this person did", f"name {name}")
        for name in rows.order_by("username").values_list("username", flat=True)[:MOST]
    )
    return Group("People", found, counted(rows, found))
