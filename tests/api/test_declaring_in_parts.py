"""A link is declared under an Idempotency-Key: what moves is brought over in parts beforehand, and the answer comes once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.core.cache import cache
from django.db import connection

from provisioning.models import SYSTEM, AuditEvent, Role, StagedVersion, TopologyVersion
from provisioning.services import people, tokens
from provisioning.services.topology import staging
from tests.api.conftest import Speaker
from tests.api.test_network_changes import of
from tests.services.in_threads import at_once
from tests.services.topology.diamond import core
from tests.services.topology.parts import RATE, follows, four_to_move, settled_on

pytestmark = pytest.mark.django_db(transaction=True)
DOWN = {"deed": "down", "reason": "a cut fibre"}


@pytest.fixture
def nora(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Speaker:
    cache.clear()
    four_to_move(tmp_path, monkeypatch)
    user = people.put_person(actor=SYSTEM, username="nora-of-the-noc", roles=[Role.NOC])
    return Speaker(tokens.issue(actor=SYSTEM, user=user, nren=None, name="t")[1])


def test_parts_are_transactions_of_their_own(nora: Speaker, monkeypatch: pytest.MonkeyPatch) -> None:
    inside: list[bool] = []
    bring = staging._bring

    def brings(*args: Any) -> bool:
        inside.append(connection.in_atomic_block)
        return bring(*args)

    monkeypatch.setattr(staging, "_bring", brings)
    url = of(nora, core(0), "declare")
    done = nora.post(url, DOWN, 200, Idempotency_Key="k")
    assert inside == [False] * 4
    assert done["moved_in_all"] == 4
    assert settled_on(core(3)) == 4 * RATE
    assert nora.post(url, DOWN, 200, Idempotency_Key="k") == done
    assert TopologyVersion.objects.count() == 2
    follows()


def test_two_of_one_key_at_once(nora: Speaker) -> None:
    """One does it; the other gets its answer, at once or when it asks again."""
    if connection.vendor != "postgresql":
        pytest.skip("SQLite has one writer")
    url = of(nora, core(0), "declare")
    said = at_once(*[lambda: nora.send("POST", url, DOWN, Idempotency_Key="k")] * 2)
    assert not [each for each in said if isinstance(each, BaseException)], said
    assert {each.status_code for each in said} <= {200, 503}, said
    assert not StagedVersion.objects.exists()
    nora.post(url, DOWN, 200, Idempotency_Key="k")
    assert AuditEvent.objects.filter(action="core-link.down").count() == 1
    follows()
