"""Rows of the ledger: charged by a reservation or a hold, released by date, never deleted."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import datetime

from provisioning.models import LedgerEntry, PremiumRequest, Reservation
from provisioning.pipeline.admission import Admitted
from provisioning.pipeline.topology import LinkDirection


def charge(
    request: PremiumRequest,
    admitted: Admitted,
    *,
    reservation: Reservation | None = None,
    lapses_at: datetime | None = None,
) -> None:
    """Charge what was admitted to every link direction, for ``reservation``, or as a hold of ``request``
    until ``lapses_at`` without one.
    """
    LedgerEntry.objects.bulk_create(
        LedgerEntry(
            reservation=reservation,
            hold=request if reservation is None else None,
            request=request,
            link=found.link_direction.link,
            direction=found.link_direction.direction.value,
            pool=found.pool,
            rate_bps=found.rate_bps,
            start=request.start,
            end=request.end,
            lapses_at=lapses_at,
        )
        for found in admitted.charges
    )


def path_as_json(hops: Iterable[LinkDirection]) -> list[dict[str, str]]:
    """A path as a reservation keeps it: its link directions in order."""
    return [{"link": hop.link, "direction": hop.direction.value} for hop in hops]


def release_holds(requests: Collection[int], *, now: datetime) -> None:
    """Free what holds of these requests (their keys) charge; nothing where there is none."""
    LedgerEntry.objects.filter(hold__in=requests, released_at=None).update(released_at=now)


def release_reservation(request_id: int, *, now: datetime) -> bool:
    """Free what the request's reservation charges; False when it has none or was released before."""
    released = Reservation.objects.filter(request_id=request_id, released_at=None).update(released_at=now)
    LedgerEntry.objects.filter(request_id=request_id, hold=None, released_at=None).update(released_at=now)
    return bool(released)
