"""What is noted where rows move: pushes, decisions, bare interfaces, readings of routers; and that it leads somewhere."""

from __future__ import annotations

import ast
import inspect
from importlib import import_module
from typing import Any

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from django.urls import resolve

from inventory.models import Router
from provisioning.models import (
    SYSTEM,
    AuditEvent,
    BareInterface,
    Change,
    Notification,
    PremiumRequest,
    RouterPush,
    RouterSync,
    Topic,
)
from provisioning.pipeline.ends import ENDS
from provisioning.pipeline.mqc import Binding, RunningConfig
from provisioning.pipeline.states import PushState, RequestState
from provisioning.services import bare, changes, halting, steering, transitions
from provisioning.services.telling import events, standing
from tests.web.world import World, build_world

pytestmark = pytest.mark.once

IN_STEP = {"state": "in-sync", "detail": {}, "unsaved": {}}
OTHER = {
    "state": "unknown",
    "detail": {"code": "wrong-router", "reason": "it says serial A, not B"},
    "unsaved": {},
}


@pytest.fixture
def world(transactional_db: None) -> World:
    made = build_world()
    Notification.objects.all().delete()
    return made


def told(topic: Topic) -> list[Notification]:
    return list(Notification.objects.filter(topic=topic).order_by("pk"))


def move(push: RouterPush, to: PushState, reason: str = "as a test says") -> None:
    push.refresh_from_db()
    transitions.move(
        model=RouterPush,
        pk=push.pk,
        from_states=[PushState(push.state)],
        to_state=to,
        actor=SYSTEM,
        reason=reason,
        error=reason,
    )


def seen(router: Router, **fields: Any) -> None:
    with transaction.atomic():
        standing.read(router, {**IN_STEP, **fields})


def test_a_push_that_breaks_off_is_told_once_until_it_has_ended(world: World) -> None:
    push = world.pushes["pushing"]
    move(push, PushState.UNKNOWN, "the session was lost")
    (first,) = told(Topic.PUSH_UNKNOWN)
    assert first.title.startswith(f"{push.change.reference} on {push.router.name} broke off")
    assert first.text.startswith("the session was lost\nNext: Wait, or have it read now.")
    for _recovery in range(3):  # somebody holds configuration mode all night: each try was a message
        move(push, PushState.PUSHING)
        move(push, PushState.UNKNOWN)
    assert [each.over_at is None for each in told(Topic.PUSH_UNKNOWN)] == [True]
    move(push, PushState.ROLLED_BACK, "% refused")
    assert [each.over_at is None for each in told(Topic.PUSH_UNKNOWN)] == [False]
    (back,) = told(Topic.PUSH_TAKEN_BACK)
    assert back.text.startswith("% refused\nNext: ")


def test_what_comes_out_right_is_not_told(world: World) -> None:
    move(world.pushes["pushing"], PushState.PUSHED)
    move(world.pushes["pushing"], PushState.VERIFIED)
    assert not Notification.objects.exists()


def test_many_pushes_that_fail_at_once_are_told_in_as_many_statements_as_one(world: World) -> None:
    change = world.changes["planned"]
    routers = list(Router.objects.exclude(pushes__change=change).order_by("pk"))

    def failing(count: int, offset: int) -> int:
        made = [
            RouterPush.objects.create(
                change=change, router=router, phase="edges", position=offset + n, state="APPROVED"
            ).pk
            for n, router in enumerate(routers[offset : offset + count])
        ]
        with CaptureQueriesContext(connection) as asked:
            transitions.move_all(
                model=RouterPush,
                keys=made,
                from_states=[PushState.APPROVED],
                to_state=PushState.FAILED,
                actor=SYSTEM,
                reason="not reached",
            )
        return sum('"provisioning_notification"' in each["sql"] for each in asked)

    assert (failing(1, 0), failing(5, 1)) == (1, 1)
    assert len(told(Topic.PUSH_FAILED)) == 6


def test_a_decision_is_told_to_both_nrens(world: World) -> None:
    request = world.requests["decision"]
    transitions.move(
        model=PremiumRequest,
        pk=request.pk,
        from_states=[RequestState(request.state)],
        to_state=RequestState.REFUSED,
        actor=SYSTEM,
        reason="there is no room",
    )
    rows = told(Topic.DECIDED)
    assert {each.nren_id for each in rows} == {request.nren_id, request.receiving_nren_id}
    assert {each.title for each in rows} == {f"{request.reference} was refused"}


