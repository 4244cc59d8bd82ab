"""The NOC asks back and the NREN answers: told to the other side, open until it is answered, and nobody else's to read."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.test import Client

from provisioning.models import AuditEvent, Channel, Notification, Remark, Subscriber, Topic
from provisioning.selectors import audit
from provisioning.selectors.remarks import ACTIONS
from provisioning.services import remarks
from provisioning.services.telling.gathering import wants
from tests.web.text import page_text
from tests.web.world import World

As = Callable[[str], Client]


def test_a_question_is_open_until_the_other_side_answers(world: World, as_user: As) -> None:
    request = world.requests["decision"]
    page, address = f"/requests/{request.pk}/", f"/requests/{request.pk}/questions/"
    asked = as_user("nora").post(address, {"text": "Is <500 kbit/s> enough?", "asks": "on"}, follow=True)
    assert "Sent. JANET is told and asked to answer." in page_text(asked)
    told = Notification.objects.get(topic=Topic.QUESTION)
    assert (told.nren_id, told.path) == (request.nren_id, address)
    assert told.title == f"{request.reference}: a question from the NOC" and "500" not in told.text

    # It stands before whoever shall answer, not before who asked, and whoever receives learns nothing of it.
    assert "Is &lt;500 kbit/s&gt; enough?" in page_text(as_user("jane").get(page))
    assert "An answer of yours is waited for" in page_text(as_user("jane").get(address))
    assert "<strong>The NOC asks:" not in page_text(as_user("nora").get(page))
    for name in ("giorgos", "dieter"):
        assert as_user(name).get(address).status_code == 404
        assert as_user(name).post(address, {"text": "x"}).status_code in {403, 404}
    for where in (page, f"{page}history/"):
        assert "500 kbit/s&gt; enough" not in page_text(as_user("giorgos").get(where))

    for actor, reads in (("giorgos", False), ("jane", True), ("nora", True)):
        trail = audit.for_actor(world.actor(actor)).filter(action__in=ACTIONS)
        assert trail.exists() is reads, "nor by the trail of the API"

    # A remark of the NOC's own answers nothing; jane's does, and asks back.
    as_user("nora").post(address, {"text": "The link is narrow."})
    assert Remark.objects.filter(answered_at=None, asks=True).count() == 1
    as_user("jane").post(address, {"text": "Yes. From noon on?", "asks": "on"})
    first, _, last = Remark.objects.order_by("pk")
    assert first.answered_at == last.at and (last.of_noc, last.answered_at) == (False, None)
    assert "<strong>JANET asks:" in page_text(as_user("nora").get(page))
    audrey = as_user("audrey")
    assert (
        "From noon on?" in page_text(audrey.get(address))
        and audrey.post(address, {"text": "x"}).status_code == 403
    )
    event = AuditEvent.objects.order_by("-sequence").first()
    assert (event.action, event.nren_ids) == ("request.question", [request.nren_id])  # type: ignore[union-attr]

    # JANET's address is told what the NOC said, the NOC's what JANET did.
    noc = Subscriber(channel=Channel.MAIL, address="noc@example.net", topics=[])
    janet = Subscriber(channel=Channel.MAIL, address="a@ja.net", topics=[], nren_id=request.nren_id)
    grnet = Subscriber(
        channel=Channel.MAIL, address="a@grnet.gr", topics=[], nren_id=request.receiving_nren_id
    )
    notes = Notification.objects.filter(topic=Topic.QUESTION).order_by("pk")
    assert [[wants(who, one) for who in (noc, janet, grnet)] for one in notes] == [
        [False, True, False],
        [False, True, False],
        [True, False, False],
    ]


def test_nothing_is_said_where_it_is_too_much_or_nothing(
    world: World, as_user: As, monkeypatch: pytest.MonkeyPatch
) -> None:
    request = world.requests["decision"]
    address, client = f"/requests/{request.pk}/questions/", as_user("jane")
    for text, why in (("", "Write what you ask or answer."), ("a\u202eb", "U+202E")):
        assert why in page_text(client.post(address, {"text": text}))
    monkeypatch.setattr(remarks, "MOST", 1)
    client.post(address, {"text": "One"})
    assert "has 1 remarks" in page_text(client.post(address, {"text": "Two"}))
    assert Remark.objects.count() == 1
