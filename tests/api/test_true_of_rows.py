"""Every row in every state answers what the description says, to each role: null where it says null, and nowhere else."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from jsonschema import Draft202012Validator

from provisioning.models import Change, Modification, PremiumRequest, Reservation, RouterPush, Series
from provisioning.pipeline.states import ModificationState, PushState, RequestState
from tests.api import matrix
from tests.api.conftest import START, Speaker, asked, weekly
from tests.depth import DEEP

pytestmark = pytest.mark.once
V1 = "/api/v1/"
made, ids, speakers = matrix.made, matrix.ids, matrix.speakers
READERS = ("JANET", "GRNET", "noc", "auditor") if DEEP else ("JANET", "noc")


@pytest.fixture
def document(db: None) -> dict[str, Any]:
    """The description as JSON."""
    answer = Client().get("/api/schema/", headers={"accept": "application/vnd.oai.openapi+json"})
    found: dict[str, Any] = json.loads(answer.content)
    return found


def judge_of(document: dict[str, Any], schema: dict[str, Any]) -> Draft202012Validator:
    """What holds a body against a schema of the description."""
    whole = {**schema, "components": document["components"]}
    return Draft202012Validator(whole, format_checker=Draft202012Validator.FORMAT_CHECKER)


def faults(judge: Draft202012Validator, body: Any) -> list[str]:
    """What of a body is not as described, with the place of each."""
    found = judge.iter_errors(body)
    return [f"{'/'.join(map(str, each.absolute_path))}: {each.message[:160]}" for each in found]


def in_every_state(speakers: dict[str, Speaker]) -> None:
    """Requests of one way and of both, and of a series, in every state; modifications, changes and pushes too."""
    noc, janet = speakers["noc"], speakers["JANET"]
    for state in RequestState:
        for body in (
            asked(rate_bps=10_000),
            asked(rate_bps=10_000, direction="both"),
            asked(rate_bps=9_000_000),
        ):
            first = janet.post(f"{V1}premium-requests/", body)
            rows = PremiumRequest.objects.filter(pk__in=[first["id"], first["twin"] or first["id"]])
            if state == RequestState.REFUSED:
                noc.post(f"{V1}premium-requests/{first['id']}/refuse/", {"reason": "no"}, 200)
                continue
            if state == RequestState.SUBMITTED:
                continue
            if body["rate_bps"] == 10_000 and state not in (RequestState.WITHDRAWN, RequestState.EXPIRED):
                rows.update(consent="given")
                granted = {"reason": "it fits"}
                noc.post(f"{V1}premium-requests/{first['id']}/admit/", granted, 200)
            until = START - timedelta(hours=1) if state == RequestState.HELD else None
            rows.update(state=state.value, held_until=until)
    for state in ModificationState:
        made = janet.post(f"{V1}premium-requests/", asked(rate_bps=10_000, direction="both"))
        PremiumRequest.objects.filter(pk__in=[made["id"], made["twin"]]).update(consent="given")
        url = f"{V1}premium-requests/{made['id']}/"
        noc.post(f"{url}admit/", {"reason": "it fits"}, 200)
        (proposed, *_) = janet.post(f"{url}modify/", {"rate_bps": 20_000, "reason": "more"}, 200)[
            "modifications"
        ]
        if state != ModificationState.PROPOSED:
            Modification.objects.filter(pk=proposed["id"]).update(
                state=state.value, decided_at=timezone.now()
            )
    one_way = asked(rate_bps=10_000, direction=None)
    janet.post(f"{V1}series/", weekly() | {"rate_bps": one_way["rate_bps"], "direction": "both"})
    janet.post(f"{V1}series/", weekly() | {"rate_bps": 9_000_000})
    router = RouterPush.objects.earliest("pk").router
    digests = {"scheme": "6net", "scheme_digest": "", "template_digest": "", "intent_digest": ""}
    Change.objects.create(kind="baseline", title="of no router", **digests)
    for state in PushState:
        change = Change.objects.create(kind="baseline", title=state.value, **digests)
        RouterPush.objects.create(change=change, router=router, phase="edges", position=1, state=state.value)
    assert {*PremiumRequest.objects.values_list("state", flat=True)} == {
        state.value for state in RequestState
    }
    assert Reservation.objects.exists() and Series.objects.exists()


def reads(document: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any], dict[str, Any]]]:
    """The path of each GET, its operation, and the schema of its 200."""
    for path, operations in sorted(document["paths"].items()):
        if "get" in operations and "200" in operations["get"]["responses"]:
            content = operations["get"]["responses"]["200"]["content"]
            yield path, operations["get"], content["application/json"]["schema"]


def addresses(path: str, speaker: Speaker) -> Iterator[str]:
    """The list, or each row of it that the reader sees."""
    if "{" not in path:
        yield f"{path}?page_size=200" if path.count("/") == 4 else path
        return
    parent, key = path.split("{")[0], path.split("{")[1].split("}")[0]
    answer = json.loads(speaker.send("GET", f"{parent}?page_size=200").content)
    for row in answer.get("results", []):
        yield path.replace(f"{{{key}}}", str(row[key]))


def test_each_row_of_each_state_is_as_described(
    document: dict[str, Any], speakers: dict[str, Speaker]
) -> None:
    in_every_state(speakers)
    wrong, seen = list[str](), dict.fromkeys(READERS, 0)
    for path, operation, schema in reads(document):
        judge = judge_of(document, schema)
        for role in READERS:
            for address in addresses(path, speakers[role]):
                answer = speakers[role].send("GET", address)
                if str(answer.status_code) not in operation["responses"]:
                    wrong.append(f"{role} {address}: {answer.status_code} is not described")
                elif answer.status_code == 200:
                    seen[role] += 1
                    found = faults(judge, json.loads(answer.content))
                    wrong += [f"{role} {address}: {each}" for each in found]
    assert not wrong, "\n".join(wrong[:40])
    assert min(seen.values()) > 60, seen


def test_a_request_of_one_way_has_no_twin_and_says_so(
    document: dict[str, Any], speakers: dict[str, Speaker]
) -> None:
    """`twin: integer` made a generated client fail at every one-way request."""
    made = speakers["JANET"].post(f"{V1}premium-requests/", asked())
    assert made["twin"] is None
    schemas = document["components"]["schemas"]
    for name in ("RequestSummary", "RequestDetail", "ModificationSummary", "ModificationDetail"):
        assert schemas[name]["properties"]["twin"]["type"] == ["integer", "null"], name


def test_nothing_is_said_in_the_words_of_an_older_openapi(document: dict[str, Any]) -> None:
    """`nullable` says nothing in 3.1: a page's `next` was null against its description."""
    assert '"nullable"' not in json.dumps(document)
