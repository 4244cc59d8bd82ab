"""Core links and what becomes of requests when they, or what they carry, are otherwise: the NOC's and auditors'."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from expedite_client.asking import Instant, instant_text
from expedite_client.errors import NoSuch
from expedite_client.resources.editing import EditsRows
from expedite_client.transport import Transport
from expedite_client.values.links import (
    AllFailures,
    Capacity,
    CapacityDone,
    CoreLink,
    EffectOfCapacity,
    Failure,
    Renewal,
    Work,
)

AT: Final = "core-links/"
CAPACITY_AT: Final = "capacity-changes/"


class CoreLinks(EditsRows[CoreLink]):
    """`core-links`."""

    at, shape = AT, CoreLink

    def __init__(self, transport: Transport) -> None:
        self._http = transport

    def list(self, **filters: Any) -> Iterator[CoreLink]:
        """Yield core links with what is charged to them. Filters: `name`."""
        return self._http.pages(CoreLink, AT, filters)

    def named(self, name: str) -> CoreLink:
        """Return the core link of that name; raises NoSuch where there is none."""
        for found in self.list(name=name):
            return found
        raise NoSuch(f"there is no core link {name!r}: see `expedite link list`", field="link")

    def failure(self, link: int) -> Failure:
        """Return what its failure would do to everything held now and later."""
        return self._http.get(Failure, f"{AT}{link}/failure/")

    def failures(self) -> AllFailures:
        """Return all single failures that reroute or cut off anybody, the worst first, as they were last worked out."""
        return self._http.get(AllFailures, f"{AT}failures/")

    def planned_work(self, links: Sequence[str], *, start: Instant = None, end: Instant = None) -> Work:
        """Return who would move, fit no more or have no path if these carried nothing from `start` (now) to `end` (for ever)."""
        asked = {
            "link": list(links),
            "start": instant_text(start, field="start"),
            "end": instant_text(end, field="end"),
        }
        return self._http.get(Work, f"{AT}planned-work/", asked)

    def declare(self, link: int, deed: str, *, reason: str, key: str | None = None) -> Renewal:
        """Declare it `down` or `up`, or `removed`: everything live follows. The NOC's."""
        return self._http.post(Renewal, f"{AT}{link}/declare/", {"deed": deed, "reason": reason}, key=key)

    def declare_what_if(self, link: int, deed: str) -> Renewal:
        """Return who would move, fit no more or have no path; nothing is changed."""
        return self._http.post(Renewal, f"{AT}{link}/declare-what-if/", {"deed": deed})


class CapacityChanges:
    """`capacity-changes`: what a link carries, or a pool takes of links, from a date on or between two."""

    def __init__(self, transport: Transport) -> None:
        self._http = transport

    def list(self, **filters: Any) -> Iterator[Capacity]:
        """Yield those one may see, those taken back too. Filters: `link`, `pool`, `taken_back` (False: those that stand)."""
        return self._http.pages(Capacity, CAPACITY_AT, filters)

    def of_link(
        self,
        link: str,
        usable_bps: int,
        *,
        reason: str,
        start: Instant = None,
        end: Instant = None,
        key: str | None = None,
    ) -> CapacityDone:
        """Say what a link carries from `start` (now) to `end` (until another is said). The NOC's."""
        body = {"link": link, "usable_bps": usable_bps, **_when(start, end), "reason": reason}
        return self._http.post(CapacityDone, CAPACITY_AT, body, key=key)

    def of_link_what_if(
        self, link: str, usable_bps: int, *, start: Instant = None, end: Instant = None
    ) -> EffectOfCapacity:
        """Return who would fit no more, and who would again; nothing is changed."""
        body = {"link": link, "usable_bps": usable_bps, **_when(start, end)}
        return self._http.post(EffectOfCapacity, f"{CAPACITY_AT}what-if/", body)

    def of_pool(
        self,
        pool: str,
        kind: str,
        percent: str,
        *,
        reason: str,
        start: Instant = None,
        end: Instant = None,
        key: str | None = None,
    ) -> CapacityDone:
        """Say how many percent (`12.5`) a pool takes of all links of a `kind`. The NOC's."""
        body = {"pool": pool, "kind": kind, "percent": percent, **_when(start, end), "reason": reason}
        return self._http.post(CapacityDone, CAPACITY_AT, body, key=key)

    def of_pool_what_if(
        self, pool: str, kind: str, percent: str, *, start: Instant = None, end: Instant = None
    ) -> EffectOfCapacity:
        """Return who would fit no more, and who would again; nothing is changed."""
        body = {"pool": pool, "kind": kind, "percent": percent, **_when(start, end)}
        return self._http.post(EffectOfCapacity, f"{CAPACITY_AT}what-if/", body)

    def take_back(self, change: int, *, reason: str, key: str | None = None) -> CapacityDone:
        """Take it back: it is as if it had not been said. The NOC's."""
        return self._http.post(CapacityDone, f"{CAPACITY_AT}{change}/take-back/", {"reason": reason}, key=key)

    def take_back_what_if(self, change: int) -> EffectOfCapacity:
        """Return who would fit again, or not any more, without it; nothing is changed."""
        return self._http.post(EffectOfCapacity, f"{CAPACITY_AT}{change}/take-back-what-if/", {})


def _when(start: Instant, end: Instant) -> dict[str, Any]:
    began = {} if start is None else {"start": instant_text(start, field="start")}
    return {**began, "end": instant_text(end, field="end")}
