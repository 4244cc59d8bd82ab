"""A promise that changes while its network does: paths that move, links that fail, capacity in time."""

from __future__ import annotations

from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from inventory.models import Domain
from provisioning.errors import Conflict, InvalidInput, StaleState
from provisioning.models import Actor, CapacityChange, LedgerEntry, Modification, PremiumRequest
from provisioning.pipeline.admission import Admitted, AllowedRange, Refused
from provisioning.pipeline.topology import LinkCapacity
from provisioning.pipeline.units import TimeWindow
from provisioning.selectors.overcommitment import overcommitted
from provisioning.selectors.schemes import DIRECTORY
from provisioning.services import clock, decisions, modifications, topology
from provisioning.services.modifications import Modify
from tests.services.in_threads import at_once
from tests.services.requests.sixnet import hours, noc, person
from tests.services.requests.test_changing_oracle import Kept, seen
from tests.services.requests.test_modifications import grant, on_the_router
from tests.services.topology.diamond import DIAMOND, MBIT, access, ask, core, network, put

AB, BD, AC, CD = (core(place) for place in range(4))
HIGHER = (("a", "b", 100), *DIAMOND[1:])


@pytest.fixture
def file(tmp_path: Path) -> Path:
    put(network(tmp_path / "network.yaml", DIAMOND))
    return tmp_path / "network.yaml"


@pytest.fixture
def safe(tmp_path: Path, settings: Any) -> Path:
    """The diamond under a scheme that refuses what a single failure would take."""
    plain = (DIRECTORY / "6net.yaml").read_text(encoding="utf-8")
    text = plain.replace("name: 6net", "name: safe", 1).replace(
        "unprotected: admit", "unprotected: refuse", 1
    )
    (tmp_path / "schemes").mkdir()
    (tmp_path / "schemes" / "safe.yaml").write_text(text, encoding="utf-8")
    settings.SCHEMES_DIR = str(tmp_path / "schemes")
    file = network(tmp_path / "network.yaml", DIAMOND)
    file.write_text(file.read_text().replace("scheme: 6net", "scheme: safe"), encoding="utf-8")
    put(file)
    return file


def granted(source: str, goal: str, rate: int, **changes: Any) -> PremiumRequest:
    request = ask(source, goal, rate, **changes)
    assert isinstance(decisions.admit(actor=noc(), request=request, reason="fits"), Admitted)
    request.refresh_from_db()
    return request


def asker(request: PremiumRequest) -> Actor:
    name = request.nren.name
    return person(f"at-{name[1:]}", nrens=(name,))


def propose(request: PremiumRequest, **wanted: Any) -> Modification:
    made = modifications.modify(
        actor=asker(request), request=request, wanted=Modify(**wanted), reason="a larger hall"
    )
    assert made is not None
    return made


def charged(link: str, *, moving: bool = False, at: datetime | None = None) -> int:
    rows = LedgerEntry.objects.filter(link=link, released_at=None, moving_since__isnull=not moving)
    when = at or clock.now()
    return sum(row.rate_bps for row in rows if row.start <= when and (row.end is None or when < row.end))


