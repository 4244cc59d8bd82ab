"""What is noted where rows move: pushes, decisions, bare interfaces, readings of routers; and that it leads somewhere."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from django.urls import resolve

from inventory.models import Router
from provisioning.models import SYSTEM, BareInterface, Notification, PremiumRequest, RouterPush, Topic
from provisioning.pipeline.change import PushState, RequestState
from provisioning.pipeline.mqc import RunningConfig
from provisioning.services import bare, transitions
from provisioning.services.telling import standing
from tests.web.world import World, build_world

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


def test_a_push_that_breaks_off_is_told_until_it_is_known_and_again(world: World) -> None:
    push = world.pushes["pushing"]
    move(push, PushState.UNKNOWN, "the session was lost")
    (first,) = told(Topic.PUSH_UNKNOWN)
    assert first.title.startswith(f"{push.change.reference} on {push.router.name} broke off")
    assert first.text == "the session was lost"
    move(push, PushState.PUSHING)
    move(push, PushState.UNKNOWN)
    assert [each.over_at is None for each in told(Topic.PUSH_UNKNOWN)] == [False, True]
    move(push, PushState.ROLLED_BACK, "% refused")
    assert [each.over_at is None for each in told(Topic.PUSH_UNKNOWN)] == [False, False]
    assert [each.text for each in told(Topic.PUSH_TAKEN_BACK)] == ["% refused"]


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
    bare.look(push.router, RunningConfig(), wanted=[("Serial9/9", None, "input")])
    assert [each.over_at is None for each in told(Topic.BARE)] == [False]
    assert len(told(Topic.CLOSED)) == 1
    bare.note(push, [place], seen=False)
    assert "perhaps" in told(Topic.BARE)[1].title


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


def test_every_address_that_is_told_is_a_page(world: World) -> None:
    push = world.pushes["pushing"]
    bare.note(push, [("Serial1/0", None, "input")])
    seen(push.router, **OTHER)
    move(push, PushState.UNKNOWN)
    test_a_decision_is_told_to_both_nrens(world)
    pages = {resolve(each.path).url_name for each in Notification.objects.all()}
    assert pages == {"push", "router", "request"}
