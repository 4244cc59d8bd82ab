"""Burst advice over the API: the numbers, and bad questions refused by the name of the parameter."""

from __future__ import annotations

from tests.api.conftest import Speaker

BURSTS = "/api/v1/advice/bursts/"


def test_elastic_traffic(speakers: dict[str, Speaker]) -> None:
    found = speakers["JANET"].get(f"{BURSTS}?rate=5M&traffic=elastic")
    assert found["policer"] == {
        "rate_bps": 5_000_000,
        "bucket_bytes": 93_750,
        "bucket_ms": 150,
        "line": "police cir 5000000 bc 93750 conform-action transmit exceed-action drop",
    }
    assert found["shaper"]["line"] == "shape average 5100000 737856 0"
    assert found["findings"][0]["formula"] == "Bc* = 0.6 Mbit + 0.03 s × rate"
    assert found["findings"][0]["provenance"] == "document"
    assert found["platform"] is None


def test_real_time_on_a_platform(speakers: dict[str, Speaker]) -> None:
    query = "rate=7750000&traffic=real-time&max_packet_bytes=1280&platform=cisco-7200&ios=15.2(4)M3"
    found = speakers["JANET"].get(f"{BURSTS}?{query}")
    assert found["shaper"]["rate_bps"] == found["policer"]["rate_bps"] == 7_750_000
    assert found["platform"]["default_documented_bytes"] == 3875
    assert found["platform"]["default_observed_bytes"] == 242_187
    assert found["policer"]["bucket_bytes"] > 1280


def test_a_bad_question_names_each_parameter(speakers: dict[str, Speaker]) -> None:
    query = "rate=fast&traffic=bulk&max_packet_bytes=0&colour=blue"
    problem = speakers["JANET"].get(f"{BURSTS}?{query}", status=400)
    assert {one["parameter"] for one in problem["errors"]} == {"traffic", "max_packet_bytes", "colour"}
    for query, name in (
        ("", "rate"),
        ("rate=fast", "rate"),
        ("rate=0", "rate"),
        ("rate=1.5", "rate"),
        ("rate=5M&platform=juniper", "platform"),
        ("rate=5M&ios=12.4", "ios"),
        ("rate=5M&platform=cisco-7200&ios=17.9.1", "ios"),
    ):
        problem = speakers["JANET"].get(f"{BURSTS}?{query}", status=400)
        assert [one["parameter"] for one in problem["errors"]] == [name], query
