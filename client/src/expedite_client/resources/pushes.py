"""Pushes: what one router receives in one phase of a change. The NOC's and auditors'."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from expedite_client.transport import ROUTER_SECONDS, Transport
from expedite_client.values.changes import Push, PushWithPlan, Stop, Taken

AT: Final = "pushes/"
NEXT_STEPS: Final = ("retry", "finish", "undo", "repair", "save", "look", "dealt-with")


class Pushes:
    """`pushes`."""

    def __init__(self, transport: Transport) -> None:
        self._http = transport

    def show(self, push: int) -> PushWithPlan:
        """Return a push with its plan as approved."""
        return self._http.get(PushWithPlan, f"{AT}{push}/")

    def list(self, **filters: Any) -> Iterator[Push]:
        """Yield pushes, the newest first. Filters: `router`, `state` (one or a list)."""
        return self._http.pages(Push, AT, filters)

    def next_step(
        self, push: int, *, verb: str, reason: str = "", seen: str = "", key: str | None = None
    ) -> Taken:
        """Do the next step that its end offers: retry, finish, undo, repair, save (`seen`), look or dealt-with."""
        body = {"verb": verb, "reason": reason, "seen": seen}
        return self._http.post(Taken, f"{AT}{push}/next-step/", body, key=key, wait=ROUTER_SECONDS)

    def try_now(self, push: int, *, key: str | None = None) -> Push:
        """Have the router of a push that broke off read as soon as a worker is free."""
        return self._http.post(Push, f"{AT}{push}/try-now/", {}, key=key)

    def stopped(self) -> Stop:
        """Return whether every push is held, by whom and why."""
        return self._http.get(Stop, f"{AT}stopped/")

    def stop(self, *, reason: str, key: str | None = None) -> Stop:
        """Stop every push."""
        return self._http.post(Stop, f"{AT}stop/", {"reason": reason}, key=key)

    def go_on(self, *, reason: str, key: str | None = None) -> Stop:
        """Let pushes go on."""
        return self._http.post(Stop, f"{AT}go-on/", {"reason": reason}, key=key)
