"""What the NOC does, by nothing but the API, on practice routers over SSH: from the first plan to the last line taken off."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from inventory.models import Nren
from provisioning.models import SYSTEM, Change, RouterPush
from provisioning.services import tokens
from tests.api.conftest import Speaker
from tests.services.backbone import Backbone

pytestmark = pytest.mark.once  # over SSH, the same on either database
V1 = "/api/v1/"


def speaker(name: str, nren: str | None = None) -> Speaker:
    """Somebody who speaks with a token of their own."""
    user = User.objects.get(username=name)
    of = Nren.objects.get(name=nren) if nren else None
    return Speaker(tokens.issue(actor=SYSTEM, user=user, nren=of, name="t")[1])


def question(speaks: Speaker, change: int) -> dict[str, Any]:
    """What is to be read before a change is approved."""
    found: dict[str, Any] = speaks.get(f"{V1}changes/{change}/approval/")
    return found


def wish(**more: Any) -> dict[str, Any]:
    now = timezone.now()
    return {
        "source_link": "SURFnet@nl6:GigabitEthernet1/0",
        "destination_link": "GRNET@gr6:POS2/0",
        "rate_bps": 1_000_000,
        "bucket_bytes": 15_000,
        "max_packet_bytes": 1500,
        "source_prefixes": ["2001:610:1::/48"],
        "destination_prefixes": ["2001:648:2::/48"],
        "contact": "noc@example.org",
        "end": (now + timedelta(hours=3)).isoformat(),
        **more,
    }


def test_from_the_baseline_to_a_reservation_and_off_again(backbone: Backbone) -> None:
    planner, approver = speaker("planner"), speaker("approver")
    surfnet, grnet = speaker("surfnet", "SURFnet"), speaker("grnet", "GRNET")

    # The baseline: one person asks for the plan, another reads it, approves and releases it.
    made = planner.post(
        f"{V1}changes/", {"title": "The first night", "reason": "new backbone"}, Idempotency_Key="1"
    )
    again = planner.post(
        f"{V1}changes/", {"title": "The first night", "reason": "new backbone"}, Idempotency_Key="1"
    )
    assert made["id"] == again["id"] and Change.objects.count() == 1
    assert made["planning"] == {"read": 0, "routers": 3, "error": ""} and made["pushes"] == []
    backbone.work()
    read = question(approver, made["id"])
    assert read["may_approve"] and read["why_not"] == [] and read["routers"] == 3 and read["lines"] > 0
    own = question(planner, made["id"])
    assert not own["may_approve"] and "planned by you" in own["why_not"][0]
    words = {"seen": read["fingerprint"], "confirm_gaps": bool(read["gaps"]), "reason": "read line by line"}
    assert planner.post(f"{V1}changes/{made['id']}/approve/", words, 403)["code"] == "not-permitted"
    other = {**words, "seen": "0" * 64}
    assert approver.post(f"{V1}changes/{made['id']}/approve/", other, 409)["code"] == "stale"
    assert approver.post(f"{V1}changes/{made['id']}/push/", {}, 409)["code"] == "conflict"
    approved = approver.post(f"{V1}changes/{made['id']}/approve/", words, 200)
    assert approved["approved_by"] == "approver" and approved["still_needed"] == []
    assert RouterPush.objects.filter(started_at__isnull=False).count() == 0
    assert approver.post(f"{V1}changes/{made['id']}/push/", {}, 200)["released_at"]
    backbone.work()
    done = approver.get(f"{V1}changes/{made['id']}/")
    assert done["state"] == "VERIFIED"
    for row in approver.get(f"{V1}routers/")["results"]:
        assert approver.get(f"{V1}routers/{row['id']}/standing/")["state"] == "in-sync"

    # A reservation: asked by one NREN, agreed by the other, admitted, its lines approved ahead, on, and off again.
    asked = surfnet.post(
        f"{V1}premium-requests/", wish(start=(timezone.now() + timedelta(hours=1)).isoformat())
    )
    at = f"{V1}premium-requests/{asked['id']}/"
    assert surfnet.send("GET", f"{at}lines/").status_code == 403
    grnet.post(f"{at}consent/", {"agree": True}, 200)
    assert approver.post(f"{at}admit/", {"reason": "it fits"}, 200)["state"] == "ADMITTED"
    lines = approver.get(f"{at}lines/")
    assert [side["puts_on"] for side in lines["sides"]] == [True, False] and lines["approved"] == []
    assert any("2001:610:1::" in line for line in lines["sides"][0]["commands"])
    gaps = any(side["gaps"] for side in lines["sides"])
    ahead = {"seen": lines["fingerprint"], "confirm_gaps": gaps, "reason": "read"}
    given = approver.post(f"{at}approve-lines/", ahead, 200, Idempotency_Key="2")
    assert [row["by"] for row in given["approved"]] == ["approver", "approver"]
    assert approver.get(at)["approved_ahead"] == {"on": True, "off": True}
    taken = approver.post(f"{at}revoke-lines/", {"reason": "the other hall"}, 200)
    assert taken["approved"] == []
    approver.post(f"{at}approve-lines/", ahead, 200)
    surfnet.post(f"{at}withdraw/", {"reason": "no longer needed"}, 200)

    # One that is due at once: planned by itself, approved by what was read.
    asked = surfnet.post(f"{V1}premium-requests/", wish())
    at = f"{V1}premium-requests/{asked['id']}/"
    grnet.post(f"{at}consent/", {"agree": True}, 200)
    approver.post(f"{at}admit/", {"reason": "it fits"}, 200)
    backbone.work()
    (change,) = approver.get(f"{V1}changes/?request={asked['id']}")["results"]
    read = question(approver, change["id"])
    words = {"seen": read["fingerprint"], "confirm_gaps": bool(read["gaps"])}
    if read["gaps"]:
        refused = approver.post(f"{V1}changes/{change['id']}/approve/", {"seen": read["fingerprint"]}, 400)
        assert [each["pointer"] for each in refused["errors"]] == ["#/confirm_gaps"]
    approver.post(f"{V1}changes/{change['id']}/approve/", words, 200)
    backbone.work()
    assert surfnet.get(at)["state"] == "ACTIVE"
    assert approver.post(f"{at}plan-again/", {"reason": "why not"}, 409)["code"] == "conflict"


def test_a_router_is_read_when_the_noc_says_so(live: Backbone) -> None:
    planner = speaker("planner")
    ids = {row["name"]: row["id"] for row in planner.get(f"{V1}routers/")["results"]}
    live.console("nl6", "policy-map NON-PARTICIPANT", "class class-default", "set dscp 8")
    found = planner.post(f"{V1}routers/{ids['nl6']}/verify/", {}, 200)
    assert found["state"] == "differs" and found["detail"]["items"]
    # What somebody edited is taken back by a repair, planned by the API for that router alone.
    made = planner.post(f"{V1}changes/", {"kind": "repair", "routers": ["nl6"], "reason": "edited by hand"})
    assert made["kind"] == "repair"
    wrong = planner.post(f"{V1}changes/", {"routers": ["nowhere"]}, 400)
    assert "nowhere" in wrong["errors"][0]["reason"]
