"""The pages of tokens: a secret is shown once, states are words, and each person sees their own (issue 11, row 4)."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from inventory.models import Nren
from provisioning.errors import NotPermitted
from provisioning.models import SYSTEM, ApiToken, AuditEvent, Role
from provisioning.services import people, tokens
from tests.web.text import page_text
from tests.web.world import World

NEW = {"name": "nightly report", "scope": "read", "expires": "90", "last_day": "", "networks": "", "nren": ""}


def secret_in(answer: object) -> str:
    (found,) = set(re.findall(r"exp_[0-9a-f]{12}_[\w-]{43}", answer.content.decode()))  # type: ignore[attr-defined]
    return found


def test_a_token_is_issued_on_a_page_and_its_secret_shown_once(
    world: World, as_user: Callable[[str], Client], caplog: pytest.LogCaptureFixture
) -> None:
    janet = Nren.objects.get(name="JANET")
    jane = as_user("jane")
    answer = jane.post("/tokens/new/", NEW | {"nren": janet.pk, "networks": "192.0.2.0/24\n2001:db8::/32"})
    text = secret_in(answer)
    assert answer["Cache-Control"] == "private, no-store"
    token = tokens.authenticate(text=text, address="192.0.2.1")
    assert (token.name, token.scopes, token.nren) == ("nightly report", ["read"], janet)
    assert token.allowed_networks == ["192.0.2.0/24", "2001:db8::/32"]
    assert abs(token.expires_at - timezone.now() - timedelta(days=90)) < timedelta(minutes=1)
    with pytest.raises(NotPermitted):
        tokens.authenticate(text=text, address="203.0.113.1")
    hidden = text.split("_", 2)[2]
    for path in ("/tokens/", f"/tokens/{token.pk}/rotate/", f"/tokens/{token.pk}/revoke/"):
        assert hidden not in jane.get(path).content.decode()
    kept = [list(ApiToken.objects.values()), list(AuditEvent.objects.values())]
    assert hidden not in str(kept) + caplog.text + str(dict(jane.session.items())) + str(jane.cookies)


def test_it_is_rotated_and_revoked_with_a_reason(world: World, as_user: Callable[[str], Client]) -> None:
    jane = as_user("jane")
    old = secret_in(jane.post("/tokens/new/", NEW))
    row = ApiToken.objects.get(name="nightly report")
    assert "Say why" in page_text(jane.post(f"/tokens/{row.pk}/rotate/", {"overlap": "0", "reason": ""}))
    new = secret_in(jane.post(f"/tokens/{row.pk}/rotate/", {"overlap": "0", "reason": "weekly"}))
    with pytest.raises(NotPermitted):
        tokens.authenticate(text=old, address=None)
    made = tokens.authenticate(text=new, address=None)
    assert "It was rotated" in page_text(jane.post(f"/tokens/{row.pk}/revoke/", {"reason": "leaked"}))
    again = jane.post(f"/tokens/{made.pk}/revoke/", {"reason": "leaked"}, follow=True)
    assert "nightly report is revoked." in page_text(again)
    with pytest.raises(NotPermitted):
        tokens.authenticate(text=new, address=None)
    reasons = AuditEvent.objects.filter(action__in=("token.rotate", "token.revoke")).values_list(
        "reason", flat=True
    )
    assert sorted(reasons) == ["leaked", "weekly"]


def test_states_are_said_in_words(world: World, as_user: Callable[[str], Client]) -> None:
    now, user = timezone.now(), world.users["jane"]
    for name, end, revoked in (
        ("a", None, None), ("b", now + timedelta(days=3), None), ("c", now - timedelta(days=3), None), ("d", None, now),
    ):  # fmt: skip
        token, _ = tokens.issue(actor=SYSTEM, user=user, nren=None, name=name)
        ApiToken.objects.filter(pk=token.pk).update(expires_at=end, revoked_at=revoked)
    shown = page_text(as_user("jane").get("/tokens/"))
    for word in ("Live", "Expires soon", "Expired", "Revoked", "never expires", "Last used"):
        assert word in shown, word
    live = page_text(as_user("jane").get("/tokens/?state=live"))
    assert "Expires soon" in live and "Revoked" not in live
    assert "invalid name" not in shown
    assert "No token yet." in page_text(as_user("giorgos").get("/tokens/"))


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"name": ""}, "Say what uses it."),
        ({"networks": "192.0.2.1/24"}, "Not a network"),
        ({"expires": "day"}, "Say on which day"),
        ({"expires": "day", "last_day": "2001-01-01"}, "lies in the past"),
        ({"expires": "30", "last_day": "2099-01-01"}, "Choose the day below"),
        ({"nren": "999"}, "valid choice"),
    ],
)
def test_what_is_wrong_stands_at_its_field(
    world: World, as_user: Callable[[str], Client], wrong: dict[str, str], told: str
) -> None:
    answer = as_user("jane").post("/tokens/new/", NEW | wrong)
    assert told.lower() in page_text(answer).lower() and "No token was issued." in page_text(answer)
    assert not ApiToken.objects.filter(name="nightly report").exists()


def test_an_administrator_issues_for_others_and_finds_every_token(
    world: World, as_user: Callable[[str], Client], client: Client
) -> None:
    client.force_login(people.put_person(actor=SYSTEM, username="adam", roles=[Role.ADMINISTRATOR]))
    text = secret_in(client.post("/tokens/new/", NEW | {"person": "audrey", "expires": "never"}))
    token = tokens.authenticate(text=text, address=None)
    assert (token.user.get_username(), token.issued_by.get_username()) == ("audrey", "adam")
    assert "nightly report" in page_text(client.get("/tokens/?q=audrey"))
    assert "nightly report" not in page_text(client.get("/tokens/?q=giorgos"))
    assert (
        "there is no such user" in page_text(client.post("/tokens/new/", NEW | {"person": "nobody"})).lower()
    )
    # Who is no administrator has no such field, and a word in it changes nothing.
    as_user("jane").post("/tokens/new/", NEW | {"name": "mine", "person": "audrey"})
    assert ApiToken.objects.get(name="mine").user == world.users["jane"]
    assert "Tokens" in page_text(client.get("/queue/"))
