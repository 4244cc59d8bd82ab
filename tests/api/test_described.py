"""What `make soak ONLY=api` found that the description did not say, or that was taken although it says otherwise."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from provisioning.api.cursors import LONGEST_CURSOR
from tests.api.conftest import Speaker, asked

# Read, not imported: it is for gunicorn's processes, which count together.
GUNICORN = (Path(__file__).resolve().parents[2] / "provisioning" / "gunicorn.py").read_text()
LISTED = {"id", "kind", "request", "state", "cursor", "page", "page_size", "nren", "name"}
LONGEST = int(re.findall(r"^limit_request_line = ([0-9]+)$", GUNICORN, re.MULTILINE)[0])


@pytest.fixture(scope="module")
def described() -> dict[str, Any]:
    answer = Client().get("/api/schema/", headers={"accept": "application/vnd.oai.openapi+json"})
    found: dict[str, Any] = json.loads(answer.content)
    return found


@pytest.mark.once
@pytest.mark.parametrize(
    "address", ["tokens/?live=", "break-glass/?standing=", "capacity-changes/?taken_back="]
)
def test_a_filter_is_true_or_false_and_nothing_else(address: str, speakers: dict[str, Speaker]) -> None:
    for word in ("true", "false"):
        speakers["noc"].get(f"/api/v1/{address}{word}")
    for word in ("null", "AAA", "True", "1", "0", ""):
        refused = speakers["noc"].get(f"/api/v1/{address}{word}", 400)
        assert [each["parameter"] for each in refused["errors"]] == [address.partition("?")[2].rstrip("=")], (
            word
        )


def operations(described: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    return [
        (f"{method.upper()} {path}", operation)
        for path, methods in described["paths"].items()
        for method, operation in methods.items()
        if path.startswith("/api/v1/") and method in ("get", "post")
    ]


def test_a_key_is_described_as_it_is_taken(described: dict[str, Any], speakers: dict[str, Speaker]) -> None:
    said = [
        parameter["schema"]
        for _name, operation in operations(described)
        for parameter in operation.get("parameters", [])
        if parameter["name"] == "Idempotency-Key"
    ]
    assert len(said) > 40
    assert {json.dumps(each, sort_keys=True) for each in said} == {json.dumps(said[0], sort_keys=True)}

    def fits(key: str) -> bool:
        bounds = said[0]["minLength"] <= len(key) <= said[0]["maxLength"]
        return bounds and re.search(said[0]["pattern"], key) is not None

    for key in ("k", "a b", "~" * 200, "~" * 201, "é"):
        answer = speakers["JANET"].send("POST", "/api/v1/tokens/", {"name": "x"}, Idempotency_Key=key)
        assert (answer.status_code == 201) is fits(key), key


@pytest.mark.once
@pytest.mark.parametrize(
    ("percent", "taken"),
    [
        (10, True), (12.5, True), ("10", True), ("99.999", True), ("100", True), ("100.000", True), (0, True),
        ("1e1", False), (" 10", False), ("+5", False), ("100.001", False), (True, False), ("\u0661", False), (101, False),
        ("", False), ([], False),
    ],
)  # fmt: skip
def test_a_percentage_is_taken_as_it_is_described(
    percent: object, taken: bool, speakers: dict[str, Speaker]
) -> None:
    body = {"pool": "ip-premium", "kind": "core", "percent": percent}
    answer = speakers["noc"].send("POST", "/api/v1/capacity-changes/what-if/", body)
    assert answer.status_code == (200 if taken else 400), answer.content


@pytest.mark.once
@pytest.mark.parametrize("deed", ["modify", "modify-what-if"])
def test_a_change_that_changes_nothing_is_refused_as_a_whole(deed: str, speakers: dict[str, Speaker]) -> None:
    made = speakers["JANET"].post("/api/v1/premium-requests/", asked())
    address = f"/api/v1/premium-requests/{made['id']}/{deed}/"
    refused = speakers["JANET"].post(address, {"reason": "r"}, 400)
    assert [each["pointer"] for each in refused["errors"]] == ["#"]
    assert "rate_bps" in refused["errors"][0]["reason"]


def test_what_is_about_one_row_is_described_without_filters_of_lists(described: dict[str, Any]) -> None:
    """The proof of a change took `?kind=` and `?id=` by its description, and looked at neither."""
    found = {
        (name, parameter["name"])
        for name, operation in operations(described)
        for parameter in operation.get("parameters", [])
        if "{id}" in name and parameter["in"] == "query" and parameter["name"] in LISTED
        if not name.endswith("/messages/")  # a list of many rows below one
    }
    assert found == set()


def test_an_address_that_is_too_long_is_described(described: dict[str, Any]) -> None:
    asking = [
        operation
        for name, operation in operations(described)
        if name.startswith("GET ") and any(each["in"] == "query" for each in operation.get("parameters", []))
    ]
    assert len(asking) > 15 and all("414" in operation["responses"] for operation in asking)
    assert str(LONGEST) in asking[0]["responses"]["414"]["description"]
    # As many ids as may be, the longest of them, and the longest cursor.
    ids = "&".join(f"id={10**15 - 1 - n}" for n in range(200))
    assert len(f"GET /api/v1/premium-requests/?{ids}&cursor={'a' * LONGEST_CURSOR} HTTP/1.1") < LONGEST
