"""Windows that come again beside all that moves under them: paths, capacity, failures, quotas, clocks, others at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.utils import timezone

from inventory.models import Domain, Nren
from provisioning.errors import QuotaExceeded
from provisioning.models import LedgerEntry, PremiumRequest, Reservation, Series, UnprotectedRequest
from provisioning.pipeline.admission import Admitted, Refused
from provisioning.pipeline.topology import LinkCapacity
from provisioning.pipeline.units import TimeWindow
from provisioning.selectors.fitting import fit_of
from provisioning.selectors.overcommitment import overcommitted
from provisioning.selectors.quotas import Limits
from provisioning.services import (
    decisions,
    failures,
    modifications,
    quotas,
    records,
    requests,
    series,
    topology,
)
from provisioning.services.modifications import Modify
from provisioning.services.series import SubmitSeries
from tests.services.failures.test_refusing import file as safe  # noqa: F401 - a fixture
from tests.services.in_threads import at_once
from tests.services.requests.sixnet import ASKED, hours, noc, person
from tests.services.series.weekly import states
from tests.services.topology.diamond import DIAMOND, MBIT, Core, access, ask, core, network, put

pytestmark = [pytest.mark.django_db, pytest.mark.once]
AB, BD, AC, CD = (core(place) for place in range(4))
HIGHER: tuple[Core, ...] = (("a", "b", 100), *DIAMOND[1:])
ATHENS = ZoneInfo("Europe/Athens")
NUMBER = {router: f"{place + 1:x}" for place, router in enumerate("abcdefgh")}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """The diamond; a-b-d is the way."""
    put(network(tmp_path / "network.yaml", DIAMOND))
    return tmp_path / "network.yaml"


def coming(source: str, goal: str, rate: int, rrule: str = "FREQ=DAILY;COUNT=4", **more: Any) -> Series:
    """Asked for by the NREN at ``source``: two hours, the first a day from now unless it is said."""
    start = more.pop("start", None) or hours(24)
    zone, whole, out = more.pop("zone", "UTC"), more.pop("only_whole", True), more.pop("left_out", ())
    asked = replace(
        ASKED,
        source_link=access(source),
        destination_link=access(goal),
        rate=rate,
        source_prefixes=(f"2001:db8:{NUMBER[source]}00::/48",),
        destination_prefixes=(f"2001:db8:{NUMBER[goal]}00::/48",),
        start=start,
        end=start + timedelta(hours=2),
        **more,
    )
    asking = person(f"at-{source}", nrens=(f"N{source}",))
    return series.submit(actor=asking, data=SubmitSeries(asked, rrule, zone, left_out=out, only_whole=whole))


def granted(*asked: Any, **more: Any) -> Series:
    made = coming(*asked, **more)
    assert series.admit(actor=noc(), series=made, reason="a course").granted
    return made


def each_of(made: Series) -> list[PremiumRequest]:
    return list(PremiumRequest.objects.filter(series=made).order_by("start", "pk"))


def one(source: str, goal: str, rate: int, beside: PremiumRequest) -> PremiumRequest:
    """A single request in the window of another, admitted."""
    request = ask(source, goal, rate, start=beside.start, end=beside.end)
    assert isinstance(decisions.admit(actor=noc(), request=request, reason="fits"), Admitted)
    return request


def links_of(request: PremiumRequest, **rows: Any) -> set[str]:
    return set(
        LedgerEntry.objects.filter(request=request, released_at=None, **rows).values_list("link", flat=True)
    )


# Paths


def test_every_occurrence_moves_and_the_one_that_no_longer_fits_is_named(file: Path) -> None:
    made = granted("a", "d", 3 * MBIT)
    third = each_of(made)[2]
    other = one("c", "d", 2 * MBIT, third)
    foreseen = [line for line in put(network(file, HIGHER), dry_run=True).lines() if "NO LONGER FITS" in line]
    assert len(foreseen) == 1 and f"{third.reference}, {other.reference} hold up to 5 Mbit/s" in foreseen[0]
    put(network(file, HIGHER))
    now = timezone.now()
    for each in each_of(made):
        assert {AB, BD} <= links_of(each, moving_since__isnull=False), "the old path stays charged"
        assert {AC, CD} <= links_of(each, moving_since__isnull=True)
        fit = fit_of(each, now=now)
        assert fit is not None and fit.fits == (each.pk != third.pk)
    (over,) = overcommitted(Domain.objects.get(), now=now)
    assert (over.link, over.start, over.end) == (CD, third.start, third.end)
    late = granted("a", "d", MBIT, "FREQ=DAILY;COUNT=2", only_whole=False)
    assert states(late) == ["ADMITTED", "ADMITTED"]


def test_a_move_is_over_for_one_occurrence_and_not_for_the_others(file: Path) -> None:
    made = granted("a", "d", 3 * MBIT)
    put(network(file, HIGHER))
    first, *rest = each_of(made)
    topology.path_moved(actor=noc(), request=first, reason="seen")
    assert not links_of(first) & {AB, BD}
    assert all({AB, AC} <= links_of(each) for each in rest)


def test_while_the_paths_of_others_move_a_series_is_decided_on_both(file: Path) -> None:
    """The old path of the third occurrence is still charged: who comes back to it meets it there."""
    made = granted("a", "d", 3 * MBIT)
    put(network(file, HIGHER))
    blocked = coming("b", "d", 2 * MBIT, only_whole=False)
    verdict = series.evidence(series=blocked)
    assert len(verdict.misfits) == 4
    topology.path_moved(actor=noc(), request=each_of(made)[2], reason="seen")
    assert [each.fits for each in series.evidence(series=blocked).occurrences] == [False, False, True, False]


# Capacity in time


def test_of_capacity_that_goes_from_a_date_on_the_later_occurrences_are_named(file: Path) -> None:
    made = granted("a", "d", 3 * MBIT)
    third, fourth = each_of(made)[2:]
    planned = LinkCapacity(AB, 10 * MBIT, TimeWindow(third.start + timedelta(hours=1)))
    say = partial(
        topology.change_capacity, actor=noc(), domain=Domain.objects.get(), planned=planned, reason="work"
    )
    told = say(dry_run=True).breaks
    assert [(each.sls_ids, each.start, each.end) for each in told] == [
        ((third.reference,), planned.window.start, third.end),
        ((fourth.reference,), fourth.start, fourth.end),
    ]
    say()
    fits = {each.pk: fit_of(each, now=timezone.now()) for each in each_of(made)}
    assert [found.fits for found in fits.values() if found] == [True, True, False, False]
    other = coming("a", "d", MBIT, only_whole=False)
    verdict = series.admit(actor=noc(), series=other, reason="as far as it fits")
    assert [each.fits for each in verdict.occurrences] == [True, True, False, False]
    assert states(other) == ["ADMITTED", "ADMITTED", "REFUSED", "REFUSED"]
    for each in each_of(other):
        assert {found.kind for found in records.recheck(each).findings} <= {"missing"}, (
            "it follows from its record"
        )


# Failures


@pytest.mark.usefixtures("safe")
def test_an_occurrence_that_a_failure_would_take_is_refused_with_its_failure() -> None:
    made = coming("a", "c", 3 * MBIT, only_whole=False)
    third = each_of(made)[2]
    one("a", "d", 3 * MBIT, third)
    verdict = series.admit(actor=noc(), series=made, reason="as far as it is safe")
    assert states(made) == ["ADMITTED", "ADMITTED", "REFUSED", "ADMITTED"]
    (misfit,) = verdict.misfits
    refused = misfit.judged.verdict
    assert isinstance(refused, Refused) and misfit.requests == (third,)
    assert {reason.code for reason in refused.reasons} == {"unprotected"}
    assert any(f"if link {AB} fails" in reason.text for reason in refused.reasons)
    assert verdict.rate_that_fits == MBIT


def test_the_occurrence_that_a_failure_takes_is_unprotected_and_no_other(file: Path) -> None:
    made = granted("a", "c", 3 * MBIT)
    third = each_of(made)[2]
    other = one("a", "d", 3 * MBIT, third)
    failures.work_out(domain_id=Domain.objects.get().pk)
    found = {row.request_id: (row.start, row.end) for row in UnprotectedRequest.objects.all()}
    assert found == {third.pk: (third.start, third.end), other.pk: (third.start, third.end)}


# Quotas


def allow(nren: str, **limits: int) -> None:
    row = Nren.objects.get(name=nren)
    quotas.set_quota(actor=noc(), domain=row.domain, nren=row, limits=Limits(**limits), reason="agreed")


def test_a_series_is_one_open_request_and_one_hold_and_its_rate_counts_in_each_window(file: Path) -> None:
    allow("Na", open_requests=1, holds=1, rate_bps=3 * MBIT)
    made = coming("a", "d", 2 * MBIT)
    with pytest.raises(QuotaExceeded, match="open requests"):
        coming("a", "d", MBIT)
    assert series.hold(actor=noc(), series=made, until=hours(2), reason="talks").granted
    assert series.admit(actor=noc(), series=made, reason="a course").granted, (
        "its own hold is not counted twice"
    )
    assert series.admit(actor=noc(), series=coming("a", "d", MBIT), reason="3 are allowed").granted
    over = coming("a", "d", MBIT, "FREQ=DAILY;COUNT=2", start=each_of(made)[3].start)
    with pytest.raises(QuotaExceeded) as refused:
        series.admit(actor=noc(), series=over, reason="the fourth day is full")
    assert refused.value.details["used"] == 3 * MBIT
    assert states(over) == ["SUBMITTED"] * 2


def test_an_occurrence_that_the_quota_refuses_does_not_fit_and_says_so_before(file: Path) -> None:
    allow("Na", rate_bps=3 * MBIT)
    made = coming("a", "d", 2 * MBIT, only_whole=False)
    third = each_of(made)[2]
    one("a", "c", 2 * MBIT, third)
    told = series.evidence(series=made)
    (misfit,) = told.misfits
    assert misfit.requests == (third,) and [reason.code for reason in misfit.reasons] == ["quota-exceeded"]
    assert "of which 2 Mbit/s are used" in misfit.reasons[0].text
    assert told.rate_that_fits == MBIT
    assert series.hold(actor=noc(), series=made, until=hours(2), reason="talks").granted
    assert states(made) == ["HELD", "HELD", "SUBMITTED", "HELD"]
    assert series.admit(actor=noc(), series=made, reason="a course").granted
    assert states(made) == ["ADMITTED", "ADMITTED", "REFUSED", "ADMITTED"]
    third.refresh_from_db()
    assert third.decision_reason == "a course; the quota of the NREN that asks is spent then"
    assert third.evidence and "Na would hold 4 Mbit/s at " in third.evidence["told"]["reasons"][0]["text"]
    for each in each_of(made):
        assert {found.kind for found in records.recheck(each).findings} <= {"missing"}


def test_a_series_that_has_to_fit_whole_is_told_of_the_quota_and_refused_by_it(file: Path) -> None:
    allow("Na", rate_bps=3 * MBIT)
    made = coming("a", "d", 2 * MBIT, direction="both")
    assert [each.fits for each in series.evidence(series=made).occurrences] == [False] * 4
    assert series.evidence(series=made).rate_that_fits == 3 * MBIT // 2
    with pytest.raises(QuotaExceeded, match="would hold 4 Mbit/s"):
        series.admit(actor=noc(), series=made, reason="both ways")
    verdict = series.admit(actor=noc(), series=made, reason="both ways", only_whole=False)
    assert not verdict.granted and states(made) == ["SUBMITTED"] * 8
    series.refuse(actor=noc(), series=made, reason="too much")
    assert {each.decision_reason for each in each_of(made)} == {"too much"}


# Withdrawing


def test_one_occurrence_is_given_back_from_a_hold_and_the_others_stay_held(file: Path) -> None:
    made = coming("a", "d", 2 * MBIT, direction="both")
    assert series.hold(actor=noc(), series=made, until=hours(2), reason="talks").granted
    second = each_of(made)[2]  # both ways: the way out of the second occurrence
    requests.withdraw(actor=person("at-a", nrens=("Na",)), request=second, reason="a holiday")
    assert states(made) == ["HELD"] * 2 + ["WITHDRAWN"] * 2 + ["HELD"] * 4
    assert not links_of(second) and not links_of(PremiumRequest.objects.get(pk=second.twin_id))
    assert series.admit(actor=noc(), series=made, reason="the others").granted
    assert states(made) == ["ADMITTED"] * 2 + ["WITHDRAWN"] * 2 + ["ADMITTED"] * 4
    assert Reservation.objects.filter(request__series=made).count() == 6


def test_the_rest_is_given_back_while_one_is_becoming_something_else(file: Path) -> None:
    made = granted("a", "d", 2 * MBIT)
    asking = person("at-a", nrens=("Na",))
    wanted = modifications.modify(
        actor=asking, request=each_of(made)[1], wanted=Modify(rate=3 * MBIT), reason="more"
    )
    assert wanted is not None
    series.withdraw(actor=asking, series=made, reason="over")
    wanted.refresh_from_db()
    assert states(made) == ["WITHDRAWN"] * 4 and wanted.state == "LAPSED"


# Clocks


@pytest.mark.parametrize(
    ("first", "meets"),
    [(date(2027, 3, 16), [False, False, True, True]), (date(2027, 10, 19), [True, True, False, False])],
)
def test_nine_o_clock_in_athens_meets_six_o_clock_of_utc_in_summer_alone(
    file: Path, first: date, meets: list[bool]
) -> None:
    """Greece puts its clocks forward on 28 March 2027, and back on 31 October."""
    six = datetime(first.year, first.month, first.day, 6, tzinfo=UTC)
    nine = datetime(first.year, first.month, first.day, 9, tzinfo=ATHENS).astimezone(UTC)
    weekly = "FREQ=WEEKLY;BYDAY=TU;COUNT=4"
    early = replace_length(granted("a", "d", 3 * MBIT, weekly, start=six), timedelta(hours=1))
    made = coming("a", "d", 2 * MBIT, weekly, start=nine, zone="Europe/Athens", only_whole=False)
    verdict = series.admit(actor=noc(), series=made, reason="nine o'clock")
    assert [not each.fits for each in verdict.occurrences] == meets
    local = {each.start.astimezone(ATHENS).strftime("%a %H:%M") for each in each_of(made)}
    assert local == {"Tue 09:00"} and len(each_of(early)) == 4


def replace_length(made: Series, length: timedelta) -> Series:
    """Every occurrence ends sooner."""
    for each in each_of(made):
        modifications.modify(
            actor=person("at-a", nrens=("Na",)),
            request=each,
            wanted=Modify(end=each.start + length),
            reason="shorter",
        )
    return made


def test_a_leap_day_and_the_last_of_the_month(file: Path) -> None:
    last = datetime(2028, 1, 31, 9, tzinfo=UTC)
    made = granted("a", "d", MBIT, "FREQ=MONTHLY;BYMONTHDAY=-1;COUNT=3", start=last)
    assert [each.start.strftime("%m-%d") for each in each_of(made)] == ["01-31", "02-29", "03-31"]
    leap = datetime(2028, 2, 29, 9, tzinfo=UTC)
    rare = granted("a", "d", MBIT, "FREQ=YEARLY;COUNT=2", start=leap)
    assert [each.start for each in each_of(rare)] == [leap, leap.replace(year=2032)]


# At once


def _said(outcome: Any) -> str:
    return "granted" if getattr(outcome, "granted", False) else type(outcome).__name__


@pytest.mark.django_db(transaction=True)
class TestAtOnce:
    def test_of_two_series_that_meet_in_one_occurrence_one_is_granted(self, tmp_path: Path) -> None:
        put(network(tmp_path / "network.yaml", DIAMOND))
        noc("nora")
        for _ in range(4):
            start = hours(24)
            pair = [
                coming("a", "d", 3 * MBIT, start=start),
                coming("a", "d", 3 * MBIT, "FREQ=DAILY;COUNT=3", start=start + timedelta(days=3)),
            ]
            said = [_said(each) for each in at_once(*(_admitting(made) for made in pair))]
            assert sorted(said) == ["Verdict", "granted"], said
            assert overcommitted(Domain.objects.get(), now=timezone.now()) == ()
            _free(pair)

    def test_an_occurrence_given_back_while_the_series_is_decided(self, tmp_path: Path) -> None:
        put(network(tmp_path / "network.yaml", DIAMOND))
        noc("nora")
        for _ in range(4):
            made = coming("a", "d", 3 * MBIT)
            first = each_of(made)[0]
            back = partial(
                requests.withdraw, actor=person("at-a", nrens=("Na",)), request=first, reason="a holiday"
            )
            said = at_once(_admitting(made), back)
            assert _said(said[0]) == "granted", said
            assert states(made) == ["WITHDRAWN"] + ["ADMITTED"] * 3
            charged = Reservation.objects.filter(request=first).exists()
            assert bool(links_of(first)) == charged, "what was granted before it was given back stays charged"
            _free([made])


def _admitting(made: Series) -> Callable[[], series.Verdict]:
    return partial(series.admit, actor=noc("nora"), series=Series.objects.get(pk=made.pk), reason="a course")


def _free(all_of: list[Series]) -> None:
    """Nothing of them is on a router: what was charged is free again."""
    now = timezone.now()
    LedgerEntry.objects.filter(request__series__in=all_of, released_at=None).update(released_at=now)
    Reservation.objects.filter(request__series__in=all_of, released_at=None).update(released_at=now)
    for made in all_of:
        if set(states(made)) & {"SUBMITTED", "ADMITTED"}:
            series.withdraw(actor=person("at-a", nrens=("Na",)), series=made, reason="over")