@pytest.mark.django_db
class TestMoves:
    def test_while_its_path_moves_nothing_is_decided_and_afterwards_on_the_path_of_today(
        self, file: Path
    ) -> None:
        request = granted("a", "d", 2 * MBIT, end=hours(5))
        more = propose(request, rate=3 * MBIT)
        put(network(file, HIGHER))
        assert charged(AC) == charged(AB, moving=True) == 2 * MBIT
        with pytest.raises(Conflict, match="moves"):
            grant(more)
        assert more.state == "PROPOSED" and charged(AC) == 2 * MBIT
        topology.path_moved(actor=noc(), request=request, reason="seen")
        assert isinstance(grant(more), Admitted)
        assert (charged(AC), charged(CD), charged(AB), charged(BD)) == (3 * MBIT, 3 * MBIT, 0, 0)

    def test_an_import_between_asking_and_deciding_is_decided_about(self, file: Path) -> None:
        """a-c-d is full by others: what would have fitted on a-b-d does not any more."""
        request = granted("a", "d", 2 * MBIT, end=hours(5))
        granted("c", "d", 2 * MBIT, end=hours(5))
        more = propose(request, rate=3 * MBIT)
        assert isinstance(modifications.evidence(more).verdict, tuple)
        put(network(file, HIGHER))
        topology.path_moved(actor=noc(), request=request, reason="seen")
        verdict = grant(more)
        assert isinstance(verdict, Refused) and {reason.link for reason in verdict.reasons} == {CD}
        assert charged(CD) == 4 * MBIT

    def test_what_is_becoming_more_moves_whole_and_settles_on_both_paths(self, file: Path) -> None:
        request = granted("a", "d", 2 * MBIT, end=hours(5))
        on_the_router(request)
        more = propose(request, rate=3 * MBIT, end=hours(8))
        assert isinstance(grant(more), Admitted) and more.state == "ADMITTED"
        late = request.end + timedelta(hours=1)
        put(network(file, HIGHER))
        for moving, link in ((False, AC), (False, CD), (True, AB), (True, BD)):
            assert charged(link, moving=moving) == 3 * MBIT
            assert charged(link, moving=moving, at=late) == 3 * MBIT
        seen(Kept(request, ("", ""), (0, late, late), (0, late, late), True, more))
        request.refresh_from_db()
        assert request.rate_bps == 3 * MBIT
        for moving, link in ((False, AC), (False, CD), (True, AB), (True, BD)):
            assert charged(link, moving=moving) == 3 * MBIT
        topology.path_moved(actor=noc(), request=request, reason="seen")
        assert (charged(AC), charged(AB), charged(AB, moving=True)) == (3 * MBIT, 0, 0)
        assert charged(access("a")) == 3 * MBIT, "once where both paths are the same"

    def test_taken_back_while_it_moves_frees_what_was_beside_on_both_paths(self, file: Path) -> None:
        request = granted("a", "d", 2 * MBIT, end=hours(5))
        on_the_router(request)
        more = propose(request, rate=3 * MBIT)
        grant(more)
        put(network(file, HIGHER))
        modifications.withdraw(actor=noc(), modification=more, reason="not now")
        for moving, link in ((False, AC), (True, AB)):
            assert charged(link, moving=moving) == 2 * MBIT

    def test_to_and_fro_while_it_is_becoming_more(self, file: Path) -> None:
        """There, back, there again; taken back in between, and nothing of it is left anywhere."""
        request = granted("a", "d", 2 * MBIT, end=hours(5))
        on_the_router(request)
        more = propose(request, rate=3 * MBIT)
        grant(more)
        put(network(file, HIGHER))
        put(network(file, DIAMOND))
        assert (charged(AB), charged(AC), charged(AC, moving=True)) == (3 * MBIT, 0, 3 * MBIT)
        modifications.withdraw(actor=noc(), modification=more, reason="not now")
        assert (charged(AB), charged(AC, moving=True)) == (2 * MBIT, 2 * MBIT)
        put(network(file, HIGHER))
        assert (charged(AC), charged(AB, moving=True)) == (2 * MBIT, 2 * MBIT)
        topology.path_moved(actor=noc(), request=request, reason="seen")
        assert (charged(AC), charged(AB), charged(AB, moving=True)) == (2 * MBIT, 0, 0)

    def test_ending_early_ends_on_both_paths(self, file: Path) -> None:
        request = granted("a", "d", 2 * MBIT, end=hours(5))
        put(network(file, HIGHER))
        at = hours(1)
        modifications.end_early(actor=noc(), request=request, end=at, reason="short")
        ends = set(LedgerEntry.objects.filter(released_at=None).values_list("end", flat=True))
        assert ends == {at}

    def test_without_a_path_it_may_end_and_not_grow(self, file: Path) -> None:
        request = granted("a", "d", 2 * MBIT, end=hours(5))
        for link in (AB, AC):
            topology.declare(actor=noc(), name=link, deed="down", reason="cut")
        topology.path_moved(actor=noc(), request=request, reason="nothing goes anywhere")
        more = propose(request, rate=3 * MBIT)
        verdict = grant(more)
        assert isinstance(verdict, Refused) and [each.code for each in verdict.reasons] == ["no-path"]
        modifications.end_early(actor=noc(), request=request, reason="no way")


