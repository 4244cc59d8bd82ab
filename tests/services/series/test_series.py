"""A series is asked for, answered, decided and given back as one."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from inventory.models import AccessLink
from provisioning.errors import Conflict, InvalidFields, InvalidInput, NotPermitted, NotVisible, StaleState
from provisioning.models import AuditEvent, LedgerEntry, PremiumRequest, Reservation, Series
from provisioning.pipeline.admission import Refused
from provisioning.services import audit, decisions, modifications, records, requests, series
from provisioning.services.modifications import Modify
from tests.services.requests.sixnet import (
    ASKED,
    GRNET,
    JANET,
    admitted,
    charged_bps,
    grnet,
    hours,
    janet,
    noc,
    person,
)
from tests.services.series.weekly import agreed_to, asked_for, next_tuesday, states, weekly


def test_each_occurrence_is_a_request_of_its_own_and_consent_is_given_once() -> None:
    made = asked_for()
    rows = list(PremiumRequest.objects.filter(series=made).order_by("start"))
    assert [row.start - rows[0].start for row in rows][1] in {timedelta(days=7), timedelta(days=7, hours=1)}
    assert {row.rate_bps for row in rows} == {2_000_000} and made.occurrences == 4
    series.consent(actor=grnet(), series=made, agree=True)
    assert {row.consent for row in PremiumRequest.objects.filter(series=made)} == {"given"}
    verdict = series.admit(actor=noc(), series=made, reason="a course")
    assert verdict.granted and verdict.fits and states(made) == ["ADMITTED"] * 4
    assert charged_bps(JANET, "in") == 8_000_000, "four windows of two, one after another"
    assert Reservation.objects.filter(request__series=made).count() == 4
    assert {
        row.evidence["verdict"] for row in PremiumRequest.objects.filter(series=made) if row.evidence
    } == {"admitted"}
    assert audit.verify_chain().intact


def test_all_or_nothing_names_those_that_do_not_fit() -> None:
    made = agreed_to(rate=4_000_000)
    third = PremiumRequest.objects.filter(series=made).order_by("start")[2]
    admitted(rate=5_000_000, start=third.start - timedelta(hours=1), end=third.start + timedelta(hours=1))
    verdict = series.admit(actor=noc(), series=made, reason="a course")
    assert not verdict.granted and states(made) == ["SUBMITTED"] * 4
    (misfit,) = verdict.misfits
    assert misfit.requests == (third,) and isinstance(misfit.judged.verdict, Refused)
    assert verdict.rate_that_fits == 2_729_000
    event = AuditEvent.objects.get(action="series.does-not-fit")
    assert len(event.after["does_not_fit"]) == 1 and third.reference in event.after["does_not_fit"][0]
    assert not LedgerEntry.objects.filter(request__series=made).exists()


def test_those_that_fit_are_granted_where_that_was_asked_for() -> None:
    made = agreed_to(rate=4_000_000, only_whole=False)
    third = PremiumRequest.objects.filter(series=made).order_by("start")[2]
    admitted(rate=5_000_000, start=third.start, end=third.start + timedelta(minutes=10))
    verdict = series.admit(actor=noc(), series=made, reason="a course")
    assert verdict.granted and states(made) == ["ADMITTED", "ADMITTED", "REFUSED", "ADMITTED"]
    third.refresh_from_db()
    assert third.evidence and third.evidence["verdict"] == "refused"
    assert {offer["kind"] for offer in third.evidence["counter_offers"]} == {"lower-rate"}
    for row in PremiumRequest.objects.filter(series=made):
        assert {found.kind for found in records.recheck(row).findings} <= {"missing"}, (
            "it follows from what was kept"
        )
    assert Reservation.objects.filter(request__series=made).count() == 3


def test_those_that_fit_are_nothing_when_none_does() -> None:
    made = agreed_to(rate=4_000_000, only_whole=False)
    admitted(rate=5_000_000, start=next_tuesday(), end=None)
    assert not series.admit(actor=noc(), series=made, reason="a course").granted
    assert states(made) == ["SUBMITTED"] * 4


def test_both_ways_are_pairs_and_fit_together() -> None:
    made = agreed_to(direction="both")
    rows = list(PremiumRequest.objects.filter(series=made).order_by("start", "pk"))
    assert len(rows) == 8 and made.occurrences == 4
    for out, back in zip(rows[::2], rows[1::2], strict=True):
        assert (out.twin_id, back.twin_id) == (back.pk, out.pk) and out.start == back.start
        assert (out.source_link.name, back.source_link.name) == (JANET, GRNET)
    assert series.admit(actor=noc(), series=made, reason="a course").granted
    assert states(made) == ["ADMITTED"] * 8


def test_the_rest_is_withdrawn_and_what_was_granted_stays_charged() -> None:
    made = agreed_to()
    series.admit(actor=noc(), series=made, reason="a course")
    first = PremiumRequest.objects.filter(series=made).order_by("start")[0]
    requests.withdraw(actor=janet(), request=first, reason="a holiday")
    series.withdraw(actor=janet(), series=made, reason="the course is over")
    assert states(made) == ["WITHDRAWN"] * 4
    assert charged_bps(JANET, "in") == 8_000_000
    with pytest.raises(StaleState):
        series.withdraw(actor=janet(), series=made, reason="again")


def test_a_series_is_held_and_the_hold_ended_as_one() -> None:
    made = asked_for()
    verdict = series.hold(actor=noc(), series=made, until=hours(24), reason="they talk")
    assert verdict.granted and states(made) == ["HELD"] * 4 and charged_bps(JANET, "in") == 8_000_000
    with pytest.raises(StaleState):
        series.hold(actor=noc(), series=made, until=hours(24), reason="again")
    series.unhold(actor=noc(), series=made, reason="they do not")
    assert states(made) == ["SUBMITTED"] * 4 and charged_bps(JANET, "in") == 0
    series.hold(actor=noc(), series=made, until=hours(24), reason="they talk")
    series.consent(actor=grnet(), series=made, agree=True)
    assert series.admit(actor=noc(), series=made, reason="agreed").granted
    assert charged_bps(JANET, "in") == 8_000_000, "what was held is charged once"


def test_the_same_answer_again_is_no_event() -> None:
    """Each occurrence had an event each time, and events are kept for ever."""
    made = asked_for()
    rows = PremiumRequest.objects.filter(series=made).order_by("start")

    def kept() -> tuple[int, list[object]]:
        return AuditEvent.objects.count(), list(rows.values_list("consent", "consent_by", "consent_at"))

    for agree in (True, False, True):
        series.consent(actor=grnet(), series=made, agree=agree, reason="so be it")
        before = kept()
        assert series.consent(actor=grnet(), series=made, agree=agree, reason="once more") == made
        assert kept() == before
    PremiumRequest.objects.filter(pk=rows[1].pk).update(consent="pending")
    first_answer = rows[0].consent_at
    series.consent(actor=grnet(), series=made, agree=True)
    assert {row.consent for row in rows} == {"given"} and rows[0].consent_at == first_answer
    assert AuditEvent.objects.count() == before[0] + 2, "of the one that was asked again, and of the series"
    assert AuditEvent.objects.filter(action="series.consent").latest("pk").after["occurrences"] == 1


def test_refused_as_one_and_over_then() -> None:
    made = asked_for()
    series.refuse(actor=noc(), series=made, reason="no such course")
    assert states(made) == ["REFUSED"] * 4
    for deed in (
        lambda: series.admit(actor=noc(), series=made, reason="why not"),
        lambda: series.refuse(actor=noc(), series=made, reason="why not"),
        lambda: series.consent(actor=grnet(), series=made, agree=True),
        lambda: series.unhold(actor=noc(), series=made, reason="why not"),
    ):
        with pytest.raises(StaleState):
            deed()


def test_who_may_do_what() -> None:
    made = asked_for()
    with pytest.raises(NotVisible):
        series.withdraw(actor=person("dirk", nrens=("DFN",)), series=made, reason="x")
    with pytest.raises(NotPermitted):
        series.withdraw(actor=grnet(), series=made, reason="x")
    with pytest.raises(NotPermitted):
        series.consent(actor=janet(), series=made, agree=True)
    for deed in (series.admit, series.refuse, series.unhold):
        with pytest.raises(NotPermitted):
            deed(actor=janet(), series=made, reason="x")
    with pytest.raises(Conflict, match="has not agreed yet"):
        series.admit(actor=noc(), series=made, reason="x")
    series.consent(actor=grnet(), series=made, agree=False, reason="not to us")
    with pytest.raises(Conflict, match="has declined"):
        series.admit(actor=noc(), series=made, reason="x")
    by_noc = series.submit(actor=noc("niels"), data=weekly())
    series.consent(actor=grnet(), series=by_noc, agree=True)
    with pytest.raises(NotPermitted, match="was submitted by you"):
        series.admit(actor=noc("niels"), series=by_noc, reason="mine")


def test_an_occurrence_is_not_decided_by_itself() -> None:
    made = agreed_to()
    one = PremiumRequest.objects.filter(series=made).order_by("start")[0]
    for deed in (
        lambda: decisions.admit(actor=noc(), request=one, reason="x"),
        lambda: decisions.refuse(actor=noc(), request=one, reason="x"),
        lambda: decisions.hold(actor=noc(), request=one, until=hours(1), reason="x"),
        lambda: decisions.unhold(actor=noc(), request=one, reason="x"),
        lambda: requests.consent(actor=grnet(), request=one, agree=True),
    ):
        with pytest.raises(Conflict, match="SER-"):
            deed()
    requests.withdraw(actor=janet(), request=one, reason="a holiday")
    assert series.admit(actor=noc(), series=made, reason="the others").granted
    assert states(made) == ["WITHDRAWN", "ADMITTED", "ADMITTED", "ADMITTED"]


def test_what_is_over_when_it_is_decided_is_left_out() -> None:
    made = agreed_to()
    first = PremiumRequest.objects.filter(series=made).order_by("start")[0]
    PremiumRequest.objects.filter(pk=first.pk).update(start=hours(-3), end=hours(-1))
    verdict = series.admit(actor=noc(), series=made, reason="late")
    assert [len(each.requests) for each in verdict.occurrences] == [1, 1, 1]
    assert states(made) == ["SUBMITTED", "ADMITTED", "ADMITTED", "ADMITTED"]


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"rrule": "FREQ=WEEKLY"}, "recurrence.rrule"),
        ({"rrule": "FREQ=DAILY;COUNT=367"}, "recurrence.rrule"),
        ({"flow_label": 77}, "flow_label"),
    ],
)
def test_what_is_wrong_is_named_and_nothing_stored(changes: dict[str, Any], field: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        asked_for(**changes)
    assert refused.value.field == field
    assert not Series.objects.exists() and not PremiumRequest.objects.exists()


@pytest.mark.parametrize(
    "zone", ["", "Europe/Atlantis", "../../etc/passwd", "x" * 65, "Europe/Athens\x00", "/etc/localtime"]
)
def test_a_time_zone_is_a_name_of_the_database(zone: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        series.submit(actor=janet(), data=replace(weekly(), time_zone=zone))
    assert refused.value.field == "recurrence.time_zone"


def test_an_open_window_and_wrong_fields_are_refused_as_of_a_single_request() -> None:
    with pytest.raises(InvalidFields) as refused:
        series.submit(actor=janet(), data=replace(weekly(), asked=replace(ASKED, rate=-1, bucket_bytes=0)))
    assert {error.field for error in refused.value.errors} >= {"rate", "bucket_bytes"}
    with pytest.raises(InvalidInput) as open_end:
        series.submit(
            actor=janet(), data=replace(weekly(), asked=replace(ASKED, start=next_tuesday(), end=None))
        )
    assert open_end.value.field == "end"


def test_a_year_of_days_costs_little_more_queries_than_a_week() -> None:
    counted = {}
    AccessLink.objects.filter(name=GRNET).update(standing_consent=True)
    for days in (7, 366):
        steps: dict[str, int] = {}
        counted[days] = steps
        rule = f"FREQ=DAILY;COUNT={days}"
        for name, deed in (
            ("submit", lambda rule=rule: asked_for(rule, rate=1000)),
            (
                "consent",
                lambda: series.consent(actor=grnet(), series=Series.objects.latest("pk"), agree=True),
            ),
            ("admit", lambda: series.admit(actor=noc(), series=Series.objects.latest("pk"), reason="fits")),
            (
                "withdraw",
                lambda: series.withdraw(actor=janet(), series=Series.objects.latest("pk"), reason="over"),
            ),
        ):
            with CaptureQueriesContext(connection) as queries:
                deed()
            steps[name] = len(queries)
        assert len(states(Series.objects.latest("pk"))) == days
    assert set(states(Series.objects.latest("pk"))) == {"WITHDRAWN"}
    more = {name: counted[366][name] - counted[7][name] for name in counted[7]}
    assert max(more.values()) <= 60, (
        counted,
        "statements are split by their size, not one for each occurrence",
    )


def test_an_occurrence_is_changed_alone_once_it_is_granted_and_not_before() -> None:
    made = asked_for(rate=8_000_000)
    first = PremiumRequest.objects.filter(series=made).order_by("start")[0]
    with pytest.raises(Conflict, match="decided as one"):
        requests.take_offer(actor=janet(), request=first, kind="lower-rate")
    with pytest.raises(Conflict, match="decided as one"):
        modifications.modify(actor=janet(), request=first, wanted=Modify(rate=1_000_000), reason="less")
    granted = agreed_to()
    series.admit(actor=noc(), series=granted, reason="a course")
    one = PremiumRequest.objects.filter(series=granted).order_by("start")[1]
    less = modifications.modify(actor=janet(), request=one, wanted=Modify(rate=1_000_000), reason="less")
    assert less is not None
    modifications.admit(actor=noc(), modification=less, reason="less is free")
    rates = PremiumRequest.objects.filter(series=granted).order_by("start").values_list("rate_bps", flat=True)
    assert list(rates) == [2_000_000, 1_000_000, 2_000_000, 2_000_000]
