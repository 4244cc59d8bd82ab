"""What routers were seen to hold that is not intended: the NOC's and auditors'."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from expedite_client.asking import Instant, instant_text
from expedite_client.transport import Transport
from expedite_client.values.network import Difference


class Differences:
    """`differences`, by id."""

    def __init__(self, transport: Transport) -> None:
        self._http = transport

    def list(self, **filters: Any) -> Iterator[Difference]:
        """Yield differences, the oldest first. Filters: `router` (a name), `state` (standing, heeded, ignored, gone)."""
        return self._http.pages(Difference, "differences/", filters)

    def get(self, difference: int) -> Difference:
        """Return one."""
        return self._http.get(Difference, f"differences/{difference}/")

    def ignore(self, difference: int, *, until: Instant, reason: str, key: str | None = None) -> Difference:
        """Leave it as it is until then, at most 90 days: the router differs all the same. The NOC's."""
        body = {"until": instant_text(until, field="until"), "reason": reason}
        return self._http.post(Difference, f"differences/{difference}/ignore/", body, key=key)

    def heed(self, difference: int, *, reason: str, key: str | None = None) -> Difference:
        """Ignore it no longer. The NOC's."""
        return self._http.post(Difference, f"differences/{difference}/heed/", {"reason": reason}, key=key)
