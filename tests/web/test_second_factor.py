"""Second factors: set up, asked, lost, and what somebody does who only has the password."""

from __future__ import annotations

import re
import time
from collections.abc import Callable

import pytest
import time_machine
from allauth.mfa.models import Authenticator
from allauth.mfa.webauthn.forms import AddWebAuthnForm
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.core.management import call_command
from django.test import Client

from provisioning.models import SYSTEM, AuditEvent, Via
from provisioning.services import audit, identity, people, tokens
from provisioning.services.backups.writing import tables
from tests.web.codes import code_of
from tests.web.test_session import sign_in
from tests.web.text import page_text
from tests.web.world import PASSWORD, World

pytestmark = pytest.mark.django_db(transaction=True)  # what is noted is noted when a transaction is through


@pytest.fixture
def nora(world: World) -> Client:
    """Nora, who has just typed her password."""
    client = Client()
    assert sign_in(client, "nora").status_code == 302
    return client


def set_up(client: Client) -> tuple[str, list[str]]:
    """Set an app up; returns its secret and the recovery codes."""
    secret = re.search(r">([A-Z2-7]{32})<", page_text(client.get("/me/app/")))[1]
    answer = client.post("/me/app/", {"code": code_of(secret)}, follow=True)
    assert "Copy these now" in page_text(answer)
    return secret, re.findall(r"\b\d{8}\b", page_text(answer))


def actions(name: str) -> list[str]:
    user = User.objects.get(username=name)
    rows = AuditEvent.objects.filter(object_type="User", object_id=user.pk).order_by("sequence")
    return list(rows.values_list("action", flat=True))


def test_it_is_asked_after_the_password_and_opens_nothing_before(nora: Client, world: World) -> None:
    secret, _codes = set_up(nora)
    client = Client()
    assert sign_in(client, "nora", next="/routers/")["Location"] == "/sign-in/second-factor/"
    assert client.get("/queue/").status_code == 302 and client.get("/me/").status_code == 302
    assert "Second factor" in page_text(client.get("/sign-in/second-factor/"))
    wrong = client.post("/sign-in/second-factor/", {"code": "000000"})
    assert wrong.status_code == 200 and "Incorrect code" in page_text(wrong)
    assert client.get("/queue/").status_code == 302
    right = client.post("/sign-in/second-factor/", {"code": code_of(secret)})
    assert right["Location"] == "/routers/"
    assert client.get("/queue/").status_code == 200
    event = AuditEvent.objects.filter(action="person.sign-in").latest("sequence")
    assert event.after["methods"] == ["password", "totp"] and event.after["address"] == "127.0.0.1"


def test_a_code_is_good_once(nora: Client) -> None:
    secret, _codes = set_up(nora)
    code = code_of(secret)
    for client, status in ((Client(), 302), (Client(), 200)):
        sign_in(client, "nora")
        assert client.post("/sign-in/second-factor/", {"code": code}).status_code == status


def test_a_recovery_code_is_good_once(nora: Client) -> None:
    _secret, codes = set_up(nora)
    assert len(codes) == 10
    for client, status in ((Client(), 302), (Client(), 200)):
        sign_in(client, "nora")
        assert client.post("/sign-in/second-factor/", {"code": codes[3]}).status_code == status
    assert "9 left" in page_text(nora.get("/me/"))


def test_codes_cannot_be_guessed_for_long(nora: Client) -> None:
    secret, _codes = set_up(nora)
    client = Client()
    sign_in(client, "nora")
    for _ in range(6):
        said = client.post("/sign-in/second-factor/", {"code": "000000"})
    assert "Too many" in page_text(said)
    other = Client(REMOTE_ADDR="192.0.2.9")
    sign_in(other, "nora")
    refused = other.post("/sign-in/second-factor/", {"code": code_of(secret)})
    assert refused.status_code == 200 and "Too many" in page_text(refused)


def test_a_sign_in_that_waits_for_its_code_runs_out(nora: Client) -> None:
    secret, _codes = set_up(nora)
    client = Client()
    sign_in(client, "nora")
    with time_machine.travel(time.time() + 16 * 60, tick=True):
        answer = client.post("/sign-in/second-factor/", {"code": code_of(secret)})
        assert answer["Location"].startswith("/sign-in/") and client.get("/queue/").status_code == 302


def test_whoever_waits_for_a_code_can_sign_in_as_somebody_else(nora: Client) -> None:
    set_up(nora)
    client = Client()
    sign_in(client, "nora")
    assert client.post("/sign-out/").status_code == 302
    assert client.get("/sign-in/second-factor/").status_code == 302
    assert sign_in(client, "niels")["Location"] == "/"


