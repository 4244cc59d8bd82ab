"""Whose buckets a request shares its policer with: reservations and holds at its source link, while its window lasts."""

from __future__ import annotations

import pytest

from provisioning.models import LedgerEntry, PremiumRequest
from provisioning.pipeline.admission import Admitted
from provisioning.selectors.requests import sls_of
from provisioning.selectors.sharing import shared_buckets
from provisioning.services import clock, decisions
from tests.services.requests.sixnet import JANET, admitted, hours, noc, submitted

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("six")]


def _most(request: PremiumRequest, *, without: tuple[int, ...] = ()) -> int:
    """The bytes of all buckets at the instant of its window at which they are most."""
    asked = sls_of(request)
    found = shared_buckets([asked], now=clock.now(), except_requests=(request.pk, *without))
    assert {each.source_link for each in found} <= {JANET}
    instants = {asked.window.start, *(each.window.start for each in found)}
    return max(
        sum(each.bucket_bytes for each in found if each.window.contains(at))
        for at in instants
        if asked.window.contains(at)
    )


def _held(size: int, until: float) -> PremiumRequest:
    request = submitted(rate=1_000, bucket_bytes=size)
    decisions.hold(actor=noc(), request=request, until=hours(until), reason="we talk")
    return request


def test_reservations_and_holds_count_and_a_lapsed_hold_does_not() -> None:
    first = admitted(rate=1_000, bucket_bytes=20_000)
    _held(30_000, 1)
    lapsed = _held(40_000, 1)
    LedgerEntry.objects.filter(hold=lapsed).update(lapses_at=hours(-1))
    asked = submitted(rate=1_000, bucket_bytes=50_000)
    assert _most(asked) == 50_000
    assert _most(asked, without=(first.pk,)) == 30_000


def test_two_that_are_equal_count_twice_and_one_at_another_time_not_at_all() -> None:
    admitted(rate=1_000, bucket_bytes=20_000)
    admitted(rate=1_000, bucket_bytes=20_000)
    admitted(rate=1_000, bucket_bytes=25_000, start=hours(5), end=hours(6))
    assert _most(submitted(rate=1_000, end=hours(3))) == 40_000
    assert _most(submitted(rate=1_000, start=hours(5.5), end=hours(7))) == 65_000
    assert _most(submitted(rate=1_000, start=hours(6), end=hours(7))) == 40_000


def test_what_is_over_and_not_seen_gone_still_shares() -> None:
    over = admitted(rate=1_000, bucket_bytes=20_000, end=hours(1))
    LedgerEntry.objects.filter(reservation__request=over).update(start=hours(-3), end=hours(-2))
    asked = submitted(rate=1_000, start=hours(2), end=hours(3))
    assert _most(asked) == 20_000
    LedgerEntry.objects.filter(reservation__request=over).update(released_at=hours(-1))
    assert _most(asked) == 0


def test_the_evidence_names_the_sum() -> None:
    admitted(rate=1_000, bucket_bytes=150_000)
    verdict = decisions.evidence(request=submitted(rate=1_000, bucket_bytes=150_000))
    assert isinstance(verdict, Admitted)
    assert ["300,000 bytes in sum" in said for said in verdict.warnings] == [True]
