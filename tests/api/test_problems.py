"""Every error under /api/ is a problem (RFC 9457), whoever raises it."""

from __future__ import annotations

import datetime as dt
import json
from typing import Any

import pytest
from django.test import override_settings
from django.utils import timezone
from rest_framework.throttling import SimpleRateThrottle

from provisioning import errors
from provisioning.api import problem_types, problems
from provisioning.models import ApiToken
from provisioning.services import decisions, idempotency
from tests.api.conftest import Speaker, asked, expect

URL = "/api/v1/premium-requests/"


@pytest.mark.parametrize(
    "path", ["/api/", "/api/v1/", "/api/v2/nrens/", "/api/v1/nrens", "/api/v1/nrens/x/", "/api/v1/nrens/%00/"]
)
@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
def test_an_unknown_path_is_a_problem(path: str, method: str, db: None) -> None:
    assert expect(Speaker(None).send(method, path), 404)["code"] == "not-found"


def test_an_id_beyond_any_database_is_not_found(speakers: dict[str, Speaker]) -> None:
    for number in ("9" * 15, "9" * 40):
        speakers["noc"].get(f"{URL}{number}/", status=404)
        speakers["noc"].get(f"/api/v1/audit-events/{number}/", status=404)


def test_another_method_says_which_are_known(speakers: dict[str, Speaker]) -> None:
    response = speakers["noc"].send("DELETE", URL)
    assert expect(response, 405)["code"] == "method-not-allowed"
    assert {"GET", "POST"} <= set(response.headers["Allow"].split(", "))


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"{", "is not JSON"),
        (b"", "is not JSON"),
        (b"\xff\xfe", "is not JSON"),
        (b'{"rate_bps": NaN}', "NaN is not JSON"),
        (b'{"contact": "a", "contact": "b"}', "'contact' is given twice"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"rate_bps": ' + b"9" * 5000 + b"}", "is not JSON"),
    ],
)
def test_a_body_that_is_not_json_is_a_problem(speakers: dict[str, Speaker], body: bytes, reason: str) -> None:
    response = speakers["JANET"].send("POST", URL, body)
    answer = expect(response, 400)
    assert answer["code"] == "unreadable-body" or body == b""
    if body:
        assert reason in answer["detail"]


@pytest.mark.parametrize("body", [[], "text", 7, None])
def test_json_that_is_no_object_is_a_problem(speakers: dict[str, Speaker], body: Any) -> None:
    answer = speakers["JANET"].post(URL, json.dumps(body).encode(), status=400)
    assert answer["errors"]


def test_ten_megabytes_are_too_large(speakers: dict[str, Speaker]) -> None:
    answer = speakers["JANET"].post(URL, asked(reason="x" * 10_000_000), status=413)
    assert answer["code"] == "body-too-large"


def test_a_form_is_the_wrong_type(speakers: dict[str, Speaker]) -> None:
    response = speakers["JANET"].send("POST", URL, b"a=1", Content_Type="application/x-www-form-urlencoded")
    assert expect(response, 415)["code"] == "unsupported-media-type"


def test_only_json_is_spoken(speakers: dict[str, Speaker]) -> None:
    response = speakers["JANET"].send("GET", URL, Accept="text/html")
    assert expect(response, 406)["code"] == "not-acceptable"


