"""What an NREN is told at once of who receives and of its bucket, beside the shares (issue 9, f and i)."""

from __future__ import annotations

from provisioning.models import PremiumRequest
from provisioning.services import decisions
from tests.api.conftest import Speaker, asked
from tests.api.test_requesting import noc

URL = "/api/v1/premium-requests/"
SURFNET = {"destination_link": "SURFnet@nl6:GigabitEthernet1/0", "destination_prefixes": ["2001:610:1::/48"]}


def test_a_request_to_surfnet_is_warned_of_in_its_evidence(speakers: dict[str, Speaker]) -> None:
    evidence = speakers["JANET"].post(URL, asked(**SURFNET))["evidence"]
    assert evidence["verdict"] == "admitted"
    assert [said.partition(":")[0] for said in evidence["warnings"]] == ["SURFnet@nl6"]
    assert "receives and is non-participant" in evidence["warnings"][0]


def test_a_bucket_that_passes_no_packet_is_a_reason(speakers: dict[str, Speaker]) -> None:
    evidence = speakers["JANET"].post(URL, asked(bucket_bytes=1501))["evidence"]
    assert evidence["verdict"] == "refused"
    (reason,) = evidence["reasons"]
    assert (reason["code"], reason["link"], reason["direction"]) == ("bucket", "JANET@uk6:POS1/0", "in")
    assert "at least 1,504 bytes are needed" in reason["text"]
    assert evidence["counter_offers"] == []


def test_a_bucket_that_is_no_ef_is_warned_of(speakers: dict[str, Speaker]) -> None:
    evidence = speakers["JANET"].post(URL, asked(bucket_bytes=512_000_000))["evidence"]
    assert evidence["verdict"] == "admitted"
    assert any("which IP Premium may for 50 ms" in said for said in evidence["warnings"])


def test_the_sum_of_buckets_counts_what_is_admitted_and_only_who_owns_the_link_reads_it(
    speakers: dict[str, Speaker],
) -> None:
    first = speakers["JANET"].post(URL, asked(bucket_bytes=200_000))
    assert first["evidence"]["warnings"] == []
    url = f"{URL}{first['id']}/"
    speakers["GRNET"].post(f"{url}consent/", {"agree": True}, status=200)
    decisions.admit(actor=noc(speakers), request=PremiumRequest.objects.get(), reason="fits")
    assert PremiumRequest.objects.get(pk=first["id"]).state == "ADMITTED"
    second = speakers["JANET"].post(URL, asked(bucket_bytes=200_000))
    assert ["400,000 bytes in sum" in said for said in second["evidence"]["warnings"]] == [True]
    seen = speakers["GRNET"].get(f"{URL}{second['id']}/")["evidence"]
    assert seen["warnings"] == []
