"""One failure as it is shown reads little; it says what the whole book says."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from django.utils import timezone

from inventory.models import Domain
from provisioning.models import LedgerEntry
from provisioning.models.ticks import Ticks
from provisioning.pipeline.failures import Book, Effect
from provisioning.pipeline.topology import Failure, LinkCapacity, single_failures
from provisioning.pipeline.units import TimeWindow, ticks_of
from provisioning.selectors import topology
from provisioning.selectors.failures import effect_of
from provisioning.selectors.held import whole_book
from provisioning.selectors.schemes import scheme_of
from provisioning.services import decisions, modifications
from provisioning.services import topology as services_topology
from tests.services.requests.sixnet import hours, noc, person
from tests.services.topology.diamond import DIAMOND, MBIT, ask, core, network, put

pytestmark = pytest.mark.django_db
LINKS = (*DIAMOND, ("b", "c", 12), ("d", "e", 10), ("c", "e", 25), ("a", "b", 10))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """The diamond with a bar across, a router behind it that is reached two ways, and a parallel link."""
    put(network(tmp_path / "network.yaml", LINKS, routers="abcde"))
    return tmp_path / "network.yaml"


def _book(now: datetime) -> Book:
    known = topology.current(Domain.objects.get())
    return whole_book(known.domain, known.network, scheme_of(known.domain), now=now)


def _every_failure() -> list[Effect]:
    """Of every failure what is shown; it is asserted that the whole book says the same."""
    now = timezone.now()
    book, domain = _book(now), Domain.objects.get()
    found = []
    for failure in single_failures(topology.current(domain).network, "links-and-routers"):
        shown = effect_of(domain, failure, now=now)
        assert shown == book.effect(failure, shifts=True), failure
        found.append(shown)
    return found


def test_the_view_of_one_failure_is_that_of_the_whole_book(file: Path) -> None:
    chance = random.Random(4)
    granted = []
    for _ in range(12):
        start = chance.randint(1, 20)
        request = ask(
            *chance.sample("abcde", 2),
            chance.choice((MBIT // 2, MBIT)),
            start=hours(start),
            end=hours(start + chance.randint(1, 15)),
        )
        verdict = decisions.admit(actor=noc(), request=request, reason="try")
        granted += [request] if type(verdict).__name__ == "Admitted" else []
    assert len(granted) > 6
    before = _every_failure()
    assert sum(len(each.shifts) for each in before) > 40

    # Another metric moves paths, and what moves is charged on both of them.
    put(network(file, (*LINKS[:1], ("b", "d", 40), *LINKS[2:]), routers="abcde"))
    assert LedgerEntry.objects.filter(moving_since__isnull=False).exists()
    moved = _every_failure()
    assert moved != before

    # For some hours a link carries a tenth.
    tenth = LinkCapacity(core(2, LINKS), 2_000_000, TimeWindow(hours(2), hours(30)))
    services_topology.change_capacity(
        actor=noc(), domain=Domain.objects.get(), planned=tenth, reason="work on the fibre"
    )
    assert any(over.share_bps == 400_000 for each in _every_failure() for over in each.overloads)

    # One whose path stands still ends earlier.
    moving = set(LedgerEntry.objects.filter(moving_since__isnull=False).values_list("request", flat=True))
    still = next(each for each in granted if each.pk not in moving)
    modifications.modify(
        actor=person(f"at-{still.source_link.name[1]}", nrens=(still.nren.name,)),
        request=still,
        wanted=modifications.Modify(end=still.end - timedelta(minutes=30)),
        reason="shorter",
    )
    _every_failure()


def test_it_reads_the_links_whose_load_changes_and_no_others(file: Path) -> None:
    for source, goal in (("a", "d"), ("d", "e"), ("e", "d"), ("c", "a")):
        decisions.admit(actor=noc(), request=ask(source, goal, MBIT // 2), reason="fits")
    shown = effect_of(Domain.objects.get(), Failure("link", core(5, LINKS)), now=timezone.now())
    touched = {shift.load.link for shift in shown.shifts}
    assert core(5, LINKS) in touched
    assert core(2, LINKS) not in touched, "a--c carries c to a before and after"


def test_an_instant_is_the_same_number_in_the_database(file: Path) -> None:
    request = ask("a", "d", MBIT)
    decisions.admit(actor=noc(), request=request, reason="fits")
    (first, *_) = LedgerEntry.objects.order_by("pk")
    for start in (
        datetime(2027, 1, 1, tzinfo=UTC),
        datetime(2027, 1, 1, 0, 0, 0, 1, tzinfo=UTC),
        datetime(2096, 2, 29, 23, 59, 59, 999_999, tzinfo=UTC),
    ):
        for end in (None, start + timedelta(microseconds=20)):
            LedgerEntry.objects.filter(pk=first.pk).update(start=start, end=end)
            (found,) = LedgerEntry.objects.filter(pk=first.pk).values_list(Ticks("start"), Ticks("end"))
            assert found == (ticks_of(start), None if end is None else ticks_of(end))
