"""A series that asks for less, and one that ends sooner; each meets what else is done to it."""

from __future__ import annotations

from datetime import timedelta
from functools import partial

import pytest

from provisioning.errors import Conflict, InvalidInput, NotPermitted, StaleState
from provisioning.models import AuditEvent, LedgerEntry, Modification, PremiumRequest, Series
from provisioning.services import audit, modifications, series
from tests.services.in_threads import at_once
from tests.services.requests.sixnet import (
    JANET,
    admitted,
    charged_bps,
    grnet,
    hours,
    janet,
    noc,
)
from tests.services.requests.test_modifications import propose
from tests.services.series.weekly import agreed_to, asked_for, next_tuesday, states, weekly


def occurrences(of: Series) -> list[PremiumRequest]:
    return list(PremiumRequest.objects.filter(series=of).order_by("start", "pk"))


class TestOffer:
    def test_what_was_tried_is_what_is_offered_and_taken(self) -> None:
        third = next_tuesday() + timedelta(days=14)
        admitted(rate=5_000_000, start=third - timedelta(hours=4), end=third + timedelta(hours=4))
        tried = series.try_out(actor=janet(), data=weekly(rate=4_000_000))
        assert [each.fits for each in tried.occurrences] == [True, True, False, True]
        assert tried.rate_that_fits == 2_729_000 and not Series.objects.exists()
        made = agreed_to(rate=4_000_000)
        series.take_offer(actor=janet(), series=made)
        assert {row.rate_bps for row in occurrences(made)} == {2_729_000}
        assert {row.consent for row in occurrences(made)} == {"given"}, "no more is asked of anybody"
        assert AuditEvent.objects.filter(action="series.offer-taken").count() == 1
        with pytest.raises(StaleState, match="fits as it is"):
            series.take_offer(actor=janet(), series=made)
        assert series.admit(actor=noc(), series=made, reason="fits").granted
        with pytest.raises(StaleState):
            series.take_offer(actor=janet(), series=made)
        assert not audit.verify_chain().faults

    def test_those_that_were_refused_ask_for_less(self) -> None:
        made = agreed_to(rate=4_000_000, only_whole=False)
        third = occurrences(made)[2]
        admitted(rate=5_000_000, start=third.start, end=third.end)
        series.admit(actor=noc(), series=made, reason="those that fit")
        assert states(made) == ["ADMITTED", "ADMITTED", "REFUSED", "ADMITTED"]
        series.take_offer(actor=janet(), series=made)
        assert [row.rate_bps for row in occurrences(made)] == [4_000_000, 4_000_000, 2_729_000, 4_000_000]
        assert states(made) == ["ADMITTED", "ADMITTED", "SUBMITTED", "ADMITTED"]
        assert series.admit(actor=noc(), series=made, reason="now").granted
        assert states(made) == ["ADMITTED"] * 4

    def test_both_ways_take_it_together(self) -> None:
        made = agreed_to(rate=4_000_000, direction="both")
        admitted(rate=5_000_000, start=hours(1), end=None)
        series.take_offer(actor=janet(), series=made)
        assert {row.rate_bps for row in occurrences(made)} == {2_729_000} and len(occurrences(made)) == 8

    def test_what_is_no_offer(self) -> None:
        made = agreed_to(rate=4_000_000)
        admitted(rate=5_000_000, start=hours(1), end=None)
        with pytest.raises(Conflict, match="does not fit 4 of 4"):
            series.take_offer(actor=janet(), series=made, rate_bps=3_000_000)
        for rate in (4_000_000, 0):
            with pytest.raises(InvalidInput):
                series.take_offer(actor=janet(), series=made, rate_bps=rate)
        with pytest.raises(NotPermitted):
            series.take_offer(actor=grnet(), series=made)
        assert {row.rate_bps for row in occurrences(made)} == {4_000_000}


