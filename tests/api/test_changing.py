"""What if, offers, and promises that change, over the API: done once under a key, told to whom it concerns."""

from __future__ import annotations

import datetime as dt
from typing import Any

from provisioning.models import AuditEvent, Modification, PremiumRequest, Via
from provisioning.services import decisions, modifications, people
from tests.api.conftest import START, Speaker, asked

URL = "/api/v1/premium-requests/"


def granted(speakers: dict[str, Speaker]) -> str:
    made = speakers["JANET"].post(URL, asked())
    url = f"{URL}{made['id']}/"
    speakers["GRNET"].post(f"{url}consent/", {"agree": True}, 200)
    noc = people.actor_named("the-noc", via=Via.CLI)
    decisions.admit(actor=noc, request=PremiumRequest.objects.get(pk=made["id"]), reason="fits")
    return url


def test_what_if_makes_no_row_and_shows_what_is_yours(speakers: dict[str, Speaker]) -> None:
    told = speakers["JANET"].post(f"{URL}what-if/", asked(rate_bps=8_000_000), 200)
    assert (told["verdict"], told["topology"]) == ("refused", 1)
    assert told["counter_offers"][0]["kind"] == "lower-rate"
    assert {row["link"]: row["committed_peak_bps"] for row in told["evidence"]}["GRNET@gr6:POS2/0"] is None
    assert not PremiumRequest.objects.exists()
    wrong = speakers["JANET"].post(f"{URL}what-if/", asked(rate_bps=0), 400)
    assert wrong["errors"][0]["pointer"] == "#/rate_bps"


def test_an_offer_is_taken_once_under_a_key(speakers: dict[str, Speaker]) -> None:
    made = speakers["JANET"].post(URL, asked(rate_bps=8_000_000))
    offer = made["evidence"]["counter_offers"][0]
    body = {name: offer[name] for name in ("kind", "rate_bps", "start", "end")}
    url = f"{URL}{made['id']}/take-offer/"
    first = speakers["JANET"].post(url, body, 200, Idempotency_Key="once")
    again = speakers["JANET"].post(url, body, 200, Idempotency_Key="once")
    assert first == again and first["rate_bps"] == 7_750_000 and first["id"] == made["id"]
    assert speakers["JANET"].post(url, body, 409)["code"] == "stale"
    assert AuditEvent.objects.filter(action="request.offer-taken").count() == 1
    part = speakers["JANET"].post(url, {"kind": "lower-rate", "rate_bps": 5}, 400)
    assert {each["pointer"] for each in part["errors"]} == {"#/start", "#/end"}


def test_a_promise_changes(speakers: dict[str, Speaker]) -> None:
    url = granted(speakers)
    told = speakers["JANET"].get(f"{url}range/")
    assert (told["least_bps"], told["most_bps"], told["latest_end"]) == (8000, 7_750_000, None)
    refused = speakers["JANET"].post(f"{url}modify-what-if/", {"rate_bps": 8_000_000}, 200)
    assert refused["verdict"] == "refused"
    body: dict[str, Any] = {"rate_bps": 5_000_000, "reason": "a larger hall"}
    shown = speakers["JANET"].post(f"{url}modify/", body, 200, Idempotency_Key="m1")
    assert speakers["JANET"].post(f"{url}modify/", body, 200, Idempotency_Key="m1") == shown
    (made,) = shown["modifications"]
    assert (made["state"], made["consent"], made["rate_bps"], made["before"]["rate_bps"]) == (
        "PROPOSED", "pending", 5_000_000, 2_000_000,
    )  # fmt: skip
    assert speakers["JANET"].post(f"{url}modify/", body, 409)["code"] == "conflict"
    assert speakers["GRNET"].get(url)["modifications"] == [made]
    speakers["GRNET"].post(f"{url}modification-consent/", {"agree": True}, 200)
    noc = people.actor_named("the-noc", via=Via.CLI)
    modifications.admit(actor=noc, modification=Modification.objects.get(), reason="fits")
    after = speakers["JANET"].get(url)
    assert (after["rate_bps"], after["modifications"][0]["state"]) == (5_000_000, "IN_FORCE")
    later = (START + dt.timedelta(days=9)).isoformat()
    longer = speakers["JANET"].post(f"{url}extend/", {"end": later, "reason": "longer"}, 200)
    assert longer["modifications"][0]["state"] == "PROPOSED"
    speakers["JANET"].post(f"{url}modification-withdraw/", {"reason": "no"}, 200)
    sooner = START + dt.timedelta(days=1)
    short = speakers["JANET"].post(f"{url}end-early/", {"end": sooner.isoformat(), "reason": "short"}, 200)
    assert dt.datetime.fromisoformat(short["end"]) == sooner
    wrong = speakers["JANET"].post(f"{url}modify/", {"source_prefixes": ["10.0.0.0/8"], "reason": "x"}, 400)
    assert wrong["errors"][0]["pointer"] == "#/source_prefixes"
