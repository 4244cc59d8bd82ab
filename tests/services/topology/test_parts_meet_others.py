"""What is brought over in parts meets a collision, a larger share, somebody who leaves, a file that is refused."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import connection, transaction
from django.utils import timezone

from inventory.models import Nren, Prefix
from inventory.readers.network_yaml import read_network
from provisioning.errors import Conflict, ExpediteError
from provisioning.models import (
    SYSTEM,
    AuditEvent,
    LedgerEntry,
    PremiumRequest,
    StagedVersion,
    TopologyVersion,
)
from provisioning.services import topology
from provisioning.services.charging import release_reservation
from provisioning.services.inventory.foreseeing import foresee
from provisioning.services.topology import staging, versions
from tests.services.requests.sixnet import noc
from tests.services.topology.diamond import CORE_BPS, MBIT, core, put
from tests.services.topology.parts import (
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


def test_a_part_that_met_another_is_done_again_whole(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """PostgreSQL ends it at the last statement (40P01): the second time it writes all of it again."""
    if connection.vendor != "postgresql":
        pytest.skip("SQLite knows no deadlock")
    real, met = staging.record, []

    def record(*args: Any) -> None:
        real(*args)
        if not met:
            met.append(1)
            with connection.cursor() as cursor:
                cursor.execute(
                    "DO $$ BEGIN RAISE EXCEPTION 'deadlock detected' USING ERRCODE = '40P01'; END $$"
                )

    monkeypatch.setattr(staging, "record", record)
    put(file)
    assert met
    assert settled_on(core(3)) == 4 * RATE
    follows()


def larger(path: Path) -> Path:
    """The link c-d carries more, and the traffic goes over it."""
    text = path.read_text()
    at = text.index("a: [c, POS2/3]")
    text = text[:at] + text[at:].replace(f"capacity_bps: {CORE_BPS}", f"capacity_bps: {2 * CORE_BPS}", 1)
    path.write_text(text)
    return path


def test_a_link_that_carries_more_takes_what_it_could_not_before(file: Path) -> None:
    granted("c", "d", 3 * MBIT)
    report = put(larger(file))
    assert settled_on(core(3)) == 4 * RATE + 3 * MBIT
    assert "NO LONGER FITS" not in str(report.as_dict())
    assert not LedgerEntry.objects.exclude(exempt="").filter(released_at=None, moving_since=None).exists()
    follows()


def test_one_that_ends_where_it_would_not_fit(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    granted("c", "d", 3 * MBIT)
    gone = PremiumRequest.objects.earliest("pk")

    def end() -> None:
        with transaction.atomic():
            release_reservation(gone.pk, now=timezone.now())

    said = after_part(monkeypatch, 2, end)
    report = put(file)
    assert said == [None]
    assert "NO LONGER FITS" in str(report.as_dict())
    follows()


def test_a_file_that_is_refused_changes_nothing(file: Path) -> None:
    """It overlaps what an NREN has that the file does not mention."""
    Prefix.objects.create(nren=Nren.objects.get(name="Na"), network="2001:db8:f00::/40")
    file.write_text(file.read_text().replace("2001:db8:400::/40", "2001:db8:f00::/41"))
    before = charges(), AuditEvent.objects.count()
    with pytest.raises(Conflict, match="overlaps"):
        put(file)
    assert (charges(), AuditEvent.objects.count()) == before
    topology.notice_changed()
    assert TopologyVersion.objects.count() == 1


def die() -> None:
    raise Killed


def cut_short(file: Path, monkeypatch: pytest.MonkeyPatch, parts: int = 2) -> None:
    with monkeypatch.context() as once:
        after_part(once, parts, die)
        with pytest.raises(Killed):
            put(file)
    StagedVersion.objects.update(renewed_at=timezone.now())


def stays_charged_today() -> None:
    for request in PremiumRequest.objects.filter(reservation__released_at=None):
        links = set(
            LedgerEntry.objects.filter(request=request, released_at=None).values_list("link", flat=True)
        )
        assert {core(0), core(1)} <= links, request


def test_nobody_says_of_a_path_to_come_that_it_was_taken(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cut_short(file, monkeypatch)
    for request in topology.moving():
        with pytest.raises(ExpediteError):
            topology.path_moved(actor=noc("nora"), request=request, reason="seen")
    stays_charged_today()
    # Nobody ticked for two days.
    old = timezone.now() - timedelta(days=2)
    LedgerEntry.objects.filter(moving_since__isnull=False).update(moving_since=old)
    StagedVersion.objects.update(renewed_at=old)
    topology.end_due(now=timezone.now())
    stays_charged_today()
    topology.notice_changed()
    follows()
    topology.end_due(now=timezone.now() + timedelta(days=2))
    assert not topology.moving()
    assert settled_on(core(1)) == 4 * RATE


def test_who_takes_over_brings_back_what_was_written_while_it_reckoned(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It saw the row left behind, and before it took over the other woke, wrote a part and stood still again."""
    cut_short(file, monkeypatch, 2)
    long_ago = timezone.now() - 2 * staging.LEASE
    StagedVersion.objects.update(renewed_at=long_ago)
    read = read_network(file)
    real, woken = versions.prepare, []

    def prepare(*args: Any) -> Any:
        found = real(*args)
        if not woken:
            woken.append(1)
            foreseen = foresee(read)
            assert foreseen is not None
            ready = foreseen.ready
            row = StagedVersion.objects.get()
            other = staging.Staging(key=row.pk)
            staging._bring(ready, sorted(ready.recharges)[:1], other, SYSTEM, "again")
            StagedVersion.objects.update(renewed_at=long_ago + timedelta(seconds=1))
        return found

    monkeypatch.setattr(versions, "prepare", prepare)
    topology.notice_changed()
    assert StagedVersion.objects.exists()
    topology.notice_changed()
    follows()
    assert settled_on(core(1)) == 4 * RATE


def test_who_takes_over_what_is_done_by_then_makes_no_version(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cut_short(file, monkeypatch, 2)
    long_ago = timezone.now() - 2 * staging.LEASE
    StagedVersion.objects.update(renewed_at=long_ago)
    real, woken = versions.left_behind, []

    def left_behind() -> Any:
        found = real()
        if not woken:
            woken.append(1)
            versions.bring_back()
        return found

    monkeypatch.setattr(versions, "left_behind", left_behind)
    topology.notice_changed()
    assert woken
    assert TopologyVersion.objects.count() == 2
    follows()


def test_one_taken_for_dead_goes_on_in_parts(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parts = []
    bring = staging._bring
    monkeypatch.setattr(staging, "_bring", lambda *args: parts.append(bring(*args)) or parts[-1])

    def tick() -> None:
        StagedVersion.objects.update(renewed_at=timezone.now() - staging.LEASE - timedelta(seconds=1))
        topology.notice_changed()
        parts.clear()

    after_part(monkeypatch, 2, tick)
    put(file)
    assert parts == [False, True, True, True, True]
    follows()
