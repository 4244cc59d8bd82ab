"""The network in the browser: edited on what was read, retired with what depends on it named, onboarded and off-boarded."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from inventory.models import AccessLink, CoreLink, Interface, LineCard, Nren, Peering, Router
from provisioning.models import SYSTEM, AuditEvent, LedgerEntry, PremiumRequest, TopologyVersion
from provisioning.pipeline.states import RequestState
from provisioning.services import inventory, people
from provisioning.services.inventory import KINDS, kind_of, spelled, values_of
from tests.services.topology.diamond import seen
from tests.web.text import page_text
from tests.web.world import World

SignIn = Callable[[str], Client]


def address(deed: str, row: Any) -> str:
    return reverse(f"web:inventory-{deed}", args=[kind_of(row).slug, row.pk])


def fields(answer: Any) -> dict[str, Any]:
    """What the form of a page would send, as the page has it."""
    form = answer.context["form"]
    found: dict[str, Any] = {}
    for bound in form:
        value = bound.value()
        if value is None or value is False:
            continue
        prepared = bound.field.prepare_value(value)
        found[bound.html_name] = prepared if isinstance(prepared, list) else str(prepared)
    return found


def twice(client: Client, url: str, sent: dict[str, Any]) -> Any:
    """Look at what would come of it, and do it."""
    shown = client.post(url, sent)
    assert shown.status_code == 200, page_text(shown)
    assert shown.context["effect"] is not None, shown.context["form"].errors
    return client.post(url, {**sent, "shown": shown.context["shown"], "do": "1"}, follow=True)


def test_every_kind_of_row_is_edited_as_it_stands(world: World, as_user: SignIn) -> None:
    """A form that is sent as it came changes nothing, whatever kind of row it is of."""
    client, events = as_user("nora"), AuditEvent.objects.count()
    rows = [
        Nren.objects.get(name="JANET"),
        Router.objects.get(name="nl6"),
        LineCard.objects.first(),
        Interface.objects.filter(access_link__isnull=False).first(),
        AccessLink.objects.get(nren__name="JANET"),
        CoreLink.objects.first(),
        Peering.objects.first(),
    ]
    assert {type(row) for row in rows} == {kind.model for kind in KINDS}
    for row in rows:
        url = address("edit", row)
        shown = client.post(url, {**fields(client.get(url)), "reason": "as it is"})
        assert shown.status_code == 200, row
        assert not shown.context["form"].errors, (row, shown.context["form"].errors)
        assert shown.context["found"].changes == (), row
        assert shown.context["found"].routers == (), row
    assert AuditEvent.objects.count() == events


def test_a_metric_is_shown_and_then_written(world: World, as_user: SignIn) -> None:
    client, row = as_user("nora"), CoreLink.objects.order_by("name").first()
    url, versions = address("edit", row), TopologyVersion.objects.count()
    sent = {**fields(client.get(url)), "metric": "500", "reason": "It is dear"}
    shown = client.post(url, sent)
    assert "metric" in page_text(shown) and "500" in page_text(shown)
    row.refresh_from_db()
    assert row.metric != 500
    assert TopologyVersion.objects.count() == versions
    stale = client.post(url, {**sent, "metric": "600", "shown": shown.context["shown"], "do": "1"})
    assert "not what this page showed" in page_text(stale), (
        "another deed than the one that was shown is asked again"
    )
    answer = client.post(url, {**sent, "shown": shown.context["shown"], "do": "1"}, follow=True)
    assert "is edited" in page_text(answer)
    row.refresh_from_db()
    assert row.metric == 500
    log = page_text(client.get(address("log", row)))
    assert "It is dear" in log and "nora" in log and "500" in log


def test_two_people_on_one_row_the_second_is_shown_what_changed(world: World, as_user: SignIn) -> None:
    one, other = as_user("nora"), as_user("niels")
    row = Router.objects.exclude(pushes__state="PUSHING").get(name="de6")
    url = address("edit", row)
    mine, theirs = fields(one.get(url)), fields(other.get(url))
    assert "is edited" in page_text(
        twice(one, url, {**mine, "management_host": "192.0.2.7", "reason": "moved"})
    )
    late = other.post(url, {**theirs, "driver": "napalm", "reason": "faster"})
    assert late.status_code == 409
    text = page_text(late)
    assert "nora changed it" in text and "192.0.2.7" in text
    again = fields(late)
    assert again["driver"] == "napalm", "nothing that was typed is lost"
    row.refresh_from_db()
    assert (row.management_host, row.driver) == ("192.0.2.7", "netmiko")
    # What they wrote stands in the form; what nora wrote is theirs to keep.
    again["management_host"] = "192.0.2.7"
    assert "is edited" in page_text(twice(other, url, again))
    row.refresh_from_db()
    assert (row.management_host, row.driver) == ("192.0.2.7", "napalm")


def test_all_errors_of_a_form_at_once(world: World, as_user: SignIn) -> None:
    client, row = as_user("nora"), Router.objects.get(name="nl6")
    url = address("edit", row)
    sent = {**fields(client.get(url)), "platform": "PDP 11", "ios": "new", "host_key": "x", "reason": "try"}
    answer = client.post(url, sent)
    assert set(answer.context["form"].errors) == {"platform", "ios", "host_key"}
    bad = client.post(url, {**sent, "seen": "[1]"})
    assert "Read it and edit it" in page_text(bad)


def test_a_link_that_is_needed_is_refused_with_links(world: World, as_user: SignIn) -> None:
    client, link = as_user("nora"), AccessLink.objects.get(nren__name="JANET")
    url = address("retire", link)
    first = client.get(url)
    assert "Not decided" in page_text(first)
    assert reverse("web:request", args=[world.requests["decision"].pk]) in first.content.decode()
    answer = client.post(url, {"interfaces": "gone", "reason": "over"})
    assert answer.status_code == 409
    assert answer.context["effect"] is None
    assert AccessLink.objects.filter(pk=link.pk).exists()


def test_a_link_is_retired_and_found_again(world: World, as_user: SignIn) -> None:
    client = as_user("nora")
    link = AccessLink.objects.get(nren__name="ACOnet")
    url = address("retire", link)
    lacking = client.post(url, {"interfaces": "stay", "reason": "over"})
    assert "Say why they need no policy" in page_text(lacking)
    seen("at6")
    answer = twice(client, url, {"interfaces": "stay", "exempt_reason": "shut", "reason": "They left"})
    assert "is retired" in page_text(answer)
    page = page_text(client.get(reverse("web:link-access", args=[link.pk])))
    assert "retired" in page
    assert client.get(url).status_code == 404
    assert link.name in page_text(client.get(reverse("web:retired")))
    assert link.name not in page_text(client.get(f"{reverse('web:retired')}?q=nothing-of-the-kind"))
    assert "They left" in page_text(client.get(address("log", link)))
    assert link.name not in page_text(client.get(reverse("web:links")))


def test_an_nren_comes_and_goes_by_its_steps(world: World, as_user: SignIn) -> None:
    ada = people.put_person(actor=SYSTEM, username="ada", roles=["administrator", "noc-operator"])
    client = Client()
    client.force_login(ada)
    quiet = Router.objects.exclude(pushes__isnull=False).order_by("name").first()
    sent = {
        "nren": "Nova",
        "country": "eu",
        "prefixes": "2001:db8:77::/48",
        "router": quiet.name,
        "interface": "GigabitEthernet7/0",
        "capacity_bps": "1 Gbit/s",
        "case": "trusted",
        "standing": "on",
    }
    url = reverse("web:nren-new")
    bad = client.post(url, {**sent, "country": "Europe", "interface": "gig7"})
    assert "country" in bad.context["form"].errors
    assert "interface" in client.post(url, {**sent, "interface": "gig7"}).context["form"].errors
    shown = client.post(url, sent)
    assert f"Nova@{quiet.name}:GigabitEthernet7/0" in page_text(shown)
    assert not Nren.objects.filter(name="Nova").exists()
    answer = client.post(url, {**sent, "shown": shown.context["shown"], "do": "1"}, follow=True)
    nova = Nren.objects.get(name="Nova")
    assert answer.redirect_chain[-1][0] == reverse("web:nren-onboard", args=[nova.pk])
    text = page_text(answer)
    assert "Nobody can ask for it yet" in text

    def left() -> list[str]:
        page = client.get(reverse("web:nren-off-board", args=[nova.pk]))
        return [step.title for step in page.context["steps"] if not step.done]

    new = {"username": "piet", "nrens": [nova.pk], "email": "piet@example.org", "full_name": "Piet"}
    made = client.post(reverse("web:person-new"), new, follow=True)
    assert "piet has an account" in page_text(made)
    assert left() == ["Access links", "People who act for it", "The NREN"]
    link = AccessLink.objects.get(nren=nova)
    twice(client, address("retire", link), {"interfaces": "gone", "reason": "off"})
    assert left() == ["Routers that held its policies", "People who act for it", "The NREN"]
    piet = people.user_named("piet")
    client.post(reverse("web:person-close", args=[piet.pk]), {"deed": "close", "reason": "off"})
    assert left() == ["Routers that held its policies", "The NREN"]
    twice(client, address("retire", nova), {"reason": "off"})
    page = client.get(reverse("web:nren-off-board", args=[nova.pk]))
    assert "It is retired" in page_text(page)
    assert client.get(reverse("web:nren", args=[nova.pk])).status_code == 200
    assert client.get(reverse("web:nren-onboard", args=[nova.pk])).status_code == 404


def test_a_table_is_imported_and_everything_wrong_with_it_is_listed(world: World, as_user: SignIn) -> None:
    client, url = as_user("nora"), reverse("web:network-import")
    rows = "name;country;prefixes\r\nNova;EU;2001:db8:78::/48\r\nVega;eu;2001:db8:79::/200\r\n"
    bad = client.post(url, {"kind": "nrens", "text": rows})
    assert [(each.line, each.path) for each in bad.context["faults"]] == [(2, "country"), (3, "prefixes")]
    assert "2 things are wrong" in page_text(bad)
    good = rows.replace("EU", "eu").replace("/200", "/48")
    shown = client.post(url, {"kind": "nrens", "text": good})
    assert not shown.context["faults"] and not Nren.objects.filter(name="Vega").exists()
    client.post(url, {"kind": "nrens", "text": good, "do": "1", "shown": shown.context["shown"]})
    assert Nren.objects.filter(name__in=["Nova", "Vega"]).count() == 2
    latin = SimpleUploadedFile("n.csv", "name;country;prefixes\r\nGöteborg;se;\r\n".encode("latin-1"))
    assert "not UTF-8" in str(
        client.post(url, {"kind": "nrens", "file": latin}).context["form"].errors["file"]
    )


def test_a_file_is_imported_after_it_was_shown(world: World, as_user: SignIn) -> None:
    client, url = as_user("nora"), reverse("web:network-import")
    bad = client.post(url, {"text": "domain: ["})
    assert bad.context["form"].errors["text"]
    domain = Nren.objects.first().domain
    text = json.dumps(
        {
            "domain": {
                "name": domain.name,
                "asn": domain.asn,
                "prefix": str(domain.prefix),
                "scheme": domain.scheme,
                "classes": domain.classes,
                "caps": domain.caps,
                "policer": domain.policer,
                "options": domain.options,
            },
            "routers": [],
            "nrens": [{"name": "Nova", "country": "eu", "prefixes": ["2001:db8:78::/48"]}],
            "access_links": [],
        }
    )
    shown = client.post(url, {"text": text})
    assert "2001:db8:78::/48" in page_text(shown)
    assert not Nren.objects.filter(name="Nova").exists()
    other = text.replace("2001:db8:78::/48", "2001:db8:79::/48")
    stale = client.post(url, {"text": other, "shown": shown.context["shown"], "do": "1"})
    assert "not what this page showed" in page_text(stale)
    client.post(url, {"text": text, "shown": shown.context["shown"], "do": "1"})
    assert Nren.objects.filter(name="Nova").exists()


def test_a_router_that_is_gone_is_still_to_be_read(world: World, as_user: SignIn) -> None:
    client, nora = as_user("nora"), world.actor("nora")
    PremiumRequest.objects.update(state=RequestState.COMPLETED)
    LedgerEntry.objects.update(released_at=world.now)
    world.pushes["pushing"].__class__.objects.filter(router__name="nl6").update(state="CANCELLED")
    router = Router.objects.get(name="nl6")
    for model in (AccessLink, Peering):
        for row in model.objects.filter(interface__router=router):
            inventory.retire(actor=nora, row=row, reason="off")
    for row in CoreLink.objects.filter(name__contains="nl6:"):
        inventory.retire(actor=nora, row=row, reason="off")
    answer = twice(client, address("retire", router), {"gone": "on", "reason": "burnt"})
    assert "is retired" in page_text(answer)
    page = client.get(reverse("web:router", args=["nl6"]))
    assert page.status_code == 200
    assert "retired" in page_text(page)
    for view in ("router-config", "router-changes"):
        assert client.get(reverse(f"web:{view}", args=["nl6"])).status_code == 200
    assert client.post(reverse("web:router-verify", args=["nl6"])).status_code == 404
    assert client.get(reverse("web:push", args=[world.pushes["pushing"].pk])).status_code == 200
    assert "nl6" not in re.findall(r">([a-z]+6)</a>", client.get(reverse("web:routers")).content.decode())


def test_seen_is_what_the_row_says(world: World, as_user: SignIn) -> None:
    row = Nren.objects.get(name="JANET")
    answer = as_user("nora").get(address("edit", row))
    assert json.loads(answer.context["form"].initial["seen"]) == spelled(values_of(row))
