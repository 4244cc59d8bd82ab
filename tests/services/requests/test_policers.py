"""What a cap policer lets through is granted once: two that meet, offers that are taken, and the book's frames added up."""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import datetime, timedelta
from fractions import Fraction
from math import ceil
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from provisioning.models import LedgerEntry, PremiumRequest, Reservation
from provisioning.pipeline.admission import Admitted, Policer, Refused
from provisioning.pipeline.topology import framing_of
from provisioning.pipeline.units import TimeWindow
from provisioning.selectors.courses import courses
from provisioning.services import clock, decisions, modifications, records, requests
from provisioning.services.modifications import Modify
from tests.services.in_threads import at_once
from tests.services.requests.sixnet import (
    GRNET,
    JANET,
    admitted,
    agreed,
    charged_bps,
    hours,
    janet,
    noc,
    submitted,
)

ROUNDS = 10
SMALL = {"min_packet_bytes": 40}
"""Packets of 40 bytes with 4 of POS: a tenth more than their rate."""


def admitting(request: PremiumRequest, who: str) -> Callable[[], Admitted | Refused]:
    actor, row = noc(who), PremiumRequest.objects.get(pk=request.pk)
    return lambda: decisions.admit(actor=actor, request=row, reason="the last bits")


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("six_for_all")
def test_of_two_that_meet_for_the_last_frames_exactly_one_wins_every_time() -> None:
    """6 Mbit/s are 6.016 on the wire; 800 kbit/s of small packets are 880: the share has room for both, the policer for one."""
    admitted(rate=6_000_000)
    for _round in range(ROUNDS):
        rivals = [agreed(rate=800_000, **SMALL), agreed(rate=800_000, **SMALL)]
        said = at_once(admitting(rivals[0], "nora"), admitting(rivals[1], "niels"))
        assert sorted(type(one).__name__ for one in said) == ["Admitted", "Refused"], said
        (refused,) = [one for one in said if isinstance(one, Refused)]
        (reason,) = refused.reasons
        assert (reason.code, reason.link, reason.committed_bps, reason.shortfall_bps) == (
            "policer", JANET, 6_896_000, 26_000,
        )  # fmt: skip
        assert charged_bps(JANET, "in") == charged_bps(GRNET, "out") == 6_800_000
        for rival in rivals:
            rival.refresh_from_db()
            if rival.state == "ADMITTED":
                requests.withdraw(actor=janet(), request=rival, reason="next round")
                decisions.complete(request=rival)
            else:
                decisions.refuse(actor=noc(), request=rival, reason="next round")


@pytest.mark.django_db
@pytest.mark.usefixtures("six")
def test_what_is_offered_is_admitted_and_the_record_says_the_same_again(settings: Any) -> None:
    settings.AUDIT_SIGNING_KEY = "MDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDA="
    admitted(rate=6_000_000)
    asked = agreed(rate=1_700_000, **SMALL)
    refused = decisions.admit(actor=noc(), request=asked, reason="try")
    assert isinstance(refused, Refused)
    assert {reason.code for reason in refused.reasons} == {"policer"}
    (offer,) = [each for each in refused.counter_offers if each.kind == "lower-rate"]
    assert offer.rate_bps == 1_576_000  # of 1.734 Mbit/s of frames
    admitted(rate=offer.rate_bps, end=offer.end, **SMALL)
    assert charged_bps(JANET, "in") == 6_000_000 + offer.rate_bps
    for found in records.recheck_all():
        assert (found.status, found.findings) == (0, ()), found


@pytest.mark.django_db
@pytest.mark.usefixtures("six")
def test_a_modification_is_held_against_the_policer_and_its_range_says_how_far() -> None:
    mine = admitted(rate=1_000_000, **SMALL)
    admitted(rate=6_000_000)
    told = modifications.range_of(actor=janet(), request=mine)
    assert told.most_bps == 1_576_000
    over = modifications.what_if(actor=janet(), request=mine, wanted=Modify(rate=told.most_bps + 1_000))
    assert isinstance(over.verdict, Refused)
    assert {(reason.code, reason.link) for reason in over.verdict.reasons} == {("policer", JANET)}
    for rate in (told.most_bps, 500_000):
        fits = modifications.what_if(actor=janet(), request=mine, wanted=Modify(rate=rate))
        assert not isinstance(fits.verdict, Refused)


