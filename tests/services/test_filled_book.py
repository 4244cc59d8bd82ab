"""The book of the benchmark is written past the services: it must fit the tables as they are."""

from __future__ import annotations

import pytest
from django.db import connection

from provisioning.models import LedgerEntry, PremiumRequest
from tests.benchmarks import admission


@pytest.mark.skipif("connection.vendor == 'sqlite'", reason="the benchmark's rows are PostgreSQL's")
@pytest.mark.django_db(transaction=True)
def test_the_book_of_the_benchmark_fits_the_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(admission, "ROUTERS", 14)
    assert connection.vendor == "postgresql"
    admission._network()
    admission._fill(3)
    admission._fill(5)
    assert PremiumRequest.objects.count() == 5
    assert LedgerEntry.objects.count() == 5 * (admission.HOPS + 2)
