"""Who is told what happens, and what an approver did alone."""

from __future__ import annotations

from typing import TypedDict


class Subscriber(TypedDict):
    """Who is told, of what, and how its messages stand; of a webhook the host alone is shown."""

    id: int
    channel: str
    address: str
    topics: list[str]
    nren: int | None
    created_at: str
    sent_at: str | None
    waiting: int
    given_up: int
    error: str


class Test(TypedDict):
    """The message that was made; whether it was taken stands in the subscriber's `sent_at`, `waiting` and `error`."""

    message: int


class Message(TypedDict):
    """One mail or POST to a subscriber, how it went, and what it tells of; `sent_again`: it waits to be, after others."""

    id: int
    number: str
    state: str
    attempts: int
    made_at: str
    finished_at: str | None
    error: str
    sent_again: bool
    notifications: int
    topics: list[str]


class Replay(TypedDict):
    """How many messages are sent again, and how many of that time wait anyhow."""

    messages: int
    waiting: int


class BreakGlass(TypedDict):
    """One deed of one approver against the separation of duties; it stands until ``acknowledged_at``."""

    id: int
    reference: str
    deed: str
    by: str
    at: str
    reason: str
    objections: list[str]
    request: int | None
    series: int | None
    change: int | None
    acknowledged_by: str | None
    acknowledged_at: str | None
    acknowledgement: str
