"""What two clients at once must not achieve; on PostgreSQL, where both really run at once."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from django.db import connection

import inventory
from inventory.models import Router
from inventory.readers.network_yaml import read_network
from provisioning.models import SYSTEM, PremiumRequest
from provisioning.services import audit
from provisioning.services.inventory import import_network
from tests.api.conftest import Speaker, asked

URL = "/api/v1/premium-requests/"


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_one_key_sent_eight_times_at_once_asks_once(postgres: None, speakers: dict[str, Speaker]) -> None:
    barrier = threading.Barrier(8)

    def send(_: int) -> tuple[int, int]:
        speaker = Speaker(speakers["JANET"].token)
        barrier.wait(timeout=120)
        try:
            response = speaker.send("POST", URL, asked(), Idempotency_Key="at once")
            return response.status_code, response.json().get("id", 0)
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as pool:
        answers = set(pool.map(send, range(8)))
    assert PremiumRequest.objects.count() == 1
    assert answers == {(201, PremiumRequest.objects.get().pk)}
    assert audit.verify_chain().intact


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_four_imports_at_once_end_in_one_network(postgres: None) -> None:
    network = read_network(Path(inventory.__file__).parent / "networks" / "6net.yaml")
    import_network(actor=SYSTEM, network=network)
    barrier = threading.Barrier(4)

    def run(_: int) -> int:
        barrier.wait(timeout=120)
        try:
            return import_network(actor=SYSTEM, network=network).counts()["unchanged"]
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as pool:
        assert set(pool.map(run, range(4))) == {106}
    assert Router.objects.count() == 9
