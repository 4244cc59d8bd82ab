"""Where much moves, charges are doubled in parts before the version: what others may do meanwhile, and who dies in between."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from django.db import connection, transaction
from django.utils import timezone

from inventory.models import Domain
from provisioning.errors import Busy, Conflict
from provisioning.models import (
    SYSTEM,
    AuditEvent,
    LedgerEntry,
    PremiumRequest,
    StagedVersion,
    TopologyVersion,
)
from provisioning.pipeline.admission import Admitted, Refused
from provisioning.pipeline.topology import LinkCapacity
from provisioning.pipeline.units import TimeWindow
from provisioning.selectors.overcommitment import overcommitted
from provisioning.services import decisions, modifications, topology
from provisioning.services.charging import release_reservation
from provisioning.services.inventory import ImportReport
from provisioning.services.modifications import Modify
from provisioning.services.topology import staging
from tests.jobs.workers import process, stand_still
from tests.services.in_threads import at_once
from tests.services.requests.sixnet import hours, noc, person
from tests.services.topology.diamond import DIAMOND, MBIT, ask, core, network, put
from tests.services.topology.parts import (
    HIGHER,
    RATE,
    Killed,
    after_part,
    charges,
    follows,
    four_to_move,
    granted,
    settled_on,
)

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return four_to_move(tmp_path, monkeypatch)


def test_parts_come_to_what_one_transaction_comes_to(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parts = []
    bring = staging._bring
    monkeypatch.setattr(staging, "_bring", lambda *args: parts.append(1) or bring(*args))
    report = put(file)
    assert len(parts) == 4
    follows()
    first = charges()
    events = AuditEvent.objects.filter(action="reservation.recharge")
    assert sorted(events.values_list("object_id", flat=True)) == sorted(
        str(row.pk) for row in PremiumRequest.objects.all()
    ), "each once"
    put(network(file.with_name("back.yaml"), DIAMOND))
    for request in topology.moving():
        topology.path_moved(actor=noc("nora"), request=request, reason="seen")
    monkeypatch.setattr(staging, "AT_ONCE", 2000)
    again = put(file)
    assert charges() == first
    assert _lines(again) == _lines(report)
    assert len(parts) == 8
    follows()


def _lines(report: ImportReport) -> str:
    return str(report.as_dict())


def test_who_is_decided_between_two_parts_finds_both_paths_taken(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three of four are charged over c as well; over b all are. Neither path has room for what one of them has."""
    first, second = ask("c", "d", 3 * MBIT), ask("c", "d", 2 * MBIT)

    def decide() -> tuple[object, object]:
        admit = partial(decisions.admit, actor=noc("nora"), reason="try")
        return admit(request=first), admit(request=second)

    said = after_part(monkeypatch, 3, decide)
    put(file)
    verdicts = said[0]
    assert isinstance(verdicts, tuple), verdicts
    assert (type(verdicts[0]), type(verdicts[1])) == (Refused, Admitted)
    assert settled_on(core(3)) == 4 * RATE + 2 * MBIT
    assert TopologyVersion.objects.count() == 2
    follows()


