"""A token is rotated and the answer with the new text never arrives: what a client does then, and what becomes of it."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from inventory.models import Nren
from provisioning.errors import Conflict
from provisioning.models import SYSTEM, ApiToken, AuditEvent
from provisioning.services import tokens
from tests.api.conftest import Speaker

URL = "/api/v1/tokens/"
END = timezone.now().replace(microsecond=0) + timedelta(days=90)


@pytest.fixture
def mine(speakers: dict[str, Speaker]) -> tuple[ApiToken, Speaker]:
    """A token of JANET with an end, and who speaks with it."""
    user, nren = User.objects.get(username="janet"), Nren.objects.get(name="JANET")
    row, text = tokens.issue(actor=SYSTEM, user=user, nren=nren, name="script", expires_at=END)
    return row, Speaker(text)


def rotated(who: Speaker, pk: int, status: int = 201, **more: Any) -> Any:
    return who.post(f"{URL}{pk}/rotate/", {"reason": "weekly", "overlap_hours": 1, **more}, status)


def test_the_next_rotation_names_the_lost_one_and_revokes_it(mine: tuple[ApiToken, Speaker]) -> None:
    row, old = mine
    orphan = rotated(old, row.pk)
    seen = old.get(f"{URL}{orphan['id']}/")
    assert (seen["state"], seen["last_used_at"], seen["replaces"]) == ("live", None, row.pk), (
        "it can be found"
    )
    refused = rotated(old, row.pk, 409)
    assert f"lost: {orphan['id']}" in refused["detail"] and "never used" in refused["detail"]
    until = ApiToken.objects.get(pk=row.pk).expires_at
    made = rotated(old, row.pk, lost=orphan["id"], overlap_hours=100)
    assert old.get(f"{URL}{orphan['id']}/")["state"] == "revoked"
    assert Speaker(orphan["text"]).get(URL, 401)
    new = Speaker(made["text"])
    # It is as the first was to be: not the end of the overlap, but that of the token.
    assert new.get(f"{URL}{made['id']}/")["expires_at"] == END.isoformat().replace("+00:00", "Z")
    assert ApiToken.objects.get(pk=row.pk).expires_at == until, "the old one ends as was said at first"
    event = AuditEvent.objects.get(action="token.revoke", object_id=str(orphan["id"]))
    assert "lost" in event.reason and "weekly" in event.reason


def test_a_repeated_key_tells_what_to_name(mine: tuple[ApiToken, Speaker]) -> None:
    row, old = mine
    body = {"reason": "weekly", "overlap_hours": 1}
    old.post(f"{URL}{row.pk}/rotate/", body, Idempotency_Key="k")
    again = old.post(f"{URL}{row.pk}/rotate/", body, Idempotency_Key="k")
    assert again["text"] is None
    made = old.post(f"{URL}{row.pk}/rotate/", {**body, "lost": again["id"]}, Idempotency_Key="k2")
    assert Speaker(made["text"]).get(URL)
    live = ApiToken.objects.filter(replaces=row, revoked_at=None)
    assert [each.pk for each in live] == [made["id"]]


def test_what_was_used_is_not_lost(mine: tuple[ApiToken, Speaker]) -> None:
    row, old = mine
    made = rotated(old, row.pk)
    Speaker(made["text"]).get(URL)
    assert "in use" in rotated(old, row.pk, 409, lost=made["id"])["detail"]
    assert Speaker(made["text"]).get(URL)


@pytest.mark.parametrize("wrong", ["itself", "unknown", "a stranger's", "gone"])
def test_what_is_no_successor_is_named(wrong: str, mine: tuple[ApiToken, Speaker]) -> None:
    row, old = mine
    lost = {
        "itself": row.pk,
        "unknown": 10**15,
        "a stranger's": ApiToken.objects.get(user__username="dfn").pk,
        "gone": row.pk,
    }[wrong]
    if wrong == "gone":
        lost = rotated(old, row.pk)["id"]
        old.post(f"{URL}{lost}/revoke/", {"reason": "lost"}, 200)
    refused = rotated(old, row.pk, 400, lost=lost)
    assert [each["pointer"] for each in refused["errors"]] == ["#/lost"]
    assert ApiToken.objects.filter(user__username="dfn", revoked_at=None).exists()


def test_after_the_lost_one_was_revoked_by_hand_its_successor_has_the_end_of_the_token(
    mine: tuple[ApiToken, Speaker],
) -> None:
    row, old = mine
    orphan = rotated(old, row.pk)
    old.post(f"{URL}{orphan['id']}/revoke/", {"reason": "lost"}, 200)
    made = rotated(old, row.pk)
    assert made["expires_at"] == END.isoformat().replace("+00:00", "Z")


def test_a_lost_one_issues_nothing_that_stays(mine: tuple[ApiToken, Speaker]) -> None:
    """Whoever read the lost answer may have been quicker: what they made of it goes with it."""
    row, old = mine
    orphan = rotated(old, row.pk)
    behind, _text = tokens.issue(
        actor=SYSTEM,
        user=row.user,
        nren=row.nren,
        name="behind",
        expires_at=END,
        using=ApiToken.objects.get(pk=orphan["id"]),
    )
    rotated(old, row.pk, lost=orphan["id"])
    assert ApiToken.objects.get(pk=behind.pk).revoked_at is not None


def test_without_an_overlap_nothing_is_left_to_rotate_with(mine: tuple[ApiToken, Speaker]) -> None:
    row, old = mine
    orphan = rotated(old, row.pk, overlap_hours=0)
    rotated(old, row.pk, 401, lost=orphan["id"])
    with pytest.raises(Conflict, match="ended"):
        tokens.rotate(actor=SYSTEM, token=row, reason="weekly", lost=orphan["id"])
    # A person rotates the lost one itself: it is in the list of tokens.
    made, text = tokens.rotate(actor=SYSTEM, token=ApiToken.objects.get(pk=orphan["id"]), reason="lost")
    assert made.expires_at == END and Speaker(text).get(URL)
