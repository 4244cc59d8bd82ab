"""The pages of the network's changes: what would come of one is shown first, and done when it was seen."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from django.utils.html import strip_tags

from inventory.models import CoreLink, Domain
from provisioning.models import CapacityChange, LedgerEntry, PremiumRequest, Reservation, TopologyVersion
from provisioning.pipeline.admission import Overcommitment
from provisioning.pipeline.topology import Direction, LinkCapacity
from provisioning.pipeline.units import TimeWindow
from provisioning.services import clock, decisions, failures, requests, topology
from provisioning.web.reading import courses
from provisioning.web.reading.effects import Effect
from tests.pipeline.topology.test_isis import DATABASE
from tests.web.text import page_text
from tests.web.world import World

AsUser = Callable[[str], Client]


def of_paths() -> str:
    """The name of a core link that something granted goes over."""
    names = set(CoreLink.objects.values_list("name", flat=True))
    held = LedgerEntry.objects.filter(released_at=None, reservation__isnull=False, link__in=names)
    return held.order_by("pk").values_list("link", flat=True)[0]


def test_a_link_goes_down_after_it_was_shown_what_would_come_of_it(world: World, as_user: AsUser) -> None:
    nora, name = as_user("nora"), of_paths()
    given = {"link": name, "deed": "down", "reason": "planned work"}
    given, shown = seen(nora, reverse("web:network-link"), given)
    assert "What would come of it" in shown and "Declare it" in shown
    assert "would move" in shown or "would fit" in shown
    assert not CoreLink.objects.filter(down=True).exists()
    versions = TopologyVersion.objects.count()
    done = nora.post(reverse("web:network-link"), {**given, "do": "1"}, follow=True)
    assert CoreLink.objects.get(down=True).name == name
    assert TopologyVersion.objects.count() == versions + 1
    page = page_text(done)
    assert "of the topology" in page and "Versions of the topology" in page
    if topology.moving():
        assert "end the move" in page
        moved = reverse("web:network-moved")
        earlier = {"reason": "seen", "shown_at": (clock.now() - timedelta(hours=1)).isoformat()}
        nora.post(moved, earlier)
        assert topology.moving(), "what began to move after the page was shown was not looked at"
        assert "shown_at" in nora.get(moved).content.decode()
        nora.post(moved, {**earlier, "shown_at": (clock.now() + timedelta(seconds=1)).isoformat()})
        assert topology.moving() == []


def seen(client: Client, path: str, given: dict[str, str]) -> tuple[dict[str, str], str]:
    """What is sent once what would come of it was shown, and the page that showed it."""
    page = client.post(path, given).content.decode()
    found = re.findall(r'name="shown" value="([0-9a-f]{64})"', page)
    return {**given, "shown": found[0] if found else ""}, " ".join(page.split())


def test_a_deed_that_was_edited_after_it_was_shown_is_shown_again(world: World, as_user: AsUser) -> None:
    nora, path, name = as_user("nora"), reverse("web:network-link"), of_paths()
    given, _ = seen(nora, path, {"link": name, "deed": "down", "reason": "planned work"})
    other = CoreLink.objects.exclude(name=name).earliest("pk").name
    for edited in ({"link": other}, {"deed": "removed"}, {"shown": ""}):
        page = page_text(nora.post(path, {**given, **edited, "do": "1"}))
        assert "is not what this page showed" in page and "What would come of it" in page, edited
        assert not CoreLink.objects.filter(down=True).exists()
    nora.post(path, {**given, "reason": "a better reason", "do": "1"})
    assert CoreLink.objects.get(down=True).name == name, "a reason changes nothing of what comes of it"


def test_what_comes_of_it_by_now_is_shown_again(world: World, as_user: AsUser) -> None:
    nora, path, name = as_user("nora"), reverse("web:network-link"), of_paths()
    given, _ = seen(nora, path, {"link": name, "deed": "down", "reason": "planned work"})
    for row in PremiumRequest.objects.filter(state="ACTIVE"):
        requests.withdraw(actor=world.actor("nora"), request=row, reason="over")
    LedgerEntry.objects.update(released_at=clock.now())
    Reservation.objects.update(released_at=clock.now())
    given, page = seen(nora, path, {**given, "do": "1"})
    assert "is not what this page showed" in page and not CoreLink.objects.filter(down=True).exists()
    nora.post(path, {**given, "do": "1"})
    assert CoreLink.objects.get(down=True).name == name


def test_what_begins_now_is_no_other_effect_a_moment_later(world: World, as_user: AsUser) -> None:
    nora, path = as_user("nora"), reverse("web:network-capacity")
    given = {"link": of_paths(), "usable": "1k", "reason": "work", "pool": "", "kind": "", "percent": ""}
    given, page = seen(nora, path, {**given, "start": "", "until": ""})
    assert "would not fit" in page
    nora.post(path, {**given, "do": "1"})
    assert CapacityChange.objects.count() == 1


def test_a_move_names_both_paths_to_the_noc_and_to_who_asked_alone(world: World, as_user: AsUser) -> None:
    name = of_paths()
    topology.declare(actor=world.actor("nora"), name=name, deed="down", reason="a cut fibre")
    row, *_ = [
        row for row in topology.moving() if (row.nren.name, row.receiving_nren.name) == ("JANET", "GRNET")
    ]
    page = reverse("web:request", args=[row.pk])
    for who in ("nora", "jane", "giorgos"):
        _, _, shown = page_text(as_user(who).get(page)).partition("<strong>Its path moves</strong>")
        told = strip_tags(shown.partition('class="card"')[0])
        assert "until the move is over" in told, who
        assert ("It leaves:" in told and name in told) == (who != "giorgos"), who
        way = told.partition("Its path now: ")[2].split(", ")
        assert (way[0] == row.source_link.name) == (who != "giorgos") and name not in way
    over = page_text(as_user("nora").get(reverse("web:network-moved"), {"request": row.pk}))
    assert f"<h1>The move of {row.reference} is over</h1>" in over and name in over


def test_a_wrong_name_is_told_at_the_field(world: World, as_user: AsUser) -> None:
    given = {"link": "nowhere", "deed": "down", "reason": "x"}
    assert "core link" in page_text(as_user("nora").post(reverse("web:network-link"), given))
    answer = page_text(as_user("nora").post(reverse("web:network-capacity"), {"reason": "x"}))
    assert "one of the two" in answer


def test_planned_work_is_a_question(world: World, as_user: AsUser) -> None:
    name, versions = of_paths(), TopologyVersion.objects.count()
    asked = reverse("web:network-work")
    assert name in as_user("audrey").get(asked, {"link": name}).content.decode()
    shown = page_text(as_user("audrey").get(asked, {"link": name, "start": "", "until": ""}))
    assert "What would come of it" in shown
    assert TopologyVersion.objects.count() == versions
    wrong = page_text(as_user("audrey").get(asked, {"link": "nowhere", "start": "", "until": ""}))
    assert "core link" in wrong


def test_capacity_is_said_drawn_and_taken_back(world: World, as_user: AsUser) -> None:
    nora, name = as_user("nora"), of_paths()
    given = {"link": name, "usable": "1M", "reason": "work", "pool": "", "kind": "", "percent": ""}
    given |= {"start": (world.now + timedelta(days=1)).strftime("%Y-%m-%dT%H:%M")}
    given |= {"until": (world.now + timedelta(days=2)).strftime("%Y-%m-%dT%H:%M")}
    given, shown = seen(nora, reverse("web:network-capacity"), given)
    assert "Say it" in shown and CapacityChange.objects.count() == 0
    nora.post(reverse("web:network-capacity"), {**given, "do": "1"})
    row = CapacityChange.objects.get()
    link = CoreLink.objects.get(name=name)
    drawn = nora.get(reverse("web:link-core", args=[link.pk])).content.decode()
    assert 'class="share"' in drawn and "200 kbit/s" in drawn
    assert "carries 1 Mbit/s" in page_text(nora.get(reverse("web:network")))
    back = reverse("web:network-take-back", args=[row.pk])
    nora.post(back, {**seen(nora, back, {"reason": "called off"})[0], "do": "1"})
    assert "Nothing is planned." in page_text(nora.get(reverse("web:network")))


def test_paths_are_compared_and_the_request_says_so(world: World, as_user: AsUser) -> None:
    nora = as_user("nora")
    name = CoreLink.objects.get(name=of_paths())
    lines: dict[str, list[str]] = {}
    for link in CoreLink.objects.select_related("a_interface__router", "z_interface__router"):
        a, z = link.a_interface.router.name, link.z_interface.router.name
        metric = 9999 if link == name else link.metric
        lines.setdefault(a, []).append(f"  Metric: {metric} IS-Extended {z}.00")
        lines.setdefault(z, []).append(f"  Metric: {metric} IS-Extended {a}.00")
    text = "\n".join(
        f"{router}.00-00 * 0x1 0x2 900 0/0/0\n" + "\n".join(said) for router, said in lines.items()
    )
    shown = page_text(nora.post(reverse("web:network-drift"), {"text": text}))
    assert "paths compared" in shown and "metric 9999 on the routers" in shown
    assert "show isis database detail" in page_text(
        nora.post(reverse("web:network-drift"), {"text": "nothing"})
    )


def test_drift_stands_where_somebody_looks_for_it(world: World, as_user: AsUser) -> None:
    """On the queue with its age, the page of the link, the request's page; to an NREN without the backbone's links."""
    held = Reservation.objects.filter(request=world.requests["active"]).get()
    name = next(hop["link"] for hop in held.path if CoreLink.objects.filter(name=hop["link"]).exists())
    link = CoreLink.objects.select_related("a_interface__router", "z_interface__router").get(name=name)
    ends = [link.a_interface.router.name, link.z_interface.router.name]
    held.drift = f"does not go over {ends[0]} to {ends[1]}, where it is charged"
    held.drift_hops, held.drift_by = [ends], f"table of {ends[0]}"
    held.drift_at = clock.now() - timedelta(hours=3)
    held.save()
    reference = held.request.reference
    for shown in (
        page_text(as_user("nora").get(reverse("web:queue"))),
        page_text(as_user("audrey").get(reverse("web:link-core", args=[link.pk]))),
        page_text(as_user("audrey").get(reverse("web:request", args=[held.request_id]))),
        page_text(as_user("audrey").get(reverse("web:network"))),
    ):
        assert held.drift in shown and held.drift_by in shown and reference in shown
        assert "3 hours" in shown
    told = page_text(as_user("jane").get(reverse("web:request", args=[held.request_id])))
    assert "another way than was agreed" in told
    assert held.drift not in told and f"{ends[0]} to {ends[1]}" not in told


def test_a_file_of_a_stranger_is_refused_at_its_field(world: World, as_user: AsUser) -> None:
    nora, url = as_user("nora"), reverse("web:network-drift")
    assert "multipart/form-data" in nora.get(url).content.decode()
    for content, said in (
        (b"\x7fELF\x00\x01", "no text"),
        (b"", "show isis database detail"),
        (b"x" * 300_000, "show isis"),
    ):
        sent = SimpleUploadedFile("a.txt", content)
        assert said in page_text(nora.post(url, {"file": sent})), content[:20]
    both = {"file": SimpleUploadedFile("a.txt", b"x"), "text": "y"}
    assert "one of the two" in page_text(nora.post(url, both))
    assert "or send a file" in page_text(nora.post(url, {}))
    future = {"text": DATABASE, "taken_at": "2099-01-01T00:00"}
    assert "time to come" in page_text(nora.post(url, future))


def test_a_decision_is_derived_again_on_its_page(world: World, as_user: AsUser) -> None:
    request = world.requests["active"]
    shown = page_text(as_user("audrey").get(reverse("web:request-recheck", args=[request.pk])))
    assert "derived again" in shown
    assert "was not signed" in shown or "It follows" in shown or "no record" in shown


def test_a_change_of_capacity_that_breaks_a_promise_is_an_alarm(world: World, as_user: AsUser) -> None:
    change = LinkCapacity(of_paths(), 0, TimeWindow(world.now))
    said = topology.change_capacity(
        actor=world.actor("nora"), domain=Domain.objects.get(), planned=change, reason="cut"
    )
    assert said.breaks
    assert said.breaks[0].link in page_text(as_user("nora").get(reverse("web:queue")))


@pytest.mark.parametrize(
    "name", ["network", "network-link", "network-capacity", "network-drift", "network-moved"]
)
def test_the_pages_say_what_they_do(world: World, as_user: AsUser, name: str) -> None:
    assert as_user("nora").get(reverse(f"web:{name}")).status_code == 200


def test_what_would_come_of_it_names_some_of_many_and_says_how_many_more(db: None) -> None:
    """Forty links too full, each with a thousand on it, and a thousand that move over forty links: a page, not a book."""
    ids = tuple(f"PIP-{number}" for number in range(1, 1001))
    over = [
        Overcommitment(f"l{place}", Direction.A_Z, "p", 1, 2, clock.now(), None, ids) for place in range(40)
    ]
    path = frozenset((f"l{place}", "a-z") for place in range(40))
    moves = [(PremiumRequest(pk=number), path, path, None) for number in range(1, 1001)]
    effect = Effect("done", moves=tuple(moves), bad=tuple(over), cut=tuple(f"PIP-{n}" for n in range(300)))
    assert effect.losing == 1001
    assert (len(effect.moving), len(effect.lacking)) == (100, 100)
    assert effect.left_out == 900 + 240
    assert (len(effect.moving[0].takes.first), effect.moving[0].takes.more) == (8, 32)
    few = Effect("done", bad=tuple(over))
    assert [(len(each.requests.first), each.requests.more) for each in few.lacking] == [(8, 992)] * 40


def test_what_would_come_of_it_leads_to_requests_and_links(world: World, as_user: AsUser) -> None:
    name = of_paths()
    shown = as_user("audrey").get(reverse("web:network-work"), {"link": name, "start": "", "until": ""})
    page = shown.content.decode()
    key = LedgerEntry.objects.filter(released_at=None, reservation__isnull=False, link=name).order_by("pk")[0]
    assert f'href="/requests/{key.request_id}/"' in page
    assert "as long as the work lasts" in page_text(shown) or "no path" in page_text(shown)
    assert "a-z" not in page_text(shown), "directions are said in words"
    assert page.index("<form") < page.index('id="effect"'), "what is asked stands above what comes of it"


def test_failures_are_found_by_a_part_of_a_name(world: World, as_user: AsUser) -> None:
    failures.work_out(domain_id=Domain.objects.get().pk)
    everything = page_text(as_user("audrey").get("/links/failures/"))
    assert "gr6:POS1/0" in everything and "uk6:POS2/0" in everything
    some = page_text(as_user("audrey").get("/links/failures/", {"q": "GR6"}))
    assert "gr6:POS1/0" in some and "uk6:POS2/0" not in some
    none = as_user("audrey").get("/links/failures/", {"q": "nowhere"})
    assert none.status_code == 200 and "POS" not in page_text(none)


def test_the_page_of_a_link_lists_the_first_charges_and_draws_all(
    world: World, as_user: AsUser, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = of_paths()
    monkeypatch.setattr(courses, "MOST", 1)
    link = CoreLink.objects.get(name=name)
    held = LedgerEntry.objects.filter(link=name, released_at=None)
    page = as_user("audrey").get(reverse("web:link-core", args=[link.pk]))
    assert f"And {held.count() - 1} that begin later; the chart shows all of them." in page_text(page)
    assert page.content.decode().count('class="chart wide"') == 2


def test_a_link_says_who_on_it_is_unprotected_and_how_long_a_hold_lasts(
    world: World, as_user: AsUser
) -> None:
    asked = world.requests["decision"]
    decisions.hold(
        actor=world.actor("nora"),
        request=asked,
        until=timezone.now() + timedelta(hours=20, minutes=5),
        reason="they think",
    )
    failures.work_out(domain_id=Domain.objects.get().pk)
    link = CoreLink.objects.get(name="de6:POS2/1--gr6:POS1/0")
    page = page_text(as_user("audrey").get(reverse("web:link-core", args=[link.pk])))
    assert "unprotected" in page, "GRNET hangs on one link"
    assert re.search(r"20\s*hours", page), "the countdown of the hold"
