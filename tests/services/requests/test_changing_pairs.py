"""A promise that changes, beside everything else that moves: quotas, failures, series, the end of its request, its path."""

from __future__ import annotations

from datetime import timedelta
from functools import partial

import pytest

from inventory.models import Domain, Nren
from provisioning.errors import QuotaExceeded, StaleState
from provisioning.models import AuditEvent, LedgerEntry, Modification, PremiumRequest
from provisioning.pipeline.admission import Admitted, Refused
from provisioning.selectors.quotas import Limits, used_of
from provisioning.services import clock, decisions, modifications, quotas, requests, series
from provisioning.services.modifications import Modify
from tests.services.in_threads import at_once
from tests.services.requests.sixnet import (
    JANET,
    admitted,
    agreed,
    charged_bps,
    grnet,
    hours,
    janet,
    noc,
)
from tests.services.requests.test_modifications import grant, on_the_router, propose
from tests.services.series.weekly import agreed_to


def allow(**limits: int) -> None:
    row = Nren.objects.get(name="JANET")
    quotas.set_quota(
        actor=noc(), domain=Domain.objects.get(), nren=row, limits=Limits(**limits), reason="agreed in May"
    )


def agree(modification: Modification) -> Modification:
    return modifications.consent(actor=grnet(), modification=modification, agree=True)


@pytest.mark.usefixtures("six")
class TestQuota:
    def test_what_is_becoming_more_counts_whole(self) -> None:
        """4 Mbit/s that become 6 count as 6, not as the 2 that are charged beside."""
        request = admitted(rate=4_000_000, end=hours(3))
        on_the_router(request)
        grant(agree(propose(request, rate=6_000_000)))
        assert charged_bps(JANET, "in") == 6_000_000
        assert used_of(request.nren, now=clock.now()).rate_bps == 6_000_000
        allow(rate_bps=6_500_000)
        with pytest.raises(QuotaExceeded):
            admitted(rate=1_000_000, end=hours(3))

    def test_more_is_bounded_and_less_is_not(self) -> None:
        request = admitted(rate=4_000_000, start=hours(1), end=hours(3))
        other = admitted(rate=2_000_000, start=hours(1), end=hours(3))
        allow(rate_bps=3_000_000)
        more = agree(propose(request, rate=5_000_000))
        with pytest.raises(QuotaExceeded):
            grant(more)
        modifications.withdraw(actor=janet(), modification=more, reason="no")
        less = propose(request, rate=3_500_000)
        assert isinstance(grant(less), Admitted), "it gives back: what stands above a quota is not taken"
        longer = agree(propose(other, end=hours(4)))
        with pytest.raises(QuotaExceeded):
            allow(rate_bps=1_000_000)
            grant(longer)

    def test_the_range_and_what_if_know_the_quota(self) -> None:
        request = admitted(rate=2_000_000, start=hours(1), end=hours(3))
        admitted(rate=1_000_000, start=hours(4), end=hours(5))
        allow(rate_bps=2_500_000)
        found = modifications.range_of(actor=janet(), request=request)
        assert found.most_bps == 2_500_000
        assert found.latest_end == PremiumRequest.objects.latest("pk").start
        tried = modifications.what_if(actor=janet(), request=request, wanted=Modify(rate=3_000_000)).verdict
        assert isinstance(tried, Refused) and [each.code for each in tried.reasons] == ["quota-exceeded"]
        assert "its quota is 2.5 Mbit/s" in tried.reasons[0].text


@pytest.mark.usefixtures("six")
class TestSeries:
    def test_the_end_of_a_series_ends_what_its_occurrences_were_to_become(self) -> None:
        made = agreed_to(rate=2_000_000)
        assert series.admit(actor=noc(), series=made, reason="a course").granted
        first = PremiumRequest.objects.filter(series=made).earliest("start")
        less = propose(first, rate=1_000_000)
        series.withdraw(actor=janet(), series=made, reason="no course")
        less.refresh_from_db()
        assert less.state == "LAPSED"

    def test_an_occurrence_changes_by_itself_and_over_its_neighbour(self) -> None:
        made = agreed_to(rate=2_000_000)
        series.admit(actor=noc(), series=made, reason="a course")
        first, second = PremiumRequest.objects.filter(series=made).order_by("start")[:2]
        longer = agree(propose(first, end=second.start + timedelta(minutes=30)))
        assert isinstance(grant(longer), Admitted)
        first.refresh_from_db()
        assert first.end == second.start + timedelta(minutes=30)
        series.withdraw(actor=janet(), series=made, reason="over")
        assert set(PremiumRequest.objects.filter(series=made).values_list("state", flat=True)) == {
            "WITHDRAWN"
        }

    def test_two_occurrences_may_begin_at_once_after_a_change(self) -> None:
        made = agreed_to(rate=2_000_000)
        series.admit(actor=noc(), series=made, reason="a course")
        first, second = PremiumRequest.objects.filter(series=made).order_by("start")[:2]
        moved = agree(propose(first, start=second.start, end=second.end))
        assert isinstance(grant(moved), Admitted)
        series.withdraw(actor=janet(), series=made, reason="over")
        assert charged_bps(JANET, "in") == 8_000_000


