"""Rows of the ledger: charged by a reservation or a hold, released by date, never deleted."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime

from provisioning.models import LedgerEntry, PremiumRequest, Reservation
from provisioning.pipeline.admission import Admitted
from provisioning.pipeline.topology import LinkDirection

_AT_ONCE = 1000


@dataclass(frozen=True)
class ToCharge:
    """What was admitted, for ``reservation``, or as a hold of ``request`` until ``lapses_at`` without one."""

    request: PremiumRequest
    admitted: Admitted
    reservation: Reservation | None = None
    lapses_at: datetime | None = None


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
    charge_all([ToCharge(request, admitted, reservation, lapses_at)])


def charge_all(wanted: Iterable[ToCharge]) -> None:
    """As `charge`, for many in few statements."""
    LedgerEntry.objects.bulk_create(
        (
            LedgerEntry(
                reservation=each.reservation,
                hold=each.request if each.reservation is None else None,
                request=each.request,
                link=found.link_direction.link,
                direction=found.link_direction.direction.value,
                pool=found.pool,
                rate_bps=found.rate_bps,
                start=each.request.start,
                end=each.request.end,
                lapses_at=_lapses(each),
            )
            for each in wanted
            for found in each.admitted.charges
        ),
        batch_size=_AT_ONCE,
    )


def _lapses(charged: ToCharge) -> datetime | None:
    """A hold ends with its window: nothing of it can be on a router, so nothing has to be seen gone. What was granted counts on
    (`selectors.ledger.window_of`).
    """
    if charged.lapses_at is None or charged.request.end is None:
        return charged.lapses_at
    return min(charged.lapses_at, charged.request.end)


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
