"""Reservations as the events of a calendar that somebody subscribes to."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Final

from provisioning.models import PremiumRequest
from provisioning.pipeline.states import RequestState
from provisioning.pipeline.units import rate_text
from provisioning.web.ics import Event, Status
from provisioning.web.words import word

BEFORE: Final = timedelta(days=31)
AFTER: Final = timedelta(days=400)
"""How far back and ahead the calendar reaches from today."""
MOST: Final = 2000
"""Events of one calendar: those that begin first."""
_EPOCH: Final = datetime(2020, 1, 1, tzinfo=UTC)
_STATUS: Final[dict[RequestState, Status]] = {
    RequestState.SUBMITTED: "TENTATIVE",
    RequestState.HELD: "TENTATIVE",
    RequestState.ADMITTED: "CONFIRMED",
    RequestState.ACTIVE: "CONFIRMED",
    RequestState.EXPIRED: "CONFIRMED",
    RequestState.COMPLETED: "CONFIRMED",
    RequestState.REFUSED: "CANCELLED",
    RequestState.WITHDRAWN: "CANCELLED",
    RequestState.NEVER_PROVIDED: "CANCELLED",
}


def events(
    rows: Iterable[PremiumRequest], *, domain: str, now: datetime, url: Callable[[int], str]
) -> Iterator[Event]:
    """Return the event of each request (with ``changed_at``). An event needs an end: one until further notice ends
    with the year after this one there, and says so.
    """
    for row in rows:
        state = RequestState(row.state)
        changed: datetime = row.changed_at  # type: ignore[attr-defined]
        target = row.receiving_nren.name if row.receiving_nren else "anywhere"
        yield Event(
            uid=str(uuid.uuid5(uuid.NAMESPACE_OID, f"expedite/{domain}/{row.reference}")),
            sequence=max(0, int((changed - _EPOCH).total_seconds())),
            changed_at=changed,
            start=row.start,
            end=row.end or max(datetime(now.year + 2, 1, 1, tzinfo=UTC), row.start + timedelta(hours=1)),
            summary=f"{row.reference}: {row.nren.name} to {target}, {rate_text(row.rate_bps)} ({word(row.state).text.lower()})",
            description=_described(row),
            url=url(row.pk),
            status=_STATUS[state],
        )


def _described(row: PremiumRequest) -> str:
    way = row.destination_link.name if row.destination_link else "anywhere"
    lines = [
        f"{word(row.state).text}: {word(row.state).meaning}",
        f"{rate_text(row.rate_bps)} of {row.service_class} from {row.source_link.name} to {way}",
        f"Contact: {row.contact}",
    ]
    if row.end is None:
        lines.append("Until further notice.")
    return "\n".join(lines)
