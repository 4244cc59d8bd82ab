"""The map: every half of a link with its number, of what is asked, within bounds, and only for who sees the backbone."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from inventory.models import CoreLink, Domain, Router
from provisioning.models import LedgerEntry, UsageSeries
from provisioning.pipeline.topology import Direction, Failure, LinkDirection
from provisioning.pipeline.units import TimeWindow
from provisioning.selectors import topology
from provisioning.selectors.failures import effect_of
from provisioning.selectors.ledger import commitments
from provisioning.selectors.schemes import scheme_of
from provisioning.web.reading.loads import AFTER, NOW, PEAK, USE, Asked, Load, Loads, loads_of
from tests.web.text import page_text
from tests.web.world import World


def asked_of(question: str, failure: Failure | None = None) -> Loads:
    domain = Domain.objects.get()
    known, scheme = topology.current(domain), scheme_of(domain)
    pool = next(iter(scheme.pools.values()))
    links = (*known.network.core_links, *known.network.access_links)
    return loads_of(domain, known.network, scheme, links, Asked(question, pool, timezone.now(), failure))


def test_what_is_reserved_is_what_the_ledger_says_of_each_direction(world: World) -> None:
    now = timezone.now()
    pool = next(iter(scheme_of(Domain.objects.get()).pools))
    counted = [each for each in commitments(now=now) if each.pool == pool]
    reserved, peaks = asked_of(NOW), asked_of(PEAK)
    assert any(load.bps for load in reserved.values())
    for place, load in reserved.items():
        here = [each for each in counted if each.link_direction == place]
        assert load.bps == sum(each.rate_bps for each in here if each.window.start <= now), place
        instants = [now, *(each.window.start for each in here if each.window.start > now)]
        course = [
            sum(
                each.rate_bps
                for each in here
                if each.window.overlaps(TimeWindow(at, at + timedelta(microseconds=1)))
            )
            for at in instants
        ]
        assert peaks[place].bps == max(course), place


def test_after_a_failure_what_fails_is_out_and_what_takes_its_load_has_more(world: World) -> None:
    loaded = LedgerEntry.objects.filter(link__contains="--", released_at=None).first()
    assert loaded is not None
    failure = Failure("link", loaded.link)
    before, after = asked_of(PEAK), asked_of(AFTER, failure)
    effect = effect_of(Domain.objects.get(), failure, now=timezone.now())
    assert after[LinkDirection(loaded.link, Direction.A_Z)].text == "out"
    moved = {shift.load: shift.after_bps for shift in effect.shifts if shift.load.link != loaded.link}
    assert moved
    for place, load in after.items():
        if place.link != loaded.link:
            assert load.bps == moved.get(place, before[place].bps), place


def test_use_is_a_number_only_where_it_was_counted_lately(world: World, settings: Any) -> None:
    settings.USAGE_SECONDS = 300
    link = CoreLink.objects.first()
    assert link is not None
    series = UsageSeries.objects.create(
        router=link.a_interface.router,
        interface=link.a_interface.name,
        direction="output",
        classes="CORE-OUT EF",
        link=link.name,
        role="core",
        services=["ip-premium"],
        sent_bps=3_100_000,
        seen_at=timezone.now(),
    )
    there, back = (LinkDirection(link.name, way) for way in (Direction.A_Z, Direction.Z_A))
    assert asked_of(USE)[there].bps == 3_100_000
    assert asked_of(USE)[back].text == "?"
    series.seen_at = timezone.now() - timedelta(days=1)
    series.save()
    assert asked_of(USE)[there].text == "?", "what was counted yesterday is not how it is now"


@pytest.mark.parametrize(
    ("bps", "share", "text", "level"),
    [
        (0, 100, "0 %", "none"),
        (1, 1000, "1 %", "low"),
        (50, 100, "50 %", "mid"),
        (100, 100, "100 %", "high"),
        (1001, 1000, "101 %", "over"),
        (5, 0, "-", "over"),
        (0, 0, "0 %", "none"),
        (None, 5, "?", "unknown"),
    ],
)
def test_how_full_something_is_in_words(bps: int | None, share: int, text: str, level: str) -> None:
    load = Load(bps, share)
    assert (load.text, load.level) == (text, level)


def test_every_router_and_link_is_drawn_once_and_leads_to_its_page(
    world: World, as_user: Callable[[str], Client]
) -> None:
    for question in (NOW, PEAK, AFTER, USE):
        text = page_text(as_user("nora").get("/map/", {"show": question}))
        drawing = re.search(r'<svg\s+class="map".*?</svg>', text, re.DOTALL)
        assert drawing is not None
        links = re.findall(r'href="(/links/core/\d+/)"', drawing[0])
        assert len(links) == len(set(links)) == CoreLink.objects.count()
        routers = re.findall(r'href="(/routers/[^"]+)"', drawing[0])
        assert len(routers) == len(set(routers)) == Router.objects.count()
        assert drawing[0].count('class="half ') == 2 * CoreLink.objects.count()
        assert " style=" not in drawing[0]


@pytest.mark.parametrize(
    "wrong", ["show=tomorrow", "router=xx9", "show=after&fails=nothing", "pool=gold", "zoom=3"]
)
def test_what_there_is_not_is_refused_by_name(
    world: World, as_user: Callable[[str], Client], wrong: str
) -> None:
    answer = as_user("nora").get(f"/map/?{wrong}")
    assert answer.status_code == 400
    text = page_text(answer)
    assert 'class="map"' not in text and "asks for what there is not" in text


def test_a_network_too_large_to_read_is_drawn_around_one_router(
    world: World, as_user: Callable[[str], Client], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("provisioning.web.reading.maps.MOST", 4)
    text = page_text(as_user("nora").get("/map/?router=gr6"))
    assert "4 of 9 routers" in text and 'href="/routers/gr6/"' in text
    assert "those nearest to" in text and 'href="/routers/uk6/"' not in text


def test_the_path_of_a_request_is_numbered_hop_by_hop(world: World, as_user: Callable[[str], Client]) -> None:
    request = world.requests["active"]
    text = page_text(as_user("nora").get(f"/requests/{request.pk}/path/"))
    hops = [hop for hop in request.reservation.path if "--" in hop["link"]]
    assert hops
    numbers = re.findall(r'class="number plain"[^>]*>\s*(\d+)\s*<', text)
    assert sorted(map(int, numbers)) == [
        place for place, hop in enumerate(request.reservation.path, 1) if "--" in hop["link"]
    ]
    waiting = world.requests["decision"]
    assert "no path that can be drawn" in page_text(as_user("nora").get(f"/requests/{waiting.pk}/path/"))
    assert as_user("jane").get(f"/requests/{request.pk}/path/").status_code == 403
