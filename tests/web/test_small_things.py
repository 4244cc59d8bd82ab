"""What a colleague meets on the second day: lines where they are approved, links where things are named, errors in one round."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from django.template.loader import render_to_string
from django.test import Client, RequestFactory
from django.urls import reverse

from inventory.models import Router
from provisioning import web
from provisioning.models import AuditEvent, RouterPush
from tests.web.test_series import filled_in
from tests.web.text import page_text
from tests.web.world import World

As = Callable[[str], Client]
LAYOUT = (Path(next(iter(web.__path__))) / "static/web/css/layout.css").read_text(encoding="utf-8")


def test_the_page_that_approves_exactly_these_lines_shows_them(world: World, as_user: As) -> None:
    change = world.changes["planned"]
    page = page_text(as_user("niels").get(reverse("web:change-approve", args=[change.pk])))
    read = page_text(as_user("niels").get(reverse("web:change", args=[change.pk])))
    lines = re.findall(r'<span class="line">([^<]+)</span>', read)
    assert len(lines) > 5
    assert set(lines) <= set(re.findall(r'<span class="line">([^<]+)</span>', page))
    assert page.index(lines[-1]) < page.index("Approve exactly these lines")


@pytest.mark.parametrize("kind", ["PremiumRequest", "User", "Domain"])
def test_what_an_event_is_about_is_a_link_that_leads_there(world: World, as_user: As, kind: str) -> None:
    client = as_user("nora")
    events = AuditEvent.objects.filter(object_type=kind)
    assert events
    page = page_text(client.get("/audit/", {"object_type": kind, "per_page": "25"}))
    rows = page.partition("<tbody>")[2].split("<tr")[1:]
    for row in rows[:3]:
        addresses = re.findall(r'data-label="Object"><div><a href="([^"]+)"', row)
        assert len(addresses) == 1, row
        assert client.get(addresses[0].replace("&amp;", "&")).status_code == 200, addresses
    event = page_text(client.get(reverse("web:audit-event", args=[events[0].sequence])))
    assert "/audit/?actor=" in event


def test_the_labels_of_things_that_are_gone_are_no_links_to_nowhere(world: World, as_user: As) -> None:
    for event in AuditEvent.objects.exclude(object_type__in=["PremiumRequest", "Change", "User"])[:20]:
        page = page_text(as_user("nora").get(reverse("web:audit-event", args=[event.sequence])))
        for address in re.findall(r"<dt>Object</dt><dd>[^<]*<a href=\"([^\"]+)\"", page):
            assert as_user("nora").get(address.replace("&amp;", "&")).status_code == 200, address


def test_all_that_is_wrong_with_a_request_is_said_in_one_round(world: World, as_user: As) -> None:
    sent = filled_in(
        world, rate="fast", source_prefixes="2001:648::/32", repeat="", contact="", max_packet_bytes="1500"
    )
    page = page_text(as_user("jane").post(reverse("web:my-new"), sent))
    wrong = set(re.findall(r'id="id_(\w+)_error"', page))
    assert {"rate", "contact", "source_prefixes"} <= wrong
    assert page.count('id="id_rate_error"') == 1
    sent |= {"rate": "1 Mbit/s", "contact": "noc@example.org", "source_prefixes": "2001:630::/32"}
    assert as_user("jane").post(reverse("web:my-new"), sent).status_code == 302


def brightness(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    dark, light = sorted((brightness(one), brightness(other)))
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("scheme", [0, 1])
@pytest.mark.parametrize("kind", ["good", "warn", "bad", "info", "plain"])
def test_tags_can_be_read(scheme: int, kind: str) -> None:
    said = [
        dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", block))
        for block in re.findall(r"\{([^}]*--good-bg[^}]*)\}", LAYOUT)
    ]
    assert len(said) == 2
    assert contrast(said[scheme][kind], said[scheme][f"{kind}-bg"]) >= 4.5
    assert contrast(said[scheme][kind], said[scheme]["paper"]) >= 4.5


def test_both_halves_of_a_comparison_are_there_on_a_phone_and_by_keyboard(world: World, as_user: As) -> None:
    change = world.changes["planned"]
    page = page_text(as_user("audrey").get(reverse("web:change-compare", args=[change.pk])))
    assert re.search(
        r'<div class="scroll" tabindex="0" role="region" aria-label="Before and after on nl6', page
    )
    assert (
        '<table class="sides facing">' in page
        and 'data-side="before"' in page
        and 'data-side="after"' in page
    )


def test_choosing_a_router_keeps_what_was_read(rf: RequestFactory) -> None:
    """Else the page of another plan would take the place of the one that was read, without a word."""
    row = {"push": RouterPush(router=Router(name="nl6")), "phase": "edges"}
    context = {"routers": [row], "many": True, "chosen": "", "unified": False, "seen": "f" * 64}
    shown = render_to_string("web/parts/routers_of_change.html", context, request=rf.get("/"))
    assert shown.count(f"?router=nl6&amp;seen={'f' * 64}") == 2
