"""What a push does when a router refuses, lies, hangs up or is gone: taken back, or unknown and said so."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from provisioning.errors import Conflict
from provisioning.models import Change, Ownership, RouterPush
from provisioning.pipeline.change import building
from provisioning.selectors.plans import plan_of
from provisioning.services import changes, jobs, pushing
from provisioning.services.pushing import recording
from tests.services.backbone import Backbone

pytestmark = pytest.mark.once


def without_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Plans as they are where what is there is edited: line by line, each line's state one of the plan."""
    monkeypatch.setattr(building, "blocks", lambda *_: ())


def edges_of(change: Change, router: str = "uk6") -> RouterPush:
    return RouterPush.objects.get(change=change, router__name=router, phase="edges")


def approved_lines(push: RouterPush) -> set[str]:
    """Everything an approval allows to be typed: the commands, and every undo."""
    plan = plan_of(push)
    return (
        {line.text for line in plan.commands} | {line.text for lines in plan.undo for line in lines} | {"end"}
    )


def ready(backbone: Backbone, router: str = "uk6") -> Change:
    return backbone.approve(backbone.plan(routers=[router]))


def test_a_refused_line_is_taken_back_and_nothing_is_saved(backbone: Backbone) -> None:
    change = ready(backbone)
    before = backbone.call("state", "uk6")
    backbone.fault("uk6", "refuse", match="^set dscp", message="QoS: this is not supported here")
    backbone.push(change)
    push = edges_of(change)
    assert push.state == "ROLLED_BACK"
    assert "'set dscp 0' was refused: " in push.error
    assert "not supported here" in push.error
    assert push.error_code == "line-refused"
    after = backbone.call("state", "uk6")
    assert backbone.bound("uk6") == set()
    assert "policy-map TRUSTED-IN" not in str(after["running"])
    assert after["startup"] == before["startup"]
    assert not Ownership.objects.exists()
    assert set(backbone.typed("uk6")) <= approved_lines(push)
    change.refresh_from_db()
    assert change.finished_at is not None


LOCKED = "Configuration mode is locked by process '108' user 'mary' from terminal '2'. Please try later."


def test_configuration_mode_held_by_somebody_else_sends_nothing_and_says_who(
    backbone: Backbone, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pushing, "PAUSE_SECONDS", 0)
    change = ready(backbone)
    backbone.fault("uk6", "refuse", match="^configure", where="exec", message=LOCKED)
    backbone.push(change)
    push = edges_of(change)
    assert (push.state, push.error_code) == ("FAILED", "configuration-locked"), push.error
    assert "user 'mary'" in push.error and "nothing was sent to uk6" in push.error
    assert backbone.typed("uk6") == []


def cut_and_then_locked(backbone: Backbone, monkeypatch: pytest.MonkeyPatch) -> RouterPush:
    """A push that may be sent, whose session will drop in the middle; who comes next finds configuration mode locked."""
    change = ready(backbone)
    changes.release(actor=backbone.approver, change=change)
    for job in jobs.tick():
        jobs.run(job_id=job.pk, worker="preflight")
    backbone.fault("uk6", "drop", match="^class LBE", when="after", times=1)

    def meanwhile(_seconds: float) -> None:
        backbone.fault("uk6", "refuse", match="^configure", where="exec", message=LOCKED)

    monkeypatch.setattr(pushing, "time", SimpleNamespace(sleep=meanwhile))
    return edges_of(change)


