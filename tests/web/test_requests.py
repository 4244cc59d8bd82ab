"""The request pages: what they say, what they offer, and that the server refuses what they do not offer."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from provisioning.models import AuditEvent, Consent, LedgerEntry, PremiumRequest
from provisioning.pipeline.states import RequestState
from provisioning.services import requests
from tests.web.text import page_text
from tests.web.world import World, link

As = Callable[[str], Client]


def page(client: Client, path: str) -> str:
    answer = client.get(path)
    assert answer.status_code == 200, path
    return page_text(answer)


def test_admitting_charges_the_links_and_keeps_the_reason(world: World, as_user: As) -> None:
    asked = world.requests["decision"]
    text = page(as_user("niels"), f"/requests/{asked.pk}/")
    assert f"/requests/{asked.pk}/admit/" in text
    answer = as_user("niels").post(f"/requests/{asked.pk}/admit/", {"reason": "Room enough"}, follow=True)
    assert "is admitted and charged" in page_text(answer)
    asked.refresh_from_db()
    assert asked.state == RequestState.ADMITTED and asked.decided_by == world.users["niels"]
    assert LedgerEntry.objects.filter(reservation__request=asked).count() == 5
    event = AuditEvent.objects.filter(object_type="PremiumRequest", object_id=str(asked.pk)).first()
    assert (event.reason, event.actor, event.via) == ("Room enough", "niels", "web")


def test_a_decision_needs_a_reason(world: World, as_user: As) -> None:
    asked = world.requests["decision"]
    for deed in ("admit", "refuse"):
        text = page_text(as_user("nora").post(f"/requests/{asked.pk}/{deed}/", {"reason": "   "}))
        assert "Say why" in text
    asked.refresh_from_db()
    assert asked.state == RequestState.SUBMITTED


def test_nobody_admits_their_own_and_the_page_says_why(world: World, as_user: As) -> None:
    own = world.requests["own"]
    text = page(as_user("nora"), f"/requests/{own.pk}/")
    assert f"{own.reference} was submitted by you: somebody else of the NOC decides about it." in text
    assert "In an emergency: admit it alone, by break-glass" in text
    answer = as_user("nora").post(f"/requests/{own.pk}/admit/", {"reason": "mine"})
    assert "Say why you do it alone" in page_text(answer)
    own.refresh_from_db()
    assert own.state == RequestState.SUBMITTED
    assert f"/requests/{own.pk}/admit/" in page(as_user("niels"), f"/requests/{own.pk}/")


def test_past_the_share_there_is_no_button_and_the_server_refuses(world: World, as_user: As) -> None:
    asked = world.requests["too-much"]
    text = page(as_user("niels"), f"/requests/{asked.pk}/")
    assert "nobody can admit past the share" in text
    assert f"/requests/{asked.pk}/admit/" not in text
    assert "4.75 Mbit/s too much" in text and "3.229 Mbit/s" in text
    assert "8.021334 Mbit/s with 4 bytes of header each (PPP or HDLC), 4.512 Mbit/s of others beside" in text
    answer = as_user("niels").post(f"/requests/{asked.pk}/admit/", {"reason": "please"}, follow=True)
    assert "Not admitted" in page_text(answer)
    asked.refresh_from_db()
    assert asked.state == RequestState.SUBMITTED
    assert not LedgerEntry.objects.filter(reservation__request=asked).exists()


def test_without_consent_nothing_is_admitted(world: World, as_user: As) -> None:
    asked = world.requests["consent"]
    text = page(as_user("niels"), f"/requests/{asked.pk}/")
    assert "GRNET has not agreed to receive it yet" in text
    answer = as_user("niels").post(f"/requests/{asked.pk}/admit/", {"reason": "now"})
    assert answer.status_code == 409
    assert "has not agreed" in page_text(answer)


def test_a_request_decided_meanwhile_is_a_conflict_in_words(world: World, as_user: As) -> None:
    asked = world.requests["decision"]
    as_user("nora").post(f"/requests/{asked.pk}/refuse/", {"reason": "no"})
    answer = as_user("niels").post(f"/requests/{asked.pk}/admit/", {"reason": "yes"})
    assert answer.status_code == 409
    assert "Somebody or something was faster" in page_text(answer)


def test_the_evidence_names_every_link_direction_and_number(world: World, as_user: As) -> None:
    text = page(as_user("nora"), f"/requests/{world.requests['decision'].pk}/")
    for said in (
        "JANET@uk6:POS1/0",
        "into the backbone",
        "out of the backbone",
        "GRNET@gr6:POS2/0",
        "a to z",
        "7.75 Mbit/s",
        "31 Mbit/s",
        "155 Mbit/s",
        "4.5 Mbit/s",
        "our choice",
        "fits everywhere",
    ):
        assert said in text, said
    assert text.count('class="bar" viewBox="0 0 1000 12"') == 5


def test_the_receiving_nren_agrees(world: World, as_user: As) -> None:
    asked = world.requests["consent"]
    assert asked.reference in page(as_user("giorgos"), "/my/inbox/")
    assert "Answer" in page(as_user("giorgos"), f"/requests/{asked.pk}/")
    answer = as_user("giorgos").post(f"/requests/{asked.pk}/consent/", {"answer": "agree"})
    assert answer.status_code == 302
    asked.refresh_from_db()
    assert asked.consent == Consent.GIVEN


def test_declining_needs_a_reason_and_the_asking_nren_cannot_answer(world: World, as_user: As) -> None:
    asked = world.requests["consent"]
    text = page_text(as_user("giorgos").post(f"/requests/{asked.pk}/consent/", {"answer": "decline"}))
    assert "Say why you decline" in text
    assert as_user("jane").post(f"/requests/{asked.pk}/consent/", {"answer": "agree"}).status_code == 403
    asked.refresh_from_db()
    assert asked.consent == Consent.PENDING


def test_withdrawing_asks_first_and_says_what_follows(world: World, as_user: As) -> None:
    asked = world.requests["active"]
    text = page(as_user("jane"), f"/requests/{asked.pk}/withdraw/")
    assert "stays charged until the reservation has been seen gone" in text
    asked.refresh_from_db()
    assert asked.state == RequestState.ACTIVE
    as_user("jane").post(f"/requests/{asked.pk}/withdraw/", {"reason": "trial is over"})
    asked.refresh_from_db()
    assert asked.state == RequestState.WITHDRAWN
    assert (
        as_user("giorgos")
        .post(f"/requests/{world.requests['admitted'].pk}/withdraw/", {"reason": "x"})
        .status_code
        == 403
    )


def test_holding_and_ending_a_hold(world: World, as_user: As) -> None:
    asked = world.requests["decision"]
    until = (timezone.now() + timedelta(days=2)).strftime("%Y-%m-%dT%H:%M")
    as_user("nora").post(f"/requests/{asked.pk}/hold/", {"until": until, "reason": "talking to GRNET"})
    asked.refresh_from_db()
    assert asked.state == RequestState.HELD
    assert "End the hold" in page(as_user("nora"), f"/requests/{asked.pk}/")
    as_user("nora").post(f"/requests/{asked.pk}/unhold/", {"reason": "agreed"})
    asked.refresh_from_db()
    assert asked.state == RequestState.SUBMITTED
    text = page_text(
        as_user("nora").post(f"/requests/{asked.pk}/hold/", {"until": "2020-01-01T00:00", "reason": "x"})
    )
    assert "a hold ends in the future" in text


ASK = {
    "direction": "one-way",
    "rate": "2 Mbit/s",
    "bucket_bytes": "6000",
    "max_packet_bytes": "1500",
    "source_prefixes": "2001:630::/32",
    "destination_prefixes": "2001:648::/32",
    "contact": "noc@ja.example",
}


def ask(**changed: str) -> dict[str, str]:
    return {**ASK, "source_link": link("JANET").name, "destination_link": link("GRNET").name, **changed}


def test_an_nren_asks_both_ways(world: World, as_user: As) -> None:
    count = PremiumRequest.objects.count()
    answer = as_user("jane").post("/my/ask/", ask(direction="both"), follow=True)
    assert PremiumRequest.objects.count() == count + 2
    assert "GRNET is asked to agree" in page_text(answer)


def test_the_smallest_packet_is_asked_for_and_shown(world: World, as_user: As) -> None:
    named = page_text(as_user("jane").post("/my/ask/", ask(min_packet_bytes="220"), follow=True))
    assert PremiumRequest.objects.latest("pk").min_packet_bytes == 220
    assert re.search(r"Smallest packet</dt>\s*<dd>220 bytes", named)
    unnamed = page_text(as_user("jane").post("/my/ask/", ask(), follow=True))
    assert PremiumRequest.objects.latest("pk").min_packet_bytes is None
    assert "not named: the rate is kept for the largest" in unnamed


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("rate", "0", "rate"),
        ("rate", "-5", "say how many bit/s, for instance 2M"),
        ("rate", str(10**18), ""),
        ("end", "2020-01-01T00:00", "not after the start"),
        ("source_prefixes", "2001:648::/32", "2001:648::/32"),
        ("source_prefixes", "2001:630::/32\n! end", ""),
        ("destination_link", "nowhere", "choose one of the links offered"),
        ("contact", "a\nb", ""),
        ("bucket_bytes", "10", "bucket"),
        ("min_packet_bytes", "1501", "is larger than the largest"),
        ("flow_label", "1048576", ""),
        ("reason", "x" * 3000, "2000"),
    ],
)
def test_what_cannot_be_meant_is_said_at_its_field(
    world: World, as_user: As, field: str, value: str, said: str
) -> None:
    count = PremiumRequest.objects.count()
    answer = as_user("jane").post("/my/ask/", ask(**{field: value}))
    text = page_text(answer)
    assert answer.status_code == 200
    assert PremiumRequest.objects.count() == count
    start = text.find(f'id="id_{field}_error"')
    assert start > 0, f"no message at {field}"
    assert said.lower() in text[start : start + 400].lower()
    assert 'aria-invalid="true"' in text


def test_an_nren_cannot_ask_for_another(world: World, as_user: As) -> None:
    count = PremiumRequest.objects.count()
    text = page_text(as_user("dieter").post("/my/ask/", ask()))
    assert "Choose a link of your own that participates" in text
    assert PremiumRequest.objects.count() == count


def test_a_counter_offer_is_taken_with_one_button(world: World, as_user: As) -> None:
    asked = world.requests["too-much"]
    url = f"/requests/{asked.pk}/"
    count = PremiumRequest.objects.count()
    (first, *_) = re.findall(
        r'<form method="post" action="/requests/\d+/take-offer/">.*?</form>', page(as_user("jane"), url), re.S
    )
    terms = dict(re.findall(r'name="(kind|rate_bps|start|end)" value="([^"]*)"', first))
    assert terms["kind"] == "lower-rate"
    assert as_user("dieter").post(f"{url}take-offer/", terms).status_code == 404
    assert "no offer of a request" in page_text(
        as_user("jane").post(f"{url}take-offer/", {"kind": "lower-rate"})
    )
    text = page_text(as_user("jane").post(f"{url}take-offer/", terms, follow=True))
    assert f"{asked.reference} asks for 3.229 Mbit/s" in text
    assert "Take this offer" not in text
    asked.refresh_from_db()
    assert (asked.state, asked.rate_bps, PremiumRequest.objects.count()) == ("SUBMITTED", 3_229_000, count)


def test_what_if_says_it_and_asks_nothing(world: World, as_user: As) -> None:
    count = PremiumRequest.objects.count()
    text = page_text(as_user("jane").post("/my/ask/", ask(**{"try": "1"})))
    assert "It would fit at this moment" in text
    text = page_text(as_user("jane").post("/my/ask/", ask(rate="30M", **{"try": "1"})))
    assert "It would be refused at this moment" in text
    assert "Fill this in" in text
    assert "not yours to see" in text, "what others hold on the core"
    assert "not yours to see" not in page_text(
        as_user("nora").post("/my/ask/", ask(rate="30M", **{"try": "1"}))
    )
    filled = page_text(as_user("jane").post("/my/ask/", ask(rate="30M", use="0")))
    assert "It would fit at this moment" in filled
    assert "30M" not in filled
    assert PremiumRequest.objects.count() == count


def test_what_people_write_is_shown_as_text(world: World, as_user: As) -> None:
    nasty = '<script>alert(1)</script>"><img src=x onerror=alert(1)>'
    PremiumRequest.objects.filter(pk=world.requests["decision"].pk).update(reason=nasty, contact=nasty)
    text = page(as_user("nora"), f"/requests/{world.requests['decision'].pk}/")
    assert "<script>alert" not in text and "<img src=x" not in text
    assert "&lt;script&gt;alert(1)" in text


def test_the_queue_sorts_by_what_waits(world: World, as_user: As) -> None:
    client = as_user("nora")
    for group, key in (
        ("decision", "decision"),
        ("consent", "consent"),
        ("overdue", "overdue"),
        ("admitted", "admitted"),
        ("active", "active"),
    ):
        text = page(client, f"/queue/?group={group}")
        assert f">{world.requests[key].reference}<" in text, group
        assert f">{world.requests['refused'].reference}<" not in text, group


def test_what_was_withdrawn_before_it_was_granted_is_not_overdue(world: World, as_user: As) -> None:
    """Nothing of it was ever on a router: there is nothing to be seen gone, and no consent to wait for."""
    jane, client = world.actor("jane"), as_user("nora")
    never, granted = world.requests["consent"], world.requests["active"]
    for request in (never, granted):
        requests.withdraw(actor=jane, request=request, reason="the concert is off")
    text = page(client, "/queue/?group=overdue")
    assert f">{granted.reference}<" in text
    assert f">{never.reference}<" not in text
    for path in (f"/requests/?q={never.reference}", f"/requests/{never.pk}/"):
        assert "Consent pending" not in page(client, path).partition("<main")[2].partition("<dl")[0], path


def test_an_nren_does_not_see_what_others_hold(world: World, as_user: As) -> None:
    asked = world.requests["too-much"]
    path = f"/requests/{asked.pk}/"
    seen, own = page(as_user("audrey"), path), page(as_user("jane"), path)
    assert "not yours to see" not in seen and seen.count("held by others, ") > own.count("held by others, ")
    rows = own.split('data-label="Link" class="mono">')[1:]
    assert rows
    for row in rows:
        mine = row.startswith(asked.source_link.name)
        assert ("not yours to see" in row) != mine
        assert ('class="held" x=' in row) == mine


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("audrey", "/requests/?q=²"),
        ("audrey", "/requests/?q=PIP-²"),
        ("audrey", "/changes/?q=²"),
    ],
)
def test_odd_numbers_in_an_address_are_no_fault(world: World, as_user: As, name: str, path: str) -> None:
    assert as_user(name).get(path).status_code in {200, 404}


def test_nobody_gets_everything_on_one_page(world: World, as_user: As) -> None:
    client = as_user("audrey")
    for size in ("0", "-1", "1", "251", "100000", "all"):
        answer = client.get("/requests/", {"per_page": size})
        assert answer.status_code == 400 and "PIP-" not in page_text(answer).partition('id="results"')[2]
