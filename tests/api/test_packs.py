"""The NREN's own side over the API."""

from __future__ import annotations

import pytest

from inventory.models import AccessCase, AccessLink
from provisioning.models import PremiumRequest
from tests.api.conftest import Speaker, asked

REQUESTS = "/api/v1/premium-requests/"


@pytest.fixture
def pack(speakers: dict[str, Speaker]) -> str:
    """The address of the pack of a request of JANET to GRNET."""
    made = speakers["JANET"].post(REQUESTS, asked(flow_label=77))
    return f"{REQUESTS}{made['id']}/pack/"


def test_for_linux(speakers: dict[str, Speaker], pack: str) -> None:
    found = speakers["JANET"].get(f"{pack}?for=linux&uplink=eth0")
    number = found["request"]
    assert (found["for"], found["filename"]) == ("linux", f"pip-{number}.sh")
    # The cap's bucket is nobody's word: 4 ms of 7.75 Mbit/s, 3875 bytes with headers, 3864 without; less a packet.
    assert "rate 2000000bit ceil 2000000bit burst 2364b" in found["text"]
    assert any("nobody has written how deep its bucket is" in note for note in found["notes"])
    rule = (
        "ip6 saddr { 2001:630:1::/48 } ip6 daddr { 2001:648:2::/48 } ip6 flowlabel 77 counter ip6 dscp set 46"
    )
    assert rule in found["text"]
    assert found["undo"] == [f"sh pip-{number}.sh down eth0"]
    assert any("does not protect" in note for note in found["notes"])


def test_for_ios(speakers: dict[str, Speaker], pack: str) -> None:
    found = speakers["JANET"].get(f"{pack}?for=ios&platform=cisco-7200&ios=12.4(24)T&uplink=POS1/0")
    assert "  shape average 2005334 9484 12032\n" in found["text"]
    assert "interface POS1/0\n service-policy output PREMIUM-OUT\n" in found["text"]
    assert found["undo"][0] == "policy-map PREMIUM-OUT"


def test_the_shaper_never_takes_more_than_was_granted(speakers: dict[str, Speaker], pack: str) -> None:
    found = speakers["JANET"].get(f"{pack}?for=linux&traffic=elastic")
    assert "rate 2000000bit ceil 2000000bit burst 2364b" in found["text"]


@pytest.mark.parametrize("state", ["REFUSED", "WITHDRAWN", "EXPIRED", "COMPLETED", "NEVER_PROVIDED"])
def test_there_is_none_for_what_is_over(speakers: dict[str, Speaker], pack: str, state: str) -> None:
    PremiumRequest.objects.update(state=state)
    problem = speakers["JANET"].get(f"{pack}?for=linux", status=409)
    assert f"is {state}: nothing is let in for it any more, so there is no pack" in problem["detail"]


def test_on_a_filtered_link_the_backbone_marks(speakers: dict[str, Speaker], pack: str) -> None:
    AccessLink.objects.filter(nren__name="JANET").update(case=AccessCase.FILTERED)
    assert "dscp set" not in speakers["JANET"].get(f"{pack}?for=linux")["text"]


def test_a_bad_question_names_the_parameter(speakers: dict[str, Speaker], pack: str) -> None:
    for query, name in (
        ("", "for"),
        ("for=windows", "for"),
        ("for=linux&uplink=eth0;reboot", "uplink"),
        ("for=linux&uplink=a%0Ab", "uplink"),
        ("for=ios&uplink=eth%200", "interface"),
        ("for=ios&platform=juniper", "platform"),
        ("for=ios&ios=99", "ios"),
        ("for=linux&traffic=bulk", "traffic"),
        ("for=linux&colour=blue", "colour"),
    ):
        problem = speakers["JANET"].get(f"{pack}?{query}", status=400)
        assert [one["parameter"] for one in problem["errors"]] == [name], query
