"""Who may approve what, and what keeps an approved change from being sent."""

from __future__ import annotations

import pytest

from inventory.models import AccessLink, LineCard, Router
from provisioning.drivers.netmiko import NetmikoDriver
from provisioning.errors import Conflict, InvalidInput, NotPermitted, PushDisabled, StaleState
from provisioning.models import SYSTEM, AuditEvent, Credential, Job, RouterPush, Via
from provisioning.selectors import changes as selecting
from provisioning.selectors.plans import plan_of
from provisioning.services import changes, people, pushing, verifying
from tests.plans import tamper
from tests.services.backbone import Backbone

pytestmark = pytest.mark.once  # over SSH, the same on either database: test_promises.py runs the line on both


def test_who_submitted_a_change_does_not_approve_it_nor_does_anybody_outside_the_noc(
    backbone: Backbone,
) -> None:
    change = backbone.plan(routers=["uk6"])
    for actor in (backbone.planner, backbone.nren["JANET"], SYSTEM):
        with pytest.raises(NotPermitted):
            changes.approve(actor=actor, change=change)
    assert set(backbone.states(change).values()) == {"PLANNED"}
    changes.approve(actor=backbone.approver, change=change, reason="night works")
    change.refresh_from_db()
    assert change.approved_by.username == "approver"
    assert AuditEvent.objects.filter(action="change.approved", reason="night works").count() == 1
    with pytest.raises(Conflict, match="only a planned change"):
        changes.approve(actor=backbone.approver, change=change)


def test_who_asked_for_a_reservation_does_not_approve_carrying_it_out(live: Backbone) -> None:
    request = live.admit(live.ask("SURFnet", "GRNET", "1M"))
    change = live.plan_for(request)
    assert change.submitted_by is None
    people.put_person(actor=SYSTEM, username="surfnet", roles=["noc"], nrens=[request.nren])
    with pytest.raises(NotPermitted, match="concerns SURFnet, to which you belong"):
        changes.approve(actor=people.actor_named("surfnet", via=Via.WEB), change=change, confirm_gaps=True)
    with pytest.raises(InvalidInput, match="gaps"):
        changes.approve(actor=live.approver, change=change)
    changes.approve(actor=live.approver, change=change, confirm_gaps=True)


def test_a_card_that_probably_refuses_takes_a_reason_to_go_ahead(
    backbone: Backbone, monkeypatch: pytest.MonkeyPatch
) -> None:
    LineCard.objects.filter(router__name="uk6", slot=1).update(engine="6")
    shown = NetmikoDriver.engines
    monkeypatch.setattr(NetmikoDriver, "engines", lambda driver: {**shown(driver), 1: "6"})
    change = backbone.plan(routers=["uk6"])
    push = change.pushes.get(phase="edges")
    assert [(each["place"], each["code"], each["severity"]) for each in push.stored_plan.doubts] == [
        ("POS1/0", "engine-mqc", "warning")
    ]
    with pytest.raises(InvalidInput, match="card of Engine 6"):
        changes.approve(actor=backbone.approver, change=change)
    changes.approve(actor=backbone.approver, change=change, override="the card was tried on the bench")
    change.refresh_from_db()
    assert change.override_reason == "the card was tried on the bench"


def test_what_changed_after_planning_is_stale(backbone: Backbone) -> None:
    change = backbone.plan(routers=["uk6"])
    AccessLink.objects.filter(nren__name="JANET").update(case="non-participant")
    with pytest.raises(StaleState, match="hold"):
        changes.approve(actor=backbone.approver, change=change)
    assert set(backbone.states(change).values()) == {"STALE"}


def test_a_router_that_moved_after_approval_is_stale_and_keeps_only_what_depends_on_it(
    backbone: Backbone,
) -> None:
    change = backbone.approve(backbone.plan())
    backbone.console("nl6", "class-map match-all EF", "match dscp 40")
    backbone.push(change)
    push = RouterPush.objects.get(change=change, router__name="nl6", phase="edges")
    assert push.state == "STALE"
    assert "class-map EF is new since the plan was made" in push.error
    states = backbone.states(change)
    assert {state for (name, phase), state in states.items() if name != "nl6" and phase == "edges"} == {
        "VERIFIED"
    }
    assert {state for (_, phase), state in states.items() if phase == "core-on"} == {"CANCELLED"}, (
        "no core queue while an edge of the domain is not as planned"
    )
    assert backbone.typed("nl6") == []
    assert selecting.is_over(selecting.by_reference(change.pk))