def test_sessions_that_began_without_it_end(nora: Client, world: World) -> None:
    thief = Client()
    sign_in(thief, "nora")
    assert thief.get("/queue/").status_code == 200
    set_up(nora)
    assert thief.get("/queue/").status_code == 302
    assert nora.get("/queue/").status_code == 200


def test_who_did_not_just_sign_in_shows_once_more_who_they_are(world: World, as_user: Callable) -> None:
    client = as_user("nora")  # a session of an hour ago: nothing in it says how it began
    asked = client.get("/me/app/")
    assert asked["Location"] == "/me/again/?next=%2Fme%2Fapp%2F"
    assert "once more" in page_text(client.get(asked["Location"]))
    assert client.post(asked["Location"], {"password": "guess"}).status_code == 200
    assert Authenticator.objects.count() == 0
    good = client.post(asked["Location"], {"password": PASSWORD, "next": "/me/app/"})
    assert good["Location"] == "/me/app/" and client.get("/me/app/").status_code == 200


def test_guesses_there_count_with_those_at_the_sign_in_page(world: World, as_user: Callable) -> None:
    client = as_user("nora")
    for _ in range(10):
        client.post("/me/again/", {"password": "guess"})
    assert b"Too many attempts" in sign_in(Client(), "nora").content


def test_its_secret_is_encrypted_and_outlives_another_key(nora: Client, settings: object) -> None:
    secret, codes = set_up(nora)
    for row in Authenticator.objects.all():
        assert secret not in str(row.data)
    fresh = "bmV3LW5ldy1uZXctbmV3LW5ldy1uZXctbmV3LW5ldyE="
    settings.CREDENTIAL_KEYS = [fresh, *settings.CREDENTIAL_KEYS]
    call_command("rotate_credentials")
    settings.CREDENTIAL_KEYS = [fresh]
    for code in (code_of(secret), codes[0]):
        client = Client()
        sign_in(client, "nora")
        assert client.post("/sign-in/second-factor/", {"code": code}).status_code == 302


def test_removing_it_is_noted_and_ends_the_recovery_codes(nora: Client) -> None:
    set_up(nora)
    assert "Remove the authenticator app" in page_text(nora.get("/me/app/remove/"))
    nora.post("/me/app/remove/")
    assert Authenticator.objects.count() == 0
    assert sign_in(Client(), "nora")["Location"] == "/"
    noted = [each for each in actions("nora") if "factor" in each]
    assert noted == ["person.factor.add"] * 2 + ["person.factor.remove"] * 2


