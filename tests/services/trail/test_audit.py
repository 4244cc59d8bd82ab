"""The trail cannot be edited, cut, thinned out or reordered without it showing."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.db import transaction
from django.db.models import F

from inventory.models import Nren
from provisioning.models import SYSTEM, Actor, AuditEvent, AuditHead, Via
from provisioning.services import audit
from tests.services.requests.sixnet import admitted, import_sixnet


@pytest.fixture
def trail(db: None) -> int:
    """A real history of a request, and how many events it made."""
    import_sixnet()
    admitted()
    assert audit.verify_chain().intact
    return AuditEvent.objects.count()


def test_a_real_history_is_intact_and_has_a_head(trail: int) -> None:
    check = audit.verify_chain()
    assert trail >= 4
    assert (check.length, check.intact) == (trail, True)
    assert check.digest == AuditHead.objects.get().digest == AuditEvent.objects.get(sequence=trail).digest


def test_an_empty_trail_is_intact(db: None) -> None:
    assert audit.verify_chain() == audit.ChainCheck(0, audit.GENESIS, ())


def _swap(one: int, other: int) -> None:
    AuditEvent.objects.filter(sequence=one).update(sequence=10**6)
    AuditEvent.objects.filter(sequence=other).update(sequence=one)
    AuditEvent.objects.filter(sequence=10**6).update(sequence=other)


def _thin_out() -> None:
    AuditEvent.objects.filter(sequence=2).delete()
    for event in AuditEvent.objects.filter(sequence__gt=2).order_by("sequence"):
        AuditEvent.objects.filter(pk=event.pk).update(sequence=F("sequence") - 1)


def _forge_one() -> None:
    """Somebody who knows how the digest is made edits an event and makes it fit itself."""
    event = AuditEvent.objects.get(sequence=2)
    event.reason = "another story"
    event.digest = audit.digest_of(event)
    event.save()


FIELDS: dict[str, Any] = {
    "actor": "mallory",
    "user_id": None,
    "via": "api",
    "action": "something.else",
    "object_type": "Router",
    "object_id": "999",
    "object_label": "PIP-999",
    "nren_ids": [1, 2, 3],
    "reason": "another story",
    "before": {"state": "HELD"},
    "after": {"state": "REFUSED"},
    "previous_digest": "1" * 64,
    "digest": "1" * 64,
    "at": datetime(2004, 5, 1, tzinfo=UTC),
}


@pytest.mark.parametrize("field", sorted(FIELDS))
def test_an_edit_of_any_field_shows(trail: int, field: str) -> None:
    event = AuditEvent.objects.get(action="request.admitted")
    assert getattr(event, field) != FIELDS[field]
    AuditEvent.objects.filter(pk=event.pk).update(**{field: FIELDS[field]})
    check = audit.verify_chain()
    assert not check.intact
    assert event.sequence in {fault.sequence for fault in check.faults}


@pytest.mark.parametrize(
    "tamper",
    [
        lambda: AuditEvent.objects.filter(sequence=1).delete(),
        lambda: AuditEvent.objects.filter(sequence=2).delete(),
        lambda: AuditEvent.objects.order_by("-sequence")[0].delete(),
        lambda: AuditEvent.objects.all().delete(),
        lambda: AuditHead.objects.all().delete(),
        lambda: AuditHead.objects.update(sequence=F("sequence") - 1),
        lambda: _swap(2, 3),
        _thin_out,
        _forge_one,
    ],
)
def test_deletion_reordering_and_forgery_show(trail: int, tamper: Callable[[], Any]) -> None:
    tamper()
    assert not audit.verify_chain().intact


def test_an_event_outside_a_transaction_is_a_fault_of_the_caller(transactional_db: None) -> None:
    nren = Nren(pk=1, name="JANET")
    with pytest.raises(RuntimeError):
        audit.record(actor=SYSTEM, action="x", obj=nren)
    assert not AuditEvent.objects.exists()


def test_an_event_stands_or_falls_with_its_deed(transactional_db: None) -> None:
    nren = Nren(pk=1, name="JANET")
    with pytest.raises(ZeroDivisionError), transaction.atomic():
        audit.record(actor=SYSTEM, action="x", obj=nren)
        raise ZeroDivisionError
    assert audit.verify_chain() == audit.ChainCheck(0, audit.GENESIS, ())


def test_whatever_is_recorded_comes_back_as_it_was_hashed(db: None) -> None:
    odd: dict[str, Any] = {
        "float": 1e16,
        "small": 1e-7,
        "decimal": Decimal("1.10"),
        "when": datetime(2026, 3, 29, 2, 30, tzinfo=UTC),
        "length": timedelta(hours=1),
        "text": "nul\x00 half \ud800 \u2028 é",
        "nested": {"b": [1, (2, {3})], "a": None, 7: True},
        "row": Nren(pk=5, name="X"),
        "big": 10**15,
        "large": "x" * 30_000,
    }
    with transaction.atomic():
        audit.record(
            actor=Actor("é" * 200, None, via=Via.CLI),
            action="odd",
            obj=Nren(pk=1, name="a\x00b"),
            reason="\x00",
            after=odd,
        )
    event = AuditEvent.objects.get()
    assert audit.verify_chain().intact
    assert event.after is not None
    assert (event.after["float"], event.after["decimal"], event.after["row"]) == ("1e+16", "1.10", 5)
    assert event.after["nested"] == {"b": [1, [2, [3]]], "a": None, "7": True}
    assert event.after["large"]["bytes"] == 30_002
    assert len(event.actor) == 150
