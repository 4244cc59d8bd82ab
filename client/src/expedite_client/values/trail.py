"""Tokens, who speaks with one, and the log of what happened."""

from __future__ import annotations

from typing import Any, TypedDict


class Token(TypedDict):
    """One token without its text. `prefix` is the public part, `exp_PREFIX_...`."""

    id: int
    prefix: str
    name: str
    user: str
    nren: int | None
    issued_by: str | None
    state: str
    scopes: list[str]
    allowed_networks: list[str]
    created_at: str
    expires_at: str | None
    revoked_at: str | None
    last_used_at: str | None
    replaces: int | None
    issued_with: int | None


class TokenIssued(Token):
    """A token and its text: this once. Under a repeated Idempotency-Key the text is null: it is not kept."""

    text: str | None


class OwnNren(TypedDict):
    """An NREN that the token speaks for."""

    id: int
    name: str


class Me(TypedDict):
    """Who speaks, for whom, in which roles, and with which token. `verbs` are what these roles may do, by their names."""

    user: str
    roles: list[str]
    nrens: list[OwnNren]
    verbs: list[str]
    token: Token


class Event(TypedDict):
    """An event with its position in the log."""

    position: int
    sequence: int
    at: str
    actor: str
    via: str
    account: str | None
    action: str
    object_type: str
    object_id: str
    object_label: str
    reason: str
    before: dict[str, Any] | None
    after: dict[str, Any] | None
    previous_digest: str | None
    digest: str | None


class Events(TypedDict):
    """A part of the log. Ask again with `after` = `next`; while `more`, at once."""

    events: list[Event]
    next: int
    more: bool
    end: int
