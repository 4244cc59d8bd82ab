"""What an NREN is told of links that are not its own: whether it fits, from when to when, and nothing to subtract from."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from inventory.models import AccessLink
from provisioning.models import LedgerEntry, PremiumRequest, Via
from provisioning.selectors.viewers import own_links_of
from provisioning.services import decisions, people
from provisioning.services.topology.parting import part
from tests.api.conftest import START, Speaker, asked, weekly

URL = "/api/v1/premium-requests/"
RENATER = "RENATER@fr6:GigabitEthernet1/0"


def admitted(speakers: dict[str, Speaker], **changes: Any) -> PremiumRequest:
    """A request of JANET that was granted; the receiver agreed, whoever it is."""
    made = speakers["JANET"].post(URL, asked(**changes))
    PremiumRequest.objects.filter(pk=made["id"]).update(consent="given")
    found = PremiumRequest.objects.get(pk=made["id"])
    decisions.admit(actor=people.actor_named("the-noc", via=Via.CLI), request=found, reason="fits")
    found.refresh_from_db()
    assert found.state == "ADMITTED"
    return found


def dfn(**changes: Any) -> dict[str, Any]:
    """DFN asks RENATER for 100 Mbit/s."""
    return asked(
        **{
            "source_link": "DFN@de6:POS1/0",
            "source_prefixes": ["2001:638:1::/48"],
            "destination_link": RENATER,
            "destination_prefixes": ["2001:660:1::/48"],
            "rate_bps": 100_000_000,
        }
        | changes
    )


def test_a_refusal_does_not_say_by_how_much_a_link_of_others_is_exceeded(
    speakers: dict[str, Speaker],
) -> None:
    """Share and shortfall of an access link inwards, which has one owner, were the owner's sum in two numbers."""
    admitted(speakers, destination_link=RENATER, destination_prefixes=["2001:660:1::/48"])
    told = speakers["DFN"].post(f"{URL}what-if/", dfn(direction="both"), status=200)
    assert told["verdict"] == "refused"
    foreign = [row for row in told["reasons"] if row["link"] and not row["link"].startswith("DFN@")]
    assert {row["link"] for row in foreign} >= {RENATER}
    for row in foreign:
        assert (row["shortfall_bps"], row["committed_bps"]) == (None, None)
        assert row["interval_start"] and "too much" not in row["text"]
    own = {row["code"]: row for row in told["reasons"] if row["link"] == "DFN@de6:POS1/0"}
    assert own["share-exceeded"]["shortfall_bps"] == 92_250_000
    assert own["policer"]["shortfall_bps"] > 92_250_000, "with its headers"
    assert "52000000" not in json.dumps(told) and "52 Mbit/s" not in json.dumps(told)
    whole = speakers["noc"].post(f"{URL}what-if/", dfn(direction="both"), status=200)
    shares = [row for row in whole["reasons"] if row["link"] == RENATER and row["code"] == "share-exceeded"]
    assert {row["shortfall_bps"] for row in shares} == {50_000_000, 52_000_000}


@pytest.mark.parametrize("bps", [2_000_001, 15_550, 1])
def test_a_rate_between_the_steps_of_the_scheme_is_refused(speakers: dict[str, Speaker], bps: int) -> None:
    for path, body in (
        ("premium-requests/", asked(rate_bps=bps)),
        ("premium-requests/what-if/", asked(rate_bps=bps)),
        ("series/", weekly() | {"rate_bps": bps}),
        ("series/what-if/", weekly() | {"rate_bps": bps}),
    ):
        said = speakers["JANET"].post(f"/api/v1/{path}", body, status=422)
        assert (said["code"], said["errors"][0]["pointer"]) == ("rate-off-grid", "#/rate_bps")
        assert "100 bit/s" in said["errors"][0]["reason"]
        speakers["noc"].post(f"/api/v1/{path}", body, status=200 if "what-if" in path else 201)


def test_a_change_and_an_offer_keep_to_the_steps_too(speakers: dict[str, Speaker]) -> None:
    made = speakers["JANET"].post(URL, asked())
    url = f"{URL}{made['id']}/"
    speakers["JANET"].post(f"{url}modify-what-if/", {"rate_bps": 1_999_999}, status=422)
    speakers["JANET"].post(f"{url}modify/", {"rate_bps": 1_999_999, "reason": "less"}, status=422)
    offer = {"kind": "lower-rate", "rate_bps": 1_999_999, "start": made["start"], "end": made["end"]}
    said = speakers["JANET"].post(f"{url}take-offer/", offer, status=422)
    assert said["code"] == "rate-off-grid"


