"""6NET, people of three NRENs, the NOC and an auditor, each with a token and a client that speaks with it."""

from __future__ import annotations

import datetime as dt
import json
from dataclasses import dataclass, field
from typing import Any

import pytest
from django.core.cache import cache
from django.http import HttpResponse
from django.test import Client

from inventory.models import Nren
from inventory.readers.network_yaml import read_network
from provisioning.models import SYSTEM, Role
from provisioning.services import people, tokens
from provisioning.services.inventory import import_network
from tests.kept import kept
from tests.services.requests.sixnet import SIX_NET

ROLES = ("anonymous", "roleless", "read-only", "JANET", "GRNET", "DFN", "noc", "auditor")


@dataclass
class Speaker:
    """Speaks to the API with one token (or none); answers are (status, JSON)."""

    token: str | None
    client: Client = field(default_factory=lambda: Client(raise_request_exception=False))

    def send(self, method: str, path: str, body: Any = None, **headers: str) -> HttpResponse:
        """Return the raw response; `body` is sent as JSON unless it is bytes."""
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        content = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
        kind = headers.pop("Content_Type", "application/json")
        response: HttpResponse = self.client.generic(
            method,
            path,
            content,
            content_type=kind,
            headers={k.replace("_", "-"): v for k, v in headers.items()},
        )
        return response

    def get(self, path: str, status: int = 200) -> Any:
        """Return the JSON of a GET that answers `status`."""
        return expect(self.send("GET", path), status)

    def post(self, path: str, body: Any = None, status: int = 201, **headers: str) -> Any:
        """Return the JSON of a POST that answers `status`."""
        return expect(self.send("POST", path, body, **headers), status)


def expect(response: HttpResponse, status: int) -> Any:
    """The JSON of a response with that status; errors must be problem details."""
    assert response.status_code == status, response.content.decode()
    body = json.loads(response.content)
    kind = response.headers["Content-Type"]
    if status >= 400:
        assert kind == "application/problem+json"
        assert body["status"] == status
        assert body["type"] == f"/api/problems/{body['code']}/"
        assert {"title", "detail", "instance"} <= set(body)
    else:
        assert kind == "application/json"
    return body


@pytest.fixture
def speakers(db: None) -> dict[str, Speaker]:
    """One speaker per role of ROLES, in the bundled network."""
    cache.clear()  # failed sign-ins of other tests are counted there
    return speaking(kept("speakers", issue_tokens))


def speaking(texts: dict[str, str | None]) -> dict[str, Speaker]:
    """Who speaks with these tokens."""
    return {name: Speaker(text) for name, text in texts.items()}


def issue_tokens() -> dict[str, str | None]:
    """6NET as rows, an account for every role of ROLES and its token."""
    import_network(actor=SYSTEM, network=read_network(SIX_NET))
    found: dict[str, str | None] = {"anonymous": None}
    for name in ("JANET", "GRNET", "DFN"):
        nren = Nren.objects.get(name=name)
        user = people.put_person(actor=SYSTEM, username=name.lower(), nrens=[nren])
        found[name] = tokens.issue(actor=SYSTEM, user=user, nren=nren, name="t")[1]
        if name == "JANET":
            found["read-only"] = tokens.issue(actor=SYSTEM, user=user, nren=nren, name="r", scopes=["read"])[
                1
            ]
    for name, roles in (("noc", [Role.NOC]), ("auditor", [Role.AUDITOR]), ("roleless", [])):
        user = people.put_person(actor=SYSTEM, username=f"the-{name}", roles=roles)
        found[name] = tokens.issue(actor=SYSTEM, user=user, nren=None, name="t")[1]
    return found


NO_QUOTA = {"rate_bps": None, "open_requests": None, "holds": None}
START = dt.datetime.now(dt.UTC).replace(microsecond=0) + dt.timedelta(days=1)


def asked(**changes: Any) -> dict[str, Any]:
    """JANET asks for 2 Mbit/s towards GRNET; None takes a member out."""
    body = {
        "source_link": "JANET@uk6:POS1/0",
        "destination_link": "GRNET@gr6:POS2/0",
        "rate_bps": 2_000_000,
        "bucket_bytes": 6000,
        "max_packet_bytes": 1500,
        "start": START.isoformat(),
        "end": (START + dt.timedelta(days=7)).isoformat(),
        "source_prefixes": ["2001:630:1::/48"],
        "destination_prefixes": ["2001:648:2::/48"],
        "contact": "noc@example.org",
        "reason": "A video conference",
    }
    return {name: value for name, value in (body | changes).items() if value is not None}


def weekly(**changes: Any) -> dict[str, Any]:
    """The same for two hours, three weeks in a row, by the clocks of Athens; ``changes`` are of the recurrence."""
    again = {"rrule": "FREQ=WEEKLY;COUNT=3", "time_zone": "Europe/Athens"}
    return asked(end=(START + dt.timedelta(hours=2)).isoformat(), recurrence=again | changes)
