"""A request of a class that the domain's scheme no longer has: readable for ever, and no promise any more."""

from __future__ import annotations

from collections.abc import Callable
from io import StringIO

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from inventory.models import Domain
from provisioning.models import SYSTEM, LedgerEntry, PremiumRequest
from provisioning.pipeline.admission import Refused
from provisioning.services import decisions, requests, tokens
from tests.services.requests.sixnet import agreed, grnet, hours, janet, noc, submitted
from tests.web.text import page_text

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("six"), pytest.mark.once]
GONE = "scheme grnet has no class 'ip-premium'"


def held() -> PremiumRequest:
    asked = agreed()
    decisions.hold(actor=noc(), request=asked, until=hours(2), reason="they talk")
    return asked


def refused() -> PremiumRequest:
    return decisions.refuse(actor=noc(), request=agreed(), reason="no")


def withdrawn() -> PremiumRequest:
    return requests.withdraw(actor=janet(), request=submitted(), reason="no longer")


STATES: dict[str, Callable[[], PremiumRequest]] = {
    "SUBMITTED": submitted, "HELD": held, "REFUSED": refused, "WITHDRAWN": withdrawn,
}  # fmt: skip


def of_an_old_scheme(state: str) -> PremiumRequest:
    asked = STATES[state]()
    asked.refresh_from_db()
    assert asked.state == state
    Domain.objects.update(scheme="grnet", policer="grants")
    noc()
    grnet()
    return asked


@pytest.mark.parametrize("state", sorted(STATES))
@pytest.mark.parametrize("name", ["jane", "giorgos", "nora"])
def test_every_page_shows_it(state: str, name: str) -> None:
    asked = of_an_old_scheme(state)
    client = Client()
    client.force_login(User.objects.get(username=name))
    places = [
        reverse(f"web:{view}", args=[asked.pk])
        for view in ("request", "request-history", "request-advice", "request-pack")
    ]
    places += [reverse("web:home")]
    places += [
        reverse(f"web:{view}") for view in (("requests", "queue") if name == "nora" else ("my-requests",))
    ]
    for place in places:
        answer = client.get(place, follow=True)
        assert answer.status_code == 200, place
        # "ip-premium" is all that is left of its name: no scheme says what it is called.
        assert place != places[0] or "ip-premium" in page_text(answer)
    shown = page_text(client.get(places[0]))
    assert (GONE.replace("'", "&#x27;") in shown) == (state in ("SUBMITTED", "HELD") and name != "giorgos")


@pytest.mark.parametrize("state", sorted(STATES))
def test_the_api_shows_it_alone_and_in_the_list(state: str) -> None:
    asked = of_an_old_scheme(state)
    text = tokens.issue(actor=SYSTEM, user=User.objects.get(username="jane"), nren=asked.nren, name="t")[1]
    headers = {"Authorization": f"Bearer {text}"}
    one = Client().get(f"/api/v1/premium-requests/{asked.pk}/", headers=headers)
    assert one.status_code == 200, one.content
    assert one.json()["service_class"] == "ip-premium"
    if state in ("SUBMITTED", "HELD"):
        (reason,) = one.json()["evidence"]["reasons"]
        assert reason["code"] == "class-unknown"
        assert GONE in reason["text"]
    listed = Client().get("/api/v1/premium-requests/", headers=headers)
    assert [row["id"] for row in listed.json()["results"]] == [asked.pk]
    pack = Client().get(f"/api/v1/premium-requests/{asked.pk}/pack/?for=ios", headers=headers)
    assert pack.status_code == 409
    assert (GONE if state in ("SUBMITTED", "HELD") else "there is no pack") in pack.json()["detail"]


@pytest.mark.parametrize("state", ["SUBMITTED", "HELD"])
def test_nobody_promises_it_and_everything_that_ends_it_works(state: str) -> None:
    asked = of_an_old_scheme(state)
    if state == "SUBMITTED":
        requests.consent(actor=grnet(), request=asked, agree=True)
        again = decisions.hold(actor=noc(), request=asked, until=hours(3), reason="they talk")
        assert isinstance(again, Refused)
    verdict = decisions.admit(actor=noc(), request=asked, reason="fits?")
    assert isinstance(verdict, Refused)
    assert [(each.code, each.text.startswith(GONE)) for each in verdict.reasons] == [("class-unknown", True)]
    with pytest.raises(CommandError, match=GONE):
        call_command("admit", str(asked.pk), "--as", "nora", "--reason", "fits?", stdout=StringIO())
    client = Client()
    client.force_login(User.objects.get(username="nora"))
    for view in ("request-admit", "request-refuse", "request-hold"):
        if (view, state) != ("request-hold", "HELD"):
            page = client.get(reverse(f"web:{view}", args=[asked.pk]), follow=True)
            assert page.status_code == 200, view
    decisions.refuse(actor=noc(), request=asked, reason="that service is over")
    asked.refresh_from_db()
    assert asked.state == "REFUSED"
    assert asked.evidence["reasons"][0]["code"] == "class-unknown"
    assert not LedgerEntry.objects.filter(released_at=None).exists()


def test_a_scheme_that_cannot_be_read_is_an_alarm_and_the_pages_go_on() -> None:
    submitted()
    noc()
    Domain.objects.update(scheme="gone")
    client = Client()
    client.force_login(User.objects.get(username="nora"))
    for view in ("home", "queue"):
        page = client.get(reverse(f"web:{view}"), follow=True)
        assert page.status_code == 200, view
        assert "cannot be read: nothing is admitted, planned or verified." in page_text(page)
        assert "no scheme &#x27;gone&#x27;" in page_text(page)
