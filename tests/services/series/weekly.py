"""A series of JANET to GRNET: two hours at nine in Athens, as often as is said."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from provisioning.models import PremiumRequest, Series
from provisioning.services import series
from provisioning.services.series import SubmitSeries
from tests.services.requests.sixnet import ASKED, grnet, janet

ATHENS = ZoneInfo("Europe/Athens")


def next_tuesday() -> datetime:
    """Tuesday of next week, 09:00 in Athens."""
    today = datetime.now(ATHENS).date()
    day = today + timedelta(days=8 - today.weekday() if today.weekday() < 6 else 2)
    assert day.weekday() == 1
    return datetime.combine(day, datetime.min.time(), ATHENS).replace(hour=9).astimezone(UTC)


def weekly(
    rrule: str = "FREQ=WEEKLY;BYDAY=TU;COUNT=4",
    *,
    left_out: tuple[date, ...] = (),
    only_whole: bool = True,
    first: datetime | None = None,
    hours: float = 2,
    **changes: Any,
) -> SubmitSeries:
    start = first or next_tuesday()
    asked = replace(ASKED, start=start, end=start + timedelta(hours=hours), **changes)
    return SubmitSeries(asked, rrule, "Europe/Athens", left_out=left_out, only_whole=only_whole)


def asked_for(rrule: str = "FREQ=WEEKLY;BYDAY=TU;COUNT=4", **more: Any) -> Series:
    """Submitted by JANET."""
    return series.submit(actor=janet(), data=weekly(rrule, **more))


def agreed_to(rrule: str = "FREQ=WEEKLY;BYDAY=TU;COUNT=4", **more: Any) -> Series:
    """The same, and GRNET has agreed."""
    return series.consent(actor=grnet(), series=asked_for(rrule, **more), agree=True)


def states(of: Series) -> list[str]:
    """The states of its requests, in order."""
    rows = PremiumRequest.objects.filter(series=of).order_by("start", "pk")
    return list(rows.values_list("state", flat=True))
