"""Asking, seeing, agreeing, taking back; and everything that cannot be asked for."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest

from inventory.models import AccessLink, Nren
from provisioning.models import SYSTEM, Actor, AuditEvent, LedgerEntry, PremiumRequest, Role, Via
from provisioning.selectors.quotas import Limits
from provisioning.selectors.requests import sls_of
from provisioning.services import audit, decisions, people, quotas
from tests.api.conftest import START, Speaker, asked

URL = "/api/v1/premium-requests/"


def noc(speakers: dict[str, Speaker]) -> Actor:
    return people.actor_named("the-noc", via=Via.CLI)


def test_one_way_is_one_request_with_its_evidence(speakers: dict[str, Speaker]) -> None:
    response = speakers["JANET"].send("POST", URL, asked())
    body = response.json()
    assert response.status_code == 201
    assert response.headers["Location"].endswith(f"{URL}{body['id']}/")
    assert (body["state"], body["consent"], body["twin"], body["role"]) == (
        "SUBMITTED",
        "pending",
        None,
        "source",
    )
    assert (body["nren"], body["receiving_nren"], body["rate_bps"]) == ("JANET", "GRNET", 2_000_000)
    assert body["evidence"]["verdict"] == "admitted"
    source = body["evidence"]["evidence"][0]
    assert (source["link"], source["direction"]) == ("JANET@uk6:POS1/0", "in")
    assert (source["share_bps"], source["headroom_bps"], source["fits"]) == (7_750_000, 7_750_000, True)
    assert speakers["JANET"].get(f"{URL}{body['id']}/") == body


def test_both_ways_are_two_linked_requests(speakers: dict[str, Speaker]) -> None:
    out = speakers["JANET"].post(URL, asked(direction="both"))
    back = speakers["JANET"].get(f"{URL}{out['twin']}/")
    assert back["twin"] == out["id"]
    assert (back["source_link"], back["destination_link"]) == (out["destination_link"], out["source_link"])
    assert back["source_prefixes"] == out["destination_prefixes"]
    assert PremiumRequest.objects.count() == 2


def test_more_than_the_share_is_said_with_link_direction_and_shortfall(speakers: dict[str, Speaker]) -> None:
    body = speakers["JANET"].post(URL, asked(rate_bps=8_000_000))
    assert body["evidence"]["verdict"] == "refused"
    first = next(row for row in body["evidence"]["reasons"] if row["link"] == "JANET@uk6:POS1/0")
    assert (first["code"], first["direction"], first["shortfall_bps"]) == ("share-exceeded", "in", 250_000)
    policed = next(row for row in body["evidence"]["reasons"] if row["code"] == "policer")
    assert (policed["link"], policed["direction"]) == ("JANET@uk6:POS1/0", "in")
    assert (policed["asked_bps"], policed["share_bps"], policed["shortfall_bps"]) == (
        8_021_334,
        7_750_000,
        271_334,
    )
    assert body["evidence"]["counter_offers"][0]["rate_bps"] == 7_729_000


def test_source_and_receiver_and_noc_see_it_and_nobody_else(speakers: dict[str, Speaker]) -> None:
    made = speakers["JANET"].post(URL, asked())
    url = f"{URL}{made['id']}/"
    assert speakers["GRNET"].get(url)["role"] == "receiver"
    assert speakers["noc"].get(url)["role"] == speakers["auditor"].get(url)["role"] == "observer"
    hidden = speakers["DFN"].get(url, status=404)
    absent = speakers["DFN"].get(f"{URL}999999/", status=404)
    assert {**hidden, "instance": ""} == {**absent, "instance": ""}
    counts = {name: speakers[name].get(URL)["count"] for name in ("JANET", "GRNET", "DFN", "noc", "auditor")}
    assert counts == {"JANET": 1, "GRNET": 1, "DFN": 0, "noc": 1, "auditor": 1}


def test_the_receiver_agrees_and_the_source_cannot_for_it(speakers: dict[str, Speaker]) -> None:
    url = f"{URL}{speakers['JANET'].post(URL, asked())['id']}/consent/"
    speakers["JANET"].post(url, {"agree": True}, status=403)
    speakers["DFN"].post(url, {"agree": True}, status=404)
    declined = speakers["GRNET"].post(url, {"agree": False}, status=400)
    assert declined["errors"][0]["pointer"] == "#/reason"
    assert speakers["GRNET"].post(url, {"agree": True}, status=200)["consent"] == "given"


def test_the_smallest_packet_is_kept_and_nobody_has_to_name_it(speakers: dict[str, Speaker]) -> None:
    named = speakers["JANET"].post(URL, asked(min_packet_bytes=220))
    assert named["min_packet_bytes"] == 220
    assert speakers["JANET"].post(URL, asked())["min_packet_bytes"] is None
    assert [sls_of(row).smallest_packet_bytes for row in PremiumRequest.objects.order_by("pk")] == [220, 1500]
    found = speakers["JANET"].get(f"{URL}{named['id']}/pack/?for=ios&platform=cisco-7200&ios=12.4(24)T")
    assert any("packets of 220 to 1500 bytes" in note for note in found["notes"])


def test_standing_consent_is_recorded(speakers: dict[str, Speaker]) -> None:
    AccessLink.objects.filter(name="GRNET@gr6:POS2/0").update(standing_consent=True)
    assert speakers["JANET"].post(URL, asked())["consent"] == "standing"


def test_withdrawing_needs_a_reason_and_happens_once(speakers: dict[str, Speaker]) -> None:
    url = f"{URL}{speakers['JANET'].post(URL, asked())['id']}/withdraw/"
    assert speakers["JANET"].post(url, {}, status=400)["errors"] == [
        {"pointer": "#/reason", "reason": "This field is required."}
    ]
    speakers["GRNET"].post(url, {"reason": "not mine"}, status=403)
    assert speakers["JANET"].post(url, {"reason": "postponed"}, status=200)["state"] == "WITHDRAWN"
    assert speakers["JANET"].post(url, {"reason": "again"}, status=409)["code"] == "stale"


def test_neighbours_commitments_stay_hidden(speakers: dict[str, Speaker]) -> None:
    first = speakers["JANET"].post(URL, asked(rate_bps=3_000_000))
    speakers["GRNET"].post(f"{URL}{first['id']}/consent/", {"agree": True}, status=200)
    decisions.admit(actor=noc(speakers), request=PremiumRequest.objects.get(), reason="fits")
    assert LedgerEntry.objects.exists()
    dfn = asked(
        source_link="DFN@de6:POS1/0", source_prefixes=["2001:638:1::/48"], rate_bps=6_000_000
    )  # fmt: skip
    body = speakers["DFN"].post(URL, dfn)
    rows = {row["link"]: row for row in body["evidence"]["evidence"]}
    assert rows["DFN@de6:POS1/0"]["committed_peak_bps"] == 0
    far = rows["GRNET@gr6:POS2/0"]
    assert (far["committed_peak_bps"], far["headroom_bps"], far["peak_at"], far["fits"]) == (
        None,
        None,
        None,
        False,
    )
    (reason,) = body["evidence"]["reasons"]
    assert (reason["link"], reason["direction"]) == ("GRNET@gr6:POS2/0", "out")
    assert (reason["committed_bps"], reason["shortfall_bps"]) == (None, None)
    assert "3000000" not in str(body) and "3 Mbit/s" not in str(body)
    seen = speakers["noc"].get(f"{URL}{body['id']}/")["evidence"]["evidence"]
    assert {row["link"]: row["committed_peak_bps"] for row in seen}["GRNET@gr6:POS2/0"] == 3_000_000
    links = speakers["DFN"].get("/api/v1/access-links/")["results"]
    assert {link["nren"] for link in links if link["committed"] is not None} == {"DFN"}


BAD: list[tuple[dict[str, Any], str]] = [
    ({"rate_bps": 0}, "#/rate_bps"),
    ({"rate_bps": -1}, "#/rate_bps"),
    ({"rate_bps": 10**18}, "#/rate_bps"),
    ({"rate_bps": 10**400}, "#/rate_bps"),
    ({"rate_bps": "2000000"}, "#/rate_bps"),
    ({"rate_bps": 2e6}, "#/rate_bps"),
    ({"rate_bps": True}, "#/rate_bps"),
    ({"bucket_bytes": 0}, "#/bucket_bytes"),
    ({"bucket_bytes": 100}, "#/bucket_bytes"),
    ({"max_packet_bytes": 70000}, "#/max_packet_bytes"),
    ({"min_packet_bytes": 19}, "#/min_packet_bytes"),
    ({"min_packet_bytes": 39}, "#/min_packet_bytes"),
    ({"min_packet_bytes": 1501}, "#/min_packet_bytes"),
    ({"min_packet_bytes": "200"}, "#/min_packet_bytes"),
    ({"end": (START - dt.timedelta(hours=1)).isoformat()}, "#/end"),
    ({"start": "2001-01-01T00:00:00Z", "end": "2001-02-01T00:00:00Z"}, "#/end"),
    ({"start": "2030-01-01T00:00:00"}, "#/start"),
    ({"start": "tomorrow"}, "#/start"),
    ({"start": 1893456000}, "#/start"),
    ({"source_link": "JANET@uk6:POS9/9"}, "#/source_link"),
    ({"source_link": 7}, "#/source_link"),
    ({"source_link": "x" * 201}, "#/source_link"),
    (
        {"destination_link": "JANET@uk6:POS1/0", "destination_prefixes": ["2001:630:2::/48"]},
        "#/destination_link",
    ),
    ({"destination_link": "nowhere\u0000"}, "#/destination_link"),
    ({"direction": "sideways"}, "#/direction"),
    ({"service_class": "gold"}, "#/service_class"),
    ({"source_prefixes": []}, "#/source_prefixes"),
    ({"source_prefixes": "2001:630::/32"}, "#/source_prefixes"),
    ({"source_prefixes": ["2001:648::/48"]}, "#/source_prefixes"),
    ({"source_prefixes": ["not a prefix"]}, "#/source_prefixes"),
    ({"source_prefixes": [7]}, "#/source_prefixes/0"),
    ({"source_prefixes": ["2001:630::/48\n!"]}, "#/source_prefixes"),
    ({"destination_prefixes": ["2001:630::/48"]}, "#/destination_prefixes"),
    ({"flow_label": 0}, "#/flow_label"),
    ({"flow_label": 2**20}, "#/flow_label"),
    ({"contact": "a\nb"}, "#/contact"),
    ({"contact": "a!b\u0007"}, "#/contact"),
    ({"contact": ""}, "#/contact"),
    ({"reason": "x" * 2001}, "#/reason"),
    ({"reason": "a\u0000b"}, "#/reason"),
    ({"reason": "half a pair \ud800"}, "#/reason"),
    ({"colour": "blue"}, "#/colour"),
]


@pytest.mark.parametrize(
    ("changes", "pointer"), BAD, ids=[f"{next(iter(c))}-{i}" for i, (c, _) in enumerate(BAD)]
)
def test_what_cannot_be_meant_is_refused_by_field(
    speakers: dict[str, Speaker], changes: dict[str, Any], pointer: str
) -> None:
    body = speakers["JANET"].post(URL, asked(**changes), status=400)
    assert pointer in {entry["pointer"] for entry in body["errors"]}
    assert all(entry["reason"] for entry in body["errors"])
    assert not PremiumRequest.objects.exists()


def test_everything_wrong_is_said_at_once(speakers: dict[str, Speaker]) -> None:
    wrong = asked(rate_bps=-1, contact="", colour="blue", source_prefixes=[7])
    body = speakers["JANET"].post(URL, wrong, status=400)
    assert {entry["pointer"] for entry in body["errors"]} == {
        "#/rate_bps", "#/contact", "#/colour", "#/source_prefixes/0",
    }  # fmt: skip


def test_somebody_elses_link_is_refused(speakers: dict[str, Speaker]) -> None:
    speakers["DFN"].post(URL, asked(), status=403)


def test_a_non_participant_link_cannot_send(speakers: dict[str, Speaker]) -> None:
    surfnet = asked(source_link="SURFnet@nl6:GigabitEthernet1/0", source_prefixes=["2001:610:1::/48"])
    body = speakers["noc"].post(URL, surfnet, status=400)
    assert "non-participant" in body["errors"][0]["reason"]


def test_the_same_key_asks_once(speakers: dict[str, Speaker]) -> None:
    first = speakers["JANET"].send("POST", URL, asked(), Idempotency_Key="one")
    again = speakers["JANET"].send("POST", URL, asked(), Idempotency_Key="one")
    assert (first.status_code, again.status_code) == (201, 201)
    assert first.json() == again.json()
    assert (first.headers.get("Idempotency-Replayed"), again.headers["Idempotency-Replayed"]) == (
        None,
        "true",
    )
    assert again.headers["Location"] == first.headers["Location"]
    assert PremiumRequest.objects.count() == 1
    other = speakers["JANET"].post(URL, asked(rate_bps=1), status=422, Idempotency_Key="one")
    assert other["code"] == "idempotency-key-reused"
    speakers["JANET"].post(URL, asked(), Idempotency_Key="two")
    assert PremiumRequest.objects.count() == 2


def test_a_refused_deed_leaves_its_key_free(speakers: dict[str, Speaker]) -> None:
    speakers["JANET"].post(URL, asked(source_link="no"), status=400, Idempotency_Key="k")
    speakers["JANET"].post(URL, asked(), status=201, Idempotency_Key="k")
    speakers["JANET"].post(URL, asked(), status=400, Idempotency_Key="")
    speakers["JANET"].post(URL, asked(), status=400, Idempotency_Key="x" * 201)


def test_a_key_belongs_to_its_token(speakers: dict[str, Speaker]) -> None:
    speakers["JANET"].post(URL, asked(), Idempotency_Key="k")
    dfn = asked(source_link="DFN@de6:POS1/0", source_prefixes=["2001:638:1::/48"])
    assert speakers["DFN"].post(URL, dfn, Idempotency_Key="k")["nren"] == "DFN"


def test_lists_are_filtered_and_paged(speakers: dict[str, Speaker]) -> None:
    janet = speakers["JANET"]
    made = [janet.post(URL, asked(rate_bps=rate))["id"] for rate in (1000, 2000, 3000)]
    janet.post(f"{URL}{made[0]}/withdraw/", {"reason": "no"}, status=200)
    assert janet.get(f"{URL}?state=WITHDRAWN")["count"] == 1
    assert janet.get(f"{URL}?state=WITHDRAWN&state=SUBMITTED")["count"] == 3
    assert janet.get(f"{URL}?receiving_nren=GRNET&nren=JANET")["count"] == 3
    assert janet.get(f"{URL}?nren=GRNET")["count"] == 0
    page = janet.get(f"{URL}?page_size=2")
    assert ([row["id"] for row in page["results"]], page["count"]) == ([made[2], made[1]], 3)
    assert [row["id"] for row in janet.get(f"{URL}?page_size=2&page=2")["results"]] == [made[0]]
    janet.get(f"{URL}?page=9", status=404)
    for query, name in (
        ("state=BLUE", "state"), ("colour=blue", "colour"), ("page_size=0", "page_size"), ("page_size=x", "page_size"),
        ("nren=%00", "nren"),
    ):  # fmt: skip
        assert janet.get(f"{URL}?{query}", status=400)["errors"][0]["parameter"] == name


def test_what_was_done_is_audited_and_seen_by_both(speakers: dict[str, Speaker]) -> None:
    made = speakers["JANET"].post(URL, asked())
    speakers["GRNET"].post(f"{URL}{made['id']}/consent/", {"agree": True}, status=200)
    events = {
        name: speakers[name].get("/api/v1/audit-events/")["results"] for name in ("JANET", "GRNET", "DFN")
    }
    assert [event["action"] for event in events["JANET"]] == ["request.consent", "request.submit"]
    assert events["JANET"] == events["GRNET"]
    assert events["DFN"] == []
    assert events["JANET"][0]["after"] is None
    everything = speakers["auditor"].get("/api/v1/audit-events/")
    assert everything["count"] == AuditEvent.objects.count()
    assert next(row for row in everything["results"] if row["action"] == "request.consent")["after"] == {
        "consent": "given"
    }
    sequence = everything["results"][-1]["sequence"]
    assert speakers["noc"].get(f"/api/v1/audit-events/{sequence}/")["action"] == "inventory.import"
    speakers["JANET"].get(f"/api/v1/audit-events/{sequence}/", status=404)
    assert audit.verify_chain().intact


def test_the_submitter_of_a_request_is_the_tokens_user(speakers: dict[str, Speaker]) -> None:
    speakers["JANET"].post(URL, asked())
    event = AuditEvent.objects.get(action="request.submit")
    assert (event.actor, event.via) == ("janet", "api")
    assert SYSTEM.user_id is None
    assert Role.NREN in people.actor_named("janet", via=Via.API).roles


def test_a_quota_that_is_spent_is_named_with_its_numbers(speakers: dict[str, Speaker]) -> None:
    nren = Nren.objects.get(name="JANET")
    limits = Limits(open_requests=1)
    quotas.set_quota(actor=noc(speakers), domain=nren.domain, nren=nren, limits=limits, reason="agreed")
    speakers["JANET"].post(URL, asked())
    problem = speakers["JANET"].post(URL, asked(), status=409)
    assert problem["code"] == "quota-exceeded"
    said = {name: problem[name] for name in ("quota", "allowed", "used", "asked")}
    assert said == {"quota": "open_requests", "allowed": 1, "used": 1, "asked": 1}
