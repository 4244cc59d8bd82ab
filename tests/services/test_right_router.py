"""The router that answers is the one of the inventory, or nothing is planned for it and nothing sent."""

from __future__ import annotations

import pytest

from inventory.models import LineCard, Router
from provisioning.errors import Conflict, InvalidInput, NotPermitted
from provisioning.models import AuditEvent, Change, RouterPush, RouterQueue, RouterSync
from provisioning.services import chassis, pushing, verifying
from tests.services.backbone import Backbone

pytestmark = pytest.mark.once

OTHER = "TBM00009999"


def uk6() -> Router:
    return Router.objects.get(name="uk6")


def replaced(backbone: Backbone, serial: str = OTHER) -> str:
    """Another chassis in the place of uk6; the serial that was known before."""
    verifying.verify_router(router=uk6())
    known = uk6().serial
    backbone.fault("uk6", "replaced", message=serial)
    return known


def only_push(change: Change) -> RouterPush:
    return RouterPush.objects.get(change=change, router__name="uk6", phase="edges")


def test_a_serial_nobody_knew_is_learnt_at_the_first_reading_and_noted(backbone: Backbone) -> None:
    assert uk6().serial == ""
    sync = verifying.verify_router(router=uk6())
    assert sync.state != "unknown"
    learnt = uk6().serial
    assert learnt and learnt == sync.snapshot.serial  # type: ignore[union-attr]
    verifying.verify_router(router=uk6())
    assert AuditEvent.objects.filter(action="router.serial-learnt", object_id=uk6().pk).count() == 1


def test_another_chassis_is_neither_planned_nor_compared(backbone: Backbone) -> None:
    known = replaced(backbone)
    push = only_push(backbone.plan(routers=["uk6"]))
    assert (push.state, push.error_code, push.lines) == ("UNKNOWN", "wrong-router", 0)
    assert OTHER in push.error and known in push.error
    sync = RouterSync.objects.get(router=uk6())
    assert (sync.state, sync.detail["code"]) == ("unknown", "wrong-router")
    assert backbone.typed("uk6") == []


def test_work_that_is_due_waits_with_both_serials(live: Backbone) -> None:
    known = replaced(live)
    request = live.admit(live.ask("JANET", "GRNET"))
    live.work()
    waits = RouterQueue.objects.get(router=uk6()).waits_for
    assert OTHER in waits and known in waits
    assert not request.changes.exists()
    before = live.typed("uk6")
    chassis.accept(actor=live.approver, router=uk6(), serial=OTHER, reason="the chassis burnt down")
    live.work()
    assert request.changes.exists(), RouterQueue.objects.get(router=uk6()).waits_for
    assert RouterQueue.objects.get(router=uk6()).waits_for == ""
    assert live.typed("uk6") == before


def test_a_chassis_replaced_after_approval_gets_no_line_and_the_others_go_on(backbone: Backbone) -> None:
    change = backbone.approve(backbone.plan(routers=["uk6", "nl6"]))
    known = replaced(backbone)
    backbone.push(change)
    push = only_push(change)
    assert (push.state, push.error_code) == ("FAILED", "wrong-router")
    assert OTHER in push.error and known in push.error
    assert backbone.typed("uk6") == []
    assert RouterPush.objects.get(change=change, router__name="nl6", phase="edges").state == "VERIFIED"


def test_a_chassis_replaced_between_the_gate_and_the_first_line_gets_none(backbone: Backbone) -> None:
    change = backbone.approve(backbone.plan(routers=["uk6"]))
    pushing.preflight(change_id=backbone_released(backbone, change).pk)
    replaced(backbone)
    push = only_push(change)
    said = pushing.push(router_push_id=push.pk, worker="w")
    push.refresh_from_db()
    assert (push.state, push.error_code) == ("FAILED", "wrong-router"), said
    assert "nothing was sent" in push.error
    assert backbone.typed("uk6") == []


def backbone_released(backbone: Backbone, change: Change) -> Change:
    from provisioning.services import changes

    changes.release(actor=backbone.approver, change=change)
    return change


def test_a_release_that_changes_the_lines_is_refused_and_a_rebuild_is_a_remark(backbone: Backbone) -> None:
    Router.objects.filter(name="uk6").update(ios="12.0(28)S3")
    sync = verifying.verify_router(router=uk6())
    assert sync.state != "unknown"
    assert ["12.0(28)S" in remark for remark in sync.detail["remarks"]] == [True]
    Router.objects.filter(name="gr6").update(ios="12.3(9)")
    sync = verifying.verify_router(router=Router.objects.get(name="gr6"))
    assert (sync.state, sync.detail["code"]) == ("unknown", "wrong-router")
    assert "12.3(9)" in sync.detail["reason"] and "12.3(14)T" in sync.detail["reason"]
    with pytest.raises(Conflict):
        chassis.accept(actor=backbone.approver, router=uk6(), serial=uk6().serial + "X", reason="an upgrade")


def test_another_engine_under_a_slot_is_refused(backbone: Backbone) -> None:
    card = LineCard.objects.filter(router=uk6()).order_by("slot").first()
    assert card is not None and card.engine == "3"
    LineCard.objects.filter(pk=card.pk).update(engine="2")
    sync = verifying.verify_router(router=uk6())
    assert sync.detail["code"] == "wrong-router"
    assert f"slot {card.slot} holds a card of Engine 3, the inventory has Engine 2" in sync.detail["reason"]


def test_who_may_accept_a_chassis_and_which(backbone: Backbone) -> None:
    with pytest.raises(Conflict, match="nothing to accept"):
        chassis.accept(actor=backbone.approver, router=uk6(), serial=OTHER, reason="replaced")
    known = replaced(backbone)
    verifying.verify_router(router=uk6())
    with pytest.raises(NotPermitted):
        chassis.accept(actor=backbone.nren["JANET"], router=uk6(), serial=OTHER, reason="replaced")
    with pytest.raises(InvalidInput, match="say why"):
        chassis.accept(actor=backbone.approver, router=uk6(), serial=OTHER, reason=" ")
    with pytest.raises(InvalidInput, match=OTHER):
        chassis.accept(actor=backbone.approver, router=uk6(), serial="TBM1", reason="replaced")
    chassis.accept(actor=backbone.approver, router=uk6(), serial=OTHER, reason="replaced after a fire")
    chassis.accept(actor=backbone.approver, router=uk6(), serial=OTHER, reason="replaced after a fire")
    event = AuditEvent.objects.get(action="router.chassis-accepted")
    assert (event.before, event.after, event.reason) == (
        {"serial": known},
        {"serial": OTHER},
        "replaced after a fire",
    )
    assert verifying.verify_router(router=uk6()).state != "unknown"
