"""What is free while somebody types, and a request asked for again."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from django.core.cache import cache
from django.test import Client

from inventory.models import AccessLink, Nren
from provisioning.pipeline.units import BitRate
from provisioning.services import requests as service
from provisioning.services.requests import SubmitRequest
from provisioning.web.views import headroom
from tests.web.text import page_text
from tests.web.world import World

As = Callable[[str], Client]
TYPED = {"rate": "1M", "direction": "one-way", "max_packet_bytes": "1500", "min_packet_bytes": ""}


def said(client: Client, source: str, target: str, **more: str) -> str:
    names = {nren: AccessLink.objects.get(nren__name=nren).name for nren in (source, target)}
    asked = {"source_link": names[source], "destination_link": names[target], **TYPED, **more}
    answer = client.get("/my/ask/headroom/", asked)
    assert answer.status_code == 200
    return " ".join(re.sub(r"<[^>]+>", " ", page_text(answer)).split())


def test_the_most_that_fits_is_what_asking_finds(world: World, as_user: As) -> None:
    text = said(as_user("jane"), "JANET", "GRNET", min_packet_bytes="200")
    assert "would fit now" in text and "In packets of 200 bytes it is 1.02 Mbit/s of frames" in text
    most = BitRate.parse(re.search(r"At most ([\d.]+ \w+/s)", text)[1]).bps  # type: ignore[index]

    def fits(bps: int) -> bool:
        nets = [str(Nren.objects.get(name=name).prefixes.first().network) for name in ("JANET", "GRNET")]
        links = [AccessLink.objects.get(nren__name=name).name for name in ("JANET", "GRNET")]
        data = SubmitRequest(
            links[0], links[1], bps, 6000, 1500, (nets[0],), (nets[1],), "x", min_packet_bytes=200
        )
        return service.try_out(actor=world.actor("jane"), data=data).seen.fits

    assert fits(most) and not fits(most + 1000)
    # Asked for too much the same is said.
    much = said(as_user("jane"), "JANET", "GRNET", rate="6M", min_packet_bytes="200")
    assert "would not fit" in much and f"At most {text.split('At most ')[1].split(' for')[0]}" in much


def test_no_number_of_anothers_link_is_told(world: World, as_user: As) -> None:
    text = said(as_user("dieter"), "DFN", "GRNET")
    assert "would fit now" in text and "GRNET@gr6" not in text
    assert "DFN@de6:POS1/0" in text  # its own
    # A link of somebody else's cannot be asked from at all.
    assert "Still to write: From" in said(as_user("dieter"), "JANET", "GRNET")


def test_what_cannot_be_read_yet_is_named_and_too_often_is_told(
    world: World, as_user: As, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = as_user("jane")
    assert "Still to write: Smallest packet in bytes" in said(
        client, "JANET", "GRNET", min_packet_bytes="abc"
    )
    cache.clear()
    monkeypatch.setattr(headroom, "A_MINUTE", 1)
    assert "At most" in said(client, "JANET", "GRNET")
    assert "within a minute" in said(client, "JANET", "GRNET")
    # The whole form, with the same letters in it, says so at its field.
    posted = client.post("/my/ask/", {**TYPED, "min_packet_bytes": "abc"})
    assert posted.status_code == 200 and "Write a whole number, for instance 200." in page_text(posted)


def test_a_request_is_asked_for_again_by_who_may(world: World, as_user: As) -> None:
    request = world.requests["decision"]
    assert f"/my/ask/?like={request.pk}" in page_text(as_user("jane").get(f"/requests/{request.pk}/"))
    filled = page_text(as_user("jane").get(f"/my/ask/?like={request.pk}"))
    assert request.reason in filled and f'value="{request.start:%Y-%m-%dT%H:%M}' in filled
    for name in ("giorgos", "dieter"):
        assert request.reason not in page_text(as_user(name).get(f"/my/ask/?like={request.pk}"))
        assert "?like=" not in page_text(as_user(name).get(f"/requests/{request.pk}/"))
    assert as_user("jane").get("/my/ask/?like=99999999999999999999").status_code == 200
