"""What an address or a prefix finds: what holds it and what lies in it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from ipaddress import IPv4Network, IPv6Network
from typing import Any

from django.db.models import Q, QuerySet
from django.urls import reverse

from inventory.models import AccessLink, CoreLink, Domain, Peering, Prefix, Router
from provisioning.models import Actor, PremiumRequest, RequestPrefix
from provisioning.pipeline.units import TimeWindow
from provisioning.selectors.requests import for_actor, touching, within
from provisioning.selectors.series import LIVE
from provisioning.web.forms.addresses import network_of, touch
from provisioning.web.forms.when import window_text
from provisioning.web.reading.found import MOST, Found, Group, all_of, counted

Network = IPv4Network | IPv6Network
_LINKS: tuple[tuple[type[Any], str], ...] = (
    (AccessLink, "web:link-access"),
    (CoreLink, "web:link-core"),
    (Peering, "web:link-peering"),
)


def by_address(actor: Actor, asked: Network, window: TimeWindow | None, said: str) -> list[Group]:
    """Return what holds the prefix and what lies in it, by kind; with a window only the requests, those that overlap it.

    ``said`` is the window as it was typed.
    """
    requests = _requests(actor, asked, window, said)
    if window is not None:
        return [requests]
    return [requests, _nrens(asked), _links(asked), _routers(asked), _backbone(asked)]


def touches(asked: Network, column: str = "network") -> Q:
    """Return what rows have whose column holds the prefix or lies in it."""
    return Q(**{f"{column}__net_around": asked}) | Q(**{f"{column}__net_within": asked})


def why(asked: Network, stored: Network) -> str:
    """Return how a prefix of a row stands to the one that is asked for."""
    if stored == asked:
        return f"{stored} is it"
    return f"{stored} {'holds it' if stored.prefixlen < asked.prefixlen else 'lies in it'}"


def first_living(rows: QuerySet[PremiumRequest]) -> list[PremiumRequest]:
    """Return the first requests as one looks for them: the newest that can still carry traffic, then the newest of the others."""
    alive = [state.value for state in LIVE]
    found = list(rows.filter(state__in=alive).order_by("-pk")[:MOST])
    return found + list(rows.exclude(state__in=alive).order_by("-pk")[: MOST - len(found)])


def listed(rows: Iterable[PremiumRequest], reasons: dict[int, str]) -> tuple[Found, ...]:
    """Return requests as found, each with its reason."""
    return tuple(
        Found(
            reverse("web:request", args=[one.pk]),
            one.reference,
            f"{one.nren} to {one.receiving_nren or 'anywhere'}",
            reasons.get(one.pk, ""),
            one.state,
        )
        for one in rows
    )


def _requests(actor: Actor, asked: Network, window: TimeWindow | None, said: str) -> Group:
    rows = touching(for_actor(actor), asked)
    if window is not None:
        rows = within(rows, window)
    shown = first_living(rows)
    reasons: dict[int, list[str]] = defaultdict(list)
    prefixes = RequestPrefix.objects.filter(touches(asked), request__in=[one.pk for one in shown])
    for row in prefixes.order_by("-side", "-network"):
        reasons[row.request_id].append(f"{row.side} {why(asked, row.network)}")
    found = listed(shown, {key: "; ".join(all_of_one[:3]) for key, all_of_one in reasons.items()})
    return Group("Requests", found, counted(rows, shown), all_of("requests", address=str(asked), active=said))


def _nrens(asked: Network) -> Group:
    rows = Prefix.objects.filter(touches(asked)).select_related("nren").order_by("nren__name", "network")
    found = tuple(
        Found(reverse("web:nren", args=[row.nren_id]), row.nren.name, row.nren.country.upper(), why(asked, row.network))
        for row in rows[:MOST]
    )  # fmt: skip
    return Group("NRENs", found, counted(rows, found), all_of("nrens", address=str(asked)))


def _links(asked: Network) -> Group:
    found: list[Found] = []
    count = 0
    for model, view in _LINKS:
        rows = model.objects.filter(touches(asked, "prefix")).order_by("name")
        hits = [
            Found(
                reverse(view, args=[row.pk]),
                row.name,
                str(model._meta.verbose_name),
                why(asked, row.prefix),
            )
            for row in rows[:MOST]
        ]
        count += counted(rows, hits)
        found += hits
    return Group("Links", tuple(found[:MOST]), count, all_of("links", address=str(asked)))


def _routers(asked: Network) -> Group:
    """Routers by where they are managed, which is text of any spelling: the few hundred of them are read."""
    hits = []
    for name, host in (
        Router.objects.exclude(management_host="").order_by("name").values_list("name", "management_host")
    ):
        at = network_of(host)
        if touch(asked, at):
            hits.append(Found(reverse("web:router", args=[name]), name, "router", f"managed at {host}"))
    return Group("Routers", tuple(hits[:MOST]), len(hits))


def _backbone(asked: Network) -> Group:
    found = tuple(
        Found(reverse("web:network"), row.name, "the backbone's own addresses", why(asked, row.prefix))
        for row in Domain.objects.filter(touches(asked, "prefix"))
    )
    return Group("Backbone", found, len(found))


def at_a_time(actor: Actor, window: TimeWindow, said: str) -> list[Group]:
    """Return the requests whose window overlaps this one."""
    rows = within(for_actor(actor), window)
    shown = first_living(rows)
    found = listed(
        shown, {one.pk: f"its window {window_text(TimeWindow(one.start, one.end))}" for one in shown}
    )
    return [Group("Requests", found, counted(rows, shown), all_of("requests", active=said))]
