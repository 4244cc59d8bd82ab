"""An answer is taken for what its page showed: where the asker has changed it since, the page shows that and asks again."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from provisioning.models import AuditEvent, Consent, PremiumRequest, Series
from provisioning.services import modifications, series
from provisioning.services.modifications import Modify
from tests.web.text import page_text
from tests.web.world import World, weekly

As = Callable[[str], Client]
CHANGED = "not what you read any more"
DEEDS = [
    ("decision", "niels", "admit", {"reason": "room enough"}),
    ("decision", "niels", "admit/lines", {"reason": "room enough"}),
    ("decision", "niels", "refuse", {"reason": "no"}),
    ("decision", "niels", "hold", {"reason": "still talking", "until": "UNTIL"}),
    ("consent", "giorgos", "consent", {"answer": "agree"}),
    ("consent", "giorgos", "consent", {"answer": "decline", "reason": "no"}),
]
OF_A_SERIES = [
    ("giorgos", "consent", {"answer": "agree"}),
    ("niels", "admit", {"reason": "room enough"}),
    ("niels", "refuse", {"reason": "no"}),
    ("niels", "hold", {"reason": "still talking", "until": "UNTIL"}),
]


def carried(page: str) -> str:
    """What the form of a page carries of the terms that it shows."""
    (found,) = re.findall(r'name="terms" value="([0-9a-f]{64})"', page)
    return str(found)


def sent(given: dict[str, str]) -> dict[str, str]:
    until = f"{timezone.now() + timedelta(hours=20):%Y-%m-%dT%H:%M}"
    return {name: value.replace("UNTIL", until) for name, value in given.items()}


def as_it_is(rows: list[PremiumRequest]) -> list[tuple[str, str]]:
    for row in rows:
        row.refresh_from_db()
    return [(row.state, row.consent) for row in rows]


@pytest.mark.parametrize(("which", "who", "deed", "given"), DEEDS)
def test_what_was_changed_meanwhile_is_shown_and_asked_again(
    world: World, as_user: As, which: str, who: str, deed: str, given: dict[str, str]
) -> None:
    asked, client = world.requests[which], as_user(who)
    path = f"/requests/{asked.pk}/{deed}/"
    terms = carried(page_text(client.get(path)))
    modifications.modify(
        actor=world.actor("jane"), request=asked, wanted=Modify(rate="333k"), reason="smaller"
    )
    before, events = as_it_is([asked]), AuditEvent.objects.count()
    if which == "decision":
        assert before[0][1] in (Consent.GIVEN, Consent.STANDING)
    answer = client.post(path, {**sent(given), "terms": terms})
    page = page_text(answer)
    assert CHANGED in page and "333 kbit/s" in page and given.get("reason", "") in page
    assert as_it_is([asked]) == before and AuditEvent.objects.count() == events
    assert carried(page) != terms
    client.post(path, {**sent(given), "terms": carried(page)})
    assert as_it_is([asked]) != before


@pytest.mark.parametrize(("who", "deed", "given"), OF_A_SERIES)
def test_so_with_a_series(world: World, as_user: As, who: str, deed: str, given: dict[str, str]) -> None:
    made = weekly(world)
    if deed != "consent":
        series.consent(actor=world.actor("giorgos"), series=made, agree=True)
    rows, client = list(PremiumRequest.objects.filter(series=made)), as_user(who)
    path = f"/series/{made.pk}/{deed}/"
    terms = carried(page_text(client.get(path)))
    _lower(made)
    before = as_it_is(rows)
    page = page_text(client.post(path, {**sent(given), "terms": terms}))
    assert CHANGED in page and as_it_is(rows) == before and carried(page) != terms
    client.post(path, {**sent(given), "terms": carried(page)})
    assert as_it_is(rows) != before


def test_what_happens_to_it_otherwise_is_no_other_terms(world: World, as_user: As) -> None:
    asked = world.requests["decision"]
    path = f"/requests/{asked.pk}/admit/"
    terms = carried(page_text(as_user("niels").get(path)))
    answer = {
        "answer": "agree",
        "terms": carried(page_text(as_user("giorgos").get(path.replace("admit", "consent")))),
    }
    assert answer["terms"] == terms
    as_user("giorgos").post(path.replace("admit", "consent"), answer)
    as_user("nora").post(
        path.replace("admit", "hold"), sent({"reason": "talking", "until": "UNTIL", "terms": terms})
    )
    assert as_it_is([asked])[0][0] == "HELD"
    as_user("niels").post(path, {"reason": "room enough", "terms": terms})
    assert as_it_is([asked])[0][0] == "ADMITTED"


def _lower(made: Series) -> None:
    """Every occurrence asks for less."""
    PremiumRequest.objects.filter(series=made).update(rate_bps=300_000)


@pytest.mark.parametrize("path", ["/requests/{}/admit/", "/requests/{}/consent/", "/series/{}/admit/"])
def test_a_number_that_no_database_holds_is_not_found(world: World, as_user: As, path: str) -> None:
    who = "giorgos" if "consent" in path else "niels"
    assert as_user(who).get(path.format(10**30)).status_code == 404


def test_where_it_cannot_be_admitted_any_more_the_page_says_both(world: World, as_user: As) -> None:
    asked = world.requests["decision"]
    path = f"/requests/{asked.pk}/admit/"
    terms = carried(page_text(as_user("niels").get(path)))
    modifications.modify(actor=world.actor("jane"), request=asked, wanted=Modify(rate="2M"), reason="more")
    page = page_text(as_user("niels").post(path, {"reason": "room enough", "terms": terms}))
    assert CHANGED in page and "cannot be admitted by you" in page


def test_what_was_granted_meanwhile_is_not_withdrawn_as_what_was_never_granted(
    world: World, as_user: As
) -> None:
    asked = world.requests["decision"]
    path = f"/requests/{asked.pk}/withdraw/"
    page = page_text(as_user("niels").get(path))
    assert "nothing was granted" in page and 'name="read" value="undecided"' in page
    as_user("nora").post(f"/requests/{asked.pk}/admit/", {"reason": "room enough"})
    page = page_text(as_user("niels").post(path, {"reason": "a double", "read": "undecided"}))
    assert "is granted by now" in page and "a double" in page and 'value="granted"' in page
    assert as_it_is([asked])[0][0] == "ADMITTED"
    as_user("niels").post(path, {"reason": "a double", "read": "granted"})
    assert as_it_is([asked])[0][0] == "WITHDRAWN"
