"""Quotas through the API: who reads and sets them, and that nobody replaces what somebody else has set since."""

from __future__ import annotations

import datetime as dt

from inventory.models import Nren
from tests.api.conftest import NO_QUOTA, START, Speaker
from tests.api.test_changing import granted


def test_a_quota_is_read_by_whom_it_bounds_and_set_by_the_noc(speakers: dict[str, Speaker]) -> None:
    janet = Nren.objects.get(name="JANET")
    url = f"/api/v1/nrens/{janet.pk}/quota/"
    granted(speakers)
    assert speakers["JANET"].get(url)["limits"] == NO_QUOTA
    body = {
        "rate_bps": 3_000_000,
        "open_requests": 4,
        "holds": None,
        "reason": "agreed in May",
        "seen": NO_QUOTA,
    }
    told = speakers["noc"].post(url, body, 200, Idempotency_Key="q")
    assert told["limits"] == {"rate_bps": 3_000_000, "open_requests": 4, "holds": None}
    assert (told["used"]["rate_bps"], told["used"]["open_requests"]) == (2_000_000, 0)
    assert dt.datetime.fromisoformat(told["used"]["rate_at"]) == START
    assert speakers["noc"].post(url, {**body, "holds": -1}, 400)["errors"][0]["pointer"] == "#/holds"
    assert speakers["noc"].post(url, {"reason": "x"}, 400)
    of_all = speakers["noc"].post("/api/v1/nrens/quota/", {**body, "holds": 1}, 200)
    assert of_all["holds"] == 1 and speakers["JANET"].get(url)["limits"]["holds"] == 1


def test_of_two_who_read_one_quota_the_second_is_told_what_the_first_set(
    speakers: dict[str, Speaker],
) -> None:
    noc = speakers["noc"]
    body = {"rate_bps": 3_000_000, "open_requests": 4, "holds": None, "reason": "agreed in May"}
    for url in (f"/api/v1/nrens/{Nren.objects.get(name='JANET').pk}/quota/", "/api/v1/nrens/quota/"):
        read = noc.get(url)
        seen = read.get("own", {name: read.get(name) for name in NO_QUOTA})
        assert seen == NO_QUOTA
        told = noc.post(url, {**body, "seen": seen}, 200)
        assert told.get("own", told)["rate_bps"] == 3_000_000
        problem = noc.post(url, {**body, "holds": 7, "seen": seen}, 409, Idempotency_Key=f"two {url}")
        assert problem["code"] == "stale" and "the-noc" in problem["detail"]
        assert problem["standing"] == {"rate_bps": 3_000_000, "open_requests": 4, "holds": None}
        noc.post(url, {**body, "seen": seen}, 200)  # sent twice, as its answer was lost
        again = {**body, "holds": 7, "seen": problem["standing"]}
        told = noc.post(url, again, 200, Idempotency_Key=f"two {url}")
        assert told.get("own", told)["holds"] == 7
        (error,) = noc.post(url, {**body, "holds": 1}, 400)[
            "errors"
        ]  # it would replace what it does not know
        assert error["pointer"] == "#/seen"
        part = noc.post(url, {**again, "seen": {"holds": 7}}, 400)
        assert {one["pointer"] for one in part["errors"]} == {"#/seen/rate_bps", "#/seen/open_requests"}