def test_what_was_asked_between_the_steps_before_there_were_any_can_change_otherwise(
    speakers: dict[str, Speaker],
) -> None:
    made = speakers["JANET"].post(URL, asked())
    PremiumRequest.objects.filter(pk=made["id"]).update(rate_bps=1_999_999)
    later = (START + timedelta(days=8)).isoformat()
    speakers["JANET"].post(f"{URL}{made['id']}/modify/", {"end": later, "reason": "longer"}, status=200)
    assert PremiumRequest.objects.get(pk=made["id"]).rate_bps == 1_999_999


def test_an_offer_is_told_in_whole_steps_of_what_others_hold(speakers: dict[str, Speaker]) -> None:
    """JANET holds 1,234,000 of GRNET's 7,750,000; DFN is offered what is left of it once that is 1,500,000."""
    found = admitted(speakers)
    PremiumRequest.objects.filter(pk=found.pk).update(rate_bps=1_234_000)
    LedgerEntry.objects.filter(request=found).update(rate_bps=1_234_000)
    wish = dfn(
        destination_link="GRNET@gr6:POS2/0", destination_prefixes=["2001:648:2::/48"], rate_bps=7_000_000
    )
    told = speakers["DFN"].post(f"{URL}what-if/", wish, status=200)
    assert [row["rate_bps"] for row in told["counter_offers"] if row["kind"] == "lower-rate"] == [6_250_000]
    assert "1234000" not in json.dumps(told)
    exact = speakers["noc"].post(f"{URL}what-if/", wish, status=200)
    assert [row["rate_bps"] for row in exact["counter_offers"] if row["kind"] == "lower-rate"] == [6_516_000]
    for bps, fits in ((6_250_000, "admitted"), (6_260_000, "refused"), (6_510_000, "refused")):
        told = speakers["DFN"].post(f"{URL}what-if/", wish | {"rate_bps": bps}, status=200)
        assert told["verdict"] == fits, bps


def test_what_was_refused_tells_no_more_than_what_is_tried(speakers: dict[str, Speaker]) -> None:
    """The evidence that is kept with a refusal is the NOC's, and exact: to whoever asked it is told in steps."""
    found = admitted(speakers)
    LedgerEntry.objects.filter(request=found).update(rate_bps=1_234_000)
    wish = dfn(
        destination_link="GRNET@gr6:POS2/0", destination_prefixes=["2001:648:2::/48"], rate_bps=7_000_000
    )
    made = speakers["DFN"].post(URL, wish)
    speakers["noc"].post(f"{URL}{made['id']}/refuse/", {"reason": "no"}, status=200)
    told = speakers["DFN"].get(f"{URL}{made['id']}/")["evidence"]
    assert [row["rate_bps"] for row in told["counter_offers"] if row["kind"] == "lower-rate"] == [6_250_000]
    assert "record" not in told and "charges" not in told and "1234000" not in json.dumps(told)
    exact = speakers["noc"].get(f"{URL}{made['id']}/")["evidence"]
    assert [row["rate_bps"] for row in exact["counter_offers"] if row["kind"] == "lower-rate"] == [6_516_000]
    taken = speakers["DFN"].post(f"{URL}{made['id']}/take-offer/", {"kind": "lower-rate"}, status=200)
    assert taken["rate_bps"] == 6_250_000


def test_an_nren_still_reads_its_own_numbers_once_its_link_is_retired(speakers: dict[str, Speaker]) -> None:
    made = admitted(speakers)
    before = speakers["JANET"].get(f"{URL}{made.pk}/")["evidence"]
    link = made.source_link
    part(link, timezone.now())
    assert not AccessLink.objects.filter(name=link.name).exists()
    assert speakers["JANET"].get(f"{URL}{made.pk}/")["evidence"] == before
    assert any(row["link"] == link.name and row["asked_bps"] for row in before["evidence"])
    janet = people.actor_named("janet", via=Via.API)
    assert own_links_of(janet) == {link.name}
    other = AccessLink.objects.exclude(nren=link.nren).select_related("interface").first()
    assert other is not None
    AccessLink.objects.filter(pk=other.pk).update(name=link.name)
    assert own_links_of(janet) == set(), "the name is another NREN's by now, with what it holds there"
