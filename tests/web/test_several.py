"""One deed to several rows: said of each before and after; refused ones keep no other back; sent twice it is done once."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from datetime import timedelta

from django.test import Client

from inventory.models import Router
from provisioning.models import AuditEvent, PremiumRequest, RouterDifference, RouterSync
from provisioning.selectors.terms import terms_of_request
from tests.web.text import page_text
from tests.web.world import World, asked, weekly

As = Callable[[str], Client]


def differing(world: World, router: str, **more: object) -> RouterDifference:
    number = RouterDifference.objects.count()
    return RouterDifference.objects.create(
        router=Router.objects.get(name=router),
        object=f"class-map OTHERS-{number}",
        found="class-map match-all OTHERS",
        digest=f"{number:064x}",
        first_seen_at=world.now,
        last_seen_at=world.now,
        **more,
    )


def test_several_differences_are_ignored_and_heeded_again(world: World, as_user: As) -> None:
    noc = as_user("nora")
    RouterSync.objects.filter(router__name="nl6").update(state="differs", open_edges=[])
    RouterSync.objects.filter(router__name="uk6").update(
        state="differs", open_edges=[{"router": "uk6", "interface": "POS1/0", "reason": "no input policy"}]
    )
    stands, gone = differing(world, "nl6"), differing(world, "nl6", gone_at=world.now)
    open_edge, second = differing(world, "uk6"), differing(world, "nl6")
    listed = page_text(noc.get("/differences/?state="))
    assert listed.count('form="several"') == 4 and "Ignore ..." in " ".join(listed.split())
    assert 'form="several"' not in page_text(as_user("audrey").get("/differences/?state="))
    rows = [stands.pk, gone.pk, open_edge.pk, second.pk]
    shown = page_text(noc.get("/differences/several/", {"deed": "ignore", "row": [*rows, 999_999]}))
    assert "It would be done to 3 of 4" in shown and "1 of the rows that were chosen is not there" in shown
    assert not RouterDifference.objects.exclude(ignored_until=None).exists(), "nothing has happened yet"
    until = f"{world.now + timedelta(days=5):%Y-%m-%dT%H:%M}"
    said = {"deed": "ignore", "row": rows, "until": until, "reason": "Works until then"}
    assert "Nothing was done" in page_text(noc.post("/differences/several/", {**said, "reason": ""}))
    came = page_text(noc.post("/differences/several/", said))
    assert "2 of 4 done" in came and "has an open edge" in came and "there is nothing to ignore" in came
    ignored = set(RouterDifference.objects.exclude(ignored_until=None).values_list("pk", flat=True))
    assert ignored == {stands.pk, second.pk}
    told = AuditEvent.objects.filter(action="router.difference-ignored")
    assert told.count() == 2
    again = page_text(noc.post("/differences/several/", said))
    assert again.count("nothing was written") == 2 and told.count() == 2, "sent twice it is done once"
    back = {"deed": "heed", "row": [stands.pk, second.pk, open_edge.pk], "reason": "Works are over"}
    assert "It would be done to 2 of 3" in page_text(noc.get("/differences/several/", back))
    assert page_text(noc.post("/differences/several/", back)).count("No longer ignored") == 2
    some = json.loads(noc.get("/differences/", {"row": [gone.pk], "format": "json"}).getvalue())
    assert [each["object"] for each in some] == [gone.object]
    for wrong in ({"deed": "ignore"}, {"deed": "burn", "row": rows}, {"deed": "ignore", "row": "x"}):
        assert noc.get("/differences/several/", wrong).status_code == 400
    assert noc.get("/differences/", {"row": [stands.pk]}).status_code == 400, (
        "rows are chosen for a file only"
    )


def test_several_requests_are_refused_where_four_eyes_allow_it(world: World, as_user: As) -> None:
    noc = as_user("nora")
    plain = world.requests["decision"]
    own = asked(world.actor("nora"), "JANET", "GRNET", "1 Mbit/s")
    changed = asked(world.actor("jane"), "JANET", "GRNET", "2 Mbit/s")
    of_series = PremiumRequest.objects.filter(series=weekly(world)).order_by("pk")[0]
    decided = world.requests["active"]
    rows = [plain.pk, own.pk, changed.pk, of_series.pk, decided.pk]
    answer = noc.get("/requests/several/", {"deed": "refuse", "row": rows})
    page = page_text(answer)
    assert "It would be done to 2 of 5" in page and "was submitted by you" in page
    assert "decided as one" in page and "decided already" in page
    sent = dict(re.findall(r'name="(read-\d+)"\s+value="(\w+)"', page))
    assert sent[f"read-{plain.pk}"] == terms_of_request(plain.pk)
    PremiumRequest.objects.filter(pk=changed.pk).update(rate_bps=3_000_000)
    said = {"deed": "refuse", "row": rows, "reason": "The core is worked on", **sent}
    came = page_text(noc.post("/requests/several/", said))
    assert "1 of 5 done" in came
    states = dict(PremiumRequest.objects.filter(pk__in=rows).values_list("pk", "state"))
    assert [pk for pk, state in states.items() if state == "REFUSED"] == [plain.pk]
    assert "nothing was written" in page_text(noc.post("/requests/several/", said))
    assert AuditEvent.objects.filter(action="request.refused", object_id=plain.pk).count() == 1
    unread = {"deed": "refuse", "row": [changed.pk], "reason": "x"}
    assert "0 of 1 done" in page_text(noc.post("/requests/several/", unread)), (
        "what was not read is not decided"
    )
