"""A process that is stopped inside a transaction: PostgreSQL ends it, and a successor takes the router over."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest
from django.db import connection, transaction

from inventory.models import Router
from provisioning.models import RouterLease
from provisioning.services import leases
from tests.jobs.workers import process, until
from tests.services.backbone import Backbone

STOPS_HOLDING_THE_ROW = """
import os, signal
import django
django.setup()
from django.db import transaction
from provisioning.models import RouterLease
with transaction.atomic():
    RouterLease.objects.select_for_update().get()
    print("holds it", flush=True)
    os.kill(os.getpid(), signal.SIGSTOP)
"""


@pytest.mark.postgres
def test_the_lock_of_a_stopped_process_ends_with_its_transaction(
    postgres: None, backbone: Backbone, tmp_path: Path
) -> None:
    router = Router.objects.get(name="uk6")
    RouterLease.objects.create(router=router)
    log = tmp_path / "stopped.log"
    with process("-c", STOPS_HOLDING_THE_ROW, log=log, TRANSACTION_IDLE_SECONDS="2") as stopped:
        until(lambda: "holds it" in log.read_text(), 60, "the row is locked", log)
        with connection.cursor() as cursor:
            cursor.execute("SET statement_timeout = '60s'")
        assert leases.acquire(router=router, owner="successor") is not None
        assert stopped.poll() is None, "it was never killed"
        stopped.send_signal(signal.SIGCONT)
        assert stopped.wait(timeout=60) != 0, "and finds out when it wakes"
    assert RouterLease.objects.get().owner == "successor"


@pytest.mark.postgres
@pytest.mark.django_db
def test_every_connection_is_bounded(postgres: None) -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SHOW idle_in_transaction_session_timeout")
        assert cursor.fetchone() == ("2min",)
