"""Sign-in by a real OpenID Connect provider: the walk, and what somebody does who stands in its way."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import parse_qs, parse_qsl, urlencode, urlsplit

import pytest
import requests
from allauth.socialaccount.models import SocialAccount
from allauth.socialaccount.providers.openid_connect.views import OpenIDConnectOAuth2Adapter
from django.test import Client
from oidc_provider_mock import User as Known

from provisioning.models import AuditEvent
from provisioning.selectors.identity import provider_key
from provisioning.web.identity.single_sign_on import Protocol
from tests.web.provider import agree, asked_at, begin, provider
from tests.web.test_second_factor import set_up
from tests.web.test_session import sign_in
from tests.web.text import page_text
from tests.web.world import World

pytestmark = pytest.mark.django_db(transaction=True)
PEOPLE = (
    Known(sub="s-nora", claims={"preferred_username": "nora", "email": "nora@noc.example.net"}),
    Known(sub="s-eve", claims={"preferred_username": "eve"}),
)


@pytest.fixture
def issuer(world: World, settings: Any) -> Iterator[str]:
    with provider(settings, *PEOPLE) as address:
        SocialAccount.objects.create(user=world.users["nora"], provider=provider_key(address), uid="s-nora")
        yield address


def test_there_and_back(issuer: str, client: Client) -> None:
    said = page_text(client.get("/sign-in/?next=/routers/"))
    assert 'href="/sign-in/oidc/?next=%2Frouters%2F"' in said and "Sign in with Example ID" in said
    address = begin(client, "/routers/")
    asked = parse_qs(urlsplit(address).query)
    assert asked["redirect_uri"] == ["http://testserver/sign-in/oidc/callback/"]
    assert asked["code_challenge_method"] == ["S256"] and set(asked["scope"][0].split()) == {
        "openid",
        "profile",
        "email",
    }
    assert len(asked["state"][0]) >= 16 and len(asked["nonce"][0]) >= 16
    assert client.get(agree(address, "s-nora"))["Location"] == "/routers/"
    assert client.get("/queue/").status_code == 200
    assert "Example ID: s-nora" in page_text(client.get("/me/"))
    assert SocialAccount.objects.get().extra_data == {}  # nothing of what was said is kept
    event = AuditEvent.objects.filter(action="person.sign-in").latest("sequence")
    assert event.after["methods"] == ["Example ID"] and event.actor == "nora"


def test_nobody_is_sent_to_another_site(issuer: str) -> None:
    for wanted in ("https://evil.example/", "//evil.example/", "javascript:alert(1)"):
        client = Client()
        assert client.get(agree(begin(client, wanted), "s-nora"))["Location"] == "/"


def test_who_is_not_linked_is_told_what_to_ask_for(issuer: str, client: Client) -> None:
    answer = client.get(agree(begin(client), "s-eve"))
    assert answer.status_code == 403 and "knows you as eve (s-eve)" in page_text(answer)
    assert client.get("/queue/").status_code == 302 and SocialAccount.objects.count() == 1


def test_an_account_that_is_closed_stays_closed(issuer: str, client: Client, world: World) -> None:
    world.users["nora"].is_active = False
    world.users["nora"].save()
    answer = client.get(agree(begin(client), "s-nora"), follow=True)
    assert "That account is closed" in page_text(answer) and client.get("/queue/").status_code == 302


def test_the_answer_of_another_browser_is_worth_nothing(issuer: str, client: Client) -> None:
    stolen = agree(begin(client), "s-nora")
    other = Client()
    assert other.get(stolen).status_code == 401
    begin(other)
    assert other.get(stolen).status_code == 401 and other.get("/queue/").status_code == 302


def test_an_answer_is_good_once(issuer: str, client: Client) -> None:
    back = agree(begin(client), "s-nora")
    assert client.get(back).status_code == 302
    client.post("/sign-out/")
    assert client.get(back).status_code == 401


def test_the_code_of_another_sign_in_does_not_fit(issuer: str) -> None:
    """A code that was got elsewhere, sent with a state that is one's own: PKCE and the nonce bind them."""
    victim, thief = Client(), Client()
    theirs = dict(parse_qsl(urlsplit(agree(begin(victim), "s-nora")).query))
    mine = dict(parse_qsl(urlsplit(agree(begin(thief), "s-eve")).query))
    mixed = urlencode({**mine, "code": theirs["code"]})
    assert thief.get(f"/sign-in/oidc/callback/?{mixed}").status_code in (401, 403)
    assert thief.get("/queue/").status_code == 302


def test_the_nonce_is_looked_at(issuer: str, client: Client) -> None:
    address = begin(client)
    parts = urlsplit(address)
    asked = dict(parse_qsl(parts.query)) | {"nonce": "somebody-elses-nonce"}
    answer = client.get(agree(parts._replace(query=urlencode(asked)).geturl(), "s-nora"))
    assert answer.status_code == 403 and "not asked here" in page_text(answer)


