"""What if, offers, and promises that change, over the API: done once under a key, told to whom it concerns."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest

from provisioning.models import AuditEvent, Modification, PremiumRequest, Via
from provisioning.services import decisions, modifications, people
from tests.api.conftest import START, Speaker, asked, weekly

pytestmark = pytest.mark.once

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
    assert first == again and first["rate_bps"] == 7_729_000 and first["id"] == made["id"]
    assert speakers["JANET"].post(url, body, 409)["code"] == "stale"
    assert AuditEvent.objects.filter(action="request.offer-taken").count() == 1
    part = speakers["JANET"].post(url, {"kind": "lower-rate", "rate_bps": 5}, 400)
    assert {each["pointer"] for each in part["errors"]} == {"#/start", "#/end"}


def test_a_promise_changes(speakers: dict[str, Speaker]) -> None:
    url = granted(speakers)
    told = speakers["JANET"].get(f"{url}range/")
    assert (told["least_bps"], told["most_bps"], told["latest_end"]) == (8000, 7_729_000, None)
    refused = speakers["JANET"].post(f"{url}modify-what-if/", {"rate_bps": 8_000_000}, 200)
    assert (refused["verdict"], refused["consent"]) == ("refused", "pending")
    less = speakers["JANET"].post(f"{url}modify-what-if/", {"rate_bps": 1_000_000}, 200)
    assert (less["verdict"], less["consent"]) == ("admitted", "not-needed")
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
    before = {"end": (START + dt.timedelta(hours=1)).isoformat(), "reason": "longer"}
    wrong = speakers["JANET"].post(f"{url}extend/", before, 400)
    assert wrong["errors"][0]["pointer"] == "#/end" and "End early" in str(wrong)
    longer = speakers["JANET"].post(f"{url}extend/", {"end": later, "reason": "longer"}, 200)
    assert longer["modifications"][0]["state"] == "PROPOSED"
    speakers["JANET"].post(f"{url}modification-withdraw/", {"reason": "no"}, 200)
    sooner = START + dt.timedelta(days=1)
    short = speakers["JANET"].post(f"{url}end-early/", {"end": sooner.isoformat(), "reason": "short"}, 200)
    assert dt.datetime.fromisoformat(short["end"]) == sooner
    wrong = speakers["JANET"].post(f"{url}modify/", {"source_prefixes": ["10.0.0.0/8"], "reason": "x"}, 400)
    assert wrong["errors"][0]["pointer"] == "#/source_prefixes"


def test_the_noc_decides_by_the_api_alone(speakers: dict[str, Speaker]) -> None:
    made = speakers["JANET"].post(URL, asked(rate_bps=5_000_000))
    url = f"{URL}{made['id']}/"
    noc = speakers["noc"]
    until = (START - dt.timedelta(hours=2)).isoformat()
    held = noc.post(f"{url}hold/", {"until": until, "reason": "they talk"}, 200, Idempotency_Key="h")
    assert held["state"] == "HELD" and noc.post(f"{url}hold/", {"until": until, "reason": "more"}, 409)
    assert noc.post(f"{url}unhold/", {"reason": "enough"}, 200)["state"] == "SUBMITTED"
    assert noc.post(f"{url}admit/", {"reason": "fits"}, 409)["code"] == "conflict", "GRNET has not agreed"
    speakers["GRNET"].post(f"{url}consent/", {"agree": True}, 200)
    body = {"reason": "it fits"}
    first = noc.post(f"{url}admit/", body, 200, Idempotency_Key="a")
    assert first["state"] == "ADMITTED" and noc.post(f"{url}admit/", body, 200, Idempotency_Key="a") == first
    assert AuditEvent.objects.filter(action="request.admitted").count() == 1
    assert speakers["noc"].post(f"{url}admit/", {}, 400)["errors"][0]["pointer"] == "#/reason"


def test_what_does_not_fit_is_on_record_and_its_key_may_be_used_again(speakers: dict[str, Speaker]) -> None:
    blocking = granted(speakers)
    made = speakers["JANET"].post(URL, asked(rate_bps=7_000_000))
    url = f"{URL}{made['id']}/"
    speakers["GRNET"].post(f"{url}consent/", {"agree": True}, 200)
    body = {"reason": "does it fit?"}
    said = speakers["noc"].post(f"{url}admit/", body, 409, Idempotency_Key="again")
    assert said["code"] == "does-not-fit" and said["evidence"]["verdict"] == "refused"
    assert {(row["code"], row["shortfall_bps"]) for row in said["evidence"]["reasons"]} == {
        ("share-exceeded", 1_250_000),
        ("policer", 1_274_001),
    }
    assert {row["kind"] for row in said["evidence"]["counter_offers"]} >= {"lower-rate"}
    assert AuditEvent.objects.filter(action="request.does-not-fit").count() == 1
    speakers["JANET"].post(f"{blocking}withdraw/", {"reason": "no concert"}, 200)
    decisions.never_provide(request=PremiumRequest.objects.get(pk=blocking.split("/")[-2]))
    assert speakers["noc"].post(f"{url}admit/", body, 200, Idempotency_Key="again")["state"] == "ADMITTED"


def test_the_noc_finds_and_decides_modifications(speakers: dict[str, Speaker]) -> None:
    url = granted(speakers)
    pk = int(url.split("/")[-2])
    speakers["JANET"].post(f"{url}modify/", {"rate_bps": 8_000_000, "reason": "more"}, 200)
    (waiting,) = speakers["noc"].get("/api/v1/modifications/?state=PROPOSED")["results"]
    assert (waiting["request"], waiting["nren"], waiting["rate_bps"]) == (pk, "JANET", 8_000_000)
    mine = f"/api/v1/modifications/{waiting['id']}/"
    speakers["GRNET"].post(f"{mine}consent/", {"agree": True}, 200)
    found = speakers["noc"].get(mine)
    assert found["evidence"]["verdict"] == "refused" and found["consent"] == "given"
    links = {
        row["link"]: row["committed_peak_bps"] for row in speakers["GRNET"].get(mine)["evidence"]["evidence"]
    }
    assert links["JANET@uk6:POS1/0"] is None, "what others hold is not GRNET's to read"
    assert speakers["noc"].post(f"{mine}admit/", {"reason": "?"}, 409)["code"] == "does-not-fit"
    assert speakers["noc"].post(f"{mine}refuse/", {"reason": "too much"}, 200)["state"] == "REFUSED"
    speakers["JANET"].post(f"{url}modify/", {"rate_bps": 1_000_000, "reason": "less"}, 200)
    (other,) = speakers["noc"].get(f"/api/v1/modifications/?request={pk}&state=PROPOSED")["results"]
    mine = f"/api/v1/modifications/{other['id']}/"
    done = speakers["noc"].post(f"{mine}admit/", {"reason": "fits"}, 200, Idempotency_Key="m")
    assert done["state"] == "IN_FORCE" and done["evidence"]["verdict"] == "admitted"
    assert speakers["noc"].post(f"{mine}admit/", {"reason": "fits"}, 200, Idempotency_Key="m") == done
    assert speakers["noc"].post(f"{mine}admit/", {"reason": "fits"}, 409)["code"] == "stale"
    assert speakers["DFN"].get("/api/v1/modifications/")["count"] == 0
    speakers["noc"].get("/api/v1/modifications/?state=NONE", status=400)


def test_a_modification_whose_window_passed_can_be_looked_at(speakers: dict[str, Speaker]) -> None:
    url = granted(speakers)
    speakers["JANET"].post(f"{url}modify/", {"rate_bps": 1_000_000, "reason": "less"}, 200)
    ago = dt.datetime.now(dt.UTC) - dt.timedelta(days=1)
    Modification.objects.update(start=ago - dt.timedelta(days=1), end=ago)
    mine = f"/api/v1/modifications/{Modification.objects.get().pk}/"
    assert speakers["noc"].get(mine)["evidence"] is None
    assert speakers["noc"].post(f"{mine}admit/", {"reason": "late"}, 409)["code"] == "stale"


def test_a_series_is_decided_by_the_api(speakers: dict[str, Speaker]) -> None:
    made = speakers["JANET"].post("/api/v1/series/", weekly())
    url = f"/api/v1/series/{made['id']}/"
    noc = speakers["noc"]
    until = (START - dt.timedelta(hours=2)).isoformat()
    assert noc.post(f"{url}hold/", {"until": until, "reason": "talks"}, 200)["states"] == {"HELD": 3}
    assert noc.post(f"{url}unhold/", {"reason": "over"}, 200)["states"] == {"SUBMITTED": 3}
    speakers["GRNET"].post(f"{url}consent/", {"agree": True}, 200)
    blocking = granted(speakers)
    speakers["JANET"].post(f"{blocking}modify/", {"rate_bps": 7_000_000, "reason": "more"}, 200)
    (more,) = noc.get("/api/v1/modifications/")["results"]
    speakers["GRNET"].post(f"/api/v1/modifications/{more['id']}/consent/", {"agree": True}, 200)
    noc.post(f"/api/v1/modifications/{more['id']}/admit/", {"reason": "fits"}, 200)
    said = noc.post(f"{url}admit/", {"reason": "?"}, 409)
    assert said["code"] == "does-not-fit" and said["rate_that_fits"] == 729_000
    assert [item["fits"] for item in said["items"]] == [False, True, True]
    speakers["JANET"].post(
        f"{blocking}end-early/", {"end": (START + dt.timedelta(0.0001)).isoformat(), "reason": "x"}, 200
    )
    assert noc.post(f"{url}refuse/", {"reason": "no"}, 200)["states"] == {"REFUSED": 3}


def test_a_series_is_tried_takes_less_and_ends_sooner(speakers: dict[str, Speaker]) -> None:
    url = granted(speakers)
    speakers["JANET"].post(
        f"{url}end-early/", {"end": (START + dt.timedelta(days=1)).isoformat(), "reason": "x"}, 200
    )
    body = weekly() | {"rate_bps": 6_000_000}
    tried = speakers["JANET"].post("/api/v1/series/what-if/", body, 200)
    assert ([item["fits"] for item in tried["items"]], tried["rate_that_fits"]) == (
        [False, True, True],
        5_729_000,
    )
    foreign = [row for row in tried["items"][0]["reasons"] if row["link"].startswith("GRNET")]
    assert {row["committed_bps"] for row in foreign} == {None}
    assert not PremiumRequest.objects.exclude(series=None).exists()
    made = speakers["JANET"].post("/api/v1/series/", body)
    mine = f"/api/v1/series/{made['id']}/"
    assert speakers["JANET"].post(f"{mine}take-offer/", {"rate_bps": 5_800_000}, 409)["code"] == "conflict"
    said = speakers["JANET"].post(f"{mine}take-offer/", {"rate_bps": 5_729_000}, 200, Idempotency_Key="t")
    assert [item["fits"] for item in said["items"]] == [True] * 3
    assert (
        speakers["JANET"].post(f"{mine}take-offer/", {"rate_bps": 5_729_000}, 200, Idempotency_Key="t")
        == said
    )
    assert speakers["JANET"].post(f"{mine}take-offer/", {}, 409)["code"] == "stale"
    speakers["GRNET"].post(f"{mine}consent/", {"agree": True}, 200)
    speakers["noc"].post(f"{mine}admit/", {"reason": "fits"}, 200)
    at = (START + dt.timedelta(days=7, hours=1)).isoformat()
    ended = speakers["JANET"].post(f"{mine}end-early/", {"end": at, "reason": "a short course"}, 200)
    assert ended["states"] == {"ADMITTED": 2, "WITHDRAWN": 1}
    assert dt.datetime.fromisoformat(ended["items"][1]["end"]) == dt.datetime.fromisoformat(at)
    assert (
        speakers["JANET"].post(f"{mine}end-early/", {"end": at, "reason": "x"}, 400)["errors"][0]["pointer"]
        == "#/end"
    )


def test_what_no_modification_changes_is_named_with_the_reason(speakers: dict[str, Speaker]) -> None:
    url = granted(speakers)
    body = {"bucket_bytes": 9000, "service_class": "x", "source_link": "y", "colour": 1, "reason": "z"}
    wrong = speakers["JANET"].post(f"{url}modify/", body, 400)
    said = {entry["pointer"]: entry["reason"] for entry in wrong["errors"]}
    assert (
        "withdraw it and ask anew" in said["#/bucket_bytes"]
        and "stays in its class" in said["#/service_class"]
    )
    assert said["#/colour"] == "is not a known field" and "where it enters" in said["#/source_link"]
    PremiumRequest.objects.update(start=START - dt.timedelta(days=2))
    wrong = speakers["JANET"].post(f"{url}modify/", {"start": START.isoformat(), "reason": "z"}, 400)
    assert wrong["errors"][0]["pointer"] == "#/start" and "it has begun" in wrong["errors"][0]["reason"]


class _Killed(BaseException):
    """What nobody catches."""


@pytest.mark.parametrize("when", ["before the commit", "after it"])
def test_killed_in_the_middle_and_sent_again(
    speakers: dict[str, Speaker], monkeypatch: pytest.MonkeyPatch, when: str
) -> None:
    """Between the deed and its answer the process is gone: the same key does it once, whichever side of the commit it was."""
    url = granted(speakers)
    body = {"rate_bps": 1_000_000, "reason": "less"}

    def gone(*_args: Any, **_kwargs: Any) -> Any:
        raise _Killed

    with monkeypatch.context() as patched:
        where = ("api.v1.base", "_answer") if when == "after it" else ("api.v1.modifying", "RequestDetail")
        patched.setattr(f"provisioning.{where[0]}.{where[1]}", gone)
        with pytest.raises(_Killed):
            speakers["JANET"].post(f"{url}modify/", body, 200, Idempotency_Key="k")
    assert Modification.objects.count() == (1 if when == "after it" else 0)
    said = speakers["JANET"].send("POST", f"{url}modify/", body, Idempotency_Key="k")
    assert said.status_code == 200 and Modification.objects.count() == 1
    assert said.headers.get("Idempotency-Replayed") == ("true" if when == "after it" else None)
    (made,) = said.json()["modifications"]
    mine = f"/api/v1/modifications/{made['id']}/"
    with monkeypatch.context() as patched:
        patched.setattr("provisioning.api.v1.base._answer", gone)
        with pytest.raises(_Killed):
            speakers["noc"].post(f"{mine}admit/", {"reason": "fits"}, 200, Idempotency_Key="k")
    assert (
        speakers["noc"].post(f"{mine}admit/", {"reason": "fits"}, 200, Idempotency_Key="k")["state"]
        == "IN_FORCE"
    )
    assert AuditEvent.objects.filter(action="request.modification.in-force").count() == 1
