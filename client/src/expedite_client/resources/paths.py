"""Paths as routers see them beside those that are charged, and requests that are charged on two: the NOC's and auditors'."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from expedite_client.asking import Instant, instant_text
from expedite_client.transport import Transport
from expedite_client.values.links import Compared, Drift, Move, MovesEnded


class PathDrift:
    """`path-drift`."""

    def __init__(self, transport: Transport) -> None:
        self._http = transport

    def list(self) -> Iterator[Drift]:
        """Yield requests that routers were seen to send otherwise than they are charged."""
        return self._http.pages(Drift, "path-drift/")

    def compare(
        self,
        text: str,
        *,
        router: str = "",
        taken_at: Instant = None,
        end_moves: bool = False,
        dry_run: bool = False,
        source: str = "",
    ) -> Compared:
        """Compare what a router printed with what everything live is charged on; the same text again finds the same."""
        body: dict[str, Any] = {
            "text": text,
            "router": router,
            "end_moves": end_moves,
            "dry_run": dry_run,
            "source": source,
        }
        if taken_at is not None:
            body["taken_at"] = instant_text(taken_at, field="taken_at")
        return self._http.post(Compared, "path-drift/compare/", body)


class Moves:
    """`moves`, by the id of the request."""

    def __init__(self, transport: Transport) -> None:
        self._http = transport

    def list(self, **filters: Any) -> Iterator[Move]:
        """Yield requests that are charged on two paths. Filters: `link`, one that is being left."""
        return self._http.pages(Move, "moves/", filters)

    def end(self, requests: Sequence[int], *, reason: str, key: str | None = None) -> MovesEnded:
        """Say that their traffic takes the new path: all of them (200 at most), or none. The NOC's."""
        return self._http.post(
            MovesEnded, "moves/end/", {"requests": list(requests), "reason": reason}, key=key
        )
