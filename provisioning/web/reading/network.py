"""Routers and NRENs as the pages show them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, F, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.utils import timezone

from inventory.models import AccessCase, AccessLink, CoreLink, Interface, Nren, Peering, Router
from provisioning.errors import NotVisible
from provisioning.models import PremiumRequest, RouterSync
from provisioning.pipeline.states import RequestState
from provisioning.selectors.quotas import undecided
from provisioning.services.intents import ON
from provisioning.web.reading.links import scheme_in_force


@dataclass(frozen=True)
class InterfaceRow:
    """An interface with what it is used for and what should be bound to it.

    ``policy`` is what is intended now; ``reserved_policy`` what it becomes while a reservation sends from a link that
    is not standing, empty where the link keeps one policy. ``sending`` says that one does now.
    """

    interface: Interface
    role: str
    case: str
    policy: str
    view: str
    link: AccessLink | CoreLink | Peering | None
    reserved_policy: str = ""
    sending: bool = False


def routers() -> QuerySet[Router]:
    """Return all routers with what is known about them."""
    return Router.objects.select_related("pop", "sync", "sync__snapshot").defer(
        "sync__snapshot__text", "sync__snapshot__bandwidths"
    )


def router_of(name: str, *, retired: bool = False) -> Router:
    """Return one router; with ``retired``, where none is called so any more, the last that was. Raises NotVisible."""
    found = routers().filter(name=name).first()
    if found is None and retired:
        found = Router.every.select_related("pop").filter(name=name).order_by("-retired_at").first()
    if found is None:
        raise NotVisible("There is no such router.")
    return found


def sync_of(router: Router) -> RouterSync | None:
    """Return what the last reading said, None when the router was never read."""
    return getattr(router, "sync", None)


def interface_rows(router: Router) -> list[InterfaceRow]:
    """Return a router's interfaces with their roles, from the inventory and the reservations that are on now."""
    rows = []
    sending = _sending(router)
    chosen = router.interfaces.select_related(
        "access_link__nren", "peering", "core_link_a", "core_link_z"
    ).order_by("name")
    scheme = scheme_in_force()
    policies = dict(scheme.cases) if scheme else {}
    core_policy = scheme.core if scheme else ""
    for found in chosen:
        access: AccessLink | None = getattr(found, "access_link", None)
        peering: Peering | None = getattr(found, "peering", None)
        core: CoreLink | None = getattr(found, "core_link_a", None) or getattr(found, "core_link_z", None)
        if access:
            own = policies.get(access.case, "")
            sends = access.pk in sending
            rows.append(
                InterfaceRow(
                    found,
                    "access",
                    access.case,
                    own if access.standing or sends else policies.get(AccessCase.NON_PARTICIPANT, ""),
                    "web:link-access",
                    access,
                    reserved_policy="" if access.standing else own,
                    sending=sends,
                )
            )
        elif peering:
            rows.append(
                InterfaceRow(
                    found,
                    "peering",
                    AccessCase.NON_PARTICIPANT.value,
                    policies.get(AccessCase.NON_PARTICIPANT, ""),
                    "web:link-peering",
                    peering,
                )
            )
        elif core:
            rows.append(InterfaceRow(found, "core", "", core_policy, "web:link-core", core))
        else:
            rows.append(InterfaceRow(found, "exempt" if found.exempt_reason else "no role", "", "", "", None))
    return rows


def _sending(router: Router) -> frozenset[int]:
    """The access links of a router from which a reservation sends at this moment, as the intent counts them."""
    now = timezone.now()
    on = PremiumRequest.objects.filter(
        Q(end=None) | Q(end__gt=now), source_link__interface__router=router, state__in=ON, start__lte=now
    )
    return frozenset(on.values_list("source_link_id", flat=True))


def nrens(now: datetime) -> QuerySet[Nren]:
    """Return all NRENs with counts of links and requests; ``open_requests`` as a quota counts them, `selectors.quotas`."""
    asked = PremiumRequest.objects
    return (
        Nren.objects.select_related("quota")
        .prefetch_related("prefixes")
        .annotate(
            links_count=_counted(AccessLink.objects.all()),
            open_requests=_counted(asked.filter(undecided(now)), of=Coalesce("series", -F("pk"))),
            granted_requests=_counted(asked.filter(state=RequestState.ADMITTED)),
            active_requests=_counted(asked.filter(state=RequestState.ACTIVE)),
        )
    )


def _counted(rows: QuerySet[Any], *, of: Any = "*") -> Coalesce:
    """How many of these rows an NREN has; each counted by itself, for joined they would multiply."""
    number = Count(of, distinct=of != "*")
    counts = rows.filter(nren=OuterRef("pk")).order_by().values("nren").annotate(n=number).values("n")
    return Coalesce(Subquery(counts), 0)


def nren_of(pk: int, *, retired: bool = False) -> Nren:
    """Return one NREN, with ``retired`` one that is no more, too; raises NotVisible."""
    rows = Nren.every if retired else Nren.objects
    found = rows.select_related("domain").prefetch_related("prefixes").filter(pk=pk).first()
    if found is None:
        raise NotVisible("There is no such NREN.")
    return found
