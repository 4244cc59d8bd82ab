"""Questions with a value in each part that a client writes: the path, the query, the header, a form, a body."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

from django.test import Client

QUERIES: dict[str, tuple[str, ...]] = {
    "/search/": ("q",),
    "/requests/": ("q", "state", "nren", "consent", "sort", "page", "per_page", "active"),
    "/changes/": ("q", "stage", "state", "sort", "page"),
    "/changes/new/": ("router", "repair"),
    "/routers/": ("q", "state", "platform", "sort"),
    "/links/": ("q", "kind", "router", "page"),
    "/links/offered/": ("link", "kind"),
    "/links/failures/": ("q", "page"),
    "/queue/": ("group", "page"),
    "/audit/": ("q", "actor", "action", "since", "until", "object", "page"),
    "/tokens/": ("q", "state", "user"),
    "/nrens/": ("q", "sort"),
    "/advice/": ("rate", "traffic", "max_packet_bytes", "platform", "ios"),
    "/network/": ("link", "q", "page"),
    "/network/link/": ("link",),
    "/network/work/": ("link", "start", "end"),
    "/network/capacity/": ("link", "kind"),
    "/network/moved/": ("request",),
    "/notifications/": ("page",),
    "/my/ask/links/": ("source_link", "destination_link"),
    "/sign-in/": ("next",),
    "/api/v1/premium-requests/": ("state", "address", "link", "ordering", "cursor", "page", "id", "nren"),
    "/api/v1/events/": ("after", "limit", "wait"),
    "/api/v1/access-links/": ("name", "cursor"),
    "/api/v1/core-links/planned-work/": ("link", "start", "end"),
    "/api/v1/advice/bursts/": ("rate", "traffic", "max_packet_bytes", "platform", "ios"),
    "/api/v1/tokens/": ("user", "nren", "live"),
    "/api/v1/audit-events/": ("action", "ordering"),
}
"""Addresses with parameters that they know; one that nobody knows is added by turns."""

PATHS = (
    *(
        "/routers/{}/",
        "/routers/{}/objects/",
        "/routers/{}/config/",
        "/routers/{}/changes/",
        "/routers/{}/failure/",
    ),
    *(
        "/routers/{}/save/",
        "/routers/{}/chassis/",
        "/requests/{}/",
        "/changes/{}/",
        "/{}",
        "/static/{}",
        "/static/web/{}",
    ),
    *(
        "/api/v1/{}/",
        "/api/v1/premium-requests/{}/",
        "/api/problems/{}/",
        "/admin/{}/",
        "/my/{}/",
        "/audit/{}/",
    ),
)

HEADERS = (
    *(
        "Referer",
        "User-Agent",
        "Accept",
        "Accept-Language",
        "Accept-Encoding",
        "Origin",
        "X-Forwarded-For",
        "X-Forwarded-Proto",
    ),
    *(
        "HX-Request",
        "HX-Current-URL",
        "HX-Target",
        "HX-Prompt",
        "HX-Trigger-Name",
        "If-Match",
        "If-None-Match",
        "Range",
    ),
    *(
        "If-Modified-Since",
        "Idempotency-Key",
        "Authorization",
        "Content-Type",
        "X-Request-ID",
        "Cookie",
        "X-HTTP-Method-Override",
    ),
)

FORMS: dict[str, tuple[str, ...]] = {
    "/sign-in/": ("username", "password", "next"),
    "/changes/{planned}/cancel/": ("reason",),
    "/changes/{planned}/approve/": ("reason", "override", "seen", "break_glass"),
    "/changes/{planned}/rollout/": ("ticket", "window_start", "canary"),
    "/changes/new/": ("title", "reason", "routers"),
    "/requests/{decision}/refuse/": ("reason",),
    "/requests/{decision}/hold/": ("reason", "until"),
    "/requests/{decision}/admit/": ("reason", "break_glass"),
    "/network/link/": ("link", "deed", "reason"),
    "/network/capacity/": ("link", "usable", "pool", "reason", "start"),
    "/network/paths/": ("text", "router", "source"),
    "/nrens/quota/": ("rate", "open_requests", "reason"),
    "/notifications/mail/": ("address", "topics"),
    "/notifications/webhook/": ("url", "topics"),
    "/tokens/new/": ("name", "networks", "expires_at", "reason"),
    "/routers/nl6/chassis/": ("serial", "reason"),
    "/pushes/stop/": ("reason",),
    "/my/ask/": ("source_link", "destination_link", "rate", "contact", "reason", "source_prefixes", "start"),
}
"""Forms by address, with the fields that take free text or a choice."""

BODIES: dict[str, tuple[str, ...]] = {
    "/api/v1/premium-requests/what-if/": (
        *(
            "source_link",
            "destination_link",
            "rate_bps",
            "contact",
            "reason",
            "source_prefixes",
            "service_class",
            "start",
        ),
    ),
    "/api/v1/premium-requests/": ("source_link", "contact", "reason", "direction", "flow_label"),
    "/api/v1/series/what-if/": ("recurrence", "source_link", "reason"),
    "/api/v1/tokens/": ("name", "scopes", "allowed_networks", "expires_at", "nren"),
    "/api/v1/subscribers/": ("address", "url", "channel", "topics"),
    "/api/v1/path-drift/compare/": ("text", "router", "source", "taken_at"),
    "/api/v1/changes/": ("title", "reason", "kind", "routers"),
    "/api/v1/nrens/quota/": ("reason", "rate_bps"),
}


@dataclass
class Question:
    """One request; `ask` makes it with a value or with another in the same place."""

    method: str
    url: Callable[[str], str]
    headers: Callable[[str], Mapping[str, str]] = field(default=lambda _value: {})
    body: Callable[[str], Any] = field(default=lambda _value: None)
    said: str = ""

    def ask(self, client: Client, value: str, token: str = "") -> Any:
        headers = {**self.headers(value)}
        if token and self.url("").startswith("/api/"):
            headers.setdefault("Authorization", f"Bearer {token}")
        body = self.body(value)
        if self.method == "GET":
            return client.get(self.url(value), headers=headers)
        if isinstance(body, bytes):
            kind = headers.pop("Content-Type", "application/json")
            return client.generic("POST", self.url(value), body, content_type=kind, headers=headers)
        return client.post(self.url(value), body, headers=headers)


def sent(value: str) -> str:
    """The value in an address: percent-encoded, also what is no character."""
    return quote(value.encode("utf-8", "surrogatepass"), safe="")


def in_header(value: str) -> str:
    """The value as a server hands over a field of a header: bytes as Latin-1, without what ends a field (it refuses those)."""
    said = value.encode("utf-8", "surrogatepass").decode("latin-1")
    return "".join(each for each in said if each not in "\r\n\0")[:4000]


def question(draw: random.Random, known: Mapping[str, int]) -> Question:
    """One of all the questions, by chance."""
    kind = draw.choice(("query", "query", "path", "header", "form", "body"))
    if kind == "query":
        url, names = draw.choice(list(QUERIES.items()))
        name = draw.choice((*names, "unknown"))
        if draw.random() < 0.05:
            return Question("GET", lambda value: f"{url}?{sent(value)}=1", said=f"{url} a name")
        return Question("GET", lambda value: f"{url}?{name}={sent(value)}", said=f"{url} ?{name}")
    if kind == "path":
        path = draw.choice(PATHS)
        return Question("GET", lambda value: path.format(sent(value)), said=path)
    if kind == "header":
        name = draw.choice(HEADERS)
        url = draw.choice(
            (
                "/queue/",
                "/requests/1/",
                "/nowhere/",
                "/sign-in/",
                "/api/v1/nrens/",
                "/api/nowhere/",
                "/static/x",
            )
        )
        return Question(
            "GET", lambda _value: url, lambda value: {name: in_header(value)}, said=f"{url} {name}:"
        )
    if kind == "form":
        url, names = draw.choice(list(FORMS.items()))
        name, at = draw.choice(names), url.format(**known)
        return Question(
            "POST", lambda _value: at, body=lambda value: {name: _encodable(value)}, said=f"{url} {name}"
        )
    url, names = draw.choice(list(BODIES.items()))
    name = draw.choice(names)
    shape = draw.choice(("member", "list", "object", "name", "raw", "key"))
    headers = {"key": lambda value: {"Idempotency-Key": in_header(value)}}.get(shape, lambda _value: {})
    return Question(
        "POST",
        lambda _value: url,
        headers,
        lambda value: _json(shape, name, value),
        said=f"{url} {name} as {shape}",
    )


def _encodable(value: str) -> str:
    """As a server reads it; not with a question mark for what is no character, which alone is a word of some forms."""
    return value.encode("utf-8", "surrogatepass").decode("utf-8", "replace")


def _json(shape: str, name: str, value: str) -> bytes:
    made: Any = {
        "member": {name: value},
        "list": {name: [value, value]},
        "object": {name: {value: value}},
        "name": {value: 1, name: value},
        "key": {name: value},
    }.get(shape)
    return value.encode("utf-8", "surrogatepass") if made is None else json.dumps(made).encode()
