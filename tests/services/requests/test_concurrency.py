"""People deciding at the same instant, each on a database connection of their own: on SQLite and on PostgreSQL."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection
from dataclasses import replace
from functools import partial
from threading import Event

import pytest
from django.db import connection

from inventory.models import Nren
from provisioning.errors import QuotaExceeded, StaleState
from provisioning.models import AuditEvent, Job, JobKind, PremiumRequest, RecordedText, Reservation
from provisioning.pipeline.admission import Admitted, Refused
from provisioning.selectors.quotas import Limits, standing_limits
from provisioning.services import audit, decisions, flow_labels, jobs, quotas, requests
from provisioning.services.decisions import links as locking_links
from tests.services.in_threads import at_once
from tests.services.requests.sixnet import (
    ASKED,
    DFN,
    GRNET,
    JANET,
    admitted,
    agreed,
    charged_bps,
    grnet,
    hours,
    janet,
    noc,
    person,
    submitted,
)

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("six_for_all")]

ROUNDS = 20
LAST_MEGABIT = 1_000_000
FULL = 7_729_000
"""What a share of 7.75 Mbit/s has room for with headers of POS, in kbit/s."""


def admitting(request: PremiumRequest, who: str) -> Callable[[], Admitted | Refused]:
    actor, row = noc(who), PremiumRequest.objects.get(pk=request.pk)
    return lambda: decisions.admit(actor=actor, request=row, reason="the last megabit")


def test_of_two_approvals_of_the_last_megabit_exactly_one_wins_every_time() -> None:
    admitted(rate=FULL - LAST_MEGABIT)
    for _round in range(ROUNDS):
        rivals = [agreed(rate=LAST_MEGABIT), agreed(rate=LAST_MEGABIT)]
        said = at_once(admitting(rivals[0], "nora"), admitting(rivals[1], "niels"))
        assert sorted(type(one).__name__ for one in said) == ["Admitted", "Refused"], said
        assert charged_bps(JANET, "in") == charged_bps(GRNET, "out") == FULL
        for rival in rivals:
            rival.refresh_from_db()
            if rival.state == "ADMITTED":
                requests.withdraw(actor=janet(), request=rival, reason="next round")
                decisions.complete(request=rival)
            else:
                decisions.refuse(actor=noc(), request=rival, reason="next round")
    assert audit.verify_chain().intact


def test_of_many_approvals_as_many_win_as_fit() -> None:
    rivals = [agreed(rate=LAST_MEGABIT) for _each in range(10)]
    said = at_once(*(admitting(rival, "nora") for rival in rivals))
    names = [type(one).__name__ for one in said]
    assert (names.count("Admitted"), names.count("Refused")) == (7, 3), said
    assert charged_bps(JANET, "in") == 7_000_000
    assert audit.verify_chain().intact


def test_two_people_admit_the_same_request_once() -> None:
    for _round in range(5):
        request = agreed(rate=1000)
        said = at_once(admitting(request, "nora"), admitting(request, "niels"))
        assert sorted(type(one).__name__ for one in said) == ["Admitted", "StaleState"], said
        assert Reservation.objects.filter(request=request).count() == 1


def test_two_settlers_that_saw_the_same_thing_complete_a_request_once() -> None:
    for _round in range(ROUNDS):
        request = admitted(rate=1000)
        requests.withdraw(actor=janet(), request=request, reason="over")
        rows = [PremiumRequest.objects.get(pk=request.pk) for _each in range(2)]
        said = at_once(*(partial(decisions.complete, request=row) for row in rows))
        assert sorted(type(one).__name__ for one in said) == ["PremiumRequest", "StaleState"], said
    assert charged_bps(JANET, "in") == 0
    assert audit.verify_chain().intact


def test_both_halves_of_a_pair_admitted_at_once_are_admitted_once() -> None:
    for _round in range(5):
        out, back = requests.submit(actor=janet(), data=replace(ASKED, direction="both", rate=1000))
        requests.consent(actor=grnet(), request=out, agree=True)
        said = at_once(admitting(out, "nora"), admitting(back, "niels"))
        assert sorted(type(one).__name__ for one in said) == ["Admitted", "StaleState"], said
        assert Reservation.objects.filter(request__in=[out, back]).count() == 2


def test_opposite_and_crossing_ways_neither_block_nor_compete() -> None:
    """Every order of locks that a deadlock would need is offered; none comes."""
    dfn = person("dirk", nrens=("DFN",))
    prefixes = {JANET: "2001:630:8::/48", GRNET: "2001:648:2::/48", DFN: "2001:638:5::/48"}
    people = {JANET: janet(), GRNET: grnet(), DFN: dfn}
    for _round in range(4):
        rows = []
        for source in prefixes:
            for destination in prefixes:
                if source == destination:
                    continue
                data = replace(
                    ASKED,
                    rate=100_000,
                    source_link=source,
                    destination_link=destination,
                    source_prefixes=(prefixes[source],),
                    destination_prefixes=(prefixes[destination],),
                )
                (row,) = requests.submit(actor=people[source], data=data)
                rows.append(requests.consent(actor=people[destination], request=row, agree=True))
        said = at_once(*(admitting(row, "nora") for row in rows))
        assert [type(one).__name__ for one in said] == ["Admitted"] * 6, said
    assert audit.verify_chain().intact


def test_admitting_against_withdrawing_leaves_one_truth() -> None:
    for _round in range(8):
        request = agreed(rate=FULL)
        actor, row = janet(), PremiumRequest.objects.get(pk=request.pk)
        said = at_once(
            admitting(request, "nora"),
            lambda actor=actor, row=row: requests.withdraw(
                actor=actor, request=row, reason="changed our mind"
            ),
        )
        request.refresh_from_db()
        assert request.state == "WITHDRAWN", said
        granted = Reservation.objects.filter(request=request).exists()
        assert isinstance(said[0], Admitted if granted else StaleState), said
        assert charged_bps(JANET, "in") == (FULL if granted else 0)
        if granted:
            decisions.complete(request=request)


def test_a_hold_and_an_approval_of_the_same_capacity() -> None:
    for _round in range(5):
        held, wanted = submitted(rate=FULL), agreed(rate=FULL)
        actor, row = noc("niels"), PremiumRequest.objects.get(pk=held.pk)
        until = hours(1)
        said = at_once(
            admitting(wanted, "nora"),
            lambda actor=actor, row=row, until=until: decisions.hold(
                actor=actor, request=row, until=until, reason="w"
            ),
        )
        assert [isinstance(one, Refused) for one in said].count(True) == 1, said
        assert charged_bps(JANET, "in") == FULL
        for each in (held, wanted):
            each.refresh_from_db()
            requests.withdraw(actor=janet(), request=each, reason="next round")
        if Reservation.objects.filter(request=wanted).exists():
            decisions.complete(request=wanted)


def test_the_trail_is_one_chain_whoever_writes() -> None:
    rows = [submitted(rate=1000) for _each in range(8)]
    actor = grnet()
    said = at_once(
        *(lambda row=row: requests.consent(actor=actor, request=row, agree=True) for row in rows)  # type: ignore[misc]
    )
    assert [one for one in said if isinstance(one, Exception)] == []
    assert AuditEvent.objects.filter(action="request.consent").count() == 8
    assert audit.verify_chain().intact


def test_two_that_draw_the_same_label_at_once_get_two() -> None:
    rows = [submitted(), submitted()]

    def drawing(row: PremiumRequest) -> Callable[[], PremiumRequest]:
        labels = iter(range(2**20))
        return lambda: flow_labels.draw(actor=janet(), request=row, pick=lambda _most: next(labels))

    said = at_once(*(drawing(row) for row in rows))
    assert sorted(one.flow_label for one in said if isinstance(one, PremiumRequest)) == [1, 2], said


def test_two_ticks_at_once_move_each_request_once_and_make_each_job_once() -> None:
    rows = [admitted(rate=1000) for _each in range(6)]
    over, due = rows[:3], rows[3:]
    PremiumRequest.objects.filter(pk__in=[row.pk for row in over]).update(start=hours(-2), end=hours(-1))
    PremiumRequest.objects.filter(pk__in=[row.pk for row in due]).update(start=hours(-1))
    said = at_once(jobs.tick, jobs.tick, jobs.tick)
    assert [one for one in said if isinstance(one, Exception)] == []
    routers = {row.source_link.interface.router_id for row in rows}
    assert sorted(Job.objects.values_list("kind", "subject_id")) == sorted(
        (kind, pk) for pk in routers for kind in (JobKind.PLAN_ROUTER, JobKind.VERIFY_ROUTER)
    )
    assert AuditEvent.objects.filter(action="request.expired").count() == 3
    found = {(fault.sequence, fault.reason) for fault in audit.verify_chain().faults}
    assert len(found) == len(due), (
        "their windows were moved above, past the trail, and nothing about them was recorded since"
    )


def test_of_many_who_set_one_quota_at_once_one_does_and_the_others_are_told() -> None:
    nren = Nren.objects.get(name="JANET")
    actors = [noc("nora"), noc("niels")]
    for of in (nren, None):
        for _round in range(3):
            seen = standing_limits(nren.domain, of)
            wanted = [Limits(rate_bps=_round * 10 + number + 1, holds=number) for number in range(4)]
            said = at_once(
                *(
                    partial(
                        quotas.set_quota,
                        actor=actors[number % 2],
                        domain=nren.domain,
                        nren=of,
                        limits=limits,
                        reason="agreed in May",
                        seen=seen,
                    )
                    for number, limits in enumerate(wanted)
                )
            )
            names = sorted(type(one).__name__ for one in said)
            assert names == ["Quota"] + ["QuotaChanged"] * 3, said
            winner = next(
                limits for limits, one in zip(wanted, said, strict=True) if not isinstance(one, Exception)
            )
            assert standing_limits(nren.domain, of) == winner
    assert AuditEvent.objects.filter(action="quota.set").count() == 6
    assert audit.verify_chain().intact


def test_of_many_that_meet_at_a_quota_as_many_get_through_as_it_allows() -> None:
    """Open requests, and the rate: each in a thread and on a connection of its own, from two links where there are two."""
    nren = Nren.objects.get(name="JANET")
    limits = Limits(rate_bps=3_000_000, open_requests=4)
    quotas.set_quota(actor=noc(), domain=nren.domain, nren=nren, limits=limits, reason="agreed in May")
    asking, data = janet(), replace(ASKED, rate=LAST_MEGABIT)
    for _round in range(3):
        said = at_once(*(partial(requests.submit, actor=asking, data=data) for _each in range(8)))
        assert [isinstance(one, QuotaExceeded) for one in said].count(False) == 4, said
        rows = list(PremiumRequest.objects.filter(state="SUBMITTED"))
        for row in rows:
            requests.consent(actor=grnet(), request=row, agree=True)
        decided = at_once(*(admitting(row, "nora") for row in rows))
        names = sorted(type(one).__name__ for one in decided)
        assert names == ["Admitted"] * 3 + ["QuotaExceeded"], decided
        for row in rows:
            row.refresh_from_db()
            requests.withdraw(actor=asking, request=row, reason="next round")
            if Reservation.objects.filter(request=row).exists():
                decisions.never_provide(request=row)


@pytest.mark.skipif(connection.vendor == "sqlite", reason="there is one lock there")
def test_admitting_and_refusing_where_nothing_is_kept_yet_do_not_wait_in_a_circle(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The one has kept the scheme's text and wants the request; the other has the request and wants to keep the text."""
    request = agreed(rate=LAST_MEGABIT)
    RecordedText.objects.filter(kind="scheme").delete()
    kept, lock_links = Event(), locking_links.lock_links

    def slowly(names: Collection[str]) -> None:
        kept.set()
        time.sleep(1)  # the other one waits for us by now
        lock_links(names)

    monkeypatch.setattr(locking_links, "lock_links", slowly)
    niels, row = noc("niels"), PremiumRequest.objects.get(pk=request.pk)

    def refusing() -> object:
        assert kept.wait(timeout=60)
        return decisions.refuse(actor=niels, request=row, reason="no")

    admitted_as, refused_as = at_once(admitting(request, "nora"), refusing)
    assert isinstance(admitted_as, Admitted), admitted_as
    assert isinstance(refused_as, StaleState), refused_as