def test_a_router_that_moved_between_the_first_look_and_its_own_line_is_stale(backbone: Backbone) -> None:
    change = backbone.approve(backbone.plan(routers=["uk6"]))
    changes.release(actor=backbone.approver, change=change)
    assert "may start" in pushing.preflight(change_id=change.pk)
    backbone.console("uk6", "interface POS1/0", "bandwidth 100000")
    push = change.pushes.get()
    pushing.push(router_push_id=push.pk, worker="w")
    push.refresh_from_db()
    assert push.state == "STALE"
    assert "BW of POS1/0 is 100000000 bit/s, planned 155000000" in push.error
    assert backbone.typed("uk6") == []


def test_a_plan_altered_in_the_database_after_approval_is_not_sent(backbone: Backbone) -> None:
    change = backbone.approve(backbone.plan(routers=["uk6"]))
    push = change.pushes.get()
    tamper(push, 1, "match dscp 0")
    with pytest.raises(StaleState, match="not what was approved"):
        changes.release(actor=backbone.approver, change=change)
    with pytest.raises(StaleState, match="not the one that was planned"):
        plan_of(push)
    # Whoever alters the digest beside it as well alters what was approved.
    tamper(push, 1, "match dscp 1", both=True)
    assert plan_of(RouterPush.objects.get(pk=push.pk)).commands[1].text == "match dscp 1"
    with pytest.raises(StaleState, match="not what was approved"):
        changes.release(actor=backbone.approver, change=change)


def test_a_plan_altered_after_its_release_is_not_sent(backbone: Backbone) -> None:
    change = backbone.approve(backbone.plan(routers=["uk6"]))
    push = change.pushes.get()
    changes.release(actor=backbone.approver, change=change)
    pushing.preflight(change_id=change.pk)
    tamper(push, 1, "match dscp 0")
    with pytest.raises(StaleState, match="not the one that was planned"):
        pushing.push(router_push_id=push.pk, worker="w")
    tamper(push, 1, "match dscp 0", both=True)
    with pytest.raises(StaleState, match="not what was approved"):
        pushing.push(router_push_id=push.pk, worker="w")
    assert backbone.typed("uk6") == []


def test_a_hand_edit_of_ours_is_shown_as_a_difference_and_never_overwritten_in_passing(
    backbone: Backbone,
) -> None:
    backbone.push(backbone.approve(backbone.plan(routers=["uk6"])))
    backbone.console(
        "uk6",
        "policy-map TRUSTED-IN",
        "class EF",
        "police cir percent 50 conform-action transmit exceed-action drop",
    )
    row = verifying.verify_router(router=Router.objects.get(name="uk6"))
    assert row.state == "differs"
    shown = next(item for item in row.detail["items"] if item["object"] == "policy-map TRUSTED-IN")
    assert "percent 5" in shown["expected"]
    assert "percent 50" in shown["found"]
    change = backbone.plan(routers=["uk6"])
    with pytest.raises(Conflict, match="TRUSTED-IN"):
        backbone.approve(change)
    repair = backbone.push(backbone.approve(backbone.plan(routers=["uk6"], kind="repair")))
    assert set(backbone.states(repair).values()) == {"VERIFIED"}
    assert "percent 50" not in backbone.running("uk6")


def test_a_foreign_object_of_the_same_name_is_refused_and_left_as_it_is(backbone: Backbone) -> None:
    backbone.console("uk6", "policy-map TRUSTED-IN", "class class-default", "set dscp 8")
    change = backbone.plan(routers=["uk6"])
    push = change.pushes.get()
    assert push.conflicts[0]["kind"] == "foreign"
    with pytest.raises(Conflict, match="TRUSTED-IN"):
        backbone.approve(change)
    repair = backbone.plan(routers=["uk6"], kind="repair")
    with pytest.raises(Conflict, match="TRUSTED-IN"):
        backbone.approve(repair)
    assert backbone.typed("uk6") == []


def test_an_enabled_interface_nobody_knows_keeps_the_core_queues_out(backbone: Backbone) -> None:
    backbone.console("nl6", "interface Tunnel7", "ipv6 address 2001:DB8:9::1/64", "no shutdown")
    change = backbone.plan()
    assert [(edge["router"], edge["interface"]) for edge in change.open_edges] == [("nl6", "Tunnel7")]
    assert {phase for _, phase in backbone.states(change)} == {"edges"}
    backbone.push(backbone.approve(change))
    assert set(backbone.states(change).values()) == {"VERIFIED"}
    assert not any(direction == "output" for _, direction, _ in backbone.bound("uk6"))
    row = verifying.verify_router(router=Router.objects.get(name="nl6"))
    assert "not in the inventory" in row.open_edges[0]["reason"]


