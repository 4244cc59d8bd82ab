"""People in the browser: an administrator's, and nobody else's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from inventory.models import Nren
from provisioning.errors import InvalidFields, InvalidInput, NotPermitted
from provisioning.models import SYSTEM, AuditEvent, Role
from provisioning.services import accounts, people, tokens
from tests.web.text import page_text
from tests.web.world import World


@pytest.fixture
def ada(world: World) -> Client:
    user = people.put_person(actor=SYSTEM, username="ada", roles=[Role.ADMINISTRATOR])
    client = Client()
    client.force_login(user)
    return client


def fields(answer: Any) -> dict[str, Any]:
    return {
        bound.html_name: bound.value() for bound in answer.context["form"] if bound.value() not in (None, "")
    }


def test_a_list_that_filters(ada: Client, world: World) -> None:
    text = page_text(ada.get(reverse("web:people")))
    assert "jane" in text and "nora" in text
    janet = Nren.objects.get(name="JANET").pk
    text = page_text(ada.get(f"{reverse('web:people')}?nren={janet}"))
    assert ">jane<" in text and ">nora<" not in text


def test_roles_are_given_with_a_reason_and_the_log_says_so(ada: Client, world: World) -> None:
    jane = world.users["jane"]
    url = reverse("web:person-edit", args=[jane.pk])
    sent = {**fields(ada.get(url)), "email": "jane@example.org", "full_name": "Jane", "reason": "She asked"}
    answer = ada.post(url, sent, follow=True)
    assert "is edited" in page_text(answer)
    assert "She asked" in page_text(answer)
    event = AuditEvent.objects.get(action="person.edit")
    assert event.before == {"full_name": "", "email": ""}
    assert event.after == {"full_name": "Jane", "email": "jane@example.org"}
    both = {**fields(ada.get(url)), "roles": ["auditor", "noc-approver"], "reason": "all of it"}
    assert "not given together" in page_text(ada.post(url, both))


def test_two_administrators_on_one_person(ada: Client, world: World) -> None:
    jane = world.users["jane"]
    url = reverse("web:person-edit", args=[jane.pk])
    read = fields(ada.get(url))
    people.put_person(actor=SYSTEM, username="jane", email="other@example.org")
    late = ada.post(url, {**read, "full_name": "Jane", "reason": "x"})
    assert late.status_code == 409
    assert "other@example.org" in page_text(late)
    assert User.objects.get(pk=jane.pk).first_name == ""
    again = ada.post(url, {**fields(late), "email": "other@example.org"}, follow=True)
    assert "is edited" in page_text(again)


def test_a_closed_account_is_out_at_once(ada: Client, world: World, as_user: Callable[[str], Client]) -> None:
    jane, browser = world.users["jane"], as_user("jane")
    token, text = tokens.issue(actor=world.actor("jane"), user=jane, nren=None, name="script")
    speaks = Client(headers={"Authorization": f"Bearer {text}"})
    assert speaks.get("/api/v1/premium-requests/").status_code == 200
    answer = ada.post(
        reverse("web:person-close", args=[jane.pk]), {"deed": "close", "reason": "She left"}, follow=True
    )
    assert "1 token revoked" in page_text(answer)
    assert browser.get(reverse("web:my-requests")).status_code == 302
    assert speaks.get("/api/v1/premium-requests/").status_code == 401
    token.refresh_from_db()
    assert token.revoked_at is not None
    ada.post(reverse("web:person-close", args=[jane.pk]), {"deed": "close", "reason": "She left"})
    jane.refresh_from_db()
    assert not jane.is_active, "the same form sent twice opens nothing"
    ada.post(reverse("web:person-close", args=[jane.pk]), {"deed": "open", "reason": "She is back"})
    jane.refresh_from_db()
    assert jane.is_active
    assert {
        event.action for event in AuditEvent.objects.filter(object_type="User", object_id=str(jane.pk))
    } >= {
        "person.close",
        "person.open",
    }


def test_a_password_is_shown_once_and_ends_sessions(
    ada: Client, world: World, as_user: Callable[[str], Client]
) -> None:
    jane, browser = world.users["jane"], as_user("jane")
    answer = ada.post(reverse("web:person-password", args=[jane.pk]), {"reason": "forgotten"})
    text = answer.context["text"]
    assert text in answer.content.decode()
    assert answer["Cache-Control"] == "private, no-store"
    jane.refresh_from_db()
    assert jane.check_password(text)
    assert browser.get(reverse("web:my-requests")).status_code == 302
    event = AuditEvent.objects.filter(action="person.put", object_id=str(jane.pk)).order_by("-sequence")[0]
    assert event.after["password"] == "replaced"
    assert event.reason == "forgotten"
    assert text not in str(event.after)


def test_a_password_drawn_by_another_is_replaced_before_anything_else(ada: Client, world: World) -> None:
    nora = world.users["nora"]
    answer = ada.post(reverse("web:person-password", args=[nora.pk]), {"reason": "forgotten"})
    drawn = answer.context["text"]
    browser, own = Client(), "a horse of another colour"
    browser.post(reverse("web:sign-in"), {"username": "nora", "password": drawn})
    change = reverse("account_change_password")
    for page in (reverse("web:home"), reverse("web:queue"), reverse("web:me")):
        assert browser.get(page).headers["Location"] == change
    part = browser.get(reverse("web:queue"), headers={"HX-Request": "true"})
    assert part.headers["HX-Redirect"] == change
    assert browser.post(reverse("web:requests")).headers["Location"] == change, "no deed either"
    assert "drawn by an administrator" in page_text(browser.get(change))
    same = browser.post(change, {"oldpassword": drawn, "password1": drawn, "password2": drawn})
    assert "This is the password that you have" in page_text(same), "who drew it would know it still"
    assert browser.get(reverse("web:queue")).headers["Location"] == change
    browser.post(change, {"oldpassword": drawn, "password1": own, "password2": own})
    assert browser.get(reverse("web:queue")).status_code == 200
    again = Client()
    again.post(reverse("web:sign-in"), {"username": "nora", "password": own})
    assert again.get(reverse("web:queue")).status_code == 200


def test_nobody_locks_themselves_out(ada: Client, world: World) -> None:
    me = User.objects.get(username="ada")
    actor = people.actor_for(me, via=world.actor("nora").via)
    with pytest.raises(NotPermitted, match="themselves"):
        accounts.edit_person(actor=actor, user=me, full_name="", email="", roles=[], nrens=[], reason="x")
    with pytest.raises(NotPermitted, match="own account"):
        accounts.close_account(actor=actor, user=me, reason="x")
    with pytest.raises(InvalidFields, match="mail address"):
        accounts.edit_person(
            actor=actor, user=world.users["jane"], full_name="", email="jane", roles=[], nrens=[], reason="x"
        )
    with pytest.raises(NotPermitted, match="may do themselves"):
        accounts.edit_person(
            actor=actor,
            user=me,
            full_name="",
            email="",
            roles=[*actor.roles, Role.OPERATOR],
            nrens=[],
            reason="x",
        )
    with pytest.raises(NotPermitted, match="by the old one"):
        accounts.give_password(actor=actor, user=me, reason="x")
    with pytest.raises(NotPermitted):
        accounts.give_password(actor=world.actor("nora"), user=me, reason="x")
    accounts.close_account(actor=actor, user=world.users["jane"], reason="x")
    with pytest.raises(InvalidInput, match="closed"):
        accounts.give_password(actor=actor, user=User.objects.get(username="jane"), reason="x")


@pytest.mark.parametrize("deed", ("edit", "close"))
def test_of_two_administrators_who_end_each_other_at_once_one_stays(
    world: World, deed: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    via = world.actor("nora").via
    for name in ("ada", "adam"):
        people.put_person(actor=SYSTEM, username=name, roles=[Role.ADMINISTRATOR])
    actors = {name: people.actor_for(User.objects.get(username=name), via=via) for name in ("ada", "adam")}

    def end(by: str, whom: str) -> None:
        user = User.objects.get(username=whom)
        if deed == "close":
            accounts.close_account(actor=actors[by], user=user, reason="x")
        else:
            accounts.edit_person(
                actor=actors[by], user=user, full_name="", email="", roles=[], nrens=[], reason="x"
            )

    end("ada", "adam")
    with pytest.raises(NotPermitted):
        end("adam", "ada")  # read as an administrator, before the other one was faster
    with pytest.raises(NotPermitted):
        accounts.open_account(actor=actors["adam"], user=world.users["jane"], reason="x")
    left = User.objects.filter(is_active=True, groups__name=Role.ADMINISTRATOR)
    assert [each.username for each in left] == ["ada"]
    assert not AuditEvent.objects.filter(object_label="ada", actor="adam").exists()
    # Whoever may, may not leave nobody who does; one of two goes.
    monkeypatch.setattr(accounts, "permit", lambda *_: None)
    actors["niels"] = world.actor("niels")
    with pytest.raises(InvalidInput, match="nobody would be an administrator"):
        end("niels", "ada")
    people.put_person(actor=SYSTEM, username="eve", roles=[Role.ADMINISTRATOR])
    end("niels", "ada")
    assert [each.username for each in left.all()] == ["eve"]


def test_a_name_that_is_taken(ada: Client, world: World) -> None:
    answer = ada.post(reverse("web:person-new"), {"username": "jane"})
    assert "already" in page_text(answer)
