"""What the client takes and promises: rates, instants, and types that are those of the server's schema."""

from __future__ import annotations

import importlib
import json
import pkgutil
from typing import Any, is_typeddict

import pytest
from django.test import Client

from expedite_client import Ask, InvalidInput, Problem, Terms, values
from expedite_client.asking import read_instant, read_rate

# Called otherwise than the server's serializer without its View or Row.
NAMES = {
    "LinkEvidence": "EvidenceRow", "Failures": "FailureRows", "PushWithPlan": "PushWithPlanView", "Stop": "StopView",
    "AllFailures": "FailuresView", "ApprovalGiven": "ApprovalRow", "Approval": "ApprovalView",
}  # fmt: skip


def typed() -> list[Any]:
    found = {}
    for module in pkgutil.iter_modules(values.__path__):
        for name, value in vars(importlib.import_module(f"{values.__name__}.{module.name}")).items():
            if is_typeddict(value):
                found[name] = value
    return list(found.values())


def test_the_types_are_those_of_the_schema() -> None:
    answer = Client().get("/api/schema/", headers={"accept": "application/vnd.oai.openapi+json"})
    schemas = json.loads(answer.content)["components"]["schemas"]
    rows = typed()
    assert len(rows) > 70
    for row in rows:
        names = [NAMES.get(row.__name__, ""), f"{row.__name__}View", row.__name__, f"{row.__name__}Row"]
        (schema, *_others) = [schemas[name] for name in names if "properties" in schemas.get(name, {})]
        wanted = {name: _nullable(what) for name, what in schema["properties"].items()}
        stated = {
            name: "None" in str(hint) or "Any" in str(hint) for name, hint in row.__annotations__.items()
        }
        assert stated.keys() == wanted.keys(), row.__name__
        assert {name for name in stated if wanted[name] and not stated[name]} == set(), row.__name__


def _nullable(what: dict[str, Any]) -> bool:
    kinds = what.get("type")
    either = [*what.get("oneOf", []), *what.get("anyOf", [])]
    nothing = {"type": "null"} in either or {"$ref": "#/components/schemas/NullEnum"} in either
    return nothing or (isinstance(kinds, list) and "null" in kinds)


@pytest.mark.parametrize(
    ("text", "bps"),
    [
        ("2M", 2_000_000), ("2.5M", 2_500_000), ("2000000", 2_000_000), ("64k", 64_000), ("64 kbit/s", 64_000),
        ("1G", 1_000_000_000), (" 0.5M ", 500_000), ("1.5k", 1_500),
    ],
)  # fmt: skip
def test_a_rate(text: str, bps: int) -> None:
    assert read_rate(text) == bps


@pytest.mark.parametrize(
    "text", ["", "0", "-1", "fast", "1.0001k", "2m", "1e6", "²", "2 M b", "9" * 40, "2M\n3"]
)
def test_no_rate(text: str) -> None:
    with pytest.raises(InvalidInput):
        read_rate(text)


def test_instants_have_their_offset() -> None:
    assert read_instant("2027-03-01T12:00:00+02:00", field="x").isoformat() == "2027-03-01T12:00:00+02:00"
    for text in ("2027-03-01", "2027-03-01T10:00:00", "20270301", "now", ""):
        with pytest.raises(InvalidInput, match="its offset from UTC"):
            read_instant(text, field="start")
    ask = Ask(
        source_link="a", rate_bps=1, bucket_bytes=1, source_prefixes=(), contact="", start="2027-03-01T10:00"
    )
    with pytest.raises(InvalidInput) as told:
        ask.to_json()
    assert told.value.field == "start"


def test_terms_say_what_is_given() -> None:
    assert Terms().to_json() == {}
    assert Terms(end=None).to_json() == {"end": None}
    assert Terms(rate_bps=1, source_prefixes=("a",)).to_json() == {"rate_bps": 1, "source_prefixes": ["a"]}


def test_a_problem_is_typed_whatever_was_said() -> None:
    told = Problem(
        400,
        {
            "code": "invalid-fields",
            "detail": "d",
            "errors": [{"pointer": "#/a/0", "reason": "r"}, {"parameter": "state"}],
        },
    )
    assert [(each.field, each.reason) for each in told.errors] == [("a.0", "r"), ("state", "")]
    for body in ({}, {"errors": "x"}, {"errors": [3]}, {"code": None, "detail": 7}):
        assert Problem(409, body).errors == () and Problem(409, body).code == "http-409"
