"""What a list shows is chosen, kept under a name, shared, and edited over what was read only."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable

import pytest
from django.test import Client
from django.utils import timezone

from inventory.models import Nren, Router
from provisioning.errors import Conflict, InvalidInput, NotPermitted, NotVisible
from provisioning.models import SYSTEM, ChosenView, SavedView
from provisioning.services import saved_views
from tests.web.text import page_text
from tests.web.world import World

As = Callable[[str], Client]


def headings(client: Client, address: str) -> list[str]:
    answer = client.get(address)
    assert answer.status_code == 200, page_text(answer)[-2000:]
    head = page_text(answer).partition("<thead>")[2].partition("</thead>")[0]
    return [re.sub(r"<[^>]*>", "", cell).strip() for cell in re.findall(r"<th.*?</th>", head, re.DOTALL)]


def test_columns_are_chosen_in_page_and_file(world: World, as_user: As) -> None:
    noc = as_user("nora")
    assert headings(noc, "/requests/")[:3] == ["Choose", "Request", "From"]
    assert "Reason" not in headings(noc, "/requests/")
    chosen = "/requests/?columns=reference&columns=source_link&columns=reason&sort=-rate_bps"
    assert headings(noc, chosen) == ["Choose", "Request", "Enters on", "Reason"]
    rows = list(csv.DictReader(io.StringIO(noc.get(f"{chosen}&format=csv").getvalue().decode(), newline="")))
    assert rows and set(rows[0]) == {"id", "series", "source_link", "reason"}
    named = json.loads(noc.get("/requests/?columns=state&format=json").getvalue())
    assert set(named[0]) == {"id", "state"}, "what names the row stays"
    assert set(json.loads(noc.get("/requests/?format=json").getvalue())[0]) > {"contact", "start", "state"}
    assert headings(noc, "/routers/?columns=name&columns=serial") == ["Router", "Serial"]
    refused = noc.get("/requests/?columns=colour")
    assert (
        refused.status_code == 400
        and "“colour” is no column of this list; there are: reference" in page_text(refused)
    )


def test_a_view_is_kept_opens_its_list_and_goes(world: World, as_user: As) -> None:
    noc, other = as_user("nora"), as_user("niels")
    offered = page_text(noc.get("/requests/?state=ADMITTED&per_page=25&page=1&columns=state&columns=end&q="))
    assert "/views/keep/?page=requests" in offered
    asked = "state=ADMITTED&per_page=25&columns=state&columns=end"
    kept = noc.post(
        "/views/keep/", {"page": "requests", "query": f"{asked}&page=3&q=", "name": "Granted, short"}
    )
    row = SavedView.objects.get()
    assert kept["Location"] == f"/requests/?{asked}&view={row.pk}" and (row.query, row.shared) == (
        asked,
        False,
    )
    page = page_text(noc.get(kept["Location"]))
    assert 'aria-current="page"' in page.partition("Saved views")[2] and "Keep this view" not in page
    assert "Granted, short" not in page_text(other.get("/requests/")), "it is nobody else's"
    assert other.get(f"/requests/?view={row.pk}").status_code == 400
    assert other.get(f"/views/{row.pk}/").status_code == 404
    assert noc.get(f"/requests/?view={row.pk}")["Location"] == kept["Location"]
    # What it shows is another thing now: it says so, and where to keep that.
    more = page_text(noc.get(f"{kept['Location']}&sort=end"))
    assert f"/views/{row.pk}/?query=state" in more and "Keep this view" in more
    assert "sort" in page_text(noc.get(f"/views/{row.pk}/?query=sort%3Dend"))
    noc.post("/views/choose/", {"page": "requests", "view": row.pk})
    assert noc.get("/requests/")["Location"] == kept["Location"]
    assert noc.get("/requests/?view=all").status_code == noc.get("/requests/?state=HELD").status_code == 200
    assert "?view=all" in page_text(noc.get(kept["Location"]))
    assert other.get("/requests/").status_code == 200
    noc.post(f"/views/{row.pk}/", {**form_of(noc, row), "delete": "1"})
    assert not SavedView.objects.exists() and not ChosenView.objects.exists()
    assert noc.get("/requests/").status_code == 200
    assert noc.post(f"/views/{row.pk}/", {"name": "x", "page": "requests", "edition": 1}).status_code == 404


def form_of(client: Client, row: SavedView, **more: object) -> dict[str, object]:
    form = client.get(f"/views/{row.pk}/").context["form"]
    sent = {field.html_name: field.value() for field in form if field.value() not in (None, False)}
    return {**sent, **more}


def test_two_edit_a_shared_view_and_nobody_overwrites_unseen(world: World, as_user: As) -> None:
    nora, niels = as_user("nora"), as_user("niels")
    said = {"page": "changes", "query": "kind=baseline", "name": "Baselines", "shared": "on"}
    nora.post("/views/keep/", said)
    row = SavedView.objects.get()
    assert row.shared and "Baselines" in page_text(niels.get("/changes/"))
    mine, theirs = form_of(nora, row, name="Mine"), form_of(niels, row, name="Theirs")
    assert niels.post(f"/views/{row.pk}/", theirs).status_code == 302
    late = nora.post(f"/views/{row.pk}/", mine)
    assert late.status_code == 409 and "“Theirs” is not what you read any more: niels edited it" in page_text(
        late
    )
    row.refresh_from_db()
    assert row.name == "Theirs" and row.edition == 2
    assert nora.post(f"/views/{row.pk}/", {**mine, "delete": "1"}).status_code == 409
    seen = late.context["form"]
    again = {field.html_name: field.value() for field in seen if field.value() not in (None, False)}
    assert nora.post(f"/views/{row.pk}/", again).status_code == 302
    row.refresh_from_db()
    assert row.name == "Mine" and row.edited_by is not None and row.edited_by.username == "nora"
    assert nora.post("/views/keep/", {**said, "name": "Mine"}).status_code == 200, "the name is taken"
    assert SavedView.objects.count() == 1
    # An approver reads it and may not edit it; an NREN does not see the list.
    audrey = as_user("audrey")
    assert "Mine" in page_text(audrey.get("/changes/")) and audrey.get(f"/views/{row.pk}/").status_code == 404
    jane = as_user("jane")
    assert jane.get("/views/keep/?page=changes").status_code == 403
    assert jane.post("/views/choose/", {"page": "changes", "view": row.pk}).status_code == 403


def test_a_view_of_what_is_no_more_says_so(world: World, as_user: As) -> None:
    noc = as_user("nora")
    janet = Nren.objects.get(name="JANET")
    for page, query in (
        ("requests", f"nren={janet.pk}"),
        ("changes", f"nren={janet.pk}"),
        ("routers", f"nren={janet.pk}"),
        ("requests", "colour=red"),
    ):
        noc.post("/views/keep/", {"page": page, "query": query, "name": f"{page} {query}"})
    Nren.objects.filter(pk=janet.pk).update(retired_at=timezone.now())
    found = [noc.get(f"/{row.page}/?{row.query}&view={row.pk}") for row in SavedView.objects.order_by("pk")]
    assert [each.status_code for each in found] == [200, 200, 400, 400], (
        "what was retired is found, a guess refused"
    )
    last = page_text(found[-1])
    assert (
        "There is no filter “colour” here" in last and f"/views/{SavedView.objects.latest('pk').pk}/" in last
    )
    router = Router.objects.filter(name="uk6")
    gone = router.get().pk
    router.update(retired_at=timezone.now())
    for address in (f"/differences/?router={gone}", f"/changes/?router={gone}"):
        assert noc.get(address).status_code == 200, "what was retired is found there, too"


def test_what_is_no_view_is_refused(world: World) -> None:
    nora, jane = world.actor("nora"), world.actor("jane")
    row = saved_views.keep(actor=jane, page="my-requests", name="Mine", query="state=ACTIVE")
    with pytest.raises(NotPermitted):
        saved_views.keep(actor=jane, page="my-requests", name="All", query="", shared=True)
    with pytest.raises(Conflict, match="called “Mine”"):
        saved_views.keep(actor=jane, page="my-requests", name="Mine", query="")
    with pytest.raises(InvalidInput, match="4000"):
        saved_views.keep(actor=jane, page="my-requests", name="Long", query="q" * 4001)
    with pytest.raises(NotVisible):
        saved_views.edit(actor=nora, view=row.pk, edition=1, name="Hers", shared=False)
    with pytest.raises(NotVisible):
        saved_views.choose(actor=nora, page="my-requests", view=row.pk)
    with pytest.raises(InvalidInput, match="signs in"):
        saved_views.keep(actor=SYSTEM, page="requests", name="x", query="")
