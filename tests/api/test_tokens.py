"""Tokens through the API: issued, listed, rotated, revoked; by a token never with more than it has (issue 11, row 4)."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from inventory.models import Nren
from provisioning.models import SYSTEM, ApiToken, AuditEvent, IdempotencyKey, Role
from provisioning.services import people, tokens
from tests.api.conftest import Speaker

URL = "/api/v1/tokens/"


def administrator() -> Speaker:
    user = people.put_person(actor=SYSTEM, username="adam", roles=[Role.ADMINISTRATOR])
    return Speaker(tokens.issue(actor=SYSTEM, user=user, nren=None, name="t")[1])


def pointers(problem: dict[str, object]) -> set[str]:
    return {each["pointer"] for each in problem["errors"]}  # type: ignore[index]


def test_a_token_is_issued_used_rotated_and_revoked(speakers: dict[str, Speaker]) -> None:
    janet = speakers["JANET"]
    until = (timezone.now() + timedelta(days=30)).replace(microsecond=0)
    made = janet.post(
        URL,
        {
            "name": "script",
            "scopes": ["read"],
            "expires_at": until.isoformat(),
            "allowed_networks": ["127.0.0.0/8"],
        },
    )
    assert (made["user"], made["state"], made["scopes"]) == ("janet", "live", ["read"])
    assert made["nren"] == Nren.objects.get(name="JANET").pk and made["text"].startswith(
        f"exp_{made['prefix']}_"
    )
    script = Speaker(made["text"])
    script.get(URL)
    script.post(URL, {"name": "more"}, 403)
    one = f"{URL}{made['id']}/"
    assert "text" not in janet.get(one) and made["text"] not in str(janet.get(URL))
    janet.post(f"{one}rotate/", {"reason": "x"}, 403)
    revoked = janet.post(f"{one}revoke/", {"reason": "leaked"}, 200)
    assert revoked["state"] == "revoked"
    script.get(URL, 401)
    assert AuditEvent.objects.get(action="token.revoke").reason == "leaked"


def test_a_token_rotates_itself(speakers: dict[str, Speaker]) -> None:
    old = speakers["JANET"]
    mine = ApiToken.objects.get(user__username="janet", name="t")
    made = old.post(f"{URL}{mine.pk}/rotate/", {"reason": "weekly", "overlap_hours": 2})
    new = Speaker(made["text"])
    assert made["replaces"] == mine.pk and new.get(f"{URL}{mine.pk}/")["state"] == "expires-soon"
    old.post(f"{URL}{mine.pk}/rotate/", {"reason": "again"}, 409)
    made = new.post(f"{URL}{made['id']}/rotate/", {"reason": "at once"})
    new.get(URL, 401)
    assert Speaker(made["text"]).get(f"{URL}{made['replaces']}/")["state"] == "rotated"


@pytest.mark.parametrize("deed", ["", "rotate/"])
def test_a_repeated_request_does_it_once_and_the_text_is_not_kept(
    speakers: dict[str, Speaker], deed: str
) -> None:
    janet = speakers["JANET"]
    mine = ApiToken.objects.get(user__username="janet", name="t")
    path = f"{URL}{mine.pk}/{deed}" if deed else URL
    body = {"reason": "weekly", "overlap_hours": 1} if deed else {"name": "script"}
    first = janet.post(path, body, Idempotency_Key="k")
    again = janet.post(path, body, Idempotency_Key="k")
    assert first["text"] and again == first | {"text": None}
    kept = [list(model.objects.values()) for model in (IdempotencyKey, ApiToken, AuditEvent)]
    assert first["text"].split("_", 2)[2] not in str(kept)
    assert ApiToken.objects.filter(user__username="janet").count() == 3


@pytest.mark.parametrize(
    ("body", "wrong"),
    [
        ({}, "#/name"),
        ({"name": ""}, "#/name"),
        ({"name": "x", "scopes": []}, "#/scopes"),
        ({"name": "x", "scopes": ["admin"]}, "#/scopes/0"),
        ({"name": "x", "expires_at": "2001-01-01T00:00:00Z"}, "#/expires_at"),
        ({"name": "x", "allowed_networks": ["192.0.2.1/24"]}, "#/allowed_networks"),
        ({"name": "x", "nren": None}, "#/nren"),
        ({"name": "x", "nren": 0}, "#/nren"),
        ({"name": "x", "digest": "0"}, "#/digest"),
    ],
)
def test_what_is_wrong_is_named(speakers: dict[str, Speaker], body: dict[str, object], wrong: str) -> None:
    before = ApiToken.objects.count()
    assert wrong in {each.rstrip("/") for each in pointers(speakers["JANET"].post(URL, body, 400))}
    assert ApiToken.objects.count() == before


def test_only_an_administrator_issues_for_others_and_sees_them(speakers: dict[str, Speaker]) -> None:
    for role in ("JANET", "noc", "auditor"):
        for name in ("grnet", "nobody"):
            speakers[role].post(URL, {"name": "x", "user": name}, 403)
    adam = administrator()
    assert pointers(adam.post(URL, {"name": "x", "user": "nobody"}, 400)) == {"#/user"}
    made = adam.post(URL, {"name": "x", "user": "the-auditor", "scopes": ["read"]})
    assert Speaker(made["text"]).get("/api/v1/routers/")["count"] > 0
    assert {row["user"] for row in adam.get(f"{URL}?user=janet")["results"]} == {"janet"}
    assert {row["nren"] for row in adam.get(f"{URL}?nren=JANET")["results"]} == {
        Nren.objects.get(name="JANET").pk
    }
    assert adam.get(f"{URL}?live=false")["count"] == 0
    adam.post(f"{URL}{made['id']}/revoke/", {"reason": "x"}, 200)
    assert [row["id"] for row in adam.get(f"{URL}?live=false")["results"]] == [made["id"]]
    assert speakers["noc"].get(URL)["count"] == 1


def test_a_token_of_an_nren_sees_nothing_of_its_users_others(speakers: dict[str, Speaker]) -> None:
    user = User.objects.get(username="janet")
    wide, _ = tokens.issue(actor=SYSTEM, user=user, nren=None, name="wide")
    speakers["JANET"].get(f"{URL}{wide.pk}/", 404)
    speakers["JANET"].post(f"{URL}{wide.pk}/revoke/", {"reason": "x"}, 404)
    assert wide.pk not in [row["id"] for row in speakers["JANET"].get(URL)["results"]]


def test_a_hundred_tokens_cost_a_list_no_query_more(
    speakers: dict[str, Speaker], django_assert_max_num_queries: object
) -> None:
    user = User.objects.get(username="janet")
    janet = Nren.objects.get(name="JANET")
    ApiToken.objects.bulk_create(
        ApiToken(user=user, nren=janet, name=f"n{n}", prefix=f"p{n}", digest="0", scopes=["read"])
        for n in range(300)
    )
    with django_assert_max_num_queries(10):  # type: ignore[operator]
        assert len(speakers["JANET"].get(f"{URL}?page_size=200")["results"]) == 200
