"""Windows that come again, asked for and decided as one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from expedite_client.asking import Ask, Instant, Recurrence, instant_text
from expedite_client.transport import Transport
from expedite_client.values.series import SeriesDetail, SeriesSummary, TriedSeries

AT: Final = "series/"


class Series:
    """`series`. `start` and `end` of what is asked for are the first occurrence's."""

    def __init__(self, transport: Transport) -> None:
        self._http = transport

    def submit(self, ask: Ask, recurrence: Recurrence, *, key: str | None = None) -> SeriesDetail:
        """Ask for a window that comes again: a request for each occurrence."""
        return self._http.post(SeriesDetail, AT, _asked(ask, recurrence), key=key)

    def what_if(self, ask: Ask, recurrence: Recurrence) -> TriedSeries:
        """Return whether each occurrence would fit at this moment; nothing is asked for."""
        return self._http.post(TriedSeries, f"{AT}what-if/", _asked(ask, recurrence))

    def show(self, series: int) -> SeriesDetail:
        """Return a series with its occurrences (`items`)."""
        return self._http.get(SeriesDetail, f"{AT}{series}/")

    def list(self, **filters: Any) -> Iterator[SeriesSummary]:
        """Yield those one may see. Filters: `nren`, `receiving_nren`."""
        return self._http.pages(SeriesSummary, AT, filters)

    def consent(self, series: int, *, agree: bool, reason: str = "", key: str | None = None) -> SeriesDetail:
        """Agree to receive every occurrence, or decline with a reason."""
        return self._deed(series, "consent", {"agree": agree, "reason": reason}, key)

    def withdraw(self, series: int, *, reason: str, key: str | None = None) -> SeriesDetail:
        """Take back what is left of it."""
        return self._deed(series, "withdraw", {"reason": reason}, key)

    def take_offer(self, series: int, *, rate_bps: int | None = None, key: str | None = None) -> SeriesDetail:
        """Have what is undecided or was refused ask for the rate that fits all (`rate_that_fits` as it was read)."""
        return self._deed(series, "take-offer", {} if rate_bps is None else {"rate_bps": rate_bps}, key)

    def end_early(
        self, series: int, *, reason: str, end: Instant = None, key: str | None = None
    ) -> SeriesDetail:
        """Have it end then, or now: what begins later is withdrawn, what is under way ends then."""
        return self._deed(series, "end-early", {"end": instant_text(end, field="end"), "reason": reason}, key)

    def admit(
        self, series: int, *, reason: str, break_glass: str = "", key: str | None = None
    ) -> SeriesDetail:
        """Grant every open occurrence, or those that fit where that was asked for. The NOC's."""
        return self._deed(series, "admit", {"reason": reason, "break_glass": break_glass}, key)

    def refuse(self, series: int, *, reason: str, key: str | None = None) -> SeriesDetail:
        """Refuse every open occurrence. The NOC's."""
        return self._deed(series, "refuse", {"reason": reason}, key)

    def hold(self, series: int, *, until: Instant, reason: str, key: str | None = None) -> SeriesDetail:
        """Keep the capacity of every open occurrence aside until an instant. The NOC's."""
        return self._deed(
            series, "hold", {"until": instant_text(until, field="until"), "reason": reason}, key
        )

    def unhold(self, series: int, *, reason: str, key: str | None = None) -> SeriesDetail:
        """Let go of a hold before its time. The NOC's."""
        return self._deed(series, "unhold", {"reason": reason}, key)

    def _deed(self, series: int, verb: str, body: dict[str, Any], key: str | None) -> SeriesDetail:
        return self._http.post(SeriesDetail, f"{AT}{series}/{verb}/", body, key=key)


def _asked(ask: Ask, recurrence: Recurrence) -> dict[str, Any]:
    return {**ask.to_json(), "recurrence": recurrence.to_json()}
