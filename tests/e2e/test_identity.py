"""In a real browser: a security key (a virtual one of the browser's own), an authenticator app, and sign-in by a provider."""

from __future__ import annotations

import re
from typing import Any

import pytest
from allauth.socialaccount.models import SocialAccount
from django.core.cache import cache
from oidc_provider_mock import User as Known
from playwright.sync_api import Browser, Page, expect

from provisioning.models import SYSTEM, Role
from provisioning.selectors.identity import provider_key
from provisioning.services import people
from tests.e2e.pictures import picture
from tests.e2e.test_browser import sign_in
from tests.web.codes import code_of
from tests.web.provider import provider
from tests.web.world import PASSWORD

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def site(live_server: Any) -> str:
    """The site under a name: a key is bound to a name, not to an address."""
    cache.clear()
    people.put_person(actor=SYSTEM, username="nora", roles=[Role.NOC], password=PASSWORD)
    return str(live_server.url).replace("127.0.0.1", "localhost")


@pytest.fixture
def key(page: Page) -> Any:
    """A security key of this page's browser; returns what tells the browser about keys."""
    told = page.context.new_cdp_session(page)
    told.send("WebAuthn.enable")
    options = {
        "protocol": "ctap2", "transport": "usb", "hasUserVerification": True, "isUserVerified": True,
        "automaticPresenceSimulation": True,
    }  # fmt: skip
    made = told.send("WebAuthn.addVirtualAuthenticator", {"options": options})
    return told, made["authenticatorId"]


def test_a_security_key_and_an_app(site: str, page: Page, key: Any, settings: Any) -> None:
    settings.ALLOWED_HOSTS = ["localhost"]
    settings.SECOND_FACTOR = ["noc-approver"]
    sign_in(page, site, "nora")
    # The role needs one: there is no other page.
    expect(page.get_by_text("Until there is one, no other page opens.")).to_be_visible()
    page.get_by_role("link", name="Add").click()
    page.get_by_label("Name").fill("blue key")
    page.get_by_role("button", name="Add the key").click()
    expect(page.get_by_text("Copy these now, they are not shown again.")).to_be_visible()
    page.get_by_role("link", name="I have them").click()
    expect(page.get_by_text("Security key: blue key")).to_be_visible()
    page.get_by_role("row", name=re.compile("Authenticator app")).get_by_role("link", name="Set up").click()
    expect(page.locator("img.qr")).to_be_visible()
    secret = page.locator("code.mono").inner_text()
    page.get_by_label("Authenticator code").fill(code_of(secret))
    page.get_by_role("button", name="Set it up").click()
    expect(page.get_by_text("The authenticator app is set up")).to_be_visible()
    page.get_by_role("button", name="Sign out").click()

    sign_in(page, site, "nora")
    expect(page.get_by_role("heading", name="Second factor")).to_be_visible()
    page.get_by_role("button", name="Use a security key").click()
    expect(page.get_by_role("heading", name="Queue")).to_be_visible()
    page.goto(site + "/me/")
    expect(page.get_by_text("password, then webauthn")).to_be_visible()
    picture(page, "my-account")


def test_a_key_that_does_not_answer_is_said(site: str, page: Page, key: Any, settings: Any) -> None:
    settings.ALLOWED_HOSTS = ["localhost"]
    sign_in(page, site, "nora")
    page.goto(site + "/me/keys/new/")
    page.get_by_role("button", name="Add the key").click()
    page.get_by_role("link", name="I have them").click()
    page.get_by_role("button", name="Sign out").click()
    told, name = key
    told.send("WebAuthn.removeVirtualAuthenticator", {"authenticatorId": name})
    sign_in(page, site, "nora")
    # A key of somebody else: the browser asks it, and it knows nothing of this site.
    options = {"protocol": "ctap2", "transport": "usb", "automaticPresenceSimulation": True}
    told.send("WebAuthn.addVirtualAuthenticator", {"options": options})
    page.get_by_role("button", name="Use a security key").click()
    expect(page.get_by_text("The key did not answer")).to_be_visible()


def test_sign_in_by_a_provider(site: str, browser: Browser, settings: Any) -> None:
    settings.ALLOWED_HOSTS = ["localhost"]
    page = browser.new_context().new_page()  # the pages of the provider complain; they are not ours
    known = Known(sub="s-nora", claims={"preferred_username": "nora"})
    with provider(settings, known) as issuer:
        nora = people.actor_named("nora", via="web")
        SocialAccount.objects.create(user_id=nora.user_id, provider=provider_key(issuer), uid="s-nora")
        page.goto(site + "/routers/")
        page.get_by_role("link", name="Sign in with Example ID").click()
        page.get_by_role("button", name="s-nora").click()
        expect(page.get_by_role("heading", name="Routers")).to_be_visible()
        assert page.url == site + "/routers/"
    page.context.close()
