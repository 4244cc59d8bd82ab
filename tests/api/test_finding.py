"""Which request covers an address at an instant: by the API, held against Python's own arithmetic of prefixes."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from ipaddress import IPv4Network, IPv6Network, ip_network
from urllib.parse import quote

import pytest
from django.contrib.auth.models import User

from inventory.models import AccessLink
from provisioning.models import PremiumRequest
from tests.api.conftest import Speaker

URL = "/api/v1/premium-requests/"
BEGIN = datetime(2027, 3, 2, tzinfo=UTC)
Network = IPv4Network | IPv6Network


def drawn(dice: random.Random) -> Network:
    """A prefix of either version, in a corner where many hold one another."""
    if dice.random() < 0.3:
        base = ip_network(f"10.{dice.randrange(2)}.{dice.randrange(2)}.{dice.randrange(4)}")
        return base.supernet(new_prefix=dice.choice((0, 8, 15, 16, 23, 24, 31, 32)))
    base = ip_network(f"2001:db8:{dice.randrange(2)}::{dice.randrange(3)}")
    return base.supernet(new_prefix=dice.choice((0, 3, 31, 32, 47, 48, 64, 127, 128)))


@pytest.fixture
def rows(speakers: dict[str, Speaker]) -> list[PremiumRequest]:
    """Requests of JANET to GRNET and of DFN to GRNET with prefixes and windows drawn at random."""
    dice = random.Random(12)
    links = {link.nren.name: link for link in AccessLink.objects.select_related("nren")}
    made, janet = [], User.objects.get(username="janet")
    for number in range(240):
        sender = "JANET" if number % 2 else "DFN"
        start = BEGIN + timedelta(hours=dice.randrange(48))
        made.append(
            PremiumRequest(
                nren=links[sender].nren, source_link=links[sender], destination_link=links["GRNET"],
                receiving_nren=links["GRNET"].nren, rate_bps=dice.randrange(1, 9) * 1000, bucket_bytes=3000,
                max_packet_bytes=1500, start=start, consent="pending", contact="x", submitted_by=janet,
                end=None if dice.random() < 0.2 else start + timedelta(hours=dice.randrange(1, 30)),
                source_prefixes=[str(drawn(dice)) for _ in range(dice.randrange(1, 4))],
                destination_prefixes=[str(drawn(dice)) for _ in range(dice.randrange(3))],
            )
        )  # fmt: skip
    return PremiumRequest.objects.bulk_create(made)


def ids(speaker: Speaker, query: str) -> list[int]:
    page = speaker.get(f"{URL}?page_size=200&{query}")
    found = [row["id"] for row in page["results"]]
    while page["next"]:
        page = speaker.get(page["next"])
        found += [row["id"] for row in page["results"]]
    return found


def covers(row: PremiumRequest, wanted: Network) -> bool:
    held = (ip_network(text) for text in (*row.source_prefixes, *row.destination_prefixes))
    return any(one.version == wanted.version and wanted.subnet_of(one) for one in held)  # type: ignore[arg-type]


def test_what_covers_an_address_then_is_what_python_says(
    speakers: dict[str, Speaker], rows: list[PremiumRequest]
) -> None:
    dice, some = random.Random(13), 0
    for _ in range(60):
        wanted, moment = drawn(dice), BEGIN + timedelta(minutes=dice.randrange(60 * 80))
        then = quote(moment.isoformat())
        found = ids(speakers["noc"], f"address={wanted}&active_at={then}")
        right = [
            row.pk
            for row in rows
            if covers(row, wanted) and row.start <= moment and (row.end is None or row.end > moment)
        ]
        assert sorted(found) == right, (wanted, moment)
        some += bool(right)
        # Of another's request an NREN learns nothing by an address either.
        own = {row.pk for row in rows if row.nren.name == "JANET"}
        assert sorted(ids(speakers["JANET"], f"address={wanted}&active_at={then}")) == [
            pk for pk in right if pk in own
        ]
    assert some > 20


@pytest.mark.once
def test_in_an_order_and_between_instants(speakers: dict[str, Speaker], rows: list[PremiumRequest]) -> None:
    middle = BEGIN + timedelta(hours=20)
    found = ids(speakers["noc"], f"start_after={quote(middle.isoformat())}&ordering=rate_bps")
    right = sorted((row for row in rows if row.start >= middle), key=lambda row: (row.rate_bps, row.pk))
    assert found == [row.pk for row in right]
    # Downwards is the same read from its end.
    assert ids(speakers["noc"], f"start_after={quote(middle.isoformat())}&ordering=-rate_bps") == found[::-1]
    ended = ids(speakers["noc"], f"end_before={quote(middle.isoformat())}&ordering=-start")
    assert set(ended) == {row.pk for row in rows if row.end is not None and row.end < middle}
    link = AccessLink.objects.get(nren__name="DFN").name
    assert set(ids(speakers["noc"], f"link={quote(link)}")) == {
        row.pk for row in rows if row.nren.name == "DFN"
    }


@pytest.mark.once
@pytest.mark.parametrize(
    "query",
    [
        "address=10.0.0.300",
        "address=2001:db8::1/32",
        "address=x",
        "active_at=tomorrow",
        "active_at=2027-03-02T10:00",
        "ordering=contact",
        "start_after=1",
        "nren=JANET&nren=DFN",
        "page=1&page=2",
        "page_size=2&page_size=2",
        "cursor=*&cursor=*",
        "consent=given&consent=pending",
        "series=1&series=2",
    ],
)
def test_what_cannot_be_meant_is_refused_and_named(speakers: dict[str, Speaker], query: str) -> None:
    refused = speakers["JANET"].get(f"{URL}?{query}", 400)
    assert [each["parameter"] for each in refused["errors"]] == [query.partition("=")[0]]


@pytest.mark.once
def test_several_may_be_what_is_said_to_be_several(
    speakers: dict[str, Speaker], rows: list[PremiumRequest]
) -> None:
    for query in ("state=SUBMITTED&state=ACTIVE", "stage=ACTIVE&stage=REMOVING", "id=1&id=2"):
        speakers["JANET"].get(f"{URL}?{query}")
    refused = speakers["JANET"].get("/api/v1/advice/bursts/?rate=1M&rate=2M&traffic=elastic", 400)
    assert refused["errors"] == [{"parameter": "rate", "reason": "is given twice"}]
    for name in ("audit-events/?action=a&action=b", "tokens/?live=true&live=false", "me/?a=1&a=2"):
        speakers["noc"].get(f"/api/v1/{name}", 400)
