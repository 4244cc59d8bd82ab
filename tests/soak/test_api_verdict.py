"""Which findings of schemathesis stand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.soak.api_verdict import answers, excused, findings, waited

NAMED = json.dumps({"errors": [{"pointer": "#/link", "reason": "there is no such link"}]})


@pytest.mark.parametrize(
    ("check", "status", "body", "right"),
    [
        ("positive_data_acceptance", 400, NAMED, True), ("positive_data_acceptance", 422, NAMED, True),
        ("positive_data_acceptance", 422, json.dumps({"code": "idempotency-key-reused"}), True),
        ("ignored_auth", 429, "{}", True), ("ignored_auth", 200, "{}", False),
        ("positive_data_acceptance", 412, "{}", True), ("positive_data_acceptance", 400, "{}", False),
        ("positive_data_acceptance", 400, "<html>", False), ("positive_data_acceptance", 413, NAMED, False),
        ("positive_data_acceptance", 400, json.dumps({"errors": [{"reason": "?"}]}), False),
        ("negative_data_rejection", 414, "", True), ("negative_data_rejection", 412, "{}", True),
        ("negative_data_rejection", 200, "", False),
        ("status_code_conformance", 414, "", False), ("not_a_server_error", 500, NAMED, False),
        ("response_schema_conformance", 400, NAMED, False),
    ],
)  # fmt: skip
def test_only_what_a_description_cannot_say_is_excused(
    check: str, status: int, body: str, right: bool
) -> None:
    assert excused(check, status, body) is right


@pytest.mark.parametrize(
    ("address", "took", "right"),
    [
        ("http://x/api/v1/events/?after=0&limit=50&wait=24", "23575.87", True),
        ("http://x/api/v1/events/?wait=11&after=0", "15900", True),
        ("http://x/api/v1/events/?wait=11&after=0", "17000", False),
        ("http://x/api/v1/events/?after=0", "11000", False),
        ("http://x/api/v1/changes/?wait=25", "11000", False),
    ],
)
def test_who_asks_to_wait_waits_and_no_longer(address: str, took: str, right: bool) -> None:
    assert waited(address, f"Actual: {took}ms\nLimit: 10000.00ms") is right


def test_a_report_is_read(tmp_path: Path) -> None:
    recorder = {
        "label": "GET /x/",
        "interactions": {
            "a": {"request": {"method": "GET", "uri": "/x/?y=1"}, "response": {"status_code": 500}},
            "b": {"request": {"method": "GET", "uri": "/x/"}, "response": None},
        },
        "checks": {
            "a": [
                {
                    "name": "not_a_server_error",
                    "status": "failure",
                    "failure_info": {"failure": {"message": "500"}},
                },
                {"name": "status_code_conformance", "status": "success"},
            ]
        },
    }
    late = {"label": "GET /y/", "value": {"type": "ReadTimeout"}}
    report = tmp_path / "report.ndjson"
    report.write_text(
        "\n".join(json.dumps({"E": each}) for each in ({"id": 1}, {"recorder": recorder}, late)) + "\n"
    )
    missing, found = findings(report)
    assert (missing.operation, missing.check) == ("GET /y/", "no answer")
    assert (found.operation, found.check, found.status, found.said) == (
        "GET /x/",
        "not_a_server_error",
        500,
        "500",
    )
    assert answers(report) == {500: 1, 0: 1}
