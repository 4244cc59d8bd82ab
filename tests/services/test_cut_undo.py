"""An undo that is cut off half way: read first, then the rest of it, or UNKNOWN; never the same again unseen."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from inventory.models import Router
from provisioning.errors import LeaseLost
from provisioning.models import Change, RouterLease, RouterPush
from provisioning.pipeline import ios
from provisioning.selectors.plans import plan_of
from provisioning.services import changes, jobs, pushing
from provisioning.services.pushing import course, taking_back
from provisioning.services.resolution import resolve_unknown
from tests.services.backbone import Backbone
from tests.services.test_broken_pushes import approved_lines, edges_of, ready, without_blocks

pytestmark = pytest.mark.once

REFUSED = {"match": "^set dscp", "message": "QoS: this is not supported here"}


def undo_lines(push: RouterPush) -> list[str]:
    """The lines that take back the refused line and, since it went out with them, the whole of its block."""
    block = next(each for each in plan_of(push).blocks if each.start == push.undo_from)
    return [line.text for line in block.clearing]


def said(push: RouterPush, session: int) -> list[str]:
    """What the worker said to the router in the n-th session of a push."""
    return [text for _, direction, text in push.transcripts.order_by("pk")[session].lines if direction == ">"]


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("match", ["^no policy-map", "^no class-map"])
def test_an_undo_whose_session_drops_is_finished_from_where_the_router_stands(
    backbone: Backbone, match: str, when: str
) -> None:
    change = ready(backbone)
    before = backbone.call("state", "uk6")
    backbone.fault("uk6", "refuse", **REFUSED)
    backbone.fault("uk6", "drop", match=match, when=when, times=1)
    backbone.push(change)
    push = edges_of(change)
    assert push.state == "ROLLED_BACK", push.error
    assert "'set dscp 0' was refused" in push.error
    assert push.error_code == "line-refused", "the first reason stays, however its undo went"
    assert push.transcripts.count() == 2
    after = backbone.call("state", "uk6")
    assert ios.parse(after["running"]) == ios.parse(before["running"])
    assert after["startup"] == before["startup"]
    assert set(backbone.typed("uk6")) <= approved_lines(push)
    again = said(push, 1)
    writing = again.index("configure terminal") if "configure terminal" in again else len(again)
    assert "show running-config" in again[:writing], "the router is read before anything is sent"
    undo = undo_lines(push)
    lines = [line for line in again[writing:] if line in undo]
    cut = next(index for index, line in enumerate(undo) if line.startswith(match.removeprefix("^")))
    assert lines == undo[cut + (when == "after") :], "exactly the rest of the undo, nothing twice"


def test_an_undo_that_somebody_else_got_in_the_way_of_is_unknown_and_plannable_again(
    backbone: Backbone, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_blocks(monkeypatch)
    change = ready(backbone)
    backbone.fault("uk6", "refuse", **REFUSED)
    backbone.fault("uk6", "drop", match="^no policy-map", when="before", times=1)

    def meanwhile(_seconds: float) -> None:
        backbone.console("uk6", "policy-map TRUSTED-IN", "class LBE", "no police", "end")

    monkeypatch.setattr(pushing, "time", SimpleNamespace(sleep=meanwhile))
    changes.release(actor=backbone.approver, change=change)
    for job in jobs.tick():
        jobs.run(job_id=job.pk, worker="preflight")
    push = edges_of(change)
    pushing.push(router_push_id=push.pk, worker="w")
    push.refresh_from_db()
    assert (push.state, push.error_code) == ("UNKNOWN", pushing.UNRECOGNISED), push.error
    assert "configure terminal" not in said(push, 1), "nothing is sent to a state that nobody approved"
    typed = backbone.typed("uk6")
    backbone.clear()
    backbone.work()
    assert backbone.typed("uk6") == typed

    # What is left of it is known to be ours, whatever it holds: an ordinary plan takes it from there.
    again = backbone.plan(routers=["uk6"])
    assert edges_of(again).conflicts == []
    backbone.push(backbone.approve(again))
    assert edges_of(again).state == "VERIFIED"
    push.refresh_from_db()
    assert push.state == "CANCELLED"
    assert backbone.bound("uk6") == {("POS1/0", "input", "TRUSTED-IN")}


def test_an_undo_that_kills_every_session_is_given_up_as_unknown(
    backbone: Backbone, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(taking_back, "UNDO_SESSIONS", 3)
    change = ready(backbone)
    backbone.fault("uk6", "refuse", **REFUSED)
    backbone.fault("uk6", "drop", match="^no policy-map", when="before")
    backbone.push(change)
    push = edges_of(change)
    pushing.recover(router_push_id=push.pk, worker="w")
    push.refresh_from_db()
    assert (push.state, push.error_code) == ("UNKNOWN", pushing.UNRECOGNISED), push.error
    assert "given up after 3 sessions, 0 of its" in push.error
    assert push.transcripts.count() == 4
    backbone.work()
    assert push.transcripts.count() == 4, "a person has to look now"


def test_who_lost_the_router_while_reading_neither_saves_nor_says_verified(
    backbone: Backbone, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The last moment before `write memory`: every line was answered, the counters were read, then it stood still."""
    change = ready(backbone)
    startup = backbone.call("state", "uk6")["startup"]
    changes.release(actor=backbone.approver, change=change)
    for job in jobs.tick():
        jobs.run(job_id=job.pk, worker="preflight")
    push = edges_of(change)
    working = course.uncounted

    def overtaken(*arguments: object) -> list[str]:
        lease = RouterLease.objects.get(router=push.router)
        RouterLease.objects.filter(pk=lease.pk).update(owner="the next", epoch=lease.epoch + 1)
        return working(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(course, "uncounted", overtaken)
    with pytest.raises(LeaseLost, match="uk6"):
        pushing.push(router_push_id=push.pk, worker="w")
    push.refresh_from_db()
    assert push.state == "PUSHED"
    assert backbone.call("state", "uk6")["startup"] == startup
    assert RouterLease.objects.get(router=push.router).owner == "the next", (
        "it does not give away what it lost"
    )


def test_a_half_made_object_stays_ours_until_it_is_gone_or_finished(backbone: Backbone) -> None:
    """Another plan that is verified does not close the push that left one here half made."""
    lost = backbone.plan()
    push = RouterPush.objects.get(change=lost, router__name="uk6", phase="edges")
    RouterPush.objects.filter(pk=push.pk).update(state="UNKNOWN", error_code=pushing.UNRECOGNISED)
    uk6 = Router.objects.get(name="uk6")
    newer = Change.objects.create(kind="baseline", title="newer", scheme="6net")
    empty = ios.parse(backbone.running("uk6"))
    backbone.console("uk6", "policy-map my_policy", "class class-default", "end")
    resolve_unknown(uk6, newer, ios.parse(backbone.running("uk6")))
    push.refresh_from_db()
    assert push.state == "UNKNOWN"
    resolve_unknown(uk6, newer, empty)
    push.refresh_from_db()
    assert push.state == "CANCELLED"
