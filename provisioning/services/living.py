"""Routers that are in use: whoever stores what is known of one holds its row, and comes before or after who retires it."""

from __future__ import annotations

from collections.abc import Iterable

from inventory.models import Router
from provisioning.errors import StaleState
from provisioning.services.locking import locked


def hold(routers: Iterable[int]) -> set[int]:
    """Lock those of these routers (their keys) that are in use until the transaction ends, and return their keys."""
    rows = Router.objects.filter(pk__in=set(routers)).order_by("pk")
    return set(locked(rows).values_list("pk", flat=True))


def hold_one(router: Router) -> None:
    """Lock this router until the transaction ends. Raises StaleState where it was retired."""
    if not hold([router.pk]):
        raise retired(router)


def router_of(router_id: int) -> Router:
    """Return the router of this key. Raises StaleState where it was retired."""
    row = Router.every.select_related("domain").get(pk=router_id)
    if row.retired_at is not None:
        raise retired(row)
    return row


def retired(router: Router) -> StaleState:
    """What is said where a router was retired while something of it was under way."""
    return StaleState(f"{router.name} was retired meanwhile: nothing of it is kept")