@pytest.mark.django_db
class TestFailures:
    def test_more_is_decided_with_every_failure_and_less_is_free(self, safe: Path) -> None:
        one = granted("a", "d", 2 * MBIT, end=hours(5))
        granted("a", "c", 2 * MBIT, end=hours(5))
        more = propose(one, rate=3 * MBIT)
        verdict = grant(more)
        assert isinstance(verdict, Refused) and {each.code for each in verdict.reasons} == {"unprotected"}
        modifications.withdraw(actor=noc(), modification=more, reason="no")
        found = modifications.range_of(actor=asker(one), request=one)
        assert isinstance(found, AllowedRange) and found.most_bps == 2 * MBIT
        assert isinstance(
            modifications.what_if(actor=asker(one), request=one, wanted=Modify(rate=MBIT)).verdict, tuple
        )

    def test_what_became_unprotected_may_become_less_and_not_longer(self, safe: Path) -> None:
        """a-c is gone: who goes from a to d is cut off by either link that is left. What he has he keeps."""
        one = granted("a", "d", 2 * MBIT, end=hours(5))
        put(_as_safe(network(safe, DIAMOND, down=frozenset({2}))))
        less = propose(one, rate=MBIT)
        assert isinstance(grant(less), Admitted)
        longer = propose(one, end=hours(8))
        verdict = grant(longer)
        assert isinstance(verdict, Refused) and {each.code for each in verdict.reasons} == {"unprotected"}
        assert {each.interval_start for each in verdict.reasons} == {one.end}
        modifications.withdraw(actor=noc(), modification=longer, reason="no")
        found = modifications.range_of(actor=asker(one), request=one)
        assert isinstance(found, AllowedRange) and (found.most_bps, found.latest_end) == (MBIT, one.end)

    def test_the_latest_end_stops_where_a_failure_would_take_it(self, safe: Path) -> None:
        one = granted("a", "d", 2 * MBIT, start=hours(1), end=hours(2))
        other = granted("a", "c", 3 * MBIT, start=hours(4), end=hours(6))
        found = modifications.range_of(actor=asker(one), request=one)
        assert isinstance(found, AllowedRange)
        assert found.latest_end is None or found.latest_end <= other.start
        tried = modifications.what_if(actor=asker(one), request=one, wanted=Modify(end=found.latest_end))
        assert isinstance(tried.verdict, tuple), "what is told fits"


def _as_safe(file: Path) -> Path:
    file.write_text(file.read_text().replace("scheme: 6net", "scheme: safe"), encoding="utf-8")
    return file


