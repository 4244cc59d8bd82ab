"""What an NREN asks for when windows come again, as the interfaces hand it over; and the rule as windows."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta

from django.conf import settings

from provisioning.pipeline.recurrence import Bounds, occurrences, parse
from provisioning.pipeline.units import TimeWindow
from provisioning.services.requests import SubmitRequest
from provisioning.services.series.clocks import zone_named


@dataclass(frozen=True)
class SubmitSeries:
    """``asked`` is the first occurrence, ``rrule`` when it comes again (RFC 5545) by the clocks of ``time_zone``, a name of the
    IANA time zone database; ``left_out`` are local days without one. ``only_whole``: nothing is granted unless each one fits.
    """

    asked: SubmitRequest
    rrule: str
    time_zone: str
    left_out: tuple[date, ...] = ()
    only_whole: bool = True


def windows_of(data: SubmitSeries, first: TimeWindow) -> tuple[TimeWindow, ...]:
    """The windows of all occurrences, in order; raises InvalidInput naming the part that is wrong."""
    zone = zone_named(data.time_zone)
    bounds = Bounds(settings.SERIES_MOST_OCCURRENCES, timedelta(days=settings.SERIES_LONGEST_DAYS))
    return occurrences(parse(data.rrule), first=first, zone=zone, left_out=data.left_out, bounds=bounds)
