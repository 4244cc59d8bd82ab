"""The pages of the burst advisor: the numbers, the formula, and the note beside the request form."""

from __future__ import annotations

from collections.abc import Callable

from django.test import Client

from tests.web.text import page_text
from tests.web.world import World

As = Callable[[str], Client]


def text_of(client: Client, path: str) -> str:
    answer = client.get(path)
    assert answer.status_code == 200, path
    return page_text(answer)


def test_the_page_shows_numbers_formula_and_source(world: World, as_user: As) -> None:
    text = text_of(
        as_user("jane"), "/advice/?rate=5M&traffic=elastic&max_packet_bytes=1500&platform=cisco-7200&ios="
    )
    assert "police cir 5000000 bc 93750 conform-action transmit exceed-action drop" in text
    assert "Bc* = 0.6 Mbit + 0.03 s × rate" in text
    assert "0.6 Mbit + 0.03 s × 5 Mbit/s = 0.75 Mbit = 93750 bytes" in text
    assert "Siris &amp; Fotiadis" in text
    assert "156250 bytes" in text  # what a 7200 does by itself: rate/32


def test_what_is_wrong_stands_at_its_field(world: World, as_user: As) -> None:
    text = text_of(as_user("jane"), "/advice/?rate=fast&traffic=real-time&max_packet_bytes=0")
    assert "&amp;#x27;" not in text and "not a rate: &#x27;fast&#x27;" in text
    assert "No advice." in text and "a whole number between 1 and" in text
    assert "<h2>Policer at the edge" not in text


def test_a_request_leads_to_its_advice(world: World, as_user: As) -> None:
    asked = world.requests["decision"]
    assert f"/requests/{asked.pk}/advice/" in text_of(as_user("jane"), f"/requests/{asked.pk}/")
    real_time = text_of(as_user("jane"), f"/requests/{asked.pk}/advice/")
    assert f"shape average {asked.rate_bps} " in real_time and "cisco-12000" in real_time
    assert "Bc* =" in text_of(as_user("jane"), f"/requests/{asked.pk}/advice/?traffic=elastic")
    assert as_user("jane").get(f"/requests/{asked.pk}/advice/?traffic=bulk").status_code == 400


def test_the_note_beside_the_form(world: World, as_user: As) -> None:
    assert "/advice/beside/" in text_of(as_user("jane"), "/my/ask/")
    note = text_of(as_user("jane"), "/advice/beside/?rate=5M&max_packet_bytes=1500")
    assert "bucket 93750 bytes" in note and "bucket 6072 bytes" in note
    assert "not a rate" in text_of(as_user("jane"), "/advice/beside/?rate=%3Cb%3E&max_packet_bytes=1500")
    assert "<b>" not in text_of(as_user("jane"), "/advice/beside/?rate=%3Cb%3E&max_packet_bytes=1500")
    assert "Write a rate" in text_of(as_user("jane"), "/advice/beside/")


def test_the_menu_names_it_once(world: World, as_user: As) -> None:
    for person in ("nora", "audrey", "jane"):
        assert text_of(as_user(person), "/advice/").count("<span>Burst advice</span>") == 1, person