@pytest.mark.django_db
@pytest.mark.usefixtures("six")
def test_the_frames_of_a_link_are_those_of_every_charge() -> None:
    """By the database and by plain adding up: packets of every size, families alone and together, other links and classes."""
    dice, now = random.Random(12), clock.now()
    policer = Policer(JANET, "EF", frozenset({"ip-premium", "IPP"}), 1, "", framing_of("POS1/0"))
    rows = [submitted(rate=1_000) for _ in range(12)]
    for row in rows:
        largest = dice.choice((21, 30, 39, 220, 1500, 9000))
        PremiumRequest.objects.filter(pk=row.pk).update(
            service_class=dice.choice(("ip-premium", "IPP", "IPP", "LBE")),
            max_packet_bytes=largest,
            min_packet_bytes=dice.choice((None, largest, max(20, largest // 2))),
            source_prefixes=dice.choice(
                (["2001:630::/32"], ["192.0.2.0/24"], ["192.0.2.0/24", "2001:630::/32"])
            ),
        )
    charges = []
    for number in range(200):
        row = dice.choice(rows)
        held, _ = Reservation.objects.get_or_create(request=row, defaults={"granted_bps": 1, "path": []})
        start = now + timedelta(hours=dice.uniform(0, 90))
        charges.append(
            LedgerEntry.objects.create(
                reservation=held,
                request=row,
                link=dice.choice((JANET, JANET, GRNET)),
                direction=dice.choice(("in", "in", "out")),
                pool="p",
                rate_bps=dice.randrange(1, 10**12 if number % 9 == 0 else 10**6),
                start=start,
                end=dice.choice((None, start + timedelta(hours=dice.uniform(1, 30)))),
            )
        )
    window = TimeWindow(now, now + timedelta(hours=80))
    found = courses(now=now, links=[JANET, GRNET], within=window, policers=[policer])
    plain = courses(now=now, links=[JANET, GRNET], within=window)
    assert {key: course for key, course in found.items() if key[1] == "p"} == plain
    for charge in charges:
        charge.request.refresh_from_db()
    for at in [each.start for each in charges if each.start < window.end]:
        assert found[policer.load, policer.pool].rate_at(at) == sum(
            _on_the_wire(each) for each in charges if _counts(each, at)
        )


def _counts(charge: LedgerEntry, at: datetime) -> bool:
    on = charge.start <= at and (charge.end is None or at < charge.end)
    entering = (charge.link, charge.direction) == (JANET, "in")
    return on and entering and charge.request.service_class != "LBE"


def _on_the_wire(charge: LedgerEntry) -> int:
    asked = charge.request
    header = 40 if all(":" in prefix for prefix in asked.source_prefixes) else 20
    packet = max(header, asked.min_packet_bytes or asked.max_packet_bytes)
    return ceil(Fraction(charge.rate_bps * (packet + 4), packet))


@pytest.mark.django_db
@pytest.mark.usefixtures("six")
def test_a_hundred_thousand_charges_are_read_as_few() -> None:
    """The same queries whatever is charged, and the same as of a scheme that does not look at policers."""
    first = admitted(rate=1_000, start=hours(1), end=hours(2))
    asked = submitted(rate=7_740_000, start=hours(10), end=hours(12))

    def queries() -> int:
        with CaptureQueriesContext(connection) as seen:
            verdict = decisions.evidence(request=asked)
        assert isinstance(verdict, Refused)
        assert {reason.code for reason in verdict.reasons} == {"policer"}
        return len(seen)

    queries()
    few = queries()
    like = LedgerEntry.objects.get(request=first, link=JANET)
    LedgerEntry.objects.bulk_create(
        (another(like, start=hours(3 + number), end=hours(4 + number)) for number in range(100_000)),
        batch_size=5_000,
    )
    assert queries() == few


def another(like: LedgerEntry, *, start: datetime, end: datetime) -> LedgerEntry:
    return LedgerEntry(
        reservation_id=like.reservation_id, request_id=like.request_id, link=like.link, direction=like.direction,
        pool=like.pool, rate_bps=1, start=start, end=end, exempt="moved",  # the witness would look at each
    )  # fmt: skip
