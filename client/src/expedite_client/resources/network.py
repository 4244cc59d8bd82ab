"""The network: NRENs and what they may have, links, routers, and advice on bursts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from expedite_client.errors import NoSuch
from expedite_client.resources.editing import EditsRows
from expedite_client.transport import ROUTER_SECONDS, Transport
from expedite_client.values.network import AccessLink, BurstAdvice, Limits, Nren, Quota, Router, Standing
from expedite_client.values.proofs import Capability, Saved, Unsaved

Capabilities = list[Capability]


class Nrens(EditsRows[Nren]):
    """`nrens`."""

    at, shape = "nrens/", Nren

    def __init__(self, transport: Transport) -> None:
        self._http = transport

    def list(self, **filters: Any) -> Iterator[Nren]:
        """Yield NRENs with their prefixes. Filters: `name`, `country`."""
        return self._http.pages(Nren, "nrens/", filters)

    def named(self, name: str) -> Nren:
        """Return the NREN of that name; raises NoSuch where there is none."""
        for found in self.list(name=name):
            return found
        raise NoSuch(f"there is no NREN {name!r}", field="nren")

    def quota(self, nren: int) -> Quota:
        """Return what an NREN may have at most (`limits`), what was set for itself (`own`), and what it has (`used`)."""
        return self._http.get(Quota, f"nrens/{nren}/quota/")

    def set_quota(
        self, nren: int, *, limits: Limits, seen: Limits, reason: str, key: str | None = None
    ) -> Quota:
        """Set what an NREN may have; `seen` is its `own` as it was read: what somebody set since stays (409 `stale`)."""
        body = {**limits, "seen": seen, "reason": reason}
        return self._http.post(Quota, f"nrens/{nren}/quota/", body, key=key)

    def quota_of_all(self) -> Limits:
        """Return what each NREN may have that has no bound of its own."""
        return self._http.get(Limits, "nrens/quota/")

    def set_quota_of_all(
        self, *, limits: Limits, seen: Limits, reason: str, key: str | None = None
    ) -> Limits:
        """Set that; `seen` is it as it was read."""
        return self._http.post(Limits, "nrens/quota/", {**limits, "seen": seen, "reason": reason}, key=key)


class AccessLinks(EditsRows[AccessLink]):
    """`access-links`."""

    at, shape = "access-links/", AccessLink

    def __init__(self, transport: Transport) -> None:
        self._http = transport

    def list(self, **filters: Any) -> Iterator[AccessLink]:
        """Yield access links; `committed` of one's own. Filters: `name`, `nren`, `router`, `case`."""
        return self._http.pages(AccessLink, "access-links/", filters)


class Routers(EditsRows[Router]):
    """`routers`: the NOC's and auditors'."""

    at, shape = "routers/", Router

    def __init__(self, transport: Transport) -> None:
        self._http = transport

    def list(self, **filters: Any) -> Iterator[Router]:
        """Yield routers. Filters: `name`, `platform`."""
        return self._http.pages(Router, "routers/", filters)

    def named(self, name: str) -> Router:
        """Return the router of that name; raises NoSuch where there is none."""
        for found in self.list(name=name):
            return found
        raise NoSuch(f"there is no router {name!r}: see `expedite noc routers`", field="router")

    def standing(self, router: int) -> Standing:
        """Return how it stood against what is intended when it was last read."""
        return self._http.get(Standing, f"routers/{router}/standing/")

    def verify(self, router: int) -> Standing:
        """Read it now and compare. Sent twice it is read twice, which changes nothing."""
        return self._http.post(Standing, f"routers/{router}/verify/", {}, wait=ROUTER_SECONDS)

    def capabilities(self, router: int) -> Capabilities:
        """Return what it said it can do when it was asked last."""
        return self._http.get(Capabilities, f"routers/{router}/capabilities/")

    def probe(self, router: int) -> Capabilities:
        """Ask it now what it can do, by questions that change nothing."""
        return self._http.post(Capabilities, f"routers/{router}/probe/", {}, wait=ROUTER_SECONDS)

    def chassis(self, router: int, *, serial: str, reason: str, key: str | None = None) -> Router:
        """Take the serial of a replaced chassis, which answered in its place (`said_otherwise`)."""
        body = {"serial": serial, "reason": reason}
        return self._http.post(Router, f"routers/{router}/chassis/", body, key=key)

    def unsaved(self, router: int) -> Unsaved:
        """Return what its startup-config lacks as last read, by whose lines they are, with their `digest`."""
        return self._http.get(Unsaved, f"routers/{router}/unsaved/")

    def save(self, router: int, *, seen: str, reason: str) -> Saved:
        """Save exactly the lines with the digest `seen`. Sent twice, the second finds nothing to save."""
        body = {"seen": seen, "reason": reason}
        return self._http.post(Saved, f"routers/{router}/save/", body, wait=ROUTER_SECONDS)


class Advice:
    """`advice`."""

    def __init__(self, transport: Transport) -> None:
        self._http = transport

    def bursts(
        self,
        rate: str,
        *,
        traffic: str = "",
        max_packet_bytes: int | None = None,
        platform: str = "",
        ios: str = "",
    ) -> BurstAdvice:
        """Return bursts of policer and shaper for a rate (`5M`)."""
        asked = {"rate": rate, "traffic": traffic, "platform": platform, "ios": ios}
        return self._http.get(BurstAdvice, "advice/bursts/", {**asked, "max_packet_bytes": max_packet_bytes})
