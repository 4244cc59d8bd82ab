"""The description is OpenAPI 3.1, public, shown without any foreign server, and true of what is answered."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import jsonschema
import pytest
import schemathesis
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

from tests.api.conftest import Speaker

pytestmark = pytest.mark.once

CHECKS: list[Callable[..., Any]] = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]

RESOURCES = (
    "nrens", "routers", "access-links", "core-links", "premium-requests", "changes", "pushes", "audit-events",
    "capacity-changes", "moves",
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


def test_every_operation_describes_its_problems(document: dict[str, Any]) -> None:
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            assert {"401", "403", "429"} <= set(operation["responses"]), (path, method)
            for status, response in operation["responses"].items():
                kinds = set(response["content"])
                assert kinds == ({"application/problem+json"} if int(status) >= 400 else {"application/json"})


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


@pytest.fixture
def one_connection() -> Iterator[None]:
    """Requests through WSGI stay on the test's own connection and transaction, as the test client's do."""
    signals = (request_started, request_finished)
    for signal in signals:
        signal.disconnect(close_old_connections)
    yield
    for signal in signals:
        signal.connect(close_old_connections)


@pytest.mark.usefixtures("one_connection")
@pytest.mark.parametrize("mode", [GenerationMode.POSITIVE, GenerationMode.NEGATIVE])
@pytest.mark.parametrize("role", ["JANET", "noc"])
def test_what_is_answered_is_what_is_described(
    speakers: dict[str, Speaker], role: str, mode: GenerationMode
) -> None:
    described = schemathesis.openapi.from_wsgi("/api/schema/", get_wsgi_application())
    tried: set[str] = set()
    for result in described.get_all_operations():
        operation = result.ok()

        @settings(
            max_examples=6,
            deadline=None,
            database=None,
            derandomize=True,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(case=operation.as_strategy(generation_mode=mode))
        def call(case: schemathesis.Case) -> None:
            tried.add(case.operation.label)
            case.call_and_validate(
                headers={"Authorization": f"Bearer {speakers[role].token}"},
                checks=CHECKS,
            )

        try:
            call()
        except Unsatisfiable:
            assert mode is GenerationMode.NEGATIVE, operation.label
    assert len(tried) >= (19 if mode is GenerationMode.POSITIVE else 15)