def test_an_edge_that_opens_between_the_phases_stops_the_core(backbone: Backbone) -> None:
    change = backbone.approve(backbone.plan())
    changes.release(actor=backbone.approver, change=change)
    pushing.preflight(change_id=change.pk)
    for push in change.pushes.filter(phase="edges"):
        pushing.push(router_push_id=push.pk, worker="w")
    backbone.console("gr6", "interface Tunnel7", "ipv6 address 2001:DB8:9::1/64", "no shutdown")
    outcome = pushing.preflight(change_id=change.pk)
    assert "gr6 Tunnel7" in outcome
    states = backbone.states(change)
    assert {state for (_, phase), state in states.items() if phase == "core-on"} == {"STALE"}
    assert selecting.state_of(selecting.by_reference(change.pk)) == "PARTIAL"


@pytest.mark.parametrize(
    ("kind", "word"), [("unreachable", "unreachable"), ("wrong-password", "authentication-refused")]
)
def test_a_router_that_cannot_be_read_is_unknown_and_keeps_only_the_core_queues_back(
    backbone: Backbone, kind: str, word: str
) -> None:
    backbone.fault("gr6", kind)
    change = backbone.plan()
    push = change.pushes.get(router__name="gr6")
    assert push.state == "UNKNOWN"
    assert push.error_code == word
    assert not push.has_plan
    assert change.open_edges[0]["router"] == "gr6", "an unread edge counts as open, and is named"
    backbone.push(backbone.approve(change))
    assert backbone.states(change) == {
        ("uk6", "edges"): "VERIFIED",
        ("nl6", "edges"): "VERIFIED",
        ("gr6", "edges"): "CANCELLED",
    }, "nothing was approved for a router that nobody could read, and no core queue goes on"
    push.refresh_from_db()
    assert "gr6 was not read" in AuditEvent.objects.filter(object_label=str(push)).latest("pk").reason
    alone = backbone.plan(routers=["gr6"])
    with pytest.raises(Conflict, match="gr6 could not be read"):
        backbone.approve(alone)
    changes.cancel(actor=backbone.approver, change=alone, reason="gr6 is down")
    assert set(backbone.states(alone).values()) == {"CANCELLED"}


def test_a_changed_host_key_is_neither_read_nor_pushed_to(backbone: Backbone) -> None:
    change = backbone.approve(backbone.plan(routers=["uk6"]))
    backbone.call("hostkey", "uk6")
    backbone.push(change)
    push = change.pushes.get()
    assert push.state == "FAILED"
    assert push.error_code == "host-key-changed"
    assert backbone.typed("uk6") == []


def test_a_credential_that_is_missing_is_a_router_that_is_unread(backbone: Backbone) -> None:
    Credential.objects.filter(router__name="uk6").delete()
    change = backbone.plan(routers=["uk6"])
    assert change.pushes.get().state == "UNKNOWN"


def test_nothing_is_sent_while_push_is_disabled(backbone: Backbone, settings: object) -> None:
    change = backbone.approve(backbone.plan(routers=["uk6"]))
    settings.PUSH_ENABLED = False
    with pytest.raises(PushDisabled, match="PUSH_ENABLED"):
        changes.release(actor=backbone.approver, change=change)
    with pytest.raises(PushDisabled):
        pushing.push(router_push_id=change.pushes.get().pk, worker="w")
    backbone.work()
    assert not Job.objects.filter(kind__in=("push", "preflight")).exists()
    assert backbone.typed("uk6") == []


def test_other_peoples_unsaved_lines_are_shown_and_saved_only_when_somebody_agreed(
    backbone: Backbone,
) -> None:
    backbone.console("uk6", "interface POS1/0", "description typed at the console")
    change = backbone.plan(routers=["uk6"])
    push = change.pushes.get()
    assert any("typed at the console" in line for line in push.unsaved)
    backbone.push(backbone.approve(change))
    push.refresh_from_db()
    assert push.state == "VERIFIED"
    assert push.saved is False
    assert "NOT saved" in push.verification["save"]
    assert "typed at the console" not in str(backbone.call("state", "uk6")["startup"])


def test_other_peoples_unsaved_lines_are_saved_when_the_approval_says_so(backbone: Backbone) -> None:
    backbone.console("uk6", "interface POS1/0", "description typed at the console")
    change = backbone.plan(routers=["uk6"])
    backbone.push(backbone.approve(change, save_others_edits=True))
    push = change.pushes.get()
    assert push.saved is True
    assert "typed at the console" in str(backbone.call("state", "uk6")["startup"])


def test_unsaved_lines_nobody_was_shown_are_not_saved_even_then(backbone: Backbone) -> None:
    backbone.console("uk6", "interface POS1/0", "description typed at the console")
    change = backbone.approve(backbone.plan(routers=["uk6"]), save_others_edits=True)
    backbone.console("uk6", "interface POS2/0", "description typed later")
    backbone.push(change)
    push = change.pushes.get()
    assert push.state == "VERIFIED"
    assert push.saved is False
    assert "not the ones shown" in push.verification["save"]
