"""Whether EF that nobody authorised can enter anywhere, as far as routers showed it when they were last read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final, Literal

from django.conf import settings

from inventory.models import Router
from provisioning.models import RouterPush, SyncState, TopologyVersion
from provisioning.pipeline.units import instant_text
from provisioning.selectors.pushing import BEGUN
from provisioning.selectors.swaps import bare_interfaces

_UNTOLD: Final = timedelta(hours=1)
"""How long a reading counts where nobody said how often routers are read."""


@dataclass(frozen=True, order=True)
class Spot:
    """A router, an interface of it (empty: all of them), and what is wrong there or why nothing is known of it."""

    router: str
    interface: str
    reason: str


@dataclass(frozen=True)
class Invariant:
    """``open`` are the edges at which unauthorised EF can enter; ``unknown`` the routers of which that cannot be said now."""

    open: tuple[Spot, ...]
    unknown: tuple[Spot, ...]
    routers: int

    @property
    def verdict(self) -> Literal["holds", "broken", "unknown"]:
        """It holds only where every router was read lately and none has an open edge; what is not known is never good."""
        if self.open:
            return "broken"
        return "unknown" if self.unknown or not self.routers else "holds"


def invariant_of(now: datetime) -> Invariant:
    """Return how it stands at ``now``. Four queries, whatever the network."""
    bare = [
        Spot(row.router.name, row.interface, "a swap left it without a policy")
        for row in bare_interfaces().select_related("router")
    ]
    told = {(spot.router, spot.interface) for spot in bare}
    under_way = set(RouterPush.objects.filter(BEGUN).order_by().values_list("router", flat=True))
    newest = TopologyVersion.objects.order_by("-pk").values_list("created_at", flat=True).first()
    holes, unknown = list(bare), []
    fields = (
        "pk",
        "name",
        "sync__state",
        "sync__checked_at",
        "sync__open_edges",
        "sync__edges_seen",
        "sync__detail",
    )
    rows = list(Router.objects.order_by("name").values(*fields))
    for row in rows:
        why = _not_known(row, now, newest, row["pk"] in under_way)
        if why:
            unknown.append(Spot(row["name"], "", why))
        # What was open when it was last seen is named, even where that is a while ago, or it does not answer any more.
        seen = row["sync__state"] in (SyncState.IN_SYNC, SyncState.DIFFERS)
        holes += [
            Spot(row["name"], str(edge.get("interface", "")), str(edge.get("reason", "")))
            for edge in row["sync__open_edges" if seen else "sync__edges_seen"] or ()
            if (row["name"], edge.get("interface")) not in told
        ]
    return Invariant(tuple(sorted(holes)), tuple(unknown), len(rows))


def _not_known(row: Mapping[str, Any], now: datetime, newest: datetime | None, under_way: bool) -> str:
    """Why the last reading of a router does not say what it lets in now; empty where it does."""
    read = row["sync__checked_at"]
    if read is None:
        return "it was never read"
    if row["sync__state"] not in (SyncState.IN_SYNC, SyncState.DIFFERS):
        reason = str((row["sync__detail"] or {}).get("reason", "")) or "it could not be read"
        return reason.rstrip(".")
    if under_way:
        return "a push has begun there and its end was not seen"
    if read < now - longest():
        return f"it was last read {instant_text(read)}"
    if newest is not None and newest > read:
        return f"the network became another one after it was read {instant_text(read)}"
    return ""


def longest() -> timedelta:
    """How old a reading may be: as long as a router that never changes is left alone (`services.rereading`), a beat more, and
    some time to do it.
    """
    if settings.VERIFY_SECONDS <= 0:
        return _UNTOLD
    beats = 1 + max(1.0, settings.VERIFY_STEADY_FACTOR)
    return timedelta(seconds=beats * settings.VERIFY_SECONDS, minutes=5)
