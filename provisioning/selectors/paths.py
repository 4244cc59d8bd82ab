"""Which routers carry a reservation together: of a change no two of them are sent to at once."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from django.db.models import Exists, OuterRef, QuerySet

from inventory.models import AccessLink, CoreLink, Peering
from provisioning.models import LedgerEntry


class Paths:
    """The paths that are charged at a moment, as far as they touch `routers` (keys): of reservations whose window is open, and of
    those that are over and were not seen gone.
    """

    def __init__(self, routers: Collection[int], moment: datetime) -> None:
        self._charged = LedgerEntry.objects.filter(
            start__lte=moment, released_at__isnull=True, reservation__isnull=False
        ).order_by()
        # A network that carries nothing yet is where a change of very many routers comes from.
        self._ends = _ends_of(routers, self._charged) if self._charged.exists() else {}

    def beside(self, routers: Collection[int], among: Collection[int]) -> set[int]:
        """Those of `among` (keys of routers) that a reservation crosses which crosses one of `routers`, too, but none of these.

        One question at most, however many reservations there are.
        """
        these, others = set(routers), set(among) - set(routers)
        mine = [link for link, at in self._ends.items() if at & these]
        theirs = [link for link, at in self._ends.items() if at & others]
        if not mine or not theirs:
            return set()
        crossing = self._charged.filter(link__in=mine).values("reservation")
        found = self._charged.filter(link__in=theirs, reservation__in=crossing)
        shared = set(found.values_list("link", flat=True).distinct())
        return {at for link in shared for at in self._ends[link]} & others


def _ends_of(routers: Collection[int], charged: QuerySet[LedgerEntry]) -> dict[str, set[int]]:
    """The links of these routers that anything is charged on, by name, each with those of the routers that it ends on."""
    found: dict[str, set[int]] = {}
    keys, used = list(routers), Exists(charged.filter(link=OuterRef("name")))
    for rows, end in (
        (AccessLink.objects.all(), "interface__router"),
        (Peering.objects.all(), "interface__router"),
        (CoreLink.objects.all(), "a_interface__router"),
        (CoreLink.objects.all(), "z_interface__router"),
    ):
        chosen = rows.filter(used, **{f"{end}__in": keys}).order_by()
        for name, router in chosen.values_list("name", end):
            found.setdefault(name, set()).add(router)
    return found
