"""How long a token may live, and how many a person or an NREN may have (TOKEN_LONGEST_DAYS, TOKENS_MOST)."""

from __future__ import annotations

import threading
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.utils import timezone

from inventory.models import Nren
from provisioning.errors import InvalidInput
from provisioning.models import SYSTEM, ApiToken
from provisioning.services import people, tokens
from tests.api.conftest import Speaker

URL = "/api/v1/tokens/"


def issued(**more: Any) -> ApiToken:
    user, nren = User.objects.get(username="janet"), Nren.objects.get(name="JANET")
    return tokens.issue(**{"actor": SYSTEM, "user": user, "nren": nren, "name": "x", **more})[0]


def days(end: datetime | None) -> float:
    assert end is not None
    return (end - timezone.now()) / timedelta(days=1)


def test_a_token_ends_when_the_setting_says_at_the_latest(
    speakers: dict[str, Speaker], settings: Any
) -> None:
    settings.TOKEN_LONGEST_DAYS = 30
    janet = speakers["JANET"]
    made = janet.post(URL, {"name": "script"})
    assert 29.9 < days(datetime.fromisoformat(made["expires_at"])) <= 30
    soon = (timezone.now() + timedelta(days=29)).isoformat()
    janet.post(URL, {"name": "script", "expires_at": soon})
    late = (timezone.now() + timedelta(days=31)).isoformat()
    refused = janet.post(URL, {"name": "script", "expires_at": late}, 400)
    assert [each["pointer"] for each in refused["errors"]] == ["#/expires_at"]
    assert "30 days" in refused["errors"][0]["reason"]
    assert 29.9 < days(issued().expires_at) <= 30


def test_rotating_makes_no_token_longer(speakers: dict[str, Speaker], settings: Any) -> None:
    endless, brief = issued(), issued(expires_at=timezone.now() + timedelta(days=3))
    settings.TOKEN_LONGEST_DAYS = 30
    made = [tokens.rotate(actor=SYSTEM, token=each, reason="r")[0] for each in (endless, brief)]
    assert 29.9 < days(made[0].expires_at) <= 30 and made[1].expires_at == brief.expires_at


def test_without_the_setting_a_token_does_not_end(speakers: dict[str, Speaker]) -> None:
    assert issued().expires_at is None
    assert speakers["JANET"].post(URL, {"name": "script"})["expires_at"] is None


def test_a_person_has_so_many_and_no_more(speakers: dict[str, Speaker], settings: Any) -> None:
    user = people.put_person(actor=SYSTEM, username="many", nrens=list(Nren.objects.filter(name="JANET")))
    settings.TOKENS_MOST = 3
    _first, text = tokens.issue(actor=SYSTEM, user=user, nren=None, name="1")
    second = issued(user=user, nren=None)
    ended = issued(user=user, nren=None, expires_at=timezone.now() + timedelta(hours=1))
    with pytest.raises(InvalidInput, match="3 tokens") as refused:
        issued(user=user, nren=None)
    assert refused.value.field == "user"
    assert Speaker(text).post(URL, {"name": "x"}, 400)["errors"][0]["pointer"] == "#/user"
    # Rotating is always possible, also with an overlap, in which both can be used.
    successor, _ = tokens.rotate(actor=SYSTEM, token=second, reason="r", overlap=timedelta(hours=1))
    with pytest.raises(InvalidInput):
        issued(user=user, nren=None)
    # What has ended, or was revoked, is not counted.
    ApiToken.objects.filter(pk=ended.pk).update(expires_at=timezone.now() - timedelta(hours=1))
    issued(user=user, nren=None)
    tokens.revoke(actor=SYSTEM, token=successor, reason="r")
    assert ApiToken.objects.get(pk=second.pk).is_live(timezone.now()), "the old one is in its overlap"
    with pytest.raises(InvalidInput):
        issued(user=user, nren=None)
    tokens.revoke(actor=SYSTEM, token=second, reason="r")
    issued(user=user, nren=None)
    settings.TOKENS_MOST = 0
    issued(user=user, nren=None)


def test_an_nren_has_so_many_and_no_more(speakers: dict[str, Speaker], settings: Any) -> None:
    janet = Nren.objects.get(name="JANET")
    settings.TOKENS_MOST = ApiToken.objects.filter(nren=janet).count() + 1
    people_of = [people.put_person(actor=SYSTEM, username=f"m{n}", nrens=[janet]) for n in range(2)]
    issued(user=people_of[0])
    with pytest.raises(InvalidInput, match="JANET has") as refused:
        issued(user=people_of[1])
    assert refused.value.field == "nren"
    issued(user=people_of[1], nren=None)


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_of_many_at_once_no_more_are_issued_than_may_be(
    postgres: None, speakers: dict[str, Speaker], settings: Any
) -> None:
    settings.TOKENS_MOST = 5
    user = people.put_person(actor=SYSTEM, username="many")
    refused: list[InvalidInput] = []
    together = threading.Barrier(8)

    def issue() -> None:
        try:
            together.wait(30)
            issued(user=user, nren=None)
        except InvalidInput as error:
            refused.append(error)
        finally:
            connection.close()

    workers = [threading.Thread(target=issue) for _ in range(8)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
    assert ApiToken.objects.filter(user=user).count() == 5 and len(refused) == 3
