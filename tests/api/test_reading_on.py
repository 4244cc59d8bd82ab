"""Lists read behind a cursor while others write, several rows by their ids, and requests by their stage."""

from __future__ import annotations

import base64
import itertools
import json
import random
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from inventory.models import AccessLink, Nren
from provisioning.models import PremiumRequest, Reservation
from provisioning.pipeline.states import RequestState, Stage
from tests.api.conftest import Speaker
from tests.api.test_finding import URL, rows

pytestmark = pytest.mark.once

__all__ = ["rows"]
ORDERS = [f"{way}{name}" for name in ("id", "start", "end", "rate_bps", "submitted_at") for way in ("", "-")]


def keys(page: dict[str, Any]) -> list[int]:
    return [row["id"] if "id" in row else row["sequence"] for row in page["results"]]


def pages(speaker: Speaker, address: str) -> list[list[int]]:
    found, following = [], address
    while following:
        page = speaker.get(following)
        assert page["count"] is None and page["previous"] is None
        found.append(keys(page))
        following = page["next"]
    return found


@pytest.mark.parametrize("order", ORDERS)
def test_every_row_comes_once_in_the_order_of_pages_by_number(
    order: str, speakers: dict[str, Speaker], rows: list[PremiumRequest]
) -> None:
    behind = list(itertools.chain(*pages(speakers["noc"], f"{URL}?cursor=*&page_size=7&ordering={order}")))
    numbered, page = [], 1
    while page:
        answer = speakers["noc"].get(f"{URL}?page={page}&page_size=200&ordering={order}")
        numbered += [row["id"] for row in answer["results"]]
        page = page + 1 if answer["next"] else 0
    assert behind == numbered
    assert sorted(behind) == sorted(row.pk for row in rows)
    name = order.removeprefix("-").replace("id", "pk")
    values = dict(PremiumRequest.objects.values_list("pk", name))
    far = timezone.now() + timedelta(days=100_000)
    said = [far if values[pk] is None else values[pk] for pk in behind]
    assert said == sorted(said, reverse=order.startswith("-")), "without an end is after every end"


def test_what_comes_and_goes_meanwhile_moves_no_page(
    speakers: dict[str, Speaker], rows: list[PremiumRequest]
) -> None:
    dice = random.Random(5)
    for order in ("-id", "rate_bps", "-start"):
        stayed, seen = set(PremiumRequest.objects.values_list("pk", flat=True)), []
        following = f"{URL}?cursor=*&page_size=20&ordering={order}"
        while following:
            page = speakers["noc"].get(following)
            seen += [row["id"] for row in page["results"]]
            following = page["next"]
            gone = dice.choice(sorted(stayed))
            PremiumRequest.objects.filter(pk=gone).delete()
            stayed.discard(gone)
            copy = PremiumRequest.objects.get(pk=dice.choice(sorted(stayed)))
            copy.pk = None
            copy.save()
        assert len(seen) == len(set(seen))
        assert stayed <= set(seen)


@pytest.mark.once
def test_a_page_costs_the_same_wherever_it_is(
    speakers: dict[str, Speaker], rows: list[PremiumRequest], django_assert_max_num_queries: object
) -> None:
    first = speakers["noc"].get(f"{URL}?cursor=*&page_size=100")
    with django_assert_max_num_queries(25) as asked:  # type: ignore[operator]
        speakers["noc"].get(first["next"])
    assert not any("COUNT(" in query["sql"].upper() for query in asked.captured_queries)


@pytest.mark.once
@pytest.mark.parametrize("name", [
    "nrens", "routers", "access-links", "core-links", "premium-requests", "modifications", "series", "changes", "pushes",
    "capacity-changes", "path-drift", "moves", "break-glass", "subscribers", "tokens", "audit-events",
])  # fmt: skip
def test_every_list_is_read_on(name: str, speakers: dict[str, Speaker], rows: list[PremiumRequest]) -> None:
    address = f"/api/v1/{name}/"
    behind = list(itertools.chain(*pages(speakers["noc"], f"{address}?cursor=*&page_size=2")))
    numbered = speakers["noc"].get(f"{address}?page_size=200")
    assert behind[:200] == keys(numbered)
    assert len(behind) == numbered["count"]


@pytest.mark.once
@pytest.mark.parametrize(("name", "most"), [("nrens", 64), ("access-links", 200)])
@pytest.mark.parametrize("letter", ["\u03a9", "\U0001f6f0"])
def test_a_list_is_read_on_behind_a_long_name(
    name: str, most: int, letter: str, speakers: dict[str, Speaker]
) -> None:
    model = Nren if name == "nrens" else AccessLink
    for number, row in enumerate(model.objects.order_by("pk")[:3]):
        model.objects.filter(pk=row.pk).update(name=str(number) + letter * (most - 1))
    behind = list(itertools.chain(*pages(speakers["noc"], f"/api/v1/{name}/?cursor=*&page_size=1")))
    assert len(behind) == model.objects.count()


@pytest.mark.once
def test_a_cursor_as_it_was_written_before_is_read(speakers: dict[str, Speaker]) -> None:
    """Letters beyond ASCII were escapes (`sealed` writes them so)."""
    found = speakers["noc"].get(f"/api/v1/nrens/?cursor={sealed('name', chr(0x3A9))}")
    assert found["results"] == []