def test_a_token_whose_signature_is_not_the_providers_is_refused(
    issuer: str, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = Protocol.get_access_token_data

    def forged(self: Protocol, *args: Any, **more: Any) -> dict[str, Any]:
        data = real(self, *args, **more)
        head, body, signature = data["id_token"].split(".")
        flipped = ("A" if signature[5] != "A" else "B").join((signature[:5], signature[6:]))
        return {**data, "id_token": f"{head}.{body}.{flipped}"}

    monkeypatch.setattr(Protocol, "get_access_token_data", forged)
    assert client.get(agree(begin(client), "s-nora")).status_code == 401
    assert client.get("/queue/").status_code == 302


def test_information_of_somebody_else_is_refused(
    issuer: str, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Protocol, "_fetch_user_info", lambda _self, _token: {"sub": "s-nora"})
    answer = client.get(agree(begin(client), "s-eve"))
    assert answer.status_code == 403 and "two different people" in page_text(answer)


def test_the_same_subject_of_another_provider_is_nobody(issuer: str, client: Client, settings: Any) -> None:
    with provider(settings, *PEOPLE):
        assert client.get(agree(begin(client), "s-nora")).status_code == 403


def test_their_second_factor_is_asked_here_too(issuer: str, world: World) -> None:
    nora = Client()
    sign_in(nora, "nora")
    set_up(nora)
    client = Client()
    assert client.get(agree(begin(client), "s-nora"))["Location"] == "/sign-in/second-factor/"
    assert client.get("/queue/").status_code == 302


class TestFactorAtTheProvider:
    """REFEDS MFA and the like: the provider says in `acr` that it asked."""

    MFA = "https://refeds.org/profile/mfa"

    @pytest.fixture(autouse=True)
    def required(self, settings: Any) -> None:
        settings.SECOND_FACTOR, settings.OIDC_ACR = ["noc-approver"], [self.MFA]

    def test_it_is_asked_for(self, issuer: str, client: Client) -> None:
        assert parse_qs(urlsplit(begin(client)).query)["acr_values"] == [self.MFA]

    def test_a_provider_that_does_not_say_so_did_not(self, issuer: str, client: Client) -> None:
        client.get(agree(begin(client), "s-nora"))
        assert client.get("/queue/")["Location"] == "/me/"

    def test_one_that_says_so_did(self, issuer: str, client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
        real = Protocol._decode_id_token
        monkeypatch.setattr(Protocol, "_decode_id_token", lambda *args: {**real(*args), "acr": self.MFA})
        client.get(agree(begin(client), "s-nora"))
        assert client.get("/queue/").status_code == 200
        client.post("/sign-out/")
        # The same browser, by a password now: what the provider said of the other sign-in is forgotten.
        sign_in(client, "nora")
        assert client.get("/queue/")["Location"] == "/me/"

    @pytest.fixture
    def said(self, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
        """What the provider's token says besides."""
        real, more = Protocol._decode_id_token, {}
        monkeypatch.setattr(Protocol, "_decode_id_token", lambda *args: {**real(*args), **more})
        return more

    def test_so_it_did_where_somebody_is_signed_in_already(
        self, issuer: str, client: Client, said: dict[str, Any]
    ) -> None:
        said["acr"] = self.MFA
        client.get(agree(begin(client), "s-nora"))
        assert client.get("/queue/").status_code == 200
        assert client.get(agree(begin(client, "/queue/"), "s-nora"))["Location"] == "/queue/"
        assert client.get("/queue/").status_code == 200
        said["acr"] = "password"
        client.get(agree(begin(client), "s-nora"))
        assert client.get("/queue/")["Location"] == "/me/"

    def test_who_has_neither_a_factor_nor_a_password_gets_there(
        self, issuer: str, world: World, settings: Any
    ) -> None:
        settings.OIDC_ACR = []
        world.users["nora"].set_unusable_password()
        world.users["nora"].save()
        client = Client()
        client.force_login(world.users["nora"])  # an hour ago
        asked = client.get("/me/app/")["Location"]
        address = client.get(asked)["Location"]
        assert address.startswith(issuer)
        assert client.get(agree(address, "s-nora"))["Location"] == "/me/app/"
        set_up(client)
        assert client.get("/queue/").status_code == 200


def test_who_came_that_way_shows_it_again_before_a_factor_is_set_up(
    issuer: str, client: Client, world: World
) -> None:
    client.get(agree(begin(client), "s-nora"))
    assert client.get("/me/app/").status_code == 200  # just signed in
    world.users["nora"].set_unusable_password()
    world.users["nora"].save()
    old = Client()
    old.force_login(world.users["nora"])
    asked = old.get("/me/app/")["Location"]
    assert asked == "/sign-in/oidc/?next=%2Fme%2Fapp%2F"
    address = old.get(asked)["Location"]
    with asked_at(time.time() - 60):
        assert old.get(agree(address, "s-nora"))["Location"] == "/me/app/"
    assert old.get("/me/app/").status_code == 200


def test_once_more_is_more_than_the_providers_own_session(
    issuer: str, world: World, as_user: Callable[[str], Client]
) -> None:
    """A provider that still knows the browser sends it back unasked: that shows nothing about who sits there."""
    assert not {"prompt", "max_age"} & set(parse_qs(urlsplit(begin(Client())).query))
    client = as_user("nora")
    asked = parse_qs(urlsplit(begin(client)).query)
    assert asked["prompt"] == ["login"] and asked["max_age"] == ["0"]
    for moment in (time.time() - 301, time.time() + 3600):
        with asked_at(moment):
            answer = client.get(agree(begin(client, "/me/app/"), "s-nora"))
        said = page_text(answer)
        assert answer.status_code == 403 and "did not ask you again" in said and "not signed in" not in said
        assert client.get("/me/app/")["Location"].startswith("/me/again/")
        assert client.get("/queue/").status_code == 200  # the session goes on as it was
    assert client.get(agree(begin(client, "/me/app/"), "s-nora"))["Location"] == "/me/app/"
    assert client.get("/me/app/").status_code == 200


@pytest.mark.parametrize("moment", [None, "now", True, [], {}, float("nan")])
def test_a_moment_that_is_none_is_not_just_now(
    issuer: str, as_user: Callable[[str], Client], monkeypatch: pytest.MonkeyPatch, moment: Any
) -> None:
    real, client = Protocol._decode_id_token, as_user("nora")
    monkeypatch.setattr(Protocol, "_decode_id_token", lambda *args: {**real(*args), "auth_time": moment})
    assert client.get(agree(begin(client), "s-nora")).status_code == 403


def test_a_provider_that_is_away_is_said(world: World, client: Client, settings: Any) -> None:
    with provider(settings, *PEOPLE):
        pass
    answer = client.get("/sign-in/oidc/")
    assert answer.status_code == 502 and "does not answer" in page_text(answer)


def test_a_provider_that_calls_itself_otherwise_is_none(
    issuer: str, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = requests.get(f"{issuer}/.well-known/openid-configuration", timeout=10).json()
    assert said["issuer"] == issuer
    other = {**said, "issuer": "https://other.example.net"}
    monkeypatch.setattr(OpenIDConnectOAuth2Adapter, "openid_config", property(lambda _self: other))
    assert client.get("/sign-in/oidc/").status_code == 502


def test_who_says_no_there_is_back_at_the_sign_in_page(issuer: str, client: Client) -> None:
    address = begin(client)
    said = requests.post(address, data={"action": "deny"}, allow_redirects=False, timeout=10)
    back = urlsplit(said.headers["Location"])
    query = dict(parse_qsl(back.query)) | {"state": parse_qs(urlsplit(address).query)["state"][0]}
    answer = client.get(f"{back.path}?{urlencode(query)}", follow=True)
    assert "Sign in" in page_text(answer) and client.get("/queue/").status_code == 302


def test_without_a_provider_there_is_nothing_there(world: World, client: Client) -> None:
    for path in ("/sign-in/oidc/", "/sign-in/oidc/callback/", "/sign-in/oidc/callback/?code=x&state=y"):
        assert client.get(path).status_code == 404


def test_nobody_makes_us_ask_the_provider_without_end(issuer: str, client: Client) -> None:
    answers = [client.get("/sign-in/oidc/").status_code for _ in range(31)]
    assert answers == [302] * 30 + [429]


@pytest.mark.parametrize("length", [191, 192])
def test_a_subject_that_is_too_long_to_keep_is_no_subject(
    issuer: str, client: Client, monkeypatch: pytest.MonkeyPatch, length: int
) -> None:
    real = Protocol._decode_id_token
    monkeypatch.setattr(Protocol, "_decode_id_token", lambda *args: {**real(*args), "sub": "s" * length})
    monkeypatch.setattr(Protocol, "_fetch_user_info", lambda _self, _token: {"sub": "s" * length})
    assert client.get(agree(begin(client), "s-eve")).status_code == {191: 403, 192: 502}[length]


@pytest.mark.parametrize(
    "query", ["", "code=x", "state=x", "code=x&state=y", "error=x&state=", "code=%00&state=%00"]
)
def test_nonsense_is_answered(issuer: str, client: Client, query: str) -> None:
    assert client.get(f"/sign-in/oidc/callback/?{query}").status_code in (401, 502)
