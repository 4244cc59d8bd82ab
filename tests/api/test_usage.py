"""What a request sends, by the API: for who asked it and the NOC, with what routers say of sessions for the NOC alone."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from provisioning.models import PremiumRequest, Reservation
from tests.api.conftest import Speaker, asked
from tests.web.test_usage import class_of, sent


@pytest.fixture
def counted(speakers: dict[str, Speaker]) -> PremiumRequest:
    """A request of JANET that is on, counted for an hour; packets were dropped in the last one."""
    pk = speakers["JANET"].post("/api/v1/premium-requests/", asked(), 201)["id"]
    request = PremiumRequest.objects.select_related("source_link__interface__router").get(pk=pk)
    now = timezone.now()
    Reservation.objects.create(
        request=request, path=[], granted_bps=request.rate_bps, put_on_at=now - timedelta(days=2)
    )
    series = class_of(
        request, error="unreachable: refused expedite", dropping_since=now - timedelta(minutes=5)
    )
    matches = {"access-group name nren-auth-ef": 900, "access-group name nren-auth-ef-v4": 100}
    for number in reversed(range(12)):
        lost = 0.2 if number == 0 else 0.0
        sent(series, now - timedelta(minutes=5 * number), 400_000, lost=lost, by_match=matches)
    return request


def test_what_is_sent_and_dropped(speakers: dict[str, Speaker], counted: PremiumRequest) -> None:
    said = speakers["JANET"].get(f"/api/v1/premium-requests/{counted.pk}/usage/?span=poll")
    assert (said["request"], said["span"], said["class_name"]) == (counted.pk, "poll", "EF-FILTERED")
    assert len(said["points"]) == 12
    last = said["points"][-1]
    assert (last["sent_bps"], last["passed_bps"]) == (400_000, 320_000)
    assert last["by_match"]["access-group name nren-auth-ef-v4"] == 100
    assert said["dropping_since"] is not None
    assert said["error"] == "its router cannot be read"
    noc = speakers["noc"].get(f"/api/v1/premium-requests/{counted.pk}/usage/")
    assert noc["error"] == "unreachable: refused expedite"
    assert noc["points"] == []


def test_who_receives_is_not_told(speakers: dict[str, Speaker], counted: PremiumRequest) -> None:
    speakers["GRNET"].get(f"/api/v1/premium-requests/{counted.pk}/usage/", 404)


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("span=week", "span"),
        ("since=2999-01-01T00:00:00Z", "since"),
        ("since=2026-02-01T00:00:00Z&until=2026-01-01T00:00:00Z", "until"),
        ("when=now", "when"),
    ],
)
def test_what_cannot_be_meant_is_refused_by_name(
    speakers: dict[str, Speaker], counted: PremiumRequest, query: str, field: str
) -> None:
    said: Any = speakers["JANET"].get(f"/api/v1/premium-requests/{counted.pk}/usage/?{query}", 400)
    assert field in str(said["errors"])
