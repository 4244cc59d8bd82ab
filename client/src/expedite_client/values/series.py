"""Windows that come again."""

from __future__ import annotations

from typing import TypedDict

from expedite_client.values.requests import Reason


class SeriesSummary(TypedDict):
    """A series, as source NREN, receiving NREN, NOC and auditors see it."""

    id: int
    reference: str
    nren: str
    receiving_nren: str | None
    role: str
    rrule: str
    time_zone: str
    exdates: list[str]
    take: str
    occurrences: int
    submitted_at: str
    states: dict[str, int]


class Occurrence(TypedDict):
    """One request of a series; while it is undecided whether it would fit now, and if not, why."""

    start: str
    end: str | None
    start_local: str
    end_local: str | None
    request: int
    twin: int | None
    state: str
    fits: bool | None
    reasons: list[Reason]


class SeriesDetail(SeriesSummary):
    """A series with its occurrences."""

    rate_that_fits: int | None
    items: list[Occurrence]


class TriedOccurrence(TypedDict):
    """One window, whether it would fit, and if not, why."""

    start: str
    end: str | None
    start_local: str
    end_local: str | None
    fits: bool
    reasons: list[Reason]


class TriedSeries(TypedDict):
    """How every occurrence would stand at this moment; no row was made."""

    fits: bool
    rate_that_fits: int | None
    items: list[TriedOccurrence]
