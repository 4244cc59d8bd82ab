"""The page of the sender's own side, and the file it offers."""

from __future__ import annotations

from collections.abc import Callable

from django.test import Client

from tests.web.text import page_text
from tests.web.world import World

As = Callable[[str], Client]


def test_the_portal_and_the_noc_see_it_and_can_take_it_along(world: World, as_user: As) -> None:
    asked = world.requests["decision"]
    for person in ("jane", "nora", "audrey"):
        client = as_user(person)
        assert f"/requests/{asked.pk}/pack/" in page_text(client.get(f"/requests/{asked.pk}/"))
        text = page_text(client.get(f"/requests/{asked.pk}/pack/"))
        assert f"htb \\\n    rate {asked.rate_bps}bit" in text
        file = client.get(f"/requests/{asked.pk}/pack/file/?kind=linux&traffic=real-time&uplink=eth0")
        assert file["Content-Disposition"] == f'attachment; filename="pip-{asked.pk}.sh"'
        assert file["Content-Type"].startswith("text/plain") and file["X-Content-Type-Options"] == "nosniff"
        assert file.content.decode().startswith("#!/bin/sh\n")


def test_for_cisco(world: World, as_user: As) -> None:
    asked = world.requests["decision"]
    query = "kind=ios&traffic=real-time&platform=cisco-7200&ios=12.4(24)T&uplink=POS1/0"
    text = page_text(as_user("jane").get(f"/requests/{asked.pk}/pack/?{query}"))
    assert "interface POS1/0\n service-policy output PREMIUM-OUT" in text
    assert f"/requests/{asked.pk}/pack/file/?kind=ios&amp;traffic=real-time&amp;platform=cisco-7200" in text


def test_what_is_wrong_stands_at_its_field_and_no_file_is_made(world: World, as_user: As) -> None:
    asked = world.requests["decision"]
    for query in (
        "kind=linux&traffic=real-time&uplink=a;b",
        "kind=ios&traffic=real-time&uplink=a b&platform=cisco-7200",
    ):
        text = page_text(as_user("jane").get(f"/requests/{asked.pk}/pack/?{query}"))
        assert "No pack." in text and "id_uplink_error" in text
        assert as_user("jane").get(f"/requests/{asked.pk}/pack/file/?{query}").status_code == 400
    for query in ("", "kind=windows&traffic=real-time"):
        assert as_user("jane").get(f"/requests/{asked.pk}/pack/file/?{query}").status_code == 400


def test_a_flow_label_is_drawn_on_the_page_and_stands_in_the_pack(world: World, as_user: As) -> None:
    asked = world.requests["decision"]
    client = as_user("jane")
    assert "Draw one" in page_text(client.get(f"/requests/{asked.pk}/"))
    assert "Draw one" not in page_text(as_user("giorgos").get(f"/requests/{asked.pk}/"))
    answer = client.post(f"/requests/{asked.pk}/flow-label/", follow=True)
    asked.refresh_from_db()
    assert f"has the flow label {asked.flow_label}." in page_text(answer)
    assert "Draw one" not in page_text(answer)
    assert f"ip6 flowlabel {asked.flow_label} " in page_text(client.get(f"/requests/{asked.pk}/pack/"))
    assert client.post(f"/requests/{asked.pk}/flow-label/").status_code == 409
