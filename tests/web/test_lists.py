"""The lists: filtered by router, and changes by how far they are."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from django.test import Client
from django.utils import timezone

from inventory.models import Nren, Router
from provisioning.models import Change
from provisioning.pipeline.states import PushState
from provisioning.selectors.quotas import Limits, used_of
from provisioning.services import quotas
from tests.web.text import page_text
from tests.web.world import World, put_change, weekly

As = Callable[[str], Client]


def results(client: Client, path: str) -> str:
    answer = client.get(path)
    assert answer.status_code == 200, path
    return page_text(answer).partition('id="results"')[2]


def test_requests_by_the_router_where_they_enter_or_leave(world: World, as_user: As) -> None:
    routers = {name: Router.objects.get(name=name).pk for name in ("uk6", "de6", "it6")}
    shown = {
        name: set(re.findall(r"PIP-\d+", results(as_user("audrey"), f"/requests/?router={pk}")))
        for name, pk in routers.items()
    }
    from_janet = {one.reference for one in world.requests.values() if one.nren.name == "JANET"}
    with_dfn = {world.requests["own"].reference, world.requests["overdue"].reference}
    assert shown == {"uk6": from_janet, "de6": with_dfn, "it6": set()}


def test_an_nren_finds_what_it_asks_for_and_what_it_is_sent_and_nothing_else(
    world: World, as_user: As
) -> None:
    def found(name: str, query: str) -> set[str]:
        return set(re.findall(r"PIP-\d+", results(as_user(name), f"/my/requests/?per_page=100&{query}")))

    for name, nren in (("jane", "JANET"), ("giorgos", "GRNET"), ("dieter", "DFN")):
        sent = {one.reference for one in world.requests.values() if one.nren.name == nren}
        received = {one.reference for one in world.requests.values() if one.receiving_nren.name == nren}
        assert found(name, "") == sent and found(name, "side=received") == received, name
        assert found(name, "side=both") == sent | received, name
    own = world.requests["own"].reference  # of DFN, to GRNET
    assert found("giorgos", "side=both&q=DFN") == {own, world.requests["overdue"].reference}
    assert found("jane", "side=both&q=DFN") == set()
    assert as_user("jane").get("/my/requests/?side=all").status_code == 400


def links(client: Client, query: str) -> set[str]:
    return set(re.findall(r'class="mono" href="[^"]+">([^<]+)</a>', results(client, f"/links/?{query}")))


def test_links_by_router(world: World, as_user: As) -> None:
    shown = links(as_user("audrey"), "router=uk6")
    assert "JANET@uk6:POS1/0" in shown
    assert any("--" in name for name in shown)
    assert all("uk6:" in name for name in shown)


def test_links_by_kind_and_text(world: World, as_user: As) -> None:
    client = as_user("audrey")
    assert links(client, "kind=access&q=%20janet%20") == {"JANET@uk6:POS1/0"}
    assert '<option value="core" selected>core</option>' in page_text(client.get("/links/?kind=core"))


@pytest.mark.parametrize("path", ["/requests/", "/links/", "/links/failures/", "/audit/"])
def test_each_list_is_filtered_by_the_same_form(world: World, as_user: As, path: str) -> None:
    page = page_text(as_user("audrey").get(f"{path}?q=uk6"))
    form = page[page.index('class="filters') : page.index('id="results"')]
    assert f'hx-get="{path}"' in form and 'hx-push-url="true"' in form and 'role="search"' in form
    assert re.search(r'<label for="id_q">Search</label><input type="search"[^>]*value="uk6"', form)
    assert f'href="{path}">Show all</a>' in form


@pytest.fixture
def stages(world: World) -> dict[str, Change]:
    """One change of each stage, and no other."""
    Change.objects.all().delete()
    now = timezone.now()
    return {
        "waiting": put_change(world, "w", "Wanted", PushState.PLANNED),
        "under-way": put_change(world, "u", "Wanted too", PushState.APPROVED, approved_at=now),
        "over": put_change(
            world, "o", "Done", PushState.VERIFIED, approved_at=now, released_at=now, finished_at=now
        ),
    }


@pytest.mark.parametrize("stage", ["waiting", "under-way", "over"])
def test_changes_by_how_far_they_are(stages: dict[str, Change], as_user: As, stage: str) -> None:
    shown = results(as_user("audrey"), f"/changes/?stage={stage}")
    assert set(re.findall(r"CHG-\d+", shown)) == {stages[stage].reference}
    pressed = re.findall(r'href="([^"]*)" aria-current="true"', shown)
    assert pressed == [f"?stage={stage}"]


def test_a_button_keeps_the_other_filters_and_the_form_keeps_the_button(
    stages: dict[str, Change], as_user: As
) -> None:
    page = page_text(as_user("audrey").get("/changes/?stage=waiting&q=wanted&page=1"))
    assert 'href="?q=wanted&amp;stage=over"' in page and 'href="?q=wanted"' in page
    assert '<input type="hidden" name="stage" value="waiting"' in page
    assert set(re.findall(r"CHG-\d+", page.partition('id="results"')[2])) == {stages["waiting"].reference}


def test_nrens_count_what_is_open_as_a_quota_does_and_name_it(world: World, as_user: As) -> None:
    janet = Nren.objects.select_related("domain").get(name="JANET")
    limits = Limits(rate_bps=20_000_000, holds=3)
    quotas.set_quota(
        actor=world.actor("nora"), domain=janet.domain, nren=janet, limits=limits, reason="agreed"
    )
    weekly(world)
    used = used_of(janet, now=timezone.now())
    rows = results(as_user("audrey"), "/nrens/").split("<tr")
    (row,) = [re.findall(r"<td[^>]*>(.*?)</td>", one) for one in rows if ">JANET<" in one]
    assert row[4] == f"<div>{used.open_requests}</div>" and used.open_requests > 1
    assert "20 Mbit/s, 3 holds" in row[-1]
    assert sum("as all" in one for one in rows) == Nren.objects.count() - 1


@pytest.mark.parametrize(
    "address",
    ["/search/?q=%00", "/routers/nl6%00/", "/links/?link=%00", "/changes/?stage=%00", "/audit/?q=%00"],
)
def test_a_nul_in_an_address_is_no_error_of_ours(world: World, as_user: As, address: str) -> None:
    assert as_user("nora").get(address).status_code in (200, 400, 404), address
