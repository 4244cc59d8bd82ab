"""Capacity that changes with time: decisions, the database's witness, the watch and the fit of each request follow it."""

from __future__ import annotations

import io
from datetime import datetime, timedelta
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError, transaction
from django.utils import timezone

from inventory.models import Domain
from provisioning.errors import InvalidInput, NotPermitted, StaleState
from provisioning.models import (
    SYSTEM,
    AuditEvent,
    CapacityChange,
    LedgerEntry,
    LinkShare,
    PremiumRequest,
    TopologyVersion,
)
from provisioning.pipeline.admission import Admitted, Refused
from provisioning.pipeline.topology import LinkCapacity, PoolShare
from provisioning.pipeline.units import TimeWindow
from provisioning.selectors.fitting import fit_of
from provisioning.selectors.overcommitment import overcommitted
from provisioning.services import decisions, records, topology
from tests.services.in_threads import at_once
from tests.services.requests.sixnet import hours, noc, person
from tests.services.topology.diamond import DIAMOND, MBIT, ask, core, network, put

pytestmark = pytest.mark.django_db
AB, BD = core(0), core(1)
START, END = timedelta(hours=10), timedelta(hours=14)


@pytest.fixture(autouse=True)
def file(tmp_path: Path) -> Path:
    put(network(tmp_path / "network.yaml", DIAMOND))
    return tmp_path / "network.yaml"


def work(link: str = AB, usable: int = 10 * MBIT, *, base: datetime | None = None) -> LinkCapacity:
    """Between 10 and 14 hours from now the link carries half: 2 Mbit/s of it are for IP Premium."""
    at = base or timezone.now()
    return LinkCapacity(link, usable, TimeWindow(at + START, at + END))


def say(planned: Any, **more: Any) -> topology.Said:
    return topology.change_capacity(
        actor=noc(), domain=Domain.objects.get(), planned=planned, reason="planned work", **more
    )


def admit(rate: int, start: float, end: float | None, source: str = "a", goal: str = "d") -> Any:
    request = ask(source, goal, rate, start=hours(start), end=None if end is None else hours(end))
    return request, decisions.admit(actor=noc(), request=request, reason="try")


def test_a_decision_knows_the_hours_in_which_less_is_there() -> None:
    say(work())
    _, verdict = admit(3 * MBIT, 1, 20)
    assert isinstance(verdict, Refused)
    (reason,) = verdict.reasons
    assert (reason.link, reason.share_bps, reason.shortfall_bps) == (AB, 2 * MBIT, MBIT)
    assert reason.interval_end - reason.interval_start == END - START
    assert "planned otherwise for that time" in reason.text
    offers = {offer.kind: offer for offer in verdict.counter_offers}
    assert offers["lower-rate"].rate_bps == 2 * MBIT
    assert offers["shorter-window"].end == reason.interval_start
    assert offers["later-start"].start == reason.interval_end
    assert isinstance(admit(3 * MBIT, 1, 9)[1], Admitted)
    assert isinstance(admit(MBIT, 1, 20)[1], Admitted)
    seen = next(each for each in admit(MBIT, 9.5, 20)[1].evidence if each.link == AB)
    assert (seen.share_bps, seen.headroom_bps) == (2 * MBIT, MBIT)


def test_who_no_longer_fits_is_named_before_and_after(file: Path) -> None:
    request, _ = admit(3 * MBIT, 1, 20)
    planned = work()
    said = say(planned, dry_run=True)
    assert CapacityChange.objects.count() == 0
    assert TopologyVersion.objects.count() == 1
    (broken,) = [each for each in said.breaks if each.link == AB]
    assert broken.sls_ids == (request.reference,)
    assert (broken.start, broken.end) == (planned.window.start, planned.window.end)
    assert broken.excess_bps == MBIT
    assert len(say(planned).breaks) == 1
    found = fit_of(request, now=timezone.now())
    assert found is not None
    assert not found.fits
    assert (found.start, found.end) == (planned.window.start, planned.window.end)
    assert overcommitted(Domain.objects.get(), now=timezone.now()) == said.breaks
    row = CapacityChange.objects.get()
    mended = topology.take_back(actor=noc(), key=row.pk, reason="called off")
    assert mended.mends == said.breaks
    assert overcommitted(Domain.objects.get(), now=timezone.now()) == ()
    with pytest.raises(StaleState):
        topology.take_back(actor=noc(), key=row.pk, reason="again")
    assert AuditEvent.objects.filter(action__startswith="capacity.").count() == 2
    put(file)  # an import changes nothing of it
    assert TopologyVersion.objects.count() == 3


