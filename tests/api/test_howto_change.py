"""Every call of docs/howto/change-a-reservation.md is sent as it stands there, days moved to days to come."""

from __future__ import annotations

import datetime as dt
import json
import re
from pathlib import Path
from typing import Any

from provisioning.models import PremiumRequest
from tests.api.conftest import START, Speaker, asked
from tests.api.test_changing import URL, granted

PAGE = Path(__file__).parents[2] / "docs" / "howto" / "change-a-reservation.md"
CALL = re.compile(r"```text\n(GET|POST) (\S+)\n(?:\n(\{.*?\})\n)?```", re.DOTALL)
BEGINS = dt.datetime(2027, 3, 1, 9, tzinfo=dt.UTC)
"""When PIP-12 begins, on the page."""


def test_the_calls_do_what_the_page_says(speakers: dict[str, Speaker]) -> None:
    calls = CALL.findall(PAGE.read_text(encoding="utf-8"))
    assert len(calls) == 7
    twelve = granted(speakers)
    offered = speakers["JANET"].post(
        URL, asked(rate_bps=7_000_000, end=(START + dt.timedelta(days=2)).isoformat())
    )
    told = []
    for method, path, body in calls:
        url = path.replace("/12/", f"/{twelve.split('/')[-2]}/").replace("/13/", f"/{offered['id']}/")
        said = json.loads(_moved(body)) if body else None
        if method == "GET":
            told.append(speakers["JANET"].get(url))
            continue
        told.append(speakers["JANET"].post(url, said, 200, Idempotency_Key=path))
        if path.endswith("/extend/"):  # the receiver and the NOC do as the page says
            speakers["GRNET"].post(f"{twelve}modification-consent/", {"agree": True}, 200)
            mine = told[-1]["modifications"][0]["id"]
            speakers["noc"].post(f"/api/v1/modifications/{mine}/admit/", {"reason": "it fits"}, 200)
    ranged, tried, modified, back, _longer, ended, taken = told
    assert {"least_bps", "most_bps", "latest_end", "earliest_start"} == set(ranged)
    assert tried["verdict"] == "admitted"
    assert [each["state"] for each in modified["modifications"]] == ["PROPOSED"]
    assert [each["state"] for each in back["modifications"]] == ["WITHDRAWN"]
    assert [each["state"] for each in ended["modifications"][:2]] == ["IN_FORCE", "IN_FORCE"]
    row = PremiumRequest.objects.get(pk=twelve.split("/")[-2])
    assert row.end == START + dt.timedelta(days=4, hours=3)
    assert (taken["id"], taken["rate_bps"], taken["state"]) == (offered["id"], 5_750_000, "SUBMITTED")


def _moved(body: str) -> str:
    """The body with its instants as far from START as they are from the beginning on the page."""

    def later(found: re.Match[str]) -> str:
        at: Any = dt.datetime.fromisoformat(found[0])
        return (START + (at - BEGINS)).isoformat()

    return re.sub(r"20\d\d-\d\d-\d\dT[\d:]+Z", later, body)
