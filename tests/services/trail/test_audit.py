"""The trail cannot be edited, cut, thinned out or reordered without it showing."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.db import IntegrityError, connection, connections, transaction
from django.db.models import F

from inventory.models import Nren, Router
from provisioning.models import (
    SYSTEM,
    Actor,
    AuditEvent,
    AuditHead,
    AuditSeal,
    AuditSubject,
    Change,
    PremiumRequest,
    RouterPush,
    Transcript,
    Via,
)
from provisioning.services import audit
from provisioning.services.audit.sealing import seal_digest
from tests.services.requests.sixnet import admitted, import_sixnet

pytestmark = pytest.mark.one_transaction


@pytest.fixture
def trail(tampering: None) -> int:
    """A real history of a request, sealed, and how many events it made; in the hands of somebody who can write anything."""
    import_sixnet()
    admitted()
    audit.seal_waiting()
    assert audit.verify_chain().intact
    return AuditEvent.objects.count()


def test_a_real_history_is_intact_and_has_a_head(trail: int) -> None:
    check = audit.verify_chain()
    assert trail >= 4
    assert (check.length, check.intact) == (trail, True)
    assert check.digest == AuditHead.objects.get().digest == AuditSeal.objects.first().digest
    assert audit.head() == (trail, check.digest)


def test_an_empty_trail_is_intact(db: None) -> None:
    assert audit.verify_chain() == audit.ChainCheck(0, audit.GENESIS, ())


def _swap(one: int, other: int) -> None:
    AuditEvent.objects.filter(sequence=one).update(sequence=10**6)
    AuditEvent.objects.filter(sequence=other).update(sequence=one)
    AuditEvent.objects.filter(sequence=10**6).update(sequence=other)


def _thin_out() -> None:
    second = AuditEvent.objects.order_by("sequence")[1].sequence
    AuditEvent.objects.filter(sequence=second).delete()
    for event in AuditEvent.objects.filter(sequence__gt=second).order_by("sequence"):
        AuditEvent.objects.filter(pk=event.pk).update(sequence=F("sequence") - 1)


def _nth(place: int) -> int:
    return AuditEvent.objects.order_by("sequence")[place - 1].sequence


def _forge_one() -> None:
    """Somebody who knows how the digest is made edits an event and makes it fit itself."""
    event = AuditEvent.objects.get(sequence=_nth(2))
    event.reason = "another story"
    event.digest = audit.digest_of(event)
    event.save()


FIELDS: dict[str, Any] = {
    "chain_index": 77,
    "subject_digest": "1" * 64,
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
        lambda: AuditEvent.objects.filter(sequence=_nth(1)).delete(),
        lambda: AuditEvent.objects.filter(sequence=_nth(2)).delete(),
        lambda: AuditEvent.objects.order_by("-sequence")[0].delete(),
        lambda: AuditEvent.objects.all().delete(),
        lambda: AuditHead.objects.all().delete(),
        lambda: AuditSubject.objects.update(length=F("length") + 1),
        lambda: AuditSubject.objects.all().delete(),
        lambda: AuditSeal.objects.all().delete(),
        lambda: AuditSeal.objects.order_by("position")[1].delete(),
        lambda: AuditSeal.objects.filter(position=2).update(event_id=0),
        lambda: AuditSeal.objects.filter(position=1).update(sealed_at=F("sealed_at") + timedelta(minutes=1)),
        lambda: PremiumRequest.objects.update(rate_bps=F("rate_bps") + 1),
        lambda: PremiumRequest.objects.update(state="WITHDRAWN"),
        lambda: AuditHead.objects.update(sequence=F("sequence") - 1),
        lambda: _swap(_nth(2), _nth(3)),
        _thin_out,
        _forge_one,
    ],
)
def test_deletion_reordering_and_forgery_show(trail: int, tamper: Callable[[], Any]) -> None:
    tamper()
    assert not audit.verify_chain().intact


def _cut_the_tail() -> None:
    """Everything of the last deed goes, and every row that would tell is made to agree: what only a noted head finds."""
    last = AuditEvent.objects.order_by("sequence").last()
    assert last is not None
    AuditEvent.objects.filter(pk=last.pk).delete()
    AuditSeal.objects.filter(event_id=last.pk).delete()
    seal = AuditSeal.objects.order_by("position").last()
    assert seal is not None
    AuditHead.objects.filter(pk=2).update(sequence=seal.position, digest=seal.digest)
    subject = AuditSubject.objects.filter(object_type=last.object_type, object_id=last.object_id)
    subject.update(length=last.chain_index - 1, digest=last.previous_digest)
    if last.chain_index == 1:
        subject.delete()


def test_a_cut_tail_with_every_head_rewritten_is_found_by_the_noted_head(tampering: None) -> None:
    import_sixnet()
    noted = audit.head()[1]
    with transaction.atomic():
        audit.record(actor=SYSTEM, action="x", obj=Nren.objects.first())
    audit.seal_waiting()
    later = audit.head()[1]
    assert audit.verify_chain(noted=noted).intact
    assert audit.verify_chain(noted=later).intact
    _cut_the_tail()
    assert audit.verify_chain().intact, "nothing inside the database tells"
    assert audit.verify_chain(noted=noted).intact
    (fault,) = audit.verify_chain(noted=later).faults
    assert "was cut or made anew" in fault.reason


def test_a_seal_that_comes_much_later_is_a_fault(trail: int) -> None:
    last = AuditSeal.objects.order_by("position").last()
    assert last is not None
    AuditSeal.objects.filter(pk=last.pk).delete()
    AuditHead.objects.filter(pk=2).update(sequence=last.position - 1, digest=last.previous_digest)
    last.sealed_at += audit.LATE + timedelta(seconds=1)
    last.digest = seal_digest(last, AuditEvent.objects.get(pk=last.event_id).digest)
    last.save(force_insert=True)
    AuditHead.objects.filter(pk=2).update(sequence=last.position, digest=last.digest)
    (fault,) = audit.verify_chain().faults
    assert "after it was written" in fault.reason


def test_a_transcript_and_an_approved_plan_are_bound(tampering: None) -> None:
    import_sixnet()
    router = Router.objects.first()
    transcript = Transcript.objects.create(router=router, purpose="push", lines=[[0.1, "in", "show"]])
    digest = audit.transcript_digest(transcript.lines)
    change = Change.objects.create(kind="baseline", title="x", scheme="6net")
    push = RouterPush.objects.create(
        change=change, router=router, phase="edges", position=1, state="APPROVED", fingerprint="1" * 64
    )
    with transaction.atomic():
        audit.record(actor=SYSTEM, action="push.approved", obj=push)
        audit.record(
            actor=SYSTEM,
            action="push.transcript",
            obj=push,
            after={"transcript": transcript.pk, "digest": digest},
        )
    assert audit.verify_chain().intact
    RouterPush.objects.update(fingerprint="2" * 64)
    Transcript.objects.update(lines=[[0.1, "in", "something else"]])
    reasons = [fault.reason for fault in audit.verify_chain().faults]
    assert any("the plan of the push it is about was changed since" in reason for reason in reasons)
    assert any(f"the transcript {transcript.pk} was changed" in reason for reason in reasons)


def test_the_database_itself_refuses_to_change_what_was_written(db: None) -> None:
    install = importlib.import_module("provisioning.migrations.0012_audit_per_subject")
    import_sixnet()
    audit.seal_waiting()
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":  # taken off there for the sake of the tests (tests/conftest.py)
            for statement in install.SQLITE:
                cursor.execute(statement)
        for table in ("auditevent", "auditseal"):
            for statement in ("UPDATE provisioning_{} SET digest = 'x'", "DELETE FROM provisioning_{}"):
                with pytest.raises(IntegrityError, match="append only"), transaction.atomic():
                    cursor.execute(statement.format(table))


@pytest.mark.django_db(transaction=True)
def test_strangers_do_not_wait_for_each_other(postgres: None) -> None:
    """Two deeds about different things, the one not yet committed when the other is done."""
    import_sixnet()
    first, second = Nren.objects.order_by("pk")[:2]
    with transaction.atomic():
        audit.record(actor=SYSTEM, action="x", obj=first)

        def other() -> int:
            try:
                with transaction.atomic(), connection.cursor() as cursor:
                    cursor.execute("SET LOCAL lock_timeout = '5s'")
                    audit.record(actor=SYSTEM, action="y", obj=second)
                return audit.seal_waiting()
            finally:
                connections.close_all()

        with ThreadPoolExecutor(1) as pool:
            assert pool.submit(other).result(timeout=60) > 0
    check = audit.verify_chain()
    # The later number was sealed first; the earlier one, committed later, is not forgotten.
    assert (check.waiting, check.intact) == (1, True)
    assert audit.seal_waiting() == 1
    assert audit.verify_chain() == audit.ChainCheck(audit.head()[0], audit.head()[1], ())


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
