"""On PostgreSQL the charges of new paths are written before the links are locked: nobody waits for that, and nobody sees it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from django.db import connection
from django.utils import timezone

from inventory.models import CoreLink, Domain
from provisioning.models import AuditEvent, LedgerEntry, TopologyVersion
from provisioning.pipeline.admission import Admitted
from provisioning.selectors.overcommitment import overcommitted
from provisioning.services import audit, copying, decisions, topology
from provisioning.services.inventory import importing
from provisioning.services.topology import ahead, links, versions
from tests.services.in_threads import at_once
from tests.services.requests.sixnet import noc
from tests.services.topology.diamond import DIAMOND, MBIT, Core, ask, core, network, put

pytestmark = pytest.mark.django_db(transaction=True)
HIGHER: tuple[Core, ...] = (("a", "b", 100), *DIAMOND[1:])


@pytest.fixture
def file(tmp_path: Path) -> Path:
    if connection.vendor != "postgresql":
        pytest.skip("SQLite has one writer: nothing is written ahead")
    put(network(tmp_path / "before.yaml", DIAMOND))
    noc("nora")
    return network(tmp_path / "after.yaml", HIGHER)


def before_the_locks(monkeypatch: pytest.MonkeyPatch, deed: Callable[[], object]) -> list[object]:
    """Have `deed` done, on a connection of its own, when charges are written and the links are not locked yet; what it said."""
    said: list[object] = []

    def lock(domain: str) -> None:
        if not said:
            said.append("begun")
            said[:] = at_once(deed)
        versions_lock(domain)

    versions_lock = versions.lock_links_of
    for module in (importing, links, versions):
        monkeypatch.setattr(module, "lock_links_of", lock)
    return said


def is_declared_down(_file: Path) -> None:
    topology.declare(actor=noc("nora"), name=core(0), deed="down", reason="planned work")


WAYS: dict[str, Callable[[Path], object]] = {"an import": put, "a link down": is_declared_down}


@pytest.mark.parametrize("way", WAYS)
def test_a_decision_in_between_neither_waits_nor_is_forgotten(
    file: Path, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    """It is granted on the link to which the other one moves, which was written there already: both are charged, and named."""
    first, second = ask("a", "d", 3 * MBIT), ask("c", "d", 3 * MBIT)
    decisions.admit(actor=noc("nora"), request=first, reason="fits")
    said = before_the_locks(
        monkeypatch, partial(decisions.admit, actor=noc("nora"), request=second, reason="fits")
    )
    WAYS[way](file)
    assert isinstance(said[0], Admitted), said
    rows = LedgerEntry.objects.filter(link=core(3), released_at=None, moving_since=None)
    assert {row.request_id: row.exempt for row in rows} == {first.pk: "moved", second.pk: ""}
    (found,) = overcommitted(Domain.objects.get(), now=timezone.now())
    assert (found.link, found.excess_bps) == (core(3), 2 * MBIT)
    if way == "an import":
        reports = AuditEvent.objects.filter(action="inventory.import").latest("pk").after
        assert f"NO LONGER FITS: {core(3)}" in str(reports)
    assert not audit.verify_chain().faults


def test_who_is_granted_elsewhere_in_between_changes_nothing(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was judged before the locks stands: the database is not asked again for links to which nothing else is charged."""
    first, other = ask("a", "d", 3 * MBIT), ask("b", "d", MBIT)
    decisions.admit(actor=noc("nora"), request=first, reason="fits")
    asked: list[tuple[list[str], bool]] = []
    ask_of = ahead._ask
    monkeypatch.setattr(
        ahead,
        "_ask",
        lambda rows, locking: (
            asked.append(([row.link for row in rows], locking)),
            ask_of(rows, locking=locking),
        ),
    )
    before_the_locks(monkeypatch, partial(decisions.admit, actor=noc("nora"), request=other, reason="fits"))
    put(file)
    assert asked == [([core(2), core(3)], False), ([], True)]
    assert not LedgerEntry.objects.exclude(exempt="").exists()


def test_of_an_import_that_ends_before_the_locks_nothing_stays(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = ask("a", "d", MBIT)
    decisions.admit(actor=noc("nora"), request=first, reason="fits")
    there = set(LedgerEntry.objects.values_list("pk", "link", "moving_since", "released_at"))
    seen: list[int] = []

    def end(_domain: str) -> None:
        seen.append(LedgerEntry.objects.count())
        raise ConnectionError("the process ends here")

    with monkeypatch.context() as inner:
        inner.setattr(importing, "lock_links_of", end)
        with pytest.raises(ConnectionError):
            put(file)
    assert seen == [len(there) + 2]
    assert set(LedgerEntry.objects.values_list("pk", "link", "moving_since", "released_at")) == there
    assert TopologyVersion.objects.count() == 1
    put(file)
    assert LedgerEntry.objects.filter(link=core(2), released_at=None, moving_since=None).count() == 1


def test_what_comes_otherwise_is_taken_back(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A hand in the tables between the two: the file's network is another one than was foreseen."""
    first = ask("a", "d", MBIT)
    decisions.admit(actor=noc("nora"), request=first, reason="fits")
    before_the_locks(monkeypatch, lambda: CoreLink.objects.filter(name=core(2)).update(down=True))
    put(file)
    rows = LedgerEntry.objects.filter(request=first, released_at=None, link__contains="--")
    assert {row.link for row in rows} == {core(0), core(1)}, "a-c is down: it stays on its path"
    assert not rows.filter(moving_since__isnull=False).exists()


def test_a_share_is_not_exceeded_by_what_says_that_it_is_judged_later(file: Path) -> None:
    """Without the question under the locks nothing judged it: that it is asked is what the other tests show."""
    first = ask("a", "d", 3 * MBIT)
    decisions.admit(actor=noc("nora"), request=first, reason="fits")
    like = LedgerEntry.objects.get(request=first, link=core(0))
    like.pk, like.rate_bps = None, 2 * MBIT
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('expedite.judged_later', 'yes', false)")
        like.save(force_insert=True)
        cursor.execute("SELECT set_config('expedite.judged_later', '', false)")
    assert ahead._within_shares([like], locking=True) is False
    assert ahead._within_shares([like], locking=False) is False


def test_events_that_are_copied_hold_in_the_trail(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(copying, "MANY", 1)
    first = ask("a", "d", MBIT)
    decisions.admit(actor=noc("nora"), request=first, reason="fits: a\ttab, a \\ and a\nline")
    put(file)
    audit.seal_waiting()
    assert AuditEvent.objects.filter(action="reservation.recharge").count() == 1
    assert not audit.verify_chain().faults