class TestAllOrNothing:
    """A factor, its event and the end of the other sessions: a worker that dies in between leaves none of them."""

    @pytest.fixture(autouse=True)
    def dying(self, monkeypatch: pytest.MonkeyPatch) -> list[str]:
        """The actions at whose event the worker dies."""
        real, at = audit.record, []

        def record(*, action: str, **more: object) -> object:
            if action in at:
                raise RuntimeError("killed")
            return real(action=action, **more)

        monkeypatch.setattr(audit, "record", record)
        return at

    @pytest.fixture
    def nora(self, nora: Client) -> Client:
        nora.raise_request_exception = False
        return nora

    def test_an_app_that_is_added(self, nora: Client, dying: list[str]) -> None:
        other = Client()
        sign_in(other, "nora")
        secret = re.search(r">([A-Z2-7]{32})<", page_text(nora.get("/me/app/")))[1]
        dying.append("person.factor.add")
        assert nora.post("/me/app/", {"code": code_of(secret)}).status_code == 500
        assert not Authenticator.objects.exists() and "person.sessions.end" not in actions("nora")
        assert other.get("/queue/").status_code == 200

    def test_a_key_that_is_added(
        self, nora: Client, dying: list[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(
            AddWebAuthnForm, "clean", lambda self: {**self.cleaned_data, "credential": {"id": "x"}}
        )
        dying.append("person.factor.add")
        assert nora.post("/me/keys/new/", {"name": "blue", "credential": '{"id": "x"}'}).status_code == 500
        assert not Authenticator.objects.exists()
        dying.clear()
        assert nora.post("/me/keys/new/", {"name": "blue", "credential": '{"id": "x"}'}).status_code == 302
        noted = AuditEvent.objects.filter(action="person.factor.add").order_by("sequence")
        assert [event.after["factor"] for event in noted] == ["webauthn blue", "recovery_codes"]

    def test_one_that_is_removed(self, nora: Client, dying: list[str]) -> None:
        set_up(nora)
        dying.append("person.factor.remove")
        assert nora.post("/me/app/remove/").status_code == 500
        assert Authenticator.objects.count() == 2

    def test_recovery_codes_that_are_made_anew(self, nora: Client, dying: list[str]) -> None:
        set_up(nora)
        old = Authenticator.objects.get(type="recovery_codes").data["seed"]
        dying.append("person.factor.remove")
        assert nora.post("/me/codes/new/").status_code == 500
        assert Authenticator.objects.get(type="recovery_codes").data["seed"] == old
        dying.clear()
        assert nora.post("/me/codes/new/").status_code == 302
        assert actions("nora")[-2:] == ["person.factor.remove", "person.factor.add"]
        assert nora.get("/queue/").status_code == 200


def test_each_app_or_key_that_is_added_ends_the_other_sessions(
    nora: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret, _codes = set_up(nora)
    other = Client()
    sign_in(other, "nora")
    other.post("/sign-in/second-factor/", {"code": code_of(secret)})
    assert other.get("/queue/").status_code == 200
    nora.post("/me/codes/new/")
    assert other.get("/queue/").status_code == 200  # codes are no new factor
    monkeypatch.setattr(
        AddWebAuthnForm, "clean", lambda self: {**self.cleaned_data, "credential": {"id": "x"}}
    )
    nora.post("/me/keys/new/", {"name": "blue", "credential": '{"id": "x"}'})
    assert other.get("/queue/").status_code == 302 and nora.get("/queue/").status_code == 200


class TestRequired:
    """SECOND_FACTOR names roles: until there is one, nothing but the page where it is set up."""

    @pytest.fixture(autouse=True)
    def roles(self, settings: object) -> None:
        settings.SECOND_FACTOR = ["noc-approver"]

    def test_the_roles_named_see_one_page(self, nora: Client, world: World) -> None:
        request = world.requests["decision"]
        for method, url in (
            (nora.get, "/queue/"),
            (nora.get, f"/requests/{request.pk}/"),
            (nora.post, f"/requests/{request.pk}/admit/"),
            (nora.get, "/admin/"),
            (nora.get, "/tokens/new/"),
            (nora.post, "/tokens/new/"),
        ):
            assert method(url)["Location"] == "/me/", url
        assert "Your role needs a second factor" in page_text(nora.get("/me/"))
        set_up(nora)
        assert nora.get("/queue/").status_code == 200

    def test_a_fragment_loads_the_page_as_a_whole(self, nora: Client) -> None:
        answer = nora.get("/queue/", headers={"HX-Request": "true"})
        assert answer.status_code == 204 and answer["HX-Redirect"] == "/me/"

    def test_others_are_not_asked(self, world: World, as_user: Callable) -> None:
        assert as_user("jane").get("/my/requests/").status_code == 200
        assert as_user("audrey").get("/queue/").status_code == 200

    def test_a_superuser_is_asked(self, world: World) -> None:
        client = Client()
        client.force_login(User.objects.create_superuser("root", password=PASSWORD))
        assert client.get("/admin/auth/user/")["Location"] == "/me/"

    def test_who_removes_it_is_asked_again(self, nora: Client) -> None:
        set_up(nora)
        nora.post("/me/app/remove/")
        assert nora.get("/queue/")["Location"] == "/me/"

    def test_recovery_codes_alone_are_none(self, nora: Client) -> None:
        set_up(nora)
        Authenticator.objects.filter(type="totp").delete()
        assert nora.get("/queue/")["Location"] == "/me/"

    def test_a_token_has_its_own_bounds(self, world: World) -> None:
        user = world.users["nora"]
        _row, text = tokens.issue(
            actor=people.actor_for(user, via=Via.CLI), user=user, nren=None, name="script", scopes=["read"]
        )
        answer = Client().get("/api/v1/premium-requests/", headers={"Authorization": f"Bearer {text}"})
        assert answer.status_code == 200

    def test_who_may_not_be_seen_by_it_still_signs_out(self, nora: Client) -> None:
        assert nora.post("/sign-out/")["Location"] == "/sign-in/"


def test_lost_factors_are_reset_by_an_administrator_with_a_reason(nora: Client, world: World) -> None:
    set_up(nora)
    user = world.users["nora"]
    assert identity.reset_factors(actor=SYSTEM, user=user, reason="called back on the number we have") == 2
    assert nora.get("/queue/").status_code == 302
    assert not Session.objects.filter(session_key=nora.session.session_key).exists()
    assert sign_in(Client(), "nora")["Location"] == "/"
    assert "person.factors.reset" in actions("nora")


def test_a_backup_keeps_second_factors_and_links_and_no_session(nora: Client, world: World) -> None:
    set_up(nora)
    names = {model._meta.db_table for model in tables()}
    assert {"mfa_authenticator", "socialaccount_socialaccount"} <= names
    assert not {"django_session", "usersessions_usersession"} & names
