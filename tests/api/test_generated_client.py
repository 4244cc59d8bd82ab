"""A client that is generated from the document, as its users do, speaks with the service and understands every answer."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import httpx
import pytest
from django.core.wsgi import get_wsgi_application
from django.test import Client

from provisioning.services import audit
from tests.api import matrix
from tests.api.conftest import Speaker, asked
from tests.api.test_schema import one_connection, rows_of
from tests.api.test_true_of_rows import in_every_state

pytestmark = pytest.mark.once

made, ids, speakers = matrix.made, matrix.ids, matrix.speakers
LISTS = (
    "nrens", "routers", "access_links", "core_links", "interfaces", "line_cards", "peerings", "premium_requests",
    "modifications", "series", "changes", "pushes",
    "capacity_changes", "moves", "break_glass", "subscribers", "tokens", "audit_events",
)  # fmt: skip


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory, django_db_blocker: Any) -> Iterator[str]:
    """The name of the package that was generated."""
    place = tmp_path_factory.mktemp("client")
    with django_db_blocker.unblock():
        answer = Client().get("/api/schema/", headers={"accept": "application/vnd.oai.openapi+json"})
    document = place / "openapi.json"
    document.write_bytes(answer.content)
    program = Path(sys.executable).with_name("openapi-python-client")
    name = "expedite_generated"
    told = subprocess.run(
        [program, "generate", "--path", document, "--meta", "none", "--output-path", place / name],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        cwd=place,
    )
    # What it cannot understand it leaves out, with a warning, and ends well all the same.
    said = [line for line in told.stdout.splitlines() if "Unsupported" in line or "Cannot parse" in line]
    assert told.returncode == 0 and not said, told.stdout + told.stderr
    sys.path.insert(0, str(place))
    yield name
    sys.path.remove(str(place))


def module(generated: str, resource: str, operation: str) -> ModuleType:
    return importlib.import_module(f"{generated}.api.{resource}.{resource}_{operation}")


def speaking(generated: str, speaker: Speaker) -> Any:
    client: Any = importlib.import_module(f"{generated}.client").AuthenticatedClient
    transport = httpx.WSGITransport(app=get_wsgi_application())
    return client(
        base_url="http://testserver", token=speaker.token or "", httpx_args={"transport": transport}
    )


def understood(answer: Any) -> Any:
    """The value that the client made of an answer, which has to say the same again."""
    sent = json.loads(answer.content)
    assert answer.parsed is not None, (answer.status_code, sent)
    assert same(answer.parsed.to_dict(), sent), sent
    return answer.parsed


def same(one: Any, other: Any) -> bool:
    """Whether two values are the same; instants may be written in two ways."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, str) and isinstance(other, str):
        return (
            one == other
            or one.replace("+00:00", "Z") == other.replace("000Z", "Z").replace("+00:00", "Z")
            or (one[:19] == other[:19] and "T" in one)
        )
    return bool(one == other)


def test_it_understands_every_row_in_every_state(generated: str, speakers: dict[str, Speaker]) -> None:
    in_every_state(speakers)
    audit.seal_waiting()
    for role in ("JANET", "noc"):
        assert understood_rows(generated, speakers[role]) > 50, role


def understood_rows(generated: str, speaker: Speaker) -> int:
    """How many rows were read one by one, each of which the client understood."""
    rows = rows_of(speaker)
    client, read = speaking(generated, speaker), 0
    with one_connection():
        for resource in LISTS:
            answer = module(generated, resource, "list").sync_detailed(client=client)
            page = understood(answer)
            if answer.status_code != 200:
                assert page.code == "not-permitted"
                continue
            for key in rows.get(resource.replace("_", "-"), []):
                found = module(generated, resource, "retrieve").sync_detailed(int(key), client=client)
                assert found.status_code == 200
                understood(found)
                read += 1
        part = understood(module(generated, "events", "list").sync_detailed(client=client, limit=5))
        assert len(part.events) == 5
    return read


def test_it_asks_and_reads_what_is_wrong(generated: str, speakers: dict[str, Speaker]) -> None:
    client = speaking(generated, speakers["JANET"])
    models = importlib.import_module(f"{generated}.models")
    with one_connection():
        create = module(generated, "premium_requests", "create")
        row = understood(
            create.sync_detailed(
                client=client, body=models.AskedRequest.from_dict(asked()), idempotency_key="once"
            )
        )
        assert row.twin is None and row.state.value == "SUBMITTED"
        wrong = create.sync_detailed(client=client, body=models.AskedRequest.from_dict(asked(rate_bps=1_050)))
        assert (wrong.status_code, understood(wrong).code) == (422, "rate-off-grid")
        tried = module(generated, "premium_requests", "what_if")
        verdict = understood(tried.sync_detailed(client=client, body=models.AskedRequest.from_dict(asked())))
        assert verdict.verdict.value == "admitted"
        taken = module(generated, "premium_requests", "withdraw").sync_detailed(
            row.id, client=client, body=models.WithdrawalRequest(reason="no longer needed")
        )
        assert understood(taken).state.value == "WITHDRAWN"
