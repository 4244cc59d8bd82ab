"""What a router can do is asked of it, remembered with its words, and planned by."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from inventory.models import Router
from provisioning.errors import Conflict, NotPermitted
from provisioning.models import AuditEvent, RouterCapabilities, RouterPush, Transcript
from provisioning.pipeline.platforms.capabilities import (
    ARCHIVE,
    FLOW_LABEL,
    PERCENT,
    REPLACE,
    REVERT,
    Answer,
)
from provisioning.selectors.plans import plan_of
from provisioning.services import capabilities, probing, pushing, verifying
from tests.services.backbone import Backbone

pytestmark = pytest.mark.once


def uk6() -> Router:
    return Router.objects.get(name="uk6")


def answers(router: Router) -> dict[str, bool | None]:
    return {each.capability: each.can for each in capabilities.known(router)}


def asked_again(router: Router) -> int:
    """How often the router was asked, by what it was read for then."""
    before = RouterCapabilities.objects.get(router=router).asked_at
    verifying.verify_router(router=router)
    return int(RouterCapabilities.objects.get(router=router).asked_at != before)


def test_a_router_is_asked_at_its_first_reading_and_when_its_release_is_another(backbone: Backbone) -> None:
    verifying.verify_router(router=uk6())
    row = RouterCapabilities.objects.get(router=uk6())
    gates = {ARCHIVE: False, REPLACE: False, REVERT: False}  # 12.0(28)S knows none of them (ios-facts 2.1)
    assert answers(uk6()).items() >= gates.items()
    assert "% Invalid input" in row.answers[REPLACE]["said"]
    assert row.answers[REPLACE]["asked"] == "configure replace"
    assert asked_again(uk6()) == 0
    RouterCapabilities.objects.filter(router=uk6()).update(ios="12.0(26)S")
    assert asked_again(uk6()) == 1
    assert RouterCapabilities.objects.get(router=uk6()).ios == row.ios
    assert backbone.typed("uk6") == []


def test_a_person_asks_in_configuration_mode_too_and_nothing_is_changed(live: Backbone) -> None:
    live.console("uk6", "ipv6 access-list BY-HAND", "permit ipv6 any any", "end")
    before, typed = live.running("uk6").splitlines(), len(live.typed("uk6"))
    found = {each.capability: each for each in probing.probe(actor=live.approver, router=uk6())}
    assert found[PERCENT].can is True
    assert found[PERCENT].said == "% Incomplete command."
    assert found[FLOW_LABEL].can is True
    assert found[REPLACE].can is False
    sent = live.typed("uk6")[typed:]
    assert "police cir percent" in sent
    volatile = ("! Last configuration", "ntp clock-period", "Current configuration")
    after = live.running("uk6").splitlines()
    assert [x for x in after if not x.startswith(volatile)] == [
        x for x in before if not x.startswith(volatile)
    ]
    assert AuditEvent.objects.filter(action="router.probed", object_id=uk6().pk).count() == 1
    assert Transcript.objects.filter(router=uk6(), purpose="probe").count() == 1
    with pytest.raises(NotPermitted):
        probing.probe(actor=live.nren["JANET"], router=uk6())


def test_a_line_that_the_router_has_said_it_does_not_know_is_refused_at_planning(backbone: Backbone) -> None:
    verifying.verify_router(router=uk6())
    ios = RouterCapabilities.objects.get(router=uk6()).ios
    said = Answer(
        PERCENT,
        False,
        "police cir percent",
        "% Invalid input detected",
        ios,
        datetime(2026, 11, 24, tzinfo=UTC),
    )
    capabilities.keep(uk6(), [said])
    assert answers(uk6())[REPLACE] is False, "an older moment replaces nothing newer"
    RouterCapabilities.objects.filter(router=uk6()).update(asked_at=said.at)
    capabilities.keep(uk6(), [said])
    change = backbone.plan(routers=["uk6"])
    plan = plan_of(RouterPush.objects.get(change=change, phase="edges"))
    assert plan.violations
    assert "the router does not know `police cir percent`: asked 2026-11-24" in plan.violations[0]
    with pytest.raises(Conflict, match="does not know"):
        backbone.approve(change)
    assert backbone.typed("uk6") == []
    # Said under another release it proves nothing.
    RouterCapabilities.objects.filter(router=uk6()).update(
        answers={PERCENT: said.to_json() | {"ios": "12.0(27)S"}}
    )
    again = backbone.plan(routers=["uk6"])
    assert plan_of(RouterPush.objects.get(change=again, phase="edges")).violations == ()


def test_no_router_is_asked_while_a_push_is_half_way_there(
    backbone: Backbone, monkeypatch: pytest.MonkeyPatch
) -> None:
    change = backbone.approve(backbone.plan(routers=["uk6"]))
    monkeypatch.setattr(pushing, "RETRIES", 0)
    RouterPush.objects.filter(change=change).update(
        state="PUSHING", started_at=datetime(2026, 11, 24, tzinfo=UTC)
    )
    with pytest.raises(Conflict, match="finished or taken back first"):
        probing.probe(actor=backbone.approver, router=uk6())