def sealed(*said: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(said).encode()).decode().rstrip("=")


@pytest.mark.once
@pytest.mark.parametrize("cursor", [
    "x", "=", "%2B%2B", "a" * 600, "**", sealed(), sealed("-pk"), sealed("-pk", "x"), sealed("pk", 4), sealed("-pk", [1]),
    sealed("-pk", 10**400), sealed("-pk", 2**63), sealed("-pk", -(2**63) - 1), sealed("-pk", True, 1),
    sealed("nren__name", "J"), sealed("-pk", {}), "W" * 400, "%00",
])  # fmt: skip
def test_what_is_no_cursor_of_the_list_is_refused(cursor: str, speakers: dict[str, Speaker]) -> None:
    refused = speakers["JANET"].get(f"{URL}?cursor={cursor}", 400)
    assert [each["parameter"] for each in refused["errors"]] == ["cursor"]


@pytest.mark.parametrize(("address", "said"), [
    ("nrens/?", ("name", "\ud800")),
    ("nrens/?", ("name", "a\0b")),
    ("premium-requests/?ordering=start&", ("start,pk", "0001-01-01T00:00:00+14:00", 7)),
    ("premium-requests/?ordering=start&", ("start,pk", "9999-12-31T23:59:59-14:00", 7)),
    ("premium-requests/?ordering=start&", ("start,pk", "2027-01-01T00:00:00", 7)),
])  # fmt: skip
def test_values_that_no_database_takes_are_refused(
    address: str, said: tuple[object, ...], speakers: dict[str, Speaker]
) -> None:
    refused = speakers["JANET"].get(f"/api/v1/{address}cursor={sealed(*said)}", 400)
    assert [each["parameter"] for each in refused["errors"]] == ["cursor"]


@pytest.mark.once
def test_a_cursor_of_another_order_is_refused_and_both_ways_at_once(
    speakers: dict[str, Speaker], rows: list[PremiumRequest]
) -> None:
    page = speakers["noc"].get(f"{URL}?cursor=*&page_size=5&ordering=start")
    speakers["noc"].get(page["next"].replace("ordering=start", "ordering=end"), 400)
    assert speakers["noc"].get(f"{URL}?cursor=*&page=2", 400)["errors"][0]["parameter"] == "page"


def test_a_cursor_shows_nobody_more(speakers: dict[str, Speaker], rows: list[PremiumRequest]) -> None:
    page = speakers["noc"].get(f"{URL}?cursor=*&page_size=100")
    own = {row["id"] for row in speakers["JANET"].get(page["next"])["results"]}
    assert own and own <= {row.pk for row in rows if row.nren.name == "JANET"}


@pytest.mark.once
def test_several_rows_at_once(speakers: dict[str, Speaker], rows: list[PremiumRequest]) -> None:
    wanted = [row.pk for row in rows[10:30]]
    query = "&".join(f"id={pk}" for pk in wanted)
    assert sorted(r["id"] for r in speakers["noc"].get(f"{URL}?{query}")["results"]) == wanted
    own = [row.pk for row in rows[10:30] if row.nren.name == "JANET"]
    assert sorted(r["id"] for r in speakers["JANET"].get(f"{URL}?{query}")["results"]) == own
    for wrong in ("id=x", "id=-1", "id=" + "9" * 16, "id=", "&".join(["id=1"] * 201)):
        assert speakers["noc"].get(f"{URL}?{wrong}", 400)["errors"][0]["parameter"] == "id"


def test_the_filter_by_stage_says_what_each_row_says(
    speakers: dict[str, Speaker], rows: list[PremiumRequest]
) -> None:
    dice, now = random.Random(8), timezone.now()
    granted = (
        RequestState.ADMITTED,
        RequestState.ACTIVE,
        RequestState.COMPLETED,
        RequestState.NEVER_PROVIDED,
    )
    for row in rows:
        row.state = dice.choice(list(RequestState))
        row.consent = dice.choice(["pending", "given", "declined"])
        row.start = now + timedelta(days=dice.choice([-1, 1]))
        row.end = None
        row.save()
        if row.state in granted or (row.state in ("WITHDRAWN", "EXPIRED") and dice.random() < 0.5):
            Reservation.objects.create(
                request=row, granted_bps=row.rate_bps, path=[],
                put_on_at=now if dice.random() < 0.3 else None,
            )  # fmt: skip
    said = {row["id"]: row["stage"] for page in (1, 2) for row in listed(speakers["noc"], page)}
    assert set(said.values()) == {stage.value for stage in Stage}
    for stage in Stage:
        found = speakers["noc"].get(f"{URL}?page_size=200&stage={stage.value}")["results"]
        assert {row["id"] for row in found} == {pk for pk, at in said.items() if at == stage.value}
        assert {row["final"] for row in found} == {
            stage in ("COMPLETED", "WITHDRAWN", "LAPSED", "NEVER_PROVIDED")
        }
    both = speakers["noc"].get(f"{URL}?page_size=200&stage=ACTIVE&stage=REMOVING")["results"]
    assert {row["stage"] for row in both} == {"ACTIVE", "REMOVING"}


def listed(speaker: Speaker, page: int) -> list[dict[str, object]]:
    found: list[dict[str, object]] = speaker.get(f"{URL}?page_size=200&page={page}")["results"]
    return found
