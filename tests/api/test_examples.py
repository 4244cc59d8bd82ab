"""The examples of the description: of every operation, and as true as the description itself."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import jsonschema
import pytest
from django.test import Client

from provisioning.api import examples

pytestmark = pytest.mark.once
NOT_RECORDED = {
    "changes_rehearsal", "changes_rehearse", "pushes_rehearsal",
    "changes_pause", "changes_resume", "changes_undo", "pushes_go_on",
    "premium_requests_plan_again", "pushes_try_now", "routers_chassis_replaced", "routers_probe", "routers_save",
    "nrens_partial_update", "routers_partial_update", "access_links_partial_update", "line_cards_partial_update",
    "nrens_destroy", "routers_destroy", "access_links_destroy", "core_links_destroy", "interfaces_destroy", "line_cards_destroy",
}  # fmt: skip
"""Operations without an example of a good end: no test that `make examples` runs comes to it by the API."""


@pytest.fixture
def document(db: None) -> dict[str, Any]:
    response = Client().get("/api/schema/", headers={"accept": "application/vnd.oai.openapi+json"})
    found: dict[str, Any] = json.loads(response.content)
    return found


def operations(document: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for path in document["paths"].values():
        yield from (
            operation for method, operation in path.items() if method in ("get", "post", "patch", "delete")
        )


def contents(operation: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """What is sent and what is answered at a good end, each with its schema."""
    for status in ("200", "201"):
        for content in operation["responses"].get(status, {}).get("content", {}).values():
            yield "answer", content
    for content in operation.get("requestBody", {}).get("content", {}).values():
        yield "sent", content


def test_every_operation_shows_a_good_end(document: dict[str, Any]) -> None:
    without = {
        f"{operation['operationId']} {what}"
        for operation in operations(document)
        for what, content in contents(operation)
        if not content.get("examples")
    }
    assert {each.split()[0] for each in without} == NOT_RECORDED


def test_every_example_is_what_the_description_says(document: dict[str, Any]) -> None:
    tried = 0
    for operation in operations(document):
        for _what, content in contents(operation):
            for example in content.get("examples", {}).values():
                schema = {**content["schema"], "components": document["components"]}
                jsonschema.Draft202012Validator(schema).validate(example["value"])
                tried += 1
    assert tried > 150


def test_nothing_is_recorded_of_what_is_not_there(document: dict[str, Any]) -> None:
    known = {operation["operationId"] for operation in operations(document)}
    assert set(examples._recorded()) <= known


def test_no_secret_is_in_them() -> None:
    text = json.dumps(examples._recorded())
    assert text.count("exp_") == text.count("exp_0123456789ab_shown-once")
    assert "testserver" not in text
