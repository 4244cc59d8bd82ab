"""One's own account: sessions listed and ended, another password, addresses that are there for whoever is signed in."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from allauth.socialaccount.models import SocialAccount
from allauth.usersessions.models import UserSession
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.core.cache import cache
from django.core.exceptions import ValidationError
from django.core.management import call_command
from django.test import Client, RequestFactory
from django.utils import timezone

from provisioning.models import SYSTEM, AuditEvent
from provisioning.selectors.identity import provider_key
from provisioning.services import identity, people, retention
from provisioning.web.identity import urls
from provisioning.web.identity.accounts import AccountAdapter
from provisioning.web.spelling import browser_name
from tests.web.test_session import sign_in
from tests.web.text import page_text
from tests.web.world import PASSWORD, World

NEW = "another-long-practice-password"


def signed_in(name: str, **more: str) -> Client:
    client = Client(**more)
    assert sign_in(client, name).status_code == 302
    return client


@pytest.mark.parametrize("pattern", urls.urlpatterns, ids=lambda each: each.name)
def test_nobody_who_is_signed_out_gets_anything_there(world: World, client: Client, pattern: object) -> None:
    path = "/" + str(pattern.pattern).replace("<int:pk>", "1")
    for method in (client.get, client.post):
        answer = method(path)
        if path == "/sign-in/":
            assert answer.status_code == 200
        elif path == "/sign-out/":
            assert answer.status_code in (302, 405)
        else:
            assert answer.status_code in (302, 405), path
            assert answer.status_code == 405 or answer["Location"].startswith(("/sign-in/", "/me/")), path


def test_the_page_says_who_one_is_and_how_one_came(world: World) -> None:
    said = page_text(signed_in("jane").get("/me/"))
    assert "JANET" in said and ">password<" in said and "not set up" in said


def test_somebody_without_a_role_has_it_too(world: World, as_user: Callable[[str], Client]) -> None:
    answer = as_user("nemo").get("/me/")
    assert answer.status_code == 200 and "none yet" in page_text(answer)


class TestSessions:
    def test_each_is_listed_and_ended_alone(self, world: World) -> None:
        here = signed_in("nora", HTTP_USER_AGENT="Here/1")
        there = signed_in("nora", HTTP_USER_AGENT="There/2", REMOTE_ADDR="192.0.2.7")
        said = page_text(here.get("/me/"))
        assert "There/2" in said and "192.0.2.7" in said and "this one" in said
        row = UserSession.objects.get(user_agent="There/2")
        assert here.post(f"/me/sessions/{row.pk}/end/")["Location"] == "/me/#sessions"
        assert there.get("/queue/").status_code == 302 and here.get("/queue/").status_code == 200
        event = AuditEvent.objects.filter(action="person.sessions.end").latest("sequence")
        assert event.after == {"ended": 1, "addresses": ["192.0.2.7"]}

    def test_all_others_at_once(self, world: World) -> None:
        here, *others = [signed_in("nora") for _ in range(4)]
        assert "3 other sessions have ended" in page_text(here.post("/me/sessions/end/", follow=True))
        assert [each.get("/queue/").status_code for each in others] == [302] * 3
        assert here.get("/queue/").status_code == 200

    def test_nobody_ends_anothers(self, world: World) -> None:
        nora, jane = signed_in("nora"), signed_in("jane")
        row = UserSession.objects.get(user=world.users["nora"])
        assert jane.post(f"/me/sessions/{row.pk}/end/").status_code == 404
        assert jane.get(f"/me/sessions/{row.pk}/end/").status_code == 405
        assert nora.get("/queue/").status_code == 200

    def test_the_key_of_a_session_is_shown_to_nobody(self, world: World) -> None:
        nora = signed_in("nora")
        key = nora.session.session_key
        assert key not in nora.get("/me/").content.decode()
        assert not AuditEvent.objects.filter(after__icontains=key).exists()

    def test_it_is_seen_every_few_minutes_and_not_at_each_page(
        self, world: World, django_assert_num_queries: Callable
    ) -> None:
        nora = signed_in("nora")
        UserSession.objects.update(last_seen_at=timezone.now() - timedelta(hours=1))
        nora.get("/me/")
        seen = UserSession.objects.get().last_seen_at
        assert seen > timezone.now() - timedelta(minutes=1)
        nora.get("/me/")
        assert UserSession.objects.get().last_seen_at == seen
        cache.clear()
        nora.get("/me/", REMOTE_ADDR="192.0.2.8")
        assert UserSession.objects.get().ip == "192.0.2.8"

    def test_one_that_began_before_they_were_written_down_is_known_at_its_next_page(
        self, world: World
    ) -> None:
        nora = signed_in("nora")
        UserSession.objects.all().delete()
        cache.clear()
        nora.get("/queue/")
        assert UserSession.objects.get().user == world.users["nora"]
        assert identity.end_sessions(actor=SYSTEM, user=world.users["nora"]) == 1
        assert nora.get("/queue/").status_code == 302

    def test_what_has_run_out_is_not_listed_and_is_pruned(self, world: World) -> None:
        gone, here = signed_in("nora", HTTP_USER_AGENT="Gone/1"), signed_in("nora")
        Session.objects.filter(session_key=gone.session.session_key).update(
            expire_date=timezone.now() - timedelta(days=3)
        )
        assert "Gone/1" not in page_text(here.get("/me/"))
        retention.prune(actor=SYSTEM)
        assert not UserSession.objects.filter(user_agent="Gone/1").exists()
        assert UserSession.objects.count() == 1

    def test_what_has_run_out_is_not_counted_as_ended(self, world: World) -> None:
        here, there = signed_in("nora"), signed_in("nora", REMOTE_ADDR="192.0.2.7")
        gone = signed_in("nora", REMOTE_ADDR="192.0.2.8")
        Session.objects.filter(session_key=gone.session.session_key).update(
            expire_date=timezone.now() - timedelta(minutes=3)
        )
        unwritten = signed_in("nora", REMOTE_ADDR="192.0.2.9")
        Session.objects.filter(session_key=unwritten.session.session_key).delete()
        said = page_text(here.post("/me/sessions/end/", follow=True))
        assert "1 other session has ended" in said and there.get("/queue/").status_code == 302
        event = AuditEvent.objects.filter(action="person.sessions.end").latest("sequence")
        assert event.after == {"ended": 1, "addresses": ["192.0.2.7"]}
        assert UserSession.objects.count() == 1
        assert identity.end_sessions(actor=SYSTEM, user=world.users["audrey"]) == 0

    def test_an_account_that_is_closed_is_out(self, world: World) -> None:
        nora = signed_in("nora")
        User.objects.filter(username="nora").update(is_active=False)
        assert nora.get("/queue/").status_code == 302

    def test_an_administrator_ends_those_of_somebody_who_left(self, world: World) -> None:
        nora = signed_in("nora")
        call_command("sessions", "nora", end="left on the 27th")
        assert nora.get("/queue/").status_code == 302

    def test_the_address_is_that_of_the_outermost_proxy(self, world: World, settings: object) -> None:
        settings.NUM_PROXIES = 1
        client = Client(REMOTE_ADDR="")  # a socket of the file system
        sign_in(client, "nora", HTTP_X_FORWARDED_FOR="x")
        assert UserSession.objects.get().ip == "::"
        client = Client(REMOTE_ADDR="", headers={"X-Forwarded-For": "198.51.100.1, 192.0.2.50"})
        sign_in(client, "nora")
        assert UserSession.objects.filter(ip="192.0.2.50").exists()


class TestPassword:
    def change(self, client: Client, old: str = PASSWORD, new: str = NEW, again: str = NEW):
        return client.post("/me/password/", {"oldpassword": old, "password1": new, "password2": again})

    def test_it_is_replaced_and_other_sessions_end(self, world: World) -> None:
        here, there = signed_in("nora"), signed_in("nora", HTTP_USER_AGENT="There/2")
        assert self.change(here)["Location"] == "/me/"
        assert "There/2" not in page_text(here.get("/me/"))  # not only useless: gone
        assert Session.objects.filter(session_key=there.session.session_key).count() == 0
        assert here.get("/queue/").status_code == 200 and there.get("/queue/").status_code == 302
        assert sign_in(Client(), "nora").status_code == 200
        assert sign_in(Client(), "nora", NEW).status_code == 302
        event = AuditEvent.objects.filter(action="person.password").latest("sequence")
        assert event.after == {"password": "replaced"} and NEW not in str(event.__dict__)

    @pytest.mark.parametrize(
        ("old", "new", "again"),
        [("wrong", NEW, NEW), (PASSWORD, NEW, NEW + "x"), (PASSWORD, "short", "short"), (PASSWORD, "", "")],
    )
    def test_what_is_wrong_changes_nothing(self, world: World, old: str, new: str, again: str) -> None:
        here = signed_in("nora")
        answer = self.change(here, old, new, again)
        assert answer.status_code == 200 and "was not changed" in page_text(answer)
        assert sign_in(Client(), "nora").status_code == 302

    def test_the_old_one_cannot_be_guessed_there(self, world: World) -> None:
        here = signed_in("nora")
        for _ in range(5):
            self.change(here, "guess")
        assert self.change(here).status_code == 429

    def test_who_has_none_is_not_asked_for_it(self, world: World, as_user: Callable[[str], Client]) -> None:
        people.put_person(actor=SYSTEM, username="nora", roles=people.actor_named("nora", via="cli").roles)
        User.objects.filter(username="nora").update(password="!")
        client = Client()
        client.force_login(User.objects.get(username="nora"))
        assert "Change password" not in page_text(client.get("/me/"))
        assert client.get("/me/password/")["Location"] == "/me/password/none/"


def test_with_passwords_off_there_is_one_door(world: World, client: Client, settings: object) -> None:
    settings.PASSWORD_SIGN_IN, settings.OIDC_ISSUER = False, "https://id.example.net"
    said = page_text(client.get("/sign-in/"))
    assert "Password" not in said and "Sign in with single sign-on" in said
    assert sign_in(client, "nora").status_code == 403
    assert client.get("/queue/").status_code == 302


def test_with_passwords_off_none_is_asked_for_or_changed(
    world: World, as_user: Callable[[str], Client], settings: object
) -> None:
    settings.PASSWORD_SIGN_IN, settings.OIDC_ISSUER = False, "https://id.example.net"
    SocialAccount.objects.create(
        user=world.users["nora"], provider=provider_key("https://id.example.net"), uid="s-nora"
    )
    client = as_user("nora")
    before = User.objects.get(username="nora").password
    assert client.get("/me/password/")["Location"] == "/me/"
    words = {"oldpassword": PASSWORD, "password1": NEW, "password2": NEW}
    assert client.post("/me/password/", words)["Location"] == "/me/"
    assert User.objects.get(username="nora").password == before
    assert client.get("/me/app/")["Location"] == "/sign-in/oidc/?next=%2Fme%2Fapp%2F"
    again = client.post("/me/again/?next=/me/app/", {"password": PASSWORD})
    assert again["Location"] == "/sign-in/oidc/?next=%2Fme%2Fapp%2F"
    with pytest.raises(ValidationError):
        AccountAdapter().authenticate(RequestFactory().post("/"), username="nora", password=PASSWORD)


def test_only_links_with_the_provider_of_today_count(
    world: World, as_user: Callable[[str], Client], settings: object
) -> None:
    settings.OIDC_ISSUER, settings.OIDC_NAME = "https://new.example.net", "New ID"
    SocialAccount.objects.create(
        user=world.users["nora"], provider=provider_key("https://old.example.net"), uid="s-nora"
    )
    User.objects.filter(username="nora").update(password="!")
    client = Client()
    client.force_login(User.objects.get(username="nora"))
    assert "s-nora" not in page_text(client.get("/me/"))
    assert client.get("/me/app/").status_code == 403  # there is nothing to show


def test_sign_ins_are_events_of_the_person(world: World) -> None:
    client = signed_in("nora")
    client.post("/sign-out/")
    rows = AuditEvent.objects.filter(object_type="User", object_id=world.users["nora"].pk)
    assert list(rows.order_by("-sequence").values_list("action", "after")[:2]) == [
        ("person.sign-out", {"address": "127.0.0.1"}),
        ("person.sign-in", {"methods": ["password"], "address": "127.0.0.1"}),
    ]
    assert identity.end_sessions(actor=SYSTEM, user=world.users["nora"]) == 0


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("Mozilla/5.0 (X11; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0", "Firefox on Linux"),
        ("Mozilla/5.0 (Windows NT 10.0) Chrome/130.0 Safari/537.36 Edg/130.0", "Edge on Windows"),
        ("Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) Safari/604.1", "Safari on iPhone"),
        ("Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36 Chrome/130.0 Mobile Safari/537.36", "Chrome on Android"),
        ("curl/8.5.0", "curl/8.5.0"),
        ("", "it did not say"),
        ("<script>" * 20, ("<script>" * 20)[:40]),
    ],
)  # fmt: skip
def test_a_browser_is_named_as_people_know_it(said: str, name: str) -> None:
    assert browser_name(said) == name