def test_too_many_requests_say_when_to_come_back(
    speakers: dict[str, Speaker], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(SimpleRateThrottle, "get_rate", lambda self: "2/min")
    monkeypatch.setattr(SimpleRateThrottle, "timer", staticmethod(lambda: 4_000_000_000.0))
    statuses = [speakers["DFN"].send("GET", URL).status_code for _ in range(3)]
    assert statuses == [200, 200, 429]
    response = speakers["DFN"].send("GET", URL)
    assert expect(response, 429)["code"] == "too-many-requests"
    assert 0 < int(response.headers["Retry-After"]) <= 60


def test_what_nobody_anticipated_is_a_500_without_its_details(
    speakers: dict[str, Speaker], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(**_: Any) -> None:
        raise RuntimeError("the secret is 42")

    monkeypatch.setattr(decisions, "evidence", fail)
    answer = speakers["JANET"].post(URL, asked(), status=500)
    assert "42" not in json.dumps(answer)
    assert "unanticipated error in the API" in caplog.text


def test_a_refused_deed_is_logged(speakers: dict[str, Speaker], caplog: pytest.LogCaptureFixture) -> None:
    speakers["JANET"].get("/api/v1/routers/", 403)
    (line,) = [each.getMessage() for each in caplog.records if "refused" in each.getMessage()]
    assert all(said in line for said in ("janet", "127.0.0.1", "GET", "/api/v1/routers/", "backbone"))


def test_a_500_takes_the_deed_back(speakers: dict[str, Speaker], monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(**_: Any) -> None:
        raise RuntimeError("broken")

    monkeypatch.setattr(decisions, "evidence", fail)
    speakers["JANET"].post(URL, asked(), status=500, Idempotency_Key="k")
    assert speakers["JANET"].get(URL)["count"] == 0


@pytest.mark.parametrize(
    "header",
    ["Bearer", "Bearer x", "Bearer exp_a_b", "Bearer a b c", "Bearer exp_\xe9_x", "Basic YTpi", "Token x"],
)
def test_what_is_no_token_is_not_authenticated(speakers: dict[str, Speaker], header: str) -> None:
    response = Speaker(None).send("GET", URL, Authorization=header)
    assert expect(response, 401)["code"] == "not-authenticated"
    assert response.headers["WWW-Authenticate"].startswith("Bearer")


def test_a_token_ends_with_its_time_its_user_and_its_network(speakers: dict[str, Speaker]) -> None:
    speaker = speakers["DFN"]
    assert speaker.token is not None
    token = ApiToken.objects.get(prefix=speaker.token.split("_")[1])
    speaker.get(URL)
    token.refresh_from_db()
    assert token.last_used_at is not None
    assert speaker.token not in token.digest
    for change, back in (
        ({"expires_at": timezone.now() - dt.timedelta(seconds=1)}, {"expires_at": None}),
        ({"revoked_at": timezone.now()}, {"revoked_at": None}),
        ({"allowed_networks": ["192.0.2.0/24"]}, {"allowed_networks": ["127.0.0.0/8"]}),
    ):
        ApiToken.objects.filter(pk=token.pk).update(**change)
        speaker.get(URL, status=401)
        ApiToken.objects.filter(pk=token.pk).update(**back)
        speaker.get(URL)
    token.user.is_active = False
    token.user.save()
    speaker.get(URL, status=401)
    with override_settings(TOKEN_PEPPER="another"):
        speakers["JANET"].get(URL, status=401)


def test_every_code_is_described_and_has_its_page(db: None) -> None:
    def descendants(kind: type) -> set[type]:
        return {kind}.union(*(descendants(child) for child in kind.__subclasses__()))

    ours = {
        kind.code: kind.status
        for kind in descendants(errors.ExpediteError)
        if kind.__module__ == "provisioning.errors"
    }
    reaching = {code for code, status in ours.items() if status < 500} | {"error", "device-error"}
    known = (
        reaching
        | set(problems._CODES.values())
        | {problems.BodyTooLarge.default_code, idempotency.KeyReused.code}
    )
    assert known <= set(problem_types.TYPES)
    for code, (status, _) in problem_types.TYPES.items():
        page = Speaker(None).get(f"/api/problems/{code}/")
        assert (page["type"], page["status"]) == (f"/api/problems/{code}/", status)
    Speaker(None).get("/api/problems/no-such-code/", status=404)


@pytest.mark.parametrize("method", ["OPTIONS", "PUT", "DELETE"])
def test_the_page_of_the_description_answers_other_methods_with_json(method: str, db: None) -> None:
    response = Speaker(None).send(method, "/api/docs/")
    assert response.status_code == (200 if method == "OPTIONS" else 405)
    assert "json" in response.headers["Content-Type"] and response.json()


def test_the_answer_to_very_many_unknown_members_is_short(speakers: dict[str, Speaker]) -> None:
    body = {f"x{number}": 1 for number in range(20_000)}
    response = speakers["JANET"].send("POST", URL, body)
    problem = expect(response, 400)
    assert len(problem["errors"]) == problems.MOST_ERRORS
    assert f"The first {problems.MOST_ERRORS} of 20" in problem["detail"]
    assert len(response.content) < 20_000