class TestEnd:
    def test_what_comes_later_goes_and_what_is_under_way_then_is_shorter(self) -> None:
        made = agreed_to(rate=2_000_000)
        series.admit(actor=noc(), series=made, reason="a course")
        rows = occurrences(made)
        longer = propose(rows[3], rate=1_000_000)
        at = rows[1].start + timedelta(hours=1)
        series.end_early(actor=janet(), series=made, end=at, reason="a short course")
        assert states(made) == ["ADMITTED", "ADMITTED", "WITHDRAWN", "WITHDRAWN"]
        longer.refresh_from_db()
        assert longer.state == "LAPSED"
        rows = occurrences(made)
        assert rows[1].end == at and rows[0].end == rows[0].start + timedelta(hours=2)
        ends = LedgerEntry.objects.filter(request=rows[1], released_at=None).values_list("end", flat=True)
        assert set(ends) == {at}
        assert charged_bps(JANET, "in") == 8_000_000, "what was granted is charged until it is seen gone"
        assert Modification.objects.get(request=rows[1]).state == "IN_FORCE"
        with pytest.raises(InvalidInput, match="ended by then"):
            series.end_early(actor=janet(), series=made, end=at, reason="again")
        assert not audit.verify_chain().faults

    def test_what_is_undecided_or_held_then_is_withdrawn(self) -> None:
        made = asked_for()
        series.hold(actor=noc(), series=made, until=hours(20), reason="talks")
        at = occurrences(made)[1].start + timedelta(hours=1)
        series.end_early(actor=janet(), series=made, end=at, reason="short")
        assert states(made) == ["HELD", "WITHDRAWN", "WITHDRAWN", "WITHDRAWN"]
        assert charged_bps(JANET, "in") == 2_000_000
        with pytest.raises(NotPermitted):
            series.end_early(actor=grnet(), series=made, reason="x")


@pytest.mark.django_db(transaction=True)
class TestAtOnce:
    def test_an_offer_is_taken_once_and_meets_the_decision(self) -> None:
        for _ in range(3):
            made = agreed_to(rate=4_000_000)
            blocking = admitted(rate=5_000_000, start=hours(1), end=None)
            jane, nora = janet(), noc("nora")
            said = at_once(
                partial(series.take_offer, actor=jane, series=made, rate_bps=2_729_000),
                partial(series.take_offer, actor=jane, series=made, rate_bps=2_729_000),
                partial(series.admit, actor=nora, series=made, reason="at once"),
            )
            assert not [
                e for e in said if isinstance(e, Exception) and not isinstance(e, InvalidInput | StaleState)
            ], said
            assert {row.rate_bps for row in occurrences(made)} == {2_729_000}
            granted = {row.state for row in occurrences(made)} == {"ADMITTED"}
            assert granted is (not isinstance(said[2], Exception) and said[2].granted)
            for row in (*occurrences(made), blocking):
                LedgerEntry.objects.filter(request=row).delete()
                PremiumRequest.objects.filter(pk=row.pk).update(state="COMPLETED")

    def test_its_end_meets_a_change_of_an_occurrence(self) -> None:
        for _ in range(4):
            made = agreed_to(rate=2_000_000)
            series.admit(actor=noc(), series=made, reason="a course")
            second = occurrences(made)[1]
            less = propose(second, rate=1_000_000)
            jane, nora = janet(), noc("nora")
            said = at_once(
                partial(series.end_early, actor=jane, series=made, end=second.start, reason="short"),
                partial(modifications.admit, actor=nora, modification=less, reason="less"),
            )
            assert not isinstance(said[0], Exception), said
            assert not isinstance(said[1], Exception) or isinstance(said[1], StaleState), said
            less.refresh_from_db()
            assert less.state in ("LAPSED", "IN_FORCE") and states(made)[1:] == ["WITHDRAWN"] * 3
            LedgerEntry.objects.filter(request__series=made).delete()
            PremiumRequest.objects.filter(series=made).update(state="COMPLETED")