@pytest.mark.django_db
class TestCapacityInTime:
    def less_there(self, start: float, end: float, usable: int = 10 * MBIT) -> None:
        """Between these hours a-b carries half: 2 Mbit/s of it for IP Premium."""
        planned = LinkCapacity(AB, usable, TimeWindow(hours(start), hours(end)))
        topology.change_capacity(actor=noc(), domain=Domain.objects.get(), planned=planned, reason="work")

    def test_the_difference_is_decided_hour_by_hour(self, file: Path) -> None:
        request = granted("a", "d", 3 * MBIT, start=hours(1), end=hours(5))
        self.less_there(6, 8)
        longer = propose(request, end=hours(9))
        verdict = grant(longer)
        assert isinstance(verdict, Refused)
        (reason,) = verdict.reasons
        assert (reason.link, reason.shortfall_bps) == (AB, MBIT)
        found = modifications.range_of(actor=asker(request), request=request)
        assert isinstance(found, AllowedRange) and found.latest_end == reason.interval_start
        modifications.withdraw(actor=noc(), modification=longer, reason="no")
        both = propose(request, rate=2 * MBIT, end=hours(9))
        assert isinstance(grant(both), Admitted)

    def test_who_stands_above_what_is_left_keeps_it_and_may_change_around_it(self, file: Path) -> None:
        request = granted("a", "d", 3 * MBIT, start=hours(1), end=hours(10))
        self.less_there(4, 6)
        on_the_router(request, "ADMITTED")
        less = propose(request, rate=5 * MBIT // 2)
        assert isinstance(grant(less), Admitted), "it asks for less than it holds, in those hours too"
        seen(Kept(request, ("", ""), (0, hours(0), hours(0)), (0, hours(0), hours(0)), True, less))
        request.refresh_from_db()
        assert request.rate_bps == 5 * MBIT // 2
        assert LedgerEntry.objects.get(link=AB, released_at=None).exempt == "kept"
        longer = propose(request, end=hours(12))
        assert isinstance(grant(longer), Admitted)
        assert AB in {each.link for each in overcommitted(Domain.objects.get(), now=timezone.now())}

    def test_said_between_asking_and_deciding(self, file: Path) -> None:
        request = granted("a", "d", 2 * MBIT, start=hours(1), end=hours(5))
        more = propose(request, rate=3 * MBIT)
        self.less_there(2, 3)
        assert isinstance(grant(more), Refused)


@pytest.mark.django_db
def test_what_is_on_early_keeps_its_start(file: Path) -> None:
    """Somebody put it on before its window: lines let its traffic in, so it is charged from the start that it has."""
    request = granted("a", "d", 2 * MBIT, start=hours(2), end=hours(5))
    later = propose(request, start=hours(3))
    on_the_router(request, "ADMITTED")
    with pytest.raises(StaleState, match="its start stays"):
        grant(later)
    modifications.withdraw(actor=noc(), modification=later, reason="no")
    for start in (hours(1), hours(3)):
        with pytest.raises(InvalidInput, match="its start stays") as caught:
            propose(request, start=start, rate=MBIT)
        assert caught.value.field == "start"


@pytest.mark.django_db(transaction=True)
class TestAtOnce:
    def test_a_modification_and_the_import_that_moves_it(self, tmp_path: Path) -> None:
        """Whoever is first: it is charged whole on the path of now, and never past a share without a word."""
        file = tmp_path / "network.yaml"
        put(network(file, DIAMOND))
        noc("nora")
        outcomes = set()
        for number in range(6):
            request = granted("a", "d", 2 * MBIT, end=hours(5))
            other = granted("c", "d", MBIT, end=hours(5))
            more = propose(request, rate=4 * MBIT)
            changed = network(tmp_path / f"{number}.yaml", HIGHER if number % 2 == 0 else DIAMOND)
            nora = noc("nora")
            imported, said = at_once(
                partial(put, changed),
                partial(modifications.admit, actor=nora, modification=more, reason="at once"),
            )
            assert not isinstance(imported, Exception), imported
            assert isinstance(said, Admitted | Refused | Conflict), said
            outcomes.add(type(said).__name__)
            request.refresh_from_db()
            now, before = ((AC, CD), (AB, BD)) if number % 2 == 0 else ((AB, BD), (AC, CD))
            beside = {CD: MBIT}
            for link in now:
                assert charged(link) == request.rate_bps + beside.get(link, 0), (number, said)
            for link in before:
                assert charged(link, moving=True) == request.rate_bps, (number, said)
            if charged(CD) > 4 * MBIT:
                assert CD in {each.link for each in overcommitted(Domain.objects.get(), now=timezone.now())}
            _gone(request, other)
        assert outcomes

    def test_a_modification_and_capacity_that_goes(self, tmp_path: Path) -> None:
        put(network(tmp_path / "network.yaml", DIAMOND))
        noc("nora")
        for _ in range(5):
            request = granted("a", "d", 2 * MBIT, end=hours(5))
            more = propose(request, rate=4 * MBIT)
            nora, domain = noc("nora"), Domain.objects.get()
            planned = LinkCapacity(AB, 10 * MBIT, TimeWindow(hours(1), hours(2)))
            said = at_once(
                partial(modifications.admit, actor=nora, modification=more, reason="more"),
                partial(topology.change_capacity, actor=nora, domain=domain, planned=planned, reason="work"),
            )
            assert not [each for each in said if isinstance(each, Exception)], said
            over = {each.link for each in overcommitted(domain, now=timezone.now())}
            assert isinstance(said[0], Refused) or AB in over, "granted first: it is named"
            _gone(request)
            for change in CapacityChange.objects.filter(taken_back_at=None):
                topology.take_back(actor=nora, key=change.pk, reason="done")


def _gone(*requests: PremiumRequest) -> None:
    for row in requests:
        LedgerEntry.objects.filter(request=row).update(released_at=clock.now())
        PremiumRequest.objects.filter(pk=row.pk).update(state="COMPLETED")
        type(row.reservation).objects.filter(request=row).update(released_at=clock.now())
    Modification.objects.filter(state__in=["PROPOSED", "ADMITTED"]).update(state="LAPSED")