def test_one_that_is_granted_between_two_parts_moves_with_the_version(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = after_part(monkeypatch, 2, lambda: granted("a", "d", RATE))
    put(file)
    assert isinstance(said[0], PremiumRequest), said
    assert settled_on(core(3)) == 5 * RATE and settled_on(core(1)) == 0
    follows()


@pytest.mark.parametrize("brought", (True, False))
def test_one_that_is_seen_gone_between_two_parts_is_charged_nowhere(
    file: Path, monkeypatch: pytest.MonkeyPatch, brought: bool
) -> None:
    gone = PremiumRequest.objects.earliest("pk") if brought else PremiumRequest.objects.latest("pk")

    def end() -> None:
        with transaction.atomic():
            release_reservation(gone.pk, now=timezone.now())

    said = after_part(monkeypatch, 2, end)
    put(file)
    assert said == [None]
    assert not LedgerEntry.objects.filter(request=gone, released_at=None).exists()
    assert settled_on(core(3)) == 3 * RATE
    follows()


def test_what_was_brought_over_is_not_changed_before_the_move_is_over(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    request = PremiumRequest.objects.earliest("pk")
    more = Modify(rate=2 * RATE)
    asking = person("at-a", nrens=("Na",))
    made = modifications.modify(actor=asking, request=request, wanted=more, reason="more of it")
    assert made is not None
    said = after_part(
        monkeypatch,
        1,
        lambda: modifications.admit(actor=noc("nora"), modification=made, reason="fits"),
    )
    put(file)
    assert isinstance(said[0], Conflict), said
    assert "moves" in said[0].reason
    follows()


def test_nobody_else_makes_a_version_meanwhile(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    domain = Domain.objects.get()
    planned = LinkCapacity(core(1), 10 * MBIT, TimeWindow(hours(2), None))
    deeds: dict[str, Callable[[], object]] = {
        "an import": partial(put, network(file.with_name("other.yaml"), (*HIGHER[:3], ("c", "d", 20)))),
        "a link": partial(topology.declare, actor=SYSTEM, name=core(1), deed="down", reason="cut"),
        "capacity": partial(
            topology.change_capacity, actor=SYSTEM, domain=domain, planned=planned, reason="work"
        ),
    }
    said: dict[str, object] = {}

    def others() -> None:
        for name, deed in deeds.items():
            try:
                said[name] = deed()
            except Busy as error:
                said[name] = error

    after_part(monkeypatch, 2, others)
    put(file)
    assert {name: type(each) for name, each in said.items()} == dict.fromkeys(deeds, Busy)
    assert all(each.retry_after for each in said.values() if isinstance(each, Busy))
    assert settled_on(core(3)) == 4 * RATE
    follows()
    deeds["a link"]()
    follows()


def test_what_an_error_cut_short_is_brought_back_by_the_next_tick(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def die() -> None:
        raise Killed

    after_part(monkeypatch, 2, die)
    with pytest.raises(Killed):
        put(file)
    assert settled_on(core(3)) == settled_on(core(1)) == 2 * RATE
    topology.notice_changed()
    assert settled_on(core(1)) == 4 * RATE
    assert {row.link for row in LedgerEntry.objects.filter(moving_since__isnull=False)} == {core(2), core(3)}
    newest = TopologyVersion.objects.latest("number")
    assert (newest.number, newest.cause) == (
        2,
        "a change of the network was not finished: its charges are brought back",
    )
    follows()


def test_an_import_after_one_that_died_begins_by_bringing_back(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def die() -> None:
        raise Killed

    with monkeypatch.context() as once:
        after_part(once, 2, die)
        with pytest.raises(Killed):
            put(file)
    StagedVersion.objects.update(renewed_at=timezone.now())
    with pytest.raises(Busy, match="Somebody else is changing the network"):
        put(file)
    StagedVersion.objects.update(renewed_at=timezone.now() - staging.LEASE - timedelta(seconds=1))
    put(file)
    assert settled_on(core(3)) == 4 * RATE
    assert TopologyVersion.objects.latest("number").number == 3
    follows()


def test_one_that_stood_still_and_was_taken_for_dead_begins_anew(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Stopped for longer than its lease between two parts: what it brought over was brought back meanwhile."""

    def tick() -> None:
        StagedVersion.objects.update(renewed_at=timezone.now() - staging.LEASE - timedelta(seconds=1))
        topology.notice_changed()
        assert settled_on(core(1)) == 4 * RATE

    said = after_part(monkeypatch, 2, tick)
    put(file)
    assert said == [None]
    assert settled_on(core(3)) == 4 * RATE
    assert TopologyVersion.objects.latest("number").number == 3
    follows()


def test_two_imports_at_once(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if connection.vendor != "postgresql":
        pytest.skip("SQLite has one writer")
    files = [file, network(file.with_name("other.yaml"), (*DIAMOND[:1], ("b", "d", 100), *DIAMOND[2:]))]
    for number in range(6):
        outcomes = at_once(*(partial(put, each) for each in files))
        assert any(isinstance(each, ImportReport) for each in outcomes), outcomes
        assert all(isinstance(each, ImportReport | Busy | Conflict) for each in outcomes), outcomes
        follows()
        put(network(file.with_name(f"back{number}.yaml"), DIAMOND))
        for request in topology.moving():
            topology.path_moved(actor=noc("nora"), request=request, reason="seen")
        assert settled_on(core(1)) == 4 * RATE


@pytest.fixture
def importing(tmp_path: Path) -> Iterator[Callable[[Path], Any]]:
    """An import in a process of its own, in parts of one reservation, half a second apart."""
    script = tmp_path / "importing.py"
    script.write_text(
        "import sys, time, django\n"
        "django.setup()\n"
        "from django.core.management import call_command\n"
        "from provisioning.services.topology import staging\n"
        "staging.AT_ONCE, bring = 0, staging._bring\n"
        "def slowly(*args):\n"
        "    done = bring(*args)\n"
        "    time.sleep(0.5)\n"
        "    return done\n"
        "staging._bring = slowly\n"
        "call_command('import_inventory', sys.argv[1])\n",
        encoding="utf-8",
    )
    yield lambda path: process(str(script), str(path), log=tmp_path / "log", PYTHONPATH=".")


def test_kill_nine_between_two_parts(file: Path, importing: Callable[[Path], Any]) -> None:
    if connection.vendor != "postgresql":
        pytest.skip("its database is in memory")
    with importing(file):
        until = time.monotonic() + 60
        while not 0 < settled_on(core(3)) < 4 * RATE:
            assert time.monotonic() < until
            time.sleep(0.05)
    assert 0 < settled_on(core(3)) < 4 * RATE
    assert TopologyVersion.objects.count() == 1
    topology.notice_changed()
    assert StagedVersion.objects.exists(), "it may live still"
    StagedVersion.objects.update(renewed_at=timezone.now() - staging.LEASE - timedelta(seconds=1))
    topology.notice_changed()
    assert settled_on(core(1)) == 4 * RATE
    follows()


def test_stopped_for_longer_than_its_lease(file: Path, importing: Callable[[Path], Any]) -> None:
    """SIGSTOP between two parts, brought back meanwhile, SIGCONT: it goes on from what is there then."""
    if connection.vendor != "postgresql":
        pytest.skip("its database is in memory")
    with importing(file) as started:
        until = time.monotonic() + 60
        while not 0 < settled_on(core(3)) < 4 * RATE:
            assert time.monotonic() < until
            time.sleep(0.05)
        stand_still(started)
        StagedVersion.objects.update(renewed_at=timezone.now() - staging.LEASE - timedelta(seconds=1))
        topology.notice_changed()
        assert settled_on(core(1)) == 4 * RATE
        follows()
        os.killpg(started.pid, signal.SIGCONT)
        assert started.wait(timeout=60) == 0
    assert settled_on(core(3)) == 4 * RATE
    assert TopologyVersion.objects.latest("number").number == 3
    follows()


def test_one_that_is_granted_what_a_part_takes_is_named(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It was judged before the first part that all fit; the last ones do not any more, and exceed the share by name."""
    said = after_part(monkeypatch, 1, lambda: granted("c", "d", 3 * MBIT))
    put(file)
    assert isinstance(said[0], PremiumRequest), said
    assert settled_on(core(3)) == 4 * RATE + 3 * MBIT
    exempt = LedgerEntry.objects.filter(link=core(3), exempt="moved", released_at=None)
    assert exempt.count() == 2, "what fitted beside it is held by the database"
    (found,) = overcommitted(Domain.objects.get(), now=timezone.now())
    assert (found.link, found.excess_bps) == (core(3), MBIT)
    follows()