@pytest.mark.usefixtures("six")
class TestEnds:
    def test_what_was_proposed_lapses_with_every_end(self) -> None:
        request = admitted(end=hours(3))
        made = propose(request, rate=1_000_000)
        requests.expire_due(now=clock.now() + timedelta(hours=4))
        made.refresh_from_db()
        assert made.state == "LAPSED"
        with pytest.raises(StaleState):
            grant(made)


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("six_for_all")
class TestAtOnce:
    def test_an_offer_taken_twice_at_once_is_taken_once(self) -> None:
        for refused in (False, True, False):
            request = agreed(rate=8_000_000, start=hours(1), end=hours(2))
            if refused:
                decisions.refuse(actor=noc(), request=request, reason="too much")
            jane, again = janet(), PremiumRequest.objects.get(pk=request.pk)
            said = at_once(
                partial(requests.take_offer, actor=jane, request=request, kind="lower-rate"),
                partial(requests.take_offer, actor=jane, request=again, kind="lower-rate"),
            )
            assert sorted(type(each).__name__ for each in said) == ["PremiumRequest", "StaleState"], said
            request.refresh_from_db()
            assert (request.rate_bps, request.state) == (7_729_000, "SUBMITTED")
            events = AuditEvent.objects.filter(action="request.offer-taken", object_id=str(request.pk))
            assert events.count() == 1

    def test_an_offer_and_another_wish_at_once(self) -> None:
        """Whoever is second meets what the first made of it: nothing is mixed."""
        for _ in range(3):
            request = agreed(rate=8_000_000, start=hours(1), end=hours(2))
            jane, again = janet(), PremiumRequest.objects.get(pk=request.pk)
            said = at_once(
                partial(requests.take_offer, actor=jane, request=request, kind="lower-rate"),
                partial(
                    modifications.modify,
                    actor=jane,
                    request=again,
                    wanted=Modify(rate=1_000_000, end=hours(3)),
                    reason="x",
                ),
            )
            assert not isinstance(said[1], Exception), said
            request.refresh_from_db()
            if isinstance(said[0], Exception):
                assert isinstance(said[0], StaleState), said
                assert request.rate_bps == 1_000_000
            else:
                assert request.rate_bps == 1_000_000, "the later wish stands"

    @pytest.mark.parametrize("how", ["withdrawn", "expired"])
    def test_a_modification_and_the_end_of_its_request_at_once(self, how: str) -> None:
        for _ in range(4):
            request = admitted(rate=2_000_000, end=hours(1))
            on_the_router(request)
            more = agree(propose(request, rate=3_000_000, end=hours(3)))
            jane, nora = janet(), noc("nora")
            ending = (
                partial(requests.withdraw, actor=jane, request=request, reason="no concert")
                if how == "withdrawn"
                else partial(requests.expire_due, now=hours(2))
            )
            said = at_once(partial(modifications.admit, actor=nora, modification=more, reason="more"), ending)
            assert isinstance(said[0], Admitted | StaleState), said
            assert not isinstance(said[1], Exception), said
            more.refresh_from_db()
            request.refresh_from_db()
            assert more.state == "LAPSED" and request.state in ("WITHDRAWN", "EXPIRED")
            assert charged_bps(JANET, "in") >= 2_000_000, "nothing is freed that may be on a router"
            LedgerEntry.objects.filter(request=request).update(released_at=clock.now())

    def test_an_extension_and_the_neighbour_that_begins_there_at_once(self) -> None:
        for _ in range(4):
            request = admitted(rate=5_000_000, end=hours(3))
            on_the_router(request)
            longer = agree(propose(request, end=hours(6)))
            neighbour = agreed(rate=4_000_000, start=hours(4), end=hours(5))
            nora, niels = noc("nora"), noc("niels")
            said = at_once(
                partial(modifications.admit, actor=nora, modification=longer, reason="longer"),
                partial(decisions.admit, actor=niels, request=neighbour, reason="new"),
            )
            assert sorted(type(each).__name__ for each in said) == ["Admitted", "Refused"], said
            for row in (request, neighbour):
                LedgerEntry.objects.filter(request=row).update(released_at=clock.now())
                PremiumRequest.objects.filter(pk=row.pk).update(state="COMPLETED")
            Modification.objects.update(state="LAPSED")

    def test_two_for_the_last_of_a_quota_at_once(self) -> None:
        one = admitted(rate=1_000_000, start=hours(1), end=hours(2))
        other = admitted(rate=1_000_000, start=hours(1), end=hours(2))
        allow(rate_bps=3_000_000)
        both = [agree(propose(row, rate=2_000_000)) for row in (one, other)]
        nora, niels = noc("nora"), noc("niels")
        said = at_once(
            partial(modifications.admit, actor=nora, modification=both[0], reason="more"),
            partial(modifications.admit, actor=niels, modification=both[1], reason="more"),
        )
        assert sorted(type(each).__name__ for each in said) == ["Admitted", "QuotaExceeded"], said

    def test_one_modification_admitted_twice_at_once(self) -> None:
        request = admitted(rate=2_000_000, end=hours(1))
        on_the_router(request)
        more = agree(propose(request, rate=3_000_000))
        nora, niels = noc("nora"), noc("niels")
        said = at_once(
            *(
                partial(modifications.admit, actor=who, modification=more, reason="more")
                for who in (nora, niels)
            )
        )
        assert sorted(type(each).__name__ for each in said) == ["Admitted", "StaleState"], said
        assert charged_bps(JANET, "in") == 3_000_000