def test_a_bare_interface_is_told_once_and_when_it_is_closed(world: World) -> None:
    push = world.pushes["pushing"]
    place = ("Serial1/0", None, "input")
    bare.note(push, [place])
    bare.note(push, [place])
    (first,) = told(Topic.BARE)
    assert first.title == f"{push.router.name} Serial1/0 input has no policy"
    with transaction.atomic():
        standing.bare(BareInterface.objects.get())  # another worker that comes to the same end
    assert len(told(Topic.BARE)) == 1
    bare.look(push.router, RunningConfig(bindings=frozenset({Binding(*place, "TRUSTED-IN")})))
    assert [each.over_at is None for each in told(Topic.BARE)] == [False]
    assert len(told(Topic.CLOSED)) == 1
    bare.note(push, [place], seen=False)
    assert "perhaps" in told(Topic.BARE)[1].title


def test_an_interface_that_is_to_have_no_policy_any_more_is_not_told_as_closed(world: World) -> None:
    push = world.pushes["pushing"]
    bare.note(push, [("Serial1/0", None, "input")])
    bare.look(push.router, RunningConfig(), wanted=[("Serial9/9", None, "input")])
    assert not BareInterface.objects.exists()
    assert [each.over_at is None for each in told(Topic.BARE)] == [False]
    assert not told(Topic.CLOSED)
    (event,) = AuditEvent.objects.filter(action="push.bare-over")
    assert event.reason.endswith("Serial1/0 input has no policy, and none is to be there any more")


def test_lines_that_are_not_saved_are_told_once_until_they_are(world: World) -> None:
    router = Router.objects.get(name="uk6")
    lacking = {"ours": ["+ policy-map X"], "foreign": ["+ snmp-server location here"]}
    RouterPush.objects.filter(router=router).update(state="VERIFIED")
    for _ in range(2):
        seen(router, unsaved=lacking)
    (first,) = told(Topic.NOT_SAVED)
    assert first.title == "uk6: verified, NOT saved"
    assert first.text.startswith("1 line of ours, beside 1 line of other people.")
    seen(router, **OTHER)
    assert told(Topic.NOT_SAVED)[0].over_at is None, "what could not be read says nothing of it"
    seen(router)
    assert told(Topic.NOT_SAVED)[0].over_at is not None
    seen(router, unsaved={"ours": [], "foreign": ["+ snmp-server location here"]})
    assert len(told(Topic.NOT_SAVED)) == 1, "other people's lines alone are theirs"


def test_lines_in_the_middle_of_a_push_are_nobodys_alarm(world: World) -> None:
    push = world.pushes["pushing"]
    seen(push.router, unsaved={"ours": ["+ policy-map X"]})
    assert told(Topic.NOT_SAVED) == []


def test_another_router_is_told_until_the_right_one_answers(world: World) -> None:
    router = Router.objects.get(name="uk6")
    for _ in range(2):
        seen(router, **OTHER)
    seen(router, state="unknown", detail={"code": "unreachable", "reason": "no answer"})
    (first,) = told(Topic.WRONG_ROUTER)
    assert (first.text, first.over_at) == ("it says serial A, not B", None)
    seen(router)
    seen(router, **OTHER)
    assert len(told(Topic.WRONG_ROUTER)) == 2


def test_a_router_that_is_not_read_is_told_until_it_is(world: World) -> None:
    router = Router.objects.get(name="uk6")
    for _ in range(2):
        seen(router, state="unknown", detail={"code": "unreachable", "reason": "no answer"})
    (first,) = told(Topic.UNREAD)
    assert (first.title, first.text) == ("uk6 could not be read", "no answer")
    seen(router)
    seen(router, state="unknown", detail={"code": "unreachable", "reason": "no answer"})
    assert [each.over_at is None for each in told(Topic.UNREAD)] == [False, True]


def test_an_open_edge_is_told_while_a_core_queue_is_live(world: World) -> None:
    router = Router.objects.get(name="nl6")
    edge = [{"interface": "FastEthernet0/1", "reason": "has no input policy"}]
    RouterSync.objects.update(core_live=False)
    seen(router, open_edges=edge)
    assert told(Topic.OPEN_EDGE) == [], "nothing is live: EF is nobody's priority"
    RouterSync.objects.filter(router__name="uk6").update(core_live=True)
    for _ in range(2):
        seen(router, open_edges=edge)
    (first,) = told(Topic.OPEN_EDGE)
    assert first.title == "nl6: 1 open edge while core queues are live"
    assert first.text.startswith("FastEthernet0/1: has no input policy")
    seen(router)
    assert told(Topic.OPEN_EDGE)[0].over_at is not None


def test_a_hand_edit_is_told_and_what_a_change_explains_is_not(world: World) -> None:
    router = Router.objects.get(name="gr6")
    differs = {"state": "differs", "detail": {}, "unsaved": {}}

    def check(router: Router) -> None:
        with transaction.atomic():
            standing.read(router, differs, checked=True)

    seen(router, **differs)
    assert told(Topic.DIFFERS) == [], "it was read for a plan, which is made because something changes"
    check(router)
    check(router)
    (first,) = told(Topic.DIFFERS)
    assert first.title == "gr6: what was read is not what is intended"
    seen(router, **differs)
    assert told(Topic.DIFFERS)[0].over_at is None
    seen(router)
    assert told(Topic.DIFFERS)[0].over_at is not None
    check(Router.objects.get(name="nl6"))  # a change is under way there
    assert len(told(Topic.DIFFERS)) == 1