def test_from_a_date_on_and_back_again_and_more_than_before() -> None:
    now = timezone.now()
    say(LinkCapacity(AB, 5 * MBIT, TimeWindow(now + timedelta(hours=5))))
    say(LinkCapacity(AB, 15 * MBIT, TimeWindow(now + timedelta(hours=30))))
    assert isinstance(admit(2 * MBIT, 1, 10)[1], Refused)
    assert isinstance(admit(3 * MBIT, 31, 40)[1], Admitted)
    assert isinstance(admit(MBIT // 8, 1, None)[1], Refused), (
        "what is there already takes all of 3 at its time"
    )
    assert isinstance(admit(MBIT, 6, 8)[1], Admitted)
    say(LinkCapacity(AB, 1 * MBIT, TimeWindow(now + timedelta(hours=50), now + timedelta(hours=51))))
    say(LinkCapacity(AB, 10 * MBIT, TimeWindow(now + timedelta(hours=50), now + timedelta(hours=52))))
    assert isinstance(admit(MBIT, 50.1, 50.9)[1], Refused)
    assert isinstance(admit(2 * MBIT, 51.1, 51.9)[1], Admitted)


def test_a_pools_share_can_change_for_a_kind_of_link() -> None:
    pool = LinkShare.objects.filter(link=AB, valid_to=None).values_list("pool", flat=True).get()
    at = timezone.now()
    say(PoolShare(pool, "core", Decimal("10"), TimeWindow(at + START)))
    assert isinstance(admit(3 * MBIT, 1, 9)[1], Admitted)
    _, verdict = admit(3 * MBIT, 11, 12)
    assert isinstance(verdict, Refused)
    assert {reason.share_bps for reason in verdict.reasons} == {2 * MBIT}
    say(PoolShare(pool, "core", Decimal("30.5"), TimeWindow(at + timedelta(hours=20))))
    assert isinstance(admit(6 * MBIT, 21, 22)[1], Admitted)
    assert isinstance(admit(MBIT, 21, 22)[1], Refused)


def _charge(link: str, rate: int, start: float, end: float | None) -> None:
    """By hand, past every service."""
    (like,) = LedgerEntry.objects.filter(link=link)[:1]
    with transaction.atomic():
        LedgerEntry.objects.create(
            reservation_id=like.reservation_id,
            request_id=like.request_id,
            link=link,
            direction=like.direction,
            pool=like.pool,
            rate_bps=rate,
            start=hours(start),
            end=None if end is None else hours(end),
        )


def test_the_database_refuses_what_does_not_fit_then() -> None:
    admit(MBIT, 1, 40)
    say(work())
    _charge(AB, MBIT, 11, 12)
    with pytest.raises(IntegrityError):
        _charge(AB, 1, 11, 12)
    with pytest.raises(IntegrityError):
        _charge(AB, 2 * MBIT, 2, 11)
    _charge(AB, 3 * MBIT, 2, 9.9)
    _charge(AB, 3 * MBIT, 14.1, 20)
    with pytest.raises(IntegrityError):
        _charge(AB, 1, 14.05, None)
    say(LinkCapacity(AB, 0, TimeWindow(hours(30))))
    _charge(AB, MBIT, 21, 29)
    with pytest.raises(IntegrityError):
        _charge(AB, 1, 29, None)


def test_the_witness_counts_more_where_more_was_said() -> None:
    pool = LinkShare.objects.filter(link=AB, valid_to=None).values_list("pool", flat=True).get()
    admit(4 * MBIT, 1, 40)
    say(PoolShare(pool, "core", Decimal("40"), TimeWindow(hours(10))))
    _charge(AB, 4 * MBIT, 10.1, 20)
    with pytest.raises(IntegrityError):
        _charge(AB, 1, 10.1, 20)
    with pytest.raises(IntegrityError):
        _charge(AB, 1, 9, 9.5)


def test_work_that_is_over_says_nothing() -> None:
    say(LinkCapacity(AB, 0, TimeWindow(hours(1), hours(2))))
    CapacityChange.objects.update(start=hours(-3), end=hours(-1))
    LinkShare.objects.filter(start__isnull=False).update(start=hours(-3), end=hours(-1))
    request = ask("a", "d", 4 * MBIT, start=hours(0.01), end=hours(3))
    PremiumRequest.objects.filter(pk=request.pk).update(start=hours(-4))
    assert isinstance(decisions.admit(actor=noc(), request=request, reason="late"), Admitted)
    assert overcommitted(Domain.objects.get(), now=timezone.now()) == ()


def test_its_record_can_be_derived_again_offline(settings: Any) -> None:
    settings.AUDIT_SIGNING_KEY = "MDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDA="
    say(work())
    request, _ = admit(MBIT, 1, 20)
    refused, _ = admit(3 * MBIT, 1, 20)
    assert records.recheck(request).status == 0, records.recheck(request)
    assert records.recheck(refused).status == 0, records.recheck(refused)
    topology.take_back(actor=noc(), key=CapacityChange.objects.get().pk, reason="called off")
    assert [each.status for each in records.recheck_all()] == [0, 0]
    said = " | ".join(str(each) for each in records.recheck(request).of("changed"))
    assert f"{request.reference} on {AB} a-z: the share was 2 Mbit/s, and is 4 Mbit/s" in said


@pytest.mark.parametrize(
    ("change", "field"),
    [
        (LinkCapacity("nowhere", 1, TimeWindow(hours(1))), "link"),
        (LinkCapacity(AB, 21 * MBIT, TimeWindow(hours(1))), "usable_bps"),
        (LinkCapacity(AB, MBIT, TimeWindow(hours(-2), hours(-1))), "end"),
        (PoolShare("nothing", "core", Decimal(1), TimeWindow(hours(1))), "pool"),
    ],
)
def test_what_cannot_be_meant_is_refused(change: Any, field: str) -> None:
    with pytest.raises(InvalidInput) as error:
        say(change)
    assert error.value.field == field
    assert CapacityChange.objects.count() == 0


def test_only_the_noc_says_it() -> None:
    with pytest.raises(NotPermitted):
        topology.change_capacity(
            actor=person("nobody", nrens=("Na",)), domain=Domain.objects.get(), planned=work(), reason="x"
        )
    with pytest.raises(InvalidInput):
        PoolShare("x", "core", Decimal(101), TimeWindow(hours(1)))


def command(*args: str) -> str:
    out = io.StringIO()
    call_command("capacity", *args, stdout=out)
    return out.getvalue()


def test_the_command_says_what_would_break_and_lists_and_takes_back() -> None:
    request, _ = admit(3 * MBIT, 1, 20)
    span = ("--from", hours(10).isoformat(), "--until", hours(14).isoformat(), "--reason", "work")
    told = command(AB, "--usable", "10M", *span, "--dry-run")
    assert f"NO LONGER FITS: {AB} a-z: {request.reference} hold up to 3 Mbit/s" in told
    assert "Dry run, nothing written" in told
    assert "No changes of capacity or share." in command()
    command(AB, "--usable", "10M", *span)
    listed = command()
    assert f"{AB} carries 10 Mbit/s from" in listed
    assert "FITS AGAIN" in command("--take-back", listed.split()[0], "--reason", "called off")
    with pytest.raises(CommandError) as error:
        command(AB, "--reason", "x")
    assert error.value.returncode == 2
    with pytest.raises(CommandError):
        command("--pool", "premium", "--kind", "core", "--percent", "many", "--reason", "x")


@pytest.mark.django_db(transaction=True)
def test_an_admission_that_meets_a_change_is_made_against_one_of_the_two_networks() -> None:
    """Whoever comes first: never both granted and silently too much."""
    noc()
    for number in range(4):
        start = 10.0 + 20 * number
        request = ask("a", "d", 3 * MBIT, start=hours(start - 2), end=hours(start + 6))
        planned = LinkCapacity(AB, 10 * MBIT, TimeWindow(hours(start), hours(start + 4)))
        said, verdict = at_once(
            partial(say, planned),
            partial(decisions.admit, actor=noc(), request=request, reason="try"),
        )
        assert isinstance(said, topology.Said), said
        assert isinstance(verdict, Admitted | Refused), verdict
        named = {name for each in said.breaks for name in each.sls_ids}
        assert (request.reference in named) == isinstance(verdict, Admitted)
    assert TopologyVersion.objects.count() == 5
    assert SYSTEM is not None
