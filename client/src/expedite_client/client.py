"""The client: one server, one token, a member for each resource."""

from __future__ import annotations

import time
from collections.abc import Callable
from types import TracebackType

from expedite_client.errors import Lost
from expedite_client.resources.changes import Changes
from expedite_client.resources.differences import Differences
from expedite_client.resources.editing import Interfaces, LineCards, NetworkFiles, Peerings
from expedite_client.resources.events import EventLog
from expedite_client.resources.links import CapacityChanges, CoreLinks
from expedite_client.resources.modifications import Modifications
from expedite_client.resources.network import AccessLinks, Advice, Nrens, Routers
from expedite_client.resources.paths import Moves, PathDrift
from expedite_client.resources.premium_requests import PremiumRequests
from expedite_client.resources.pushes import Pushes
from expedite_client.resources.series import Series
from expedite_client.resources.telling import BrokenGlass, Subscribers
from expedite_client.resources.tokens import Tokens
from expedite_client.transport import CONNECT_SECONDS, READ_SECONDS, TRIES, Transport
from expedite_client.values.trail import Me


class Client:
    """Expedite at a URL, spoken to with a token.

        with Client("https://expedite.example", token) as expedite:
            for row in expedite.requests.list(state="ACTIVE"):
                print(row["reference"], row["rate_bps"])

    Every call ends: it raises Unreachable after `tries` attempts of `connect_seconds` and `read_seconds` each.
    """

    def __init__(
        self,
        url: str,
        token: str,
        *,
        ca_bundle: str | None = None,
        connect_seconds: float = CONNECT_SECONDS,
        read_seconds: float = READ_SECONDS,
        tries: int = TRIES,
        sleep: Callable[[float], None] = time.sleep,
        lost: Lost | None = None,
    ) -> None:
        """Speak to `url`; `ca_bundle` is a file of certificates to trust instead of those of the system.

        `lost` is told what was wrong with a try that is not the last, and after how many seconds the next one is.

        Raises InvalidInput where one of them cannot be meant.
        """
        self._http = Transport(
            url,
            token,
            ca_bundle=ca_bundle,
            connect_seconds=connect_seconds,
            read_seconds=read_seconds,
            tries=tries,
            sleep=sleep,
            lost=lost,
        )
        self.requests = PremiumRequests(self._http)
        self.modifications = Modifications(self._http)
        self.series = Series(self._http)
        self.changes = Changes(self._http)
        self.pushes = Pushes(self._http)
        self.nrens = Nrens(self._http)
        self.access_links = AccessLinks(self._http)
        self.routers = Routers(self._http)
        self.core_links = CoreLinks(self._http)
        self.interfaces = Interfaces(self._http)
        self.line_cards = LineCards(self._http)
        self.peerings = Peerings(self._http)
        self.network_files = NetworkFiles(self._http)
        self.capacity_changes = CapacityChanges(self._http)
        self.differences = Differences(self._http)
        self.path_drift = PathDrift(self._http)
        self.moves = Moves(self._http)
        self.subscribers = Subscribers(self._http)
        self.broken_glass = BrokenGlass(self._http)
        self.advice = Advice(self._http)
        self.tokens = Tokens(self._http)
        self.events = EventLog(self._http, sleep=sleep)

    def me(self) -> Me:
        """Return who speaks with this token, for which NRENs, in which roles, and when it ends."""
        return self._http.get(Me, "me/")

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self._http.close()
