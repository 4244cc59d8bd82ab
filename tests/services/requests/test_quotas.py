"""What one NREN may have at most: rate at any instant, open requests, holds; and how often one request is held."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from inventory.models import Domain, Nren
from provisioning.errors import InvalidInput, NotPermitted, QuotaExceeded, StaleState
from provisioning.models import Actor, AuditEvent, PremiumRequest, Quota
from provisioning.pipeline.admission import kept_as_seen
from provisioning.selectors import quotas as reading
from provisioning.selectors.quotas import Limits, limits_of, standing_limits
from provisioning.selectors.viewers import viewer_of
from provisioning.services import clock, decisions, quotas, records, requests, series
from tests.services.requests.sixnet import ASKED, admitted, agreed, grnet, hours, janet, noc, submitted
from tests.services.series.weekly import agreed_to, asked_for

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("six")]


def allow(nren: str | None = "JANET", **limits: int) -> None:
    """Set the quota of an NREN, or of all."""
    row = Nren.objects.get(name=nren) if nren else None
    domain = Domain.objects.get()
    quotas.set_quota(actor=noc(), domain=domain, nren=row, limits=Limits(**limits), reason="agreed in May")


def exceeded(error: pytest.ExceptionInfo[QuotaExceeded]) -> tuple[str, int, int, int]:
    said = error.value.details
    return said["quota"], said["allowed"], said["used"], said["asked"]


def test_open_requests_are_bounded_and_a_decided_one_counts_no_more() -> None:
    allow(open_requests=2)
    first = submitted(rate=1000)
    submitted(rate=1000)
    with pytest.raises(QuotaExceeded) as refused:
        submitted(rate=1000)
    assert exceeded(refused) == ("open_requests", 2, 2, 1)
    assert PremiumRequest.objects.count() == 2
    requests.withdraw(actor=janet(), request=first, reason="not needed")
    with pytest.raises(QuotaExceeded) as refused:
        requests.submit(actor=janet(), data=replace(ASKED, rate=1000, direction="both"))
    assert exceeded(refused) == ("open_requests", 2, 1, 2)
    submitted(rate=1000)


def test_a_series_counts_once() -> None:
    allow(open_requests=1)
    made = asked_for()
    with pytest.raises(QuotaExceeded):
        asked_for()
    series.refuse(actor=noc(), series=made, reason="no")
    asked_for()


def test_the_sum_of_rates_is_bounded_at_every_instant_and_windows_that_touch_do_not_add() -> None:
    allow(rate_bps=3_000_000)
    admitted(rate=2_000_000, start=hours(10), end=hours(20))
    follows = PremiumRequest.objects.get().end
    admitted(rate=3_000_000, start=follows, end=hours(30))
    over = agreed(rate=1_500_000, start=hours(5), end=hours(11))
    with pytest.raises(QuotaExceeded) as refused:
        decisions.admit(actor=noc(), request=over, reason="fits the links")
    assert exceeded(refused) == ("rate_bps", 3_000_000, 2_000_000, 1_500_000)
    with pytest.raises(QuotaExceeded):
        decisions.hold(actor=noc(), request=over, until=hours(1), reason="talks")
    assert not over.hold_charges.exists()
    fits = agreed(rate=1_000_000, start=hours(5), end=hours(11))
    assert decisions.hold(actor=noc(), request=fits, until=hours(1), reason="talks")
    assert decisions.admit(actor=noc(), request=fits, reason="its own hold is not counted twice")


def test_both_ways_are_two_and_what_others_ask_is_not_counted() -> None:
    allow(rate_bps=3_000_000)
    (theirs,) = requests.submit(
        actor=grnet(),
        data=replace(
            ASKED,
            source_link=ASKED.destination_link,
            destination_link=ASKED.source_link,
            source_prefixes=ASKED.destination_prefixes,
            destination_prefixes=ASKED.source_prefixes,
            rate=3_000_000,
        ),
    )
    requests.consent(actor=janet(), request=theirs, agree=True)
    decisions.admit(actor=noc(), request=theirs, reason="GRNET's")
    out, _back = requests.submit(actor=janet(), data=replace(ASKED, rate=2_000_000, direction="both"))
    requests.consent(actor=grnet(), request=out, agree=True)
    with pytest.raises(QuotaExceeded) as refused:
        decisions.admit(actor=noc(), request=out, reason="both ways")
    assert exceeded(refused) == ("rate_bps", 3_000_000, 0, 4_000_000)


def test_a_series_is_judged_in_each_of_its_windows() -> None:
    allow(rate_bps=3_000_000)
    made = agreed_to(rate=2_000_000)
    third = PremiumRequest.objects.filter(series=made).order_by("start")[2]
    blocking = admitted(rate=1_500_000, start=third.start, end=third.start + timedelta(minutes=5))
    with pytest.raises(QuotaExceeded):
        series.admit(actor=noc(), series=made, reason="a course")
    requests.withdraw(actor=janet(), request=blocking, reason="not needed")
    decisions.never_provide(request=blocking)
    assert series.admit(actor=noc(), series=made, reason="a course").granted


def test_holds_at_once_are_bounded_and_one_request_is_not_held_for_ever(settings: object) -> None:
    settings.HOLD_MOST_TIMES = 2  # type: ignore[attr-defined]
    allow(holds=1)
    first, second = submitted(rate=1000), submitted(rate=1000)
    decisions.hold(actor=noc(), request=first, until=hours(1), reason="talks")
    with pytest.raises(QuotaExceeded) as refused:
        decisions.hold(actor=noc(), request=second, until=hours(1), reason="talks")
    assert exceeded(refused) == ("holds", 1, 1, 1)
    decisions.unhold(actor=noc(), request=first, reason="over")
    decisions.hold(actor=noc(), request=first, until=hours(1), reason="more talks")
    decisions.unhold(actor=noc(), request=first, reason="over")
    with pytest.raises(QuotaExceeded) as refused:
        decisions.hold(actor=noc(), request=first, until=hours(1), reason="and more")
    assert exceeded(refused) == ("holds_of_one_request", 2, 2, 1)
    first.refresh_from_db()
    assert (first.state, first.times_held) == ("SUBMITTED", 2)
    made = asked_for()
    for _each in range(2):
        series.hold(actor=noc(), series=made, until=hours(1), reason="talks")
        series.unhold(actor=noc(), series=made, reason="over")
    with pytest.raises(QuotaExceeded):
        series.hold(actor=noc(), series=made, until=hours(1), reason="talks")


def test_an_nren_without_a_value_has_its_domain_s() -> None:
    allow(None, open_requests=5, holds=2)
    allow(open_requests=7)
    rows = {nren.name: limits_of(nren) for nren in Nren.objects.filter(name__in=("JANET", "GRNET"))}
    assert (rows["JANET"].open_requests, rows["JANET"].holds, rows["JANET"].rate_bps) == (7, 2, None)
    assert (rows["GRNET"].open_requests, rows["GRNET"].holds) == (5, 2)
    allow()
    assert Quota.objects.count() == 1
    event = AuditEvent.objects.filter(action="quota.set", object_type="Nren").latest("sequence")
    assert event.before["open_requests"] == 7 and event.after["open_requests"] is None


def test_who_sets_quotas_and_what_is_none() -> None:
    domain = Domain.objects.get()
    with pytest.raises(NotPermitted):
        quotas.set_quota(actor=janet(), domain=domain, nren=None, limits=Limits(holds=9), reason="please")
    for limits in (Limits(holds=-1), Limits(rate_bps=2**63)):
        with pytest.raises(InvalidInput):
            quotas.set_quota(actor=noc(), domain=domain, nren=None, limits=limits, reason="x")
    with pytest.raises(InvalidInput):
        quotas.set_quota(actor=noc(), domain=domain, nren=None, limits=Limits(holds=1), reason="")


def test_a_hold_that_is_over_takes_nothing_before_the_tick_has_seen_it() -> None:
    allow(holds=1, rate_bps=1_000_000)
    first, second = submitted(rate=1_000_000), submitted(rate=1_000_000)
    decisions.hold(actor=noc(), request=first, until=hours(1), reason="talks")
    lapse(first)
    assert reading.holds(first.nren, now=clock.now()) == 0
    decisions.hold(actor=noc(), request=second, until=hours(1), reason="talks")
    assert reading.holds(first.nren, now=clock.now()) == 1


def test_a_request_whose_window_is_over_is_open_no_more() -> None:
    allow(open_requests=1)
    first = submitted(rate=1000, start=hours(1), end=hours(2))
    PremiumRequest.objects.filter(pk=first.pk).update(start=hours(-2), end=hours(-1))
    assert reading.open_requests(first.nren, now=clock.now()) == 0
    submitted(rate=1000)
    with pytest.raises(QuotaExceeded):
        submitted(rate=1000)


def lapse(row: PremiumRequest) -> None:
    """Have the hold of a request be over, as if its time had passed and no tick had come."""
    past = clock.now() - timedelta(seconds=1)
    PremiumRequest.objects.filter(pk=row.pk).update(held_until=past)
    row.hold_charges.update(lapses_at=past)


def test_who_read_another_quota_is_told_what_was_set_and_by_whom() -> None:
    domain, nren = Domain.objects.get(), Nren.objects.get(name="JANET")
    read = standing_limits(domain, nren)
    given = {"domain": domain, "nren": nren, "seen": read}
    first, second = Limits(rate_bps=20_000_000, holds=3), Limits(open_requests=5)
    quotas.set_quota(actor=noc("nora"), limits=first, reason="agreed in May", **given)
    with pytest.raises(StaleState) as stale:
        quotas.set_quota(actor=noc("niels"), limits=second, reason="agreed in June", **given)
    assert all(
        part in stale.value.reason for part in ("nora", "20 Mbit/s", "3 holds", "no bound of open requests")
    )
    assert stale.value.details["standing"] == {"rate_bps": 20_000_000, "open_requests": None, "holds": 3}
    assert standing_limits(domain, nren) == first
    assert AuditEvent.objects.filter(action="quota.set").count() == 1
    quotas.set_quota(actor=noc("niels"), limits=first, reason="it is that already", **given)
    quotas.set_quota(
        actor=noc("niels"),
        limits=second,
        reason="nora agrees",
        **{**given, "seen": Limits(20_000_000, None, 3)},
    )
    assert standing_limits(domain, nren) == second


def test_what_was_taken_away_and_what_holds_for_all_are_compared_too() -> None:
    domain = Domain.objects.get()
    allow(None, holds=4)
    read = standing_limits(domain, None)
    quotas.set_quota(actor=noc(), domain=domain, nren=None, limits=Limits(), reason="none", seen=read)
    with pytest.raises(StaleState, match="no bound of holds"):
        quotas.set_quota(actor=noc(), domain=domain, nren=None, limits=Limits(holds=5), reason="5", seen=read)
    assert not Quota.objects.exists()


def test_the_command_shows_and_sets() -> None:
    noc("nora")

    def run(*arguments: str) -> str:
        out = StringIO()
        call_command("quota", *arguments, stdout=out)
        return out.getvalue()

    assert run("JANET").count("no bound") == 3
    said = run("JANET", "--rate", "20M", "--open", "5", "--as", "nora", "--reason", "agreed in May")
    assert "20 Mbit/s" in said and "open requests 5, 0 used" in said and "holds at once no bound" in said
    submitted(rate=1000)
    assert "open requests 5, 1 used" in run("JANET", "--holds", "2", "--as", "nora", "--reason", "talks")
    assert "open requests no bound" in run("JANET", "--clear", "--as", "nora", "--reason", "all is well")
    assert "holds at once 3" in run("--all", "--holds", "3", "--as", "nora", "--reason", "talks")
    for wrong in (
        ("JANET", "--all"),
        (),
        ("ATLANTIS",),
        ("JANET", "--open", "5", "--reason", "x"),
        ("JANET", "--rate", "x"),
    ):
        with pytest.raises(CommandError):
            run(*wrong)


def test_an_occurrence_that_the_quota_refuses_tells_its_receiver_nothing_of_the_quota() -> None:
    allow(rate_bps=3_000_000)
    made = agreed_to(rate=2_000_000, only_whole=False)
    third = PremiumRequest.objects.filter(series=made).order_by("start")[2]
    admitted(rate=1_500_000, start=third.start, end=third.start + timedelta(minutes=10))
    assert series.admit(actor=noc(), series=made, reason="a course").granted
    third.refresh_from_db()
    assert third.state == "REFUSED"
    assert third.decision_reason == "a course; the quota of the NREN that asks is spent then"

    def told(reader: Actor) -> str:
        kept = kept_as_seen(third.evidence, viewer_of(reader, third.nren.domain), asker=third.nren_id)
        return json.dumps(kept.to_json())

    assert "3 Mbit/s" in told(janet()) and "the quota of the NREN" not in told(janet())
    assert "3 Mbit/s" not in told(grnet()) and "the quota of the NREN" in told(grnet())
    event = AuditEvent.objects.get(action="series.admitted")
    assert "3 Mbit/s" in event.after["does_not_fit"][0]
    assert {each.kind for each in records.recheck(third).findings} <= {"missing"}
