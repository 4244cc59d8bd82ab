"""Rows of the network, edited and retired by the NOC on what it read; and network files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Generic, TypeVar

from expedite_client.transport import Transport
from expedite_client.values.editing import Imported, Rewritten
from expedite_client.values.network import Interface, LineCard, Peering

Shape = TypeVar("Shape")


class EditsRows(Generic[Shape]):
    """Rows that the NOC edits and retires, by id. `tag` is that of the row as it was read (`read`): where anything was written
    since, nothing is done (Problem 412, `changed-since`, or 409 `stale`).
    """

    at: ClassVar[str]
    shape: Any
    _http: Transport

    def read(self, row: int) -> tuple[Shape, str]:
        """Return one with its tag."""
        found: tuple[Shape, str] = self._http.tagged(self.shape, f"{self.at}{row}/")
        return found

    def would_edit(self, row: int, fields: Mapping[str, Any]) -> Rewritten:
        """Return what would come of it; nothing is written."""
        return self._http.change(
            "PATCH", Rewritten, f"{self.at}{row}/", body=fields, query={"dry_run": "true"}
        )

    def edit(self, row: int, fields: Mapping[str, Any], *, tag: str, reason: str) -> Rewritten:
        """Give it these fields; the others stay as they are."""
        body = {**fields, "reason": reason}
        return self._http.change("PATCH", Rewritten, f"{self.at}{row}/", body=body, tag=tag)

    def would_retire(self, row: int, *, exempt_reason: str = "", gone: bool = False) -> Rewritten:
        """Return what would come of it; what depends on it is named by a Problem (409 `still-needed`)."""
        query = {"dry_run": "true", **_retiring(exempt_reason, gone)}
        return self._http.change("DELETE", Rewritten, f"{self.at}{row}/", query=query)

    def retire(
        self, row: int, *, tag: str, reason: str, exempt_reason: str = "", gone: bool = False
    ) -> Rewritten:
        """Take it out of use. `exempt_reason`: a link's interfaces stay, and need no policy for it; `gone`: a router's box is
        there no more.
        """
        query = {"reason": reason, **_retiring(exempt_reason, gone)}
        return self._http.change("DELETE", Rewritten, f"{self.at}{row}/", query=query, tag=tag)


def _retiring(exempt_reason: str, gone: bool) -> dict[str, str]:
    return {
        **({"exempt_reason": exempt_reason} if exempt_reason else {}),
        **({"gone": "true"} if gone else {}),
    }


class Interfaces(EditsRows[Interface]):
    """`interfaces`: the NOC's and auditors'."""

    at, shape = "interfaces/", Interface

    def __init__(self, transport: Transport) -> None:
        self._http = transport

    def list(self, **filters: Any) -> Iterator[Interface]:
        """Yield interfaces. Filters: `router`, `name`."""
        return self._http.pages(Interface, self.at, filters)


class LineCards(EditsRows[LineCard]):
    """`line-cards`: the NOC's and auditors'."""

    at, shape = "line-cards/", LineCard

    def __init__(self, transport: Transport) -> None:
        self._http = transport

    def list(self, **filters: Any) -> Iterator[LineCard]:
        """Yield line cards. Filters: `router`."""
        return self._http.pages(LineCard, self.at, filters)


class Peerings(EditsRows[Peering]):
    """`peerings`: the NOC's and auditors'."""

    at, shape = "peerings/", Peering

    def __init__(self, transport: Transport) -> None:
        self._http = transport

    def list(self, **filters: Any) -> Iterator[Peering]:
        """Yield peerings. Filters: `name`, `peer`, `router`."""
        return self._http.pages(Peering, self.at, filters)


class NetworkFiles:
    """`network-files`: the NOC's."""

    def __init__(self, transport: Transport) -> None:
        self._http = transport

    def would_import(self, text: str) -> Imported:
        """Return what a network file, or a part of one, would write."""
        return self._http.post(Imported, "network-files/", {"text": text}, query={"dry_run": "true"})

    def import_text(self, text: str, *, name: str = "", key: str | None = None) -> Imported:
        """Import it. A file that cannot be meant is a Problem whose `errors` name every fault with its line."""
        body = {"text": text, **({"name": name} if name else {})}
        return self._http.post(Imported, "network-files/", body, key=key)
