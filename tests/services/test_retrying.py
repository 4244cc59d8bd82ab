"""What collided is done again from its beginning, so often and no more; what is busy has a name of its own."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest
from django.db import IntegrityError, OperationalError, connection, connections, transaction

from inventory.models import Nren
from provisioning.errors import Busy
from provisioning.services import retrying
from tests.services.requests.sixnet import import_sixnet


def colliding(state: type[psycopg.Error]) -> OperationalError:
    error = OperationalError("ended for another's sake")
    error.__cause__ = state("ended for another's sake")
    return error


@pytest.fixture
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The pauses that would have been made."""
    made: list[float] = []
    monkeypatch.setattr(retrying.time, "sleep", made.append)
    return made


def failing(errors: list[Exception]) -> Callable[[], int]:
    left = list(errors)

    def act() -> int:
        if left:
            raise left.pop(0)
        return 7

    return act


@pytest.mark.django_db(transaction=True)
def test_a_collision_is_done_again(no_pauses: list[float]) -> None:
    errors = [colliding(psycopg.errors.DeadlockDetected), colliding(psycopg.errors.SerializationFailure)]
    assert retrying.whole(failing(errors)) == 7
    assert len(no_pauses) == 2


@pytest.mark.django_db(transaction=True)
def test_it_is_done_again_a_bounded_number_of_times_with_longer_pauses(no_pauses: list[float]) -> None:
    errors: list[Exception] = [colliding(psycopg.errors.DeadlockDetected) for _each in range(50)]
    with pytest.raises(Busy) as raised:
        retrying.whole(failing(errors))
    assert raised.value.status == 503
    assert len(no_pauses) == retrying.TRIES - 1
    assert all(0 < pause <= retrying.LONGEST_PAUSE_SECONDS for pause in no_pauses)
    assert max(no_pauses[:2]) < retrying.LONGEST_PAUSE_SECONDS / 4


@pytest.mark.django_db(transaction=True)
def test_neither_a_lost_connection_nor_a_fault_is_done_again(no_pauses: list[float], postgres: None) -> None:
    for error, expected in (
        (colliding(psycopg.errors.AdminShutdown), Busy),
        (colliding(psycopg.errors.LockNotAvailable), Busy),
        (OperationalError("server closed the connection unexpectedly"), Busy),
        (IntegrityError("a charge is positive"), IntegrityError),
    ):
        with pytest.raises(expected):
            retrying.whole(failing([error]))
    assert no_pauses == []


def test_inside_a_transaction_nothing_is_done_again(db: None, no_pauses: list[float]) -> None:
    with pytest.raises(OperationalError), transaction.atomic():
        retrying.whole(failing([colliding(psycopg.errors.DeadlockDetected)]))
    assert no_pauses == []


@pytest.mark.django_db(transaction=True)
def test_a_real_deadlock_ends_with_both_deeds_done(postgres: None) -> None:
    import_sixnet()
    first, second = Nren.objects.order_by("pk").values_list("pk", flat=True)[:2]
    barrier = threading.Barrier(2)

    def deed(order: tuple[int, int]) -> int:
        attempts = 0

        def act() -> None:
            nonlocal attempts
            attempts += 1
            with transaction.atomic():
                Nren.objects.filter(pk=order[0]).update(country="XX")
                if attempts == 1:
                    barrier.wait(timeout=60)
                Nren.objects.filter(pk=order[1]).update(country="XX")

        try:
            retrying.whole(act)
            return attempts
        finally:
            connections.close_all()

    with ThreadPoolExecutor(2) as pool:
        attempts = sorted(pool.map(deed, [(first, second), (second, first)]))
    assert attempts == [1, 2]
    assert Nren.objects.filter(country="XX").count() == 2


@pytest.mark.django_db(transaction=True)
def test_a_locked_sqlite_is_busy() -> None:
    if connection.vendor != "sqlite":
        pytest.skip("SQLite's own")
    import_sixnet()
    other = sqlite3.connect(connection.settings_dict["NAME"], isolation_level=None)
    try:
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA busy_timeout = 50")
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(Busy, match="locked by another writer"):
            retrying.whole(lambda: Nren.objects.update(country="XX"))
    finally:
        other.close()
        connection.close()
