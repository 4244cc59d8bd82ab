"""500 operations of `make soak ONLY=ledger`, with processes that are killed; the whole of it is a target of its own."""

from __future__ import annotations

import pytest
from django.db import connections

from tests.soak import ledger


@pytest.mark.django_db(transaction=True)
def test_five_hundred_operations_and_twelve_kills_leave_nothing_unaccounted(postgres: None) -> None:
    outcome = ledger.run(operations=500, processes=6, kills=12, seconds=280, say=False)
    connections.close_all()
    assert outcome.faults == [], outcome.table()
    assert outcome.kills == 12
    assert outcome.deeds["admit"] > 20 < outcome.deeds["submit"]
