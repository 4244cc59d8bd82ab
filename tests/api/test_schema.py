"""The description is OpenAPI 3.1, public, shown without any foreign server, and true of what is answered."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import schemathesis
from django.core.management import call_command
from django.core.signals import request_finished, request_started
from django.core.wsgi import get_wsgi_application
from django.db import close_old_connections
from django.test import Client
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from tests.api import matrix
from tests.api.conftest import Speaker
from tests.api.test_true_of_rows import in_every_state
from tests.depth import DEEP

pytestmark = pytest.mark.once

CHECKS: list[Callable[..., Any]] = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]

EXAMPLES = 20 if DEEP else 1
"""Of each operation, role and mode: some 500 calls in all. `make soak ONLY=api` makes 20,000."""

made, ids, speakers = matrix.made, matrix.ids, matrix.speakers

RESOURCES = (
    "nrens", "routers", "access-links", "core-links", "premium-requests", "changes", "pushes", "audit-events",
    "capacity-changes", "moves", "tokens", "interfaces", "line-cards", "peerings", "network-files",
)  # fmt: skip


@pytest.fixture
def document(db: None) -> dict[str, Any]:
    """The description as JSON."""
    response = Client().get("/api/schema/", headers={"accept": "application/vnd.oai.openapi+json"})
    assert response.status_code == 200
    found: dict[str, Any] = json.loads(response.content)
    return found


def test_it_is_openapi_3_1_and_describes_every_resource(document: dict[str, Any]) -> None:
    assert document["openapi"].startswith("3.1.")
    for name in RESOURCES:
        assert f"/api/v1/{name}/" in document["paths"]
    assert "/api/v1/advice/bursts/" in document["paths"]
    assert document["components"]["securitySchemes"]["token"]["scheme"] == "bearer"


def test_nothing_of_it_is_guessed(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """A name that the generator of the document makes up for want of another changes when something else is added."""
    call_command("spectacular", "--validate", "--fail-on-warn", "--file", str(tmp_path / "document.yaml"))
    capsys.readouterr()


def test_each_operation_has_a_name_and_a_resource(document: dict[str, Any]) -> None:
    names = []
    for path, operations in document["paths"].items():
        resource = path.split("/")[3]
        for operation in operations.values():
            assert operation["tags"] == [resource]
            assert operation["operationId"].startswith(resource.replace("-", "_"))
            names.append(operation["operationId"])
    assert len(names) == len(set(names))
    assert not [name for name in names if re.search(r"_\d+$", name)]
    hashed = [
        name for name in document["components"]["schemas"] if re.search(r"[0-9a-f]*[0-9][0-9a-f]*Enum$", name)
    ]
    assert not hashed


def test_every_operation_describes_its_problems(document: dict[str, Any]) -> None:
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            assert {"401", "403", "429"} <= set(operation["responses"]), (path, method)
            for status, response in operation["responses"].items():
                # What is known already has no body; an address that is too long is refused by the server before us.
                if status in ("304", "414"):
                    assert "content" not in response
                    continue
                kinds = set(response["content"])
                assert kinds == ({"application/problem+json"} if int(status) >= 400 else {"application/json"})


def test_every_operation_says_what_it_is_and_shows_each_of_its_problems(document: dict[str, Any]) -> None:
    assert [each["url"] for each in document["servers"]] == ["/"]
    problem = {"$ref": "#/components/schemas/Problem", "components": document["components"]}
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            said = operation["summary"]
            assert 5 < len(said) < 130 and "\n" not in said and "`" not in said, (path, method, said)
            for status, response in operation["responses"].items():
                if status == "414":  # the server's own answer, before us
                    assert response["description"]
                    continue
                assert response["description"] and "Cache-Control" in response["headers"], (path, status)
                if int(status) >= 400:
                    (example,) = response["content"]["application/problem+json"]["examples"].values()
                    jsonschema.validate(example["value"], problem)
                    assert example["value"]["status"] == int(status)
            assert "Retry-After" in operation["responses"]["429"]["headers"]
            assert ("Location" in operation["responses"].get("201", {"headers": ()})["headers"]) is (
                "201" in operation["responses"]
            )


def test_what_cannot_be_meant_in_a_query_is_refused_and_named(speakers: dict[str, Speaker]) -> None:
    for asked, name in (
        ("page=0", "page"), ("page=-1", "page"), ("page=x", "page"), ("page=", "page"), ("page=last", "page"),
        ("page_size=0", "page_size"), ("page_size=201", "page_size"), ("page_size=", "page_size"),
        ("state=", "state"), ("nren=", "nren"), ("state=SUBMITTED&state=", "state"), ("colour=blue", "colour"),
    ):  # fmt: skip
        said = speakers["JANET"].get(f"/api/v1/premium-requests/?{asked}", status=400)
        assert [each["parameter"] for each in said["errors"]] == [name], asked
    assert speakers["JANET"].get("/api/v1/premium-requests/?page=2", status=404)["code"] == "not-found"


@pytest.mark.parametrize("path", ["1%0A/", "%0A/", "1/%0A", "1%0D%0A/", "%0A", "1/range/%0Ax/", "%00/"])
def test_a_line_break_in_a_path_is_a_problem_and_no_page(speakers: dict[str, Speaker], path: str) -> None:
    """`.` of a pattern stands for no line break: the catch-all let an HTML page through."""
    for method in ("GET", "POST"):
        answer = speakers["JANET"].send(method, f"/api/v1/premium-requests/{path}")
        assert (answer.status_code, answer.headers["Content-Type"]) == (404, "application/problem+json")


def test_a_problem_fits_its_description(document: dict[str, Any], speakers: dict[str, Speaker]) -> None:
    problem = speakers["JANET"].post("/api/v1/premium-requests/", {"colour": "blue"}, status=400)
    schema = {"$ref": "#/components/schemas/Problem", "components": document["components"]}
    jsonschema.validate(problem, schema)


def test_the_page_needs_no_foreign_server(db: None) -> None:
    page = Client().get("/api/docs/")
    text = page.content.decode()
    script = Client().get("/api/docs/?script=").content.decode()
    assert page.status_code == 200
    assert not re.search(r"(src|href)=\"(https?:)?//", text)
    assert "https://" not in script.replace("https://validator.swagger.io", "")
    assert "<script>" not in text
    assert "script-src 'self'" in page.headers["Content-Security-Policy"]


def rows_of(speaker: Speaker) -> dict[str, list[str]]:
    """The ids of what somebody sees, by resource."""
    found = {}
    for name in (*RESOURCES, "modifications", "series", "subscribers"):
        answer = json.loads(speaker.send("GET", f"/api/v1/{name}/?page_size=200").content)
        found[name] = [str(row["id"]) for row in answer.get("results", []) if "id" in row]
    return found


@contextmanager
def one_connection() -> Iterator[None]:
    """Requests through WSGI stay on the test's own connection and transaction, as the test client's do.

    For requests through WSGI only: Django's own test client connects these signals again after each of its requests.
    """
    signals = (request_started, request_finished)
    for signal in signals:
        signal.disconnect(close_old_connections)
    yield
    for signal in signals:
        signal.connect(close_old_connections)


@pytest.mark.parametrize("mode", [GenerationMode.POSITIVE, GenerationMode.NEGATIVE])
@pytest.mark.parametrize("role", ["JANET", "noc"])
def test_what_is_answered_is_what_is_described(
    speakers: dict[str, Speaker], role: str, mode: GenerationMode
) -> None:
    with one_connection():
        described = schemathesis.openapi.from_wsgi("/api/schema/", get_wsgi_application())
    tried: set[str] = set()
    # Of made up ids there is nothing: what is answered about rows is seen of those there are.
    in_every_state(speakers)
    rows, dice = rows_of(speakers[role]), random.Random(46)
    for result in described.get_all_operations():
        operation = result.ok()

        @settings(
            max_examples=EXAMPLES,
            deadline=None,
            database=None,
            derandomize=True,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(case=operation.as_strategy(generation_mode=mode))
        def call(case: schemathesis.Case) -> None:
            tried.add(case.operation.label)
            if mode is GenerationMode.POSITIVE and "id" in (case.path_parameters or {}):
                known = rows.get(case.path.split("/")[3], [])
                case.path_parameters["id"] = dice.choice([*known, case.path_parameters["id"]])
            case.call_and_validate(
                headers={"Authorization": f"Bearer {speakers[role].token}"},
                checks=CHECKS,
            )

        try:
            with one_connection():
                call()
        except Unsatisfiable:
            assert mode is GenerationMode.NEGATIVE, operation.label
    assert len(tried) >= (19 if mode is GenerationMode.POSITIVE else 15)
