"""Who is told what happens, and what approvers did alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from expedite_client.asking import Instant, instant_text
from expedite_client.transport import Transport
from expedite_client.values.telling import BreakGlass, Message, Replay, Subscriber, Test


class Subscribers:
    """`subscribers`: read by the NOC and auditors, set by the NOC. What a webhook is called by is never shown."""

    def __init__(self, transport: Transport) -> None:
        self._http = transport

    def list(self) -> Iterator[Subscriber]:
        """Yield those who are told now."""
        return self._http.pages(Subscriber, "subscribers/")

    def add_mail(
        self, address: str, *, topics: Sequence[str] = (), nren: int | None = None, key: str | None = None
    ) -> Subscriber:
        """Tell a mail address, of everything but decisions on requests where no topic is named."""
        body = {"channel": "mail", "address": address, "topics": list(topics), "nren": nren}
        return self._http.post(Subscriber, "subscribers/", body, key=key)

    def add_webhook(
        self,
        url: str,
        secret: str,
        *,
        topics: Sequence[str] = (),
        nren: int | None = None,
        key: str | None = None,
    ) -> Subscriber:
        """Call a webhook (https); its messages are signed with `secret`."""
        body = {"channel": "webhook", "url": url, "secret": secret, "topics": list(topics), "nren": nren}
        return self._http.post(Subscriber, "subscribers/", body, key=key)

    def change(self, subscriber: int, *, topics: Sequence[str], key: str | None = None) -> Subscriber:
        """Tell it of other topics."""
        return self._http.post(
            Subscriber, f"subscribers/{subscriber}/change/", {"topics": list(topics)}, key=key
        )

    def test(self, subscriber: int, *, key: str | None = None) -> Test:
        """Send it a message that says nothing but that it is a test."""
        return self._http.post(Test, f"subscribers/{subscriber}/test/", {}, key=key)

    def messages(self, subscriber: int, **filters: Any) -> Iterator[Message]:
        """Yield what it was sent, the newest first. Filters: `state`, `made_after`, `made_before`."""
        return self._http.pages(Message, f"subscribers/{subscriber}/messages/", filters)

    def replay(
        self, subscriber: int, *, since: Instant, until: Instant = None, key: str | None = None
    ) -> Replay:
        """Send it again what was made for it from `since` on, before `until`: the same messages under the same `number`.

        Raises InvalidInput for an instant without its offset from UTC, Problem (400) where they are too many at once.
        """
        body = {
            "since": instant_text(since, field="since"),
            "until": instant_text(until, field="until"),
        }
        return self._http.post(Replay, f"subscribers/{subscriber}/replay/", body, key=key)

    def end(self, subscriber: int, *, key: str | None = None) -> Subscriber:
        """Tell it no more."""
        return self._http.post(Subscriber, f"subscribers/{subscriber}/end/", {}, key=key)


class BrokenGlass:
    """`break-glass`."""

    def __init__(self, transport: Transport) -> None:
        self._http = transport

    def list(self, **filters: Any) -> Iterator[BreakGlass]:
        """Yield those one may see, the newest first. Filters: `standing`, `request`, `change`."""
        return self._http.pages(BreakGlass, "break-glass/", filters)

    def acknowledge(self, row: int, *, reason: str = "", key: str | None = None) -> BreakGlass:
        """Say that it was seen by somebody else of the NOC than who did it."""
        return self._http.post(BreakGlass, f"break-glass/{row}/acknowledge/", {"reason": reason}, key=key)
