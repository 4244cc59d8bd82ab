"""What somebody with a token, or without one, tries against the API."""

from __future__ import annotations

import json

import pytest
from django.core.cache import cache
from django.test import Client
from rest_framework.throttling import SimpleRateThrottle

from provisioning.models import ApiToken
from provisioning.services.attempts import ATTEMPTS
from tests.api.conftest import Speaker, asked

URL = "/api/v1/premium-requests/"


@pytest.mark.parametrize("body", ({"\ud800": 1}, asked(direction="\udfff"), {"a\udc00" * 40: {}}))
def test_half_a_surrogate_pair_is_refused_wherever_it_stands(
    speakers: dict[str, Speaker], body: object
) -> None:
    assert speakers["JANET"].post(URL, body, status=400)["code"] == "invalid-fields"


@pytest.mark.parametrize("size", ("0000010000", "000200000", "201", "²", "-1"))
def test_no_spelling_of_a_page_size_gets_more_than_two_hundred(
    speakers: dict[str, Speaker], size: str
) -> None:
    speakers["JANET"].get(f"{URL}?page_size={size}", status=400)


def test_guessing_at_a_token_comes_to_rest_and_shuts_out_nobody_else(speakers: dict[str, Speaker]) -> None:
    cache.clear()
    known = ApiToken.objects.get(user__username="janet", name="t")
    for number in range(ATTEMPTS):
        guesser = Speaker(f"exp_{known.prefix}_guess_{number}_x")  # secrets hold underscores, too
        guesser.get(URL, status=401)
    answer = guesser.send("GET", URL, X_Forwarded_For="192.0.2.1")
    assert answer.status_code == 429 and int(answer.headers["Retry-After"]) > 0
    assert json.loads(answer.content)["code"] == "too-many-requests"
    speakers["GRNET"].get(URL)
    speakers["JANET"].client = Client(REMOTE_ADDR="192.0.2.9")
    speakers["JANET"].get(URL)
    cache.clear()


def test_no_header_makes_another_client(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    cache.clear()
    monkeypatch.setattr(SimpleRateThrottle, "get_rate", lambda self: "2/min")
    answers = [
        Client().get("/api/problems/error/", headers={"X-Forwarded-For": f"192.0.2.{number}"}).status_code
        for number in range(4)
    ]
    assert answers.count(429) == 2
    cache.clear()


def test_a_foreign_host_name_is_refused_without_a_fault(db: None) -> None:
    answer = Client(raise_request_exception=False).get("/", headers={"Host": "evil.example"})
    assert answer.status_code == 400 and b"evil.example" not in answer.content
