"""Signing in and out, and what a session may be used for."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import timedelta

import pytest
import time_machine
from django.conf import settings
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.test import Client

from provisioning.services.attempts import ATTEMPTS
from tests.web.text import page_text
from tests.web.world import PASSWORD, World


def sign_in(client: Client, name: str, password: str = PASSWORD, **more: str):
    return client.post("/sign-in/", {"username": name, "password": password, **more})


@pytest.mark.parametrize(
    ("name", "where"), [("nora", "/queue/"), ("audrey", "/queue/"), ("jane", "/my/requests/")]
)
def test_everybody_lands_at_their_work(world: World, client: Client, name: str, where: str) -> None:
    answer = sign_in(client, name)
    assert answer["Location"] == "/"
    assert client.get("/")["Location"] == where


def test_a_page_asked_for_before_is_opened_after(world: World, client: Client) -> None:
    wanted = client.get("/routers/nl6/?x=1")["Location"]
    assert wanted == "/sign-in/?next=/routers/nl6/%3Fx%3D1"
    assert sign_in(client, "nora", next="/routers/nl6/")["Location"] == "/routers/nl6/"


@pytest.mark.parametrize(
    "target", ("https://evil.example/", "//evil.example/", "javascript:alert(1)", "/\\evil.example")
)
def test_nobody_is_sent_to_another_site(world: World, client: Client, target: str) -> None:
    assert sign_in(client, "nora", next=target)["Location"] == "/"


def test_a_wrong_name_and_a_wrong_password_get_the_same_answer(world: World, client: Client) -> None:
    wrong_name = sign_in(client, "nobody-here", "x").content
    wrong_word = sign_in(client, "nora", "x").content
    User.objects.filter(username="niels").update(is_active=False)
    closed = sign_in(client, "niels").content
    for answer in (wrong_name, wrong_word, closed):
        assert b"do not belong together" in answer


def test_guessing_is_slowed_down_per_name_and_address(world: World, client: Client) -> None:
    for _ in range(ATTEMPTS):
        sign_in(client, "nora", "guess")
    refused = sign_in(client, "nora")
    assert refused.status_code == 200 and b"Too many attempts" in refused.content
    assert sign_in(client, "niels").status_code == 302
    assert sign_in(Client(REMOTE_ADDR="192.0.2.7"), "nora").status_code == 302


@pytest.mark.parametrize("spelt", ["nora ", "  nora", "nora\t", "\u00a0nora", "\uff4eora", "NORA"])
def test_another_spelling_of_a_name_is_no_other_name_to_guess_for(
    world: World, client: Client, spelt: str
) -> None:
    for _ in range(ATTEMPTS):
        sign_in(client, "nora", "guess")
    assert b"Too many attempts" in sign_in(client, spelt, "guess").content


def test_the_administration_pages_are_no_way_round(world: World, client: Client) -> None:
    User.objects.create_superuser("root", password=PASSWORD)
    for method in (client.get, client.post):
        answer = method("/admin/login/?next=/admin/", {"username": "root", "password": PASSWORD})
        assert answer["Location"] == "/sign-in/?next=/admin/"
    assert client.get("/admin/").status_code == 302
    assert sign_in(client, "root", next="/admin/")["Location"] == "/admin/"
    assert client.get("/admin/").status_code == 200


def test_somebody_without_a_staff_account_is_told_so(world: World, as_user: Callable[[str], Client]) -> None:
    answer = as_user("nora").get("/admin/", follow=True)
    assert answer.status_code == 403 and b"for staff accounts" in answer.content


def test_no_header_makes_another_address(world: World, client: Client, settings) -> None:
    for number in range(ATTEMPTS):
        client.post(
            "/sign-in/",
            {"username": "nora", "password": "guess"},
            headers={"X-Forwarded-For": f"192.0.2.{number}"},
        )
    assert b"Too many attempts" in sign_in(client, "nora").content
    settings.NUM_PROXIES = 1
    through = {"X-Forwarded-For": "198.51.100.1, 192.0.2.50"}
    answer = client.post("/sign-in/", {"username": "nora", "password": PASSWORD}, headers=through)
    assert answer.status_code == 302


def test_signing_in_gives_a_new_session(world: World, client: Client) -> None:
    session = client.session
    session["kept"] = True
    session.save()
    before = client.session.session_key
    sign_in(client, "nora")
    assert client.session.session_key != before
    cookie = client.cookies[settings.SESSION_COOKIE_NAME]
    assert cookie["httponly"] and cookie["samesite"] == "Lax"


def test_a_session_ends_eight_hours_after_signing_in_whatever_is_written_into_it(
    world: World, client: Client
) -> None:
    began = time.time()
    sign_in(client, "nora")
    key = client.session.session_key
    end = Session.objects.get(session_key=key).expire_date
    assert abs(end.timestamp() - began - timedelta(hours=8).total_seconds()) < 60
    with time_machine.travel(began + timedelta(hours=7).total_seconds(), tick=True):
        client.get("/me/app/")  # asks for the password once more
        client.post("/me/again/", {"password": PASSWORD, "next": "/me/app/"})
        cookie = client.cookies[settings.SESSION_COOKIE_NAME]
        assert client.session["account_authentication_methods"][-1]["at"] > began + 6 * 3600  # it was written
        assert Session.objects.get(session_key=key).expire_date == end
        assert 0 < int(cookie["max-age"]) <= 3600
    with time_machine.travel(began + timedelta(hours=8, minutes=2).total_seconds(), tick=True):
        assert client.get("/queue/").status_code == 302


def test_signing_out_is_a_post_and_ends_it(world: World, as_user: Callable[[str], Client]) -> None:
    client = as_user("nora")
    assert client.get("/sign-out/").status_code == 405
    assert client.get("/queue/").status_code == 200
    assert client.post("/sign-out/")["Location"] == "/sign-in/"
    assert client.get("/queue/").status_code == 302


def test_a_fragment_whose_session_ended_loads_the_sign_in_page_as_a_whole(
    world: World, client: Client
) -> None:
    url = f"/changes/{world.changes['pushing'].pk}/progress/live/"
    answer = client.get(url, headers={"HX-Request": "true"})
    assert answer.status_code == 204
    assert answer["HX-Redirect"] == "/sign-in/"


def test_a_superuser_without_a_role_decides_nothing(world: World, client: Client) -> None:
    client.force_login(User.objects.create_superuser("root", password=PASSWORD))
    assert client.get("/queue/").status_code == 403
    assert (
        client.post(f"/requests/{world.requests['decision'].pk}/admit/", {"reason": "x"}).status_code == 403
    )


def test_a_failed_attempt_is_logged_with_its_address_and_without_the_name(
    world: World, client: Client, caplog: pytest.LogCaptureFixture
) -> None:
    sign_in(client, "a-password-in-the-wrong-field", "x")
    (line,) = [each.getMessage() for each in caplog.records if "failed attempt" in each.getMessage()]
    assert "127.0.0.1" in line and "wrong-field" not in line


def test_a_name_that_rests_is_logged_each_time_it_is_not_looked_at(
    world: World, client: Client, caplog: pytest.LogCaptureFixture
) -> None:
    for _ in range(12):
        sign_in(client, "a-password-in-the-wrong-field", "x")
    lines = [each.getMessage() for each in caplog.records if "not looked at" in each.getMessage()]
    assert len(lines) == 2
    assert "127.0.0.1" in lines[0] and "sign-in" in lines[0] and "wrong-field" not in lines[0]


def test_of_a_bad_token_the_public_part_is_logged_and_nothing_else_of_it(
    world: World, client: Client, caplog: pytest.LogCaptureFixture
) -> None:
    for text in ("exp_0123456789ab_the-secret-part", "a-password-in-the-wrong-field"):
        answer = client.get("/api/v1/changes/", headers={"authorization": f"Bearer {text}"})
        assert answer.status_code == 401 and "manage.py token --list" in answer.json()["detail"]
    known, unknown = [each.getMessage() for each in caplog.records if "failed attempt" in each.getMessage()]
    assert "0123456789ab" in known and "secret" not in known
    assert "wrong-field" not in unknown and "127.0.0.1" in unknown


def test_who_may_not_is_told_how_a_role_is_given(world: World, as_user: Callable[[str], Client]) -> None:
    text = page_text(as_user("jane").get("/queue/"))
    assert "manage.py person NAME --role ROLE" in text


def test_a_refused_deed_is_logged(
    world: World, as_user: Callable[[str], Client], caplog: pytest.LogCaptureFixture
) -> None:
    path = f"/requests/{world.requests['decision'].pk}/admit/"
    assert as_user("jane").post(path, {"reason": "x"}).status_code == 403
    (line,) = [each.getMessage() for each in caplog.records if "refused" in each.getMessage()]
    assert all(said in line for said in ("jane", "127.0.0.1", "POST", path, "Only an approver"))