def test_what_a_person_planned_and_went_stale_is_told_and_what_comes_again_is_not(world: World) -> None:
    for key, kind in (("planned", "reservation"), ("approved", "baseline")):
        Change.objects.filter(pk=world.changes[key].pk).update(kind=kind)
        RouterPush.objects.filter(pk=world.pushes[key].pk).update(error_code="moved")
        move(world.pushes[key], PushState.STALE, "somebody changed it")
    (first,) = told(Topic.PUSH_STALE)
    assert first.subject == f"push/{world.pushes['approved'].pk}"


def test_who_stops_the_pushes_or_pauses_a_change_is_told_to_the_others(world: World) -> None:
    nora, change = world.actor("nora"), world.changes["approved"]
    halting.stop_all(actor=nora, reason="smoke")
    steering.pause(actor=nora, change=change, reason="GRNET called")
    (stop,), (pause,) = told(Topic.STOPPED), told(Topic.PAUSED)
    assert (stop.title, stop.text) == ("Every push is stopped by nora", "smoke")
    assert (pause.title, pause.text) == (f"{change.reference} is paused by nora", "GRNET called")
    halting.go_on(actor=nora, reason="a toaster")
    changes.cancel(actor=nora, change=change, reason="not tonight")
    assert told(Topic.STOPPED)[0].over_at is not None and told(Topic.PAUSED)[0].over_at is not None


def test_every_address_that_is_told_is_a_page(world: World) -> None:
    push = world.pushes["pushing"]
    bare.note(push, [("Serial1/0", None, "input")])
    seen(push.router, **OTHER)
    move(push, PushState.UNKNOWN)
    test_a_decision_is_told_to_both_nrens(world)
    pages = {resolve(each.path).url_name for each in Notification.objects.all()}
    assert pages == {"push", "router", "request"}
    test_who_stops_the_pushes_or_pauses_a_change_is_told_to_the_others(world)
    pages = {resolve(each.path).url_name for each in Notification.objects.all()}
    assert pages == {"push", "router", "request", "pushes-go-on", "change-progress"}


TOLD: dict[str, Topic | str] = {
    "_bare": Topic.BARE,
    "_open_edges": Topic.OPEN_EDGE,
    "_wrong_routers": Topic.WRONG_ROUTER,
    "held_by_people": Topic.STOPPED,
    "broken_pushes": Topic.PUSH_UNKNOWN,
    "_shrunken_shares": "whoever imports or declares it is told by name before it is done",
    "_moving": "nothing is wrong: it says what lasts until a path has moved",
    "_drifting": "whoever compares paths is shown it in the answer",
    "_routes_at_risk": "a warning of what may come, at every reading of a network that has such routes",
    "_not_saved": Topic.NOT_SAVED,
    "_held_back": "it waits for whoever approves: on the queue, not an alarm at night",
    "_no_worker": "it is a worker that tells; `/readyz` and /metrics say it, with an alert rule",
    "not_told": "it cannot be told by what was not taken; it is in /metrics, with an alert rule",
}
"""For each part of the alarms of the queue page the topic that tells it, or why it is on the page only."""


def test_every_alarm_of_the_queue_page_is_told_or_says_why_not() -> None:
    alarms = import_module("provisioning.web.reading.alarms")
    tree = ast.parse(inspect.getsource(alarms.alarms))
    called = {
        node.func.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    parts = {
        name
        for name in called
        if (found := getattr(alarms, name, None)) is not None
        and "Alarm]" in str(getattr(found, "__annotations__", {}).get("return", ""))
    }
    assert parts == set(TOLD), "a part of the alarms that nobody is told of"
    told_topics = {topic for topic in TOLD.values() if isinstance(topic, Topic)}
    written = "".join(inspect.getsource(module) for module in (standing, events, bare))
    assert all(f"Topic.{topic.name}" in written for topic in told_topics | {Topic.UNREAD, Topic.DIFFERS})


def test_every_end_that_wants_a_person_is_told() -> None:
    """Those of the table that move a row; the others are told by the reading, or by the push that stopped them."""
    by_others = {
        ("VERIFIED", "save-refused"),
        ("VERIFIED", "kept-back"),
        ("UNKNOWN", "not-read"),
        ("CANCELLED", "not-started"),
    }
    for end in ENDS:
        if end.verb is not None and (end.state.value, end.code) not in by_others:
            assert end.state in events.OF_PUSH, (end.state, end.code)