def test_configuration_mode_lost_half_way_is_waited_for_however_long_it_takes(
    backbone: Backbone, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between building and binding the router is read; who steps in then and locks it does not make us give up."""
    push = cut_and_then_locked(backbone, monkeypatch)
    for _ in range(3):  # nine sessions: more than a broken push is given
        pushing.push(router_push_id=push.pk, worker="w")
        push.refresh_from_db()
        assert (push.state, push.error_code) == ("UNKNOWN", "configuration-locked"), push.error
    assert "lines are in" in push.error
    backbone.clear()
    pushing.recover(router_push_id=push.pk, worker="w")
    push.refresh_from_db()
    assert push.state == "VERIFIED", push.error
    assert backbone.bound("uk6") == {("POS1/0", "input", "TRUSTED-IN")}


def test_who_finds_it_locked_after_lines_went_out_never_says_that_nothing_was_sent(
    backbone: Backbone, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The session died before it was written down how far it had come: the row says line 0, the router holds lines."""
    push = cut_and_then_locked(backbone, monkeypatch)
    monkeypatch.setattr(recording, "progress", lambda *_args: None)
    pushing.push(router_push_id=push.pk, worker="w")
    push.refresh_from_db()
    assert (push.state, push.line) == ("UNKNOWN", 0), push.error
    assert "nothing was sent" not in push.error and backbone.typed("uk6")
    backbone.clear()
    pushing.recover(router_push_id=push.pk, worker="w")
    push.refresh_from_db()
    assert push.state == "VERIFIED", push.error


def test_a_session_cut_between_the_two_lines_of_a_swap_is_closed_by_the_approved_rest(
    backbone: Backbone,
) -> None:
    """The worst moment there is: the old policy is off and the new one was not heard of."""
    backbone.push(backbone.approve(backbone.plan(routers=["nl6"])))
    request = backbone.admit(backbone.ask("SURFnet", "GRNET", "1M"))
    backbone.work()
    change = request.changes.get()
    backbone.approve(change, confirm_gaps=True)
    backbone.fault("nl6", "drop", match="^service-policy input FILTERED-IN", when="before", times=1)
    backbone.work(change)
    push = edges_of(change, "nl6")
    assert push.state == "VERIFIED", push.error
    journal = [
        item for item in backbone.call("state", "nl6")["journal"] if item["interface"].startswith("Gig")
    ]
    assert [item["policy"] for item in journal] == ["NON-PARTICIPANT", None, "FILTERED-IN"]
    plan = plan_of(push)
    again = backbone.typed("nl6")[-4:]
    assert again[-3:] == ["interface GigabitEthernet1/0", "service-policy input FILTERED-IN", "end"]
    assert set(again) <= {line.text for line in plan.commands} | {"end"}, "nothing but approved lines"


def test_a_line_that_is_answered_but_not_taken_is_found_by_reading(backbone: Backbone) -> None:
    change = ready(backbone)
    backbone.fault("uk6", "ignore", match="^service-policy input TRUSTED-IN")
    backbone.push(change)
    push = edges_of(change)
    assert push.state == "ROLLED_BACK"
    assert push.error_code == "silently-refused"
    assert "policy-map TRUSTED-IN" not in backbone.running("uk6")


def test_a_state_nobody_approved_is_unknown_and_left_alone(
    backbone: Backbone, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_blocks(monkeypatch)
    change = ready(backbone)
    backbone.fault("uk6", "ignore", match="^class LBE")  # the police line after it lands in class EF
    backbone.push(change)
    push = edges_of(change)
    assert push.state == "UNKNOWN"
    assert push.error_code == pushing.UNRECOGNISED
    assert backbone.bound("uk6") == set(), "nothing is bound before what was built has been read back"
    typed = backbone.typed("uk6")
    backbone.clear()
    backbone.work()
    assert backbone.typed("uk6") == typed, "an unrecognised router is not touched again by itself"

    # What it holds was typed by us: planning again is enough, as the page says.
    again = backbone.plan(routers=["uk6"])
    backbone.push(backbone.approve(again))
    assert edges_of(again).state == "VERIFIED"
    push.refresh_from_db()
    assert push.state == "CANCELLED", "what was unknown is known again"
    assert ("POS1/0", "input", "TRUSTED-IN") in backbone.bound("uk6")


def test_what_somebody_types_after_an_unapproved_state_is_a_hand_edit_all_the_same(
    backbone: Backbone, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_blocks(monkeypatch)
    change = ready(backbone)
    backbone.fault("uk6", "ignore", match="^class LBE")
    backbone.push(change)
    assert edges_of(change).error_code == pushing.UNRECOGNISED
    backbone.clear()
    backbone.console("uk6", "policy-map TRUSTED-IN", "class EF", "police cir percent 7", "end")
    refused = backbone.plan(routers=["uk6"])
    with pytest.raises(Conflict, match="TRUSTED-IN"):
        backbone.approve(refused)
    again = backbone.plan(routers=["uk6"], kind="repair")
    backbone.push(backbone.approve(again))
    assert edges_of(again).state == "VERIFIED"


def test_after_a_line_that_was_ignored_and_taken_back_planning_again_is_enough(backbone: Backbone) -> None:
    change = ready(backbone)
    backbone.fault("uk6", "ignore", match="^service-policy input TRUSTED-IN")
    backbone.push(change)
    assert (edges_of(change).state, edges_of(change).error_code) == ("ROLLED_BACK", "silently-refused")
    backbone.clear()
    again = backbone.push(backbone.approve(backbone.plan(routers=["uk6"])))
    assert edges_of(again).state == "VERIFIED"


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_session_dropped_in_the_middle_goes_on_from_where_the_router_stands(
    backbone: Backbone, when: str
) -> None:
    change = ready(backbone)
    backbone.fault("uk6", "drop", match="^class LBE", when=when, times=1)
    backbone.push(change)
    push = edges_of(change)
    assert push.state == "VERIFIED", push.error
    assert push.transcripts.count() == 2
    commands = [line.text for line in plan_of(push).commands]
    assert set(backbone.typed("uk6")) <= set(commands) | {"end"}
    assert backbone.bound("uk6") == {("POS1/0", "input", "TRUSTED-IN")}


def test_a_router_that_is_gone_is_unknown_until_it_is_read_again(backbone: Backbone) -> None:
    change = ready(backbone)
    changes.release(actor=backbone.approver, change=change)
    for job in jobs.tick():
        jobs.run(job_id=job.pk, worker="preflight")
    backbone.fault("uk6", "drop", match="^class LBE", when="after")
    backbone.fault("uk6", "hang", match="^never")
    push = edges_of(change)
    backbone_gone = {"done": False}

    def gone(*_args: object) -> None:
        if not backbone_gone["done"]:
            backbone.fault("uk6", "unreachable")
            backbone_gone["done"] = True

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pushing.time, "sleep", gone)
        pushing.push(router_push_id=push.pk, worker="w")
    push.refresh_from_db()
    assert push.state == "UNKNOWN"
    assert "unknown until it is read again" in push.error
    backbone.clear()
    backbone.work()
    push.refresh_from_db()
    assert push.state == "VERIFIED", push.error


def test_a_line_that_kills_every_session_is_given_up_and_taken_back(backbone: Backbone) -> None:
    change = ready(backbone)
    backbone.fault("uk6", "drop", match="^class LBE", when="before")
    backbone.push(change)
    push = edges_of(change)
    for _ in range(6):
        if push.state != "UNKNOWN":
            break
        pushing.recover(router_push_id=push.pk, worker="w")
        push.refresh_from_db()
    assert push.state == "ROLLED_BACK", push.error
    assert "given up" in push.error
    assert "policy-map" not in backbone.running("uk6").replace("policy-map EXAMPLE", "")


def test_a_session_lost_at_every_save_is_given_up_and_said(backbone: Backbone) -> None:
    change = ready(backbone)
    backbone.fault("uk6", "drop", match="^write memory", where="exec")
    backbone.push(change)
    push = edges_of(change)
    for _ in range(3):
        if push.state != "UNKNOWN":
            break
        pushing.recover(router_push_id=push.pk, worker="w")
        push.refresh_from_db()
    assert (push.state, push.saved) == ("VERIFIED", False), push.error
    assert "NOT saved" in push.verification["save"] and "may have been written" in push.verification["save"]
    assert push.transcripts.count() == 4
    assert backbone.bound("uk6") == {("POS1/0", "input", "TRUSTED-IN")}


def test_a_save_that_fails_is_said_and_the_router_is_still_verified(backbone: Backbone) -> None:
    change = ready(backbone)
    backbone.fault("uk6", "write-fails", message="startup-config file open failed (Device or resource busy)")
    backbone.push(change)
    push = edges_of(change)
    assert push.state == "VERIFIED"
    assert push.saved is False
    assert "NOT saved" in push.verification["save"]


def test_what_an_earlier_phase_could_not_save_is_not_taken_for_somebody_elses(backbone: Backbone) -> None:
    change = backbone.approve(backbone.plan())
    backbone.fault(
        "uk6", "write-fails", message="startup-config file open failed (Device or resource busy)", times=1
    )
    backbone.push(change)
    first, second = change.pushes.filter(router__name="uk6").order_by("position")
    assert (first.phase, first.verification["save"][:9]) == ("edges", "NOT saved")
    assert first.saved is True, "the later phase saved it too"
    assert (second.phase, second.saved) == ("core-on", True)
    assert "service-policy input TRUSTED-IN" in str(backbone.call("state", "uk6")["startup"])


def test_a_policy_that_vanishes_after_the_binding_is_not_believed(backbone: Backbone) -> None:
    change = ready(backbone)
    backbone.fault("uk6", "vanish", interface="POS1/0", direction="input", seconds=0)
    backbone.push(change)
    push = edges_of(change)
    assert push.state in ("ROLLED_BACK", "UNKNOWN")
    assert "does not" in push.error
    assert push.saved is None


def test_the_refused_half_of_a_swap_puts_the_old_policy_back(live: Backbone) -> None:
    request = live.admit(live.ask("SURFnet", "GRNET", "1M"))
    live.work()
    change = request.changes.get()
    plan = plan_of(edges_of(change, "nl6"))
    assert [gap.new for gap in plan.gaps] == ["FILTERED-IN"]
    live.approve(change, confirm_gaps=True)
    live.fault("nl6", "refuse", match="^service-policy input FILTERED-IN", message="SLOT 1: not enough TCAM")
    live.work(change)
    push = edges_of(change, "nl6")
    assert push.state == "ROLLED_BACK", push.error
    assert ("GigabitEthernet1/0", "input", "NON-PARTICIPANT") in live.bound("nl6")
    assert "FILTERED-IN" not in live.running("nl6")
    request.refresh_from_db()
    assert request.state == "ADMITTED"
    live.clear()
    live.work()
    assert request.changes.count() == 1, "what a router refused waits for a person"
