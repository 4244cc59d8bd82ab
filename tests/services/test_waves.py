"""Canary, waves, at most N at once and one per path; windows; one bad router stops what depends on it and nothing else."""

from __future__ import annotations

from datetime import timedelta
from functools import partial
from itertools import pairwise
from typing import Any

import pytest

from inventory.models import Router
from provisioning.errors import Conflict, InvalidInput, NotPermitted
from provisioning.models import Change, ChangeKind, Job, JobKind, JobState, RouterPush
from provisioning.selectors.changes import is_over
from provisioning.selectors.paths import Paths
from provisioning.selectors.steering import stranded
from provisioning.services import changes, clock, jobs, planning, pushing, steering
from tests.services.house import House, house_of
from tests.services.house import bare_house as bare_house
from tests.services.house import house as house
from tests.services.in_threads import at_once
from tests.services.mortal import Mortal
from tests.services.test_steering import ALL, approved, begun, released, states, typed

pytestmark = pytest.mark.once  # over practice routers, the same on either database


def refuse(house: House, name: str) -> None:
    """From now on this router takes no policy."""
    fault = {"kind": "refuse", "match": "^service-policy input", "message": "not here"}
    house.routers.devices[name].faults.add(fault)


def course(house: House, change: Change, **rules: Any) -> Change:
    return steering.set_course(actor=house.noc[0], change=change, reason="as announced", **rules)


def first_of(change: Change) -> str:
    return str(change.pushes.filter(phase="edges").order_by("position", "pk")[0].router.name)


def queued() -> int:
    return Job.objects.filter(kind=JobKind.PUSH, state=JobState.QUEUED).count()


def cleared(change: Change) -> None:
    jobs.tick()
    assert jobs.run_subject(kind=JobKind.PREFLIGHT, subject_id=change.pk, worker="w")
    jobs.tick()


def test_a_bad_router_stops_its_later_phases_and_no_other_edge(bare_house: House) -> None:
    house, change = bare_house, released(bare_house)
    bad = first_of(change)
    refuse(house, bad)
    house.work()
    assert states(change) == {name: "ROLLED_BACK" if name == bad else "VERIFIED" for name in ALL}
    assert set(states(change, "core-on").values()) == {"CANCELLED"}, "no core queue before every edge"
    change.refresh_from_db()
    assert change.finished_at is not None
    errors = change.pushes.filter(phase="core-on").values_list("error", flat=True)
    assert all(f"not started: {bad} rolled back" in error for error in errors)


def test_a_change_is_over_when_nothing_more_happens_by_itself(bare_house: House) -> None:
    change = released(bare_house)
    assert not is_over(change)
    steering.pause(actor=bare_house.noc[0], change=change, reason="wait")
    change.refresh_from_db()
    assert is_over(change), "a person holds it, and nothing is under way"
    steering.resume(actor=bare_house.noc[0], change=change, reason="go")
    change.refresh_from_db()
    first, *others = change.pushes.filter(phase="edges").order_by("position", "pk")
    RouterPush.objects.filter(pk=first.pk).update(state="UNKNOWN", error_code="unrecognised")
    assert not is_over(change), "the others of its phase go on"
    RouterPush.objects.filter(pk__in=[each.pk for each in others]).update(state="VERIFIED")
    assert is_over(change), "core queues wait for a new plan of it"


def test_a_canary_that_is_taken_back_keeps_everybody_else(bare_house: House) -> None:
    house, change = bare_house, released(bare_house)
    bad = first_of(change)
    course(house, change, canary=1)
    refuse(house, bad)
    house.work()
    assert states(change) == {name: "ROLLED_BACK" if name == bad else "CANCELLED" for name in ALL}
    assert begun(change) == [bad]


def test_many_routers_have_a_canary_by_themselves(bare_house: House, settings: Any) -> None:
    change = released(bare_house)
    cleared(change)
    assert queued() == 3
    Job.objects.filter(kind=JobKind.PUSH).delete()
    settings.CANARY_ABOVE = 2
    jobs.tick()
    assert queued() == 1
    Job.objects.filter(kind=JobKind.PUSH).delete()
    course(bare_house, change, canary=0)
    jobs.tick()
    assert queued() == 3, "unless somebody says otherwise"


def test_waves_one_after_the_other(bare_house: House) -> None:
    house, change = bare_house, approved(bare_house)
    course(house, change, canary=1, wave_size=1)
    changes.release(actor=house.noc[1], change=change)
    house.work()
    for phase in ("edges", "core-on"):
        pushes = list(change.pushes.filter(phase=phase).order_by("position", "pk"))
        assert {push.state for push in pushes} == {"VERIFIED"}
        for before, after in pairwise(pushes):
            assert before.finished_at <= after.started_at


def test_no_more_than_so_many_at_once(bare_house: House) -> None:
    house, change = bare_house, released(bare_house)
    course(house, change, at_once=2)
    cleared(change)
    jobs.tick()
    assert queued() == 2
    under_way = change.pushes.filter(phase="edges").order_by("position", "pk")[:2]
    RouterPush.objects.filter(pk__in=[push.pk for push in under_way]).update(state="PUSHING")
    last = change.pushes.filter(phase="edges").order_by("position", "pk")[2]
    assert "2 at once" in pushing.push(router_push_id=last.pk, worker="w")
    RouterPush.objects.filter(pk=under_way[0].pk).update(state="UNKNOWN", error_code="unrecognised")
    assert pushing.push(router_push_id=last.pk, worker="w").startswith("verified")


def test_at_most_one_router_of_a_path(house: House) -> None:
    request = house.ask(1, "JANET", 9)
    house.begin(request)
    house.work()
    for change in Change.objects.filter(finished_at=None):
        house.approve(house.noc[0], change)
    house.work()
    keys = dict(Router.objects.values_list("name", "pk"))
    everyone, now = set(keys.values()), clock.now()
    paths = Paths(everyone, now)
    assert paths.beside({keys["uk6"]}, everyone) == everyone - {keys["uk6"]}
    assert paths.beside({keys["uk6"]}, {keys["uk6"]}) == set()
    assert paths.beside(everyone, set()) == set()
    before = Paths(everyone, now - timedelta(days=3))
    assert before.beside({keys["uk6"]}, everyone) == set(), "what has not begun crosses nothing"

    for name, interface in (("uk6", "POS2/0"), ("nl6", "POS2/0"), ("gr6", "POS1/0")):
        house.routers.type(name, f"interface {interface}", "no service-policy output my_policy")
    change = planning.plan_domain(actor=house.noc[0], kind=ChangeKind.REPAIR)
    for person in house.noc[1:3]:
        house.approve(person, change)
    cleared(change)
    jobs.tick()
    assert queued() == 1, "all three are on the path of one reservation"
    house.work()
    pushes = list(change.pushes.exclude(started_at=None).order_by("started_at"))
    assert {push.state for push in pushes} == {"VERIFIED"} and len(pushes) == 3
    for one, next_one in pairwise(pushes):
        assert one.finished_at <= next_one.started_at


def test_two_pushes_at_the_same_instant_and_one_at_once(
    transactional_db: None, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    house = house_of(settings, monkeypatch)
    change = released(house)
    course(house, change, at_once=1)
    cleared(change)
    pushes = list(change.pushes.filter(phase="edges"))
    said = at_once(*(partial(pushing.push, router_push_id=push.pk, worker=str(push.pk)) for push in pushes))
    rows = list(change.pushes.filter(phase="edges").exclude(started_at=None).order_by("started_at"))
    assert rows and {row.state for row in rows} == {"VERIFIED"}, said
    for one, next_one in pairwise(rows):
        assert one.finished_at <= next_one.started_at, said
    for row in change.pushes.filter(phase="edges", started_at=None):
        assert not typed(house, row.router.name), said


def test_nothing_begins_outside_of_the_window(bare_house: House) -> None:
    house, change = bare_house, approved(bare_house)
    opens, ends = clock.now() + timedelta(hours=1), clock.now() + timedelta(hours=2)
    change = course(house, change, window_start=opens, window_end=ends, at_once=1, ticket="TT-4711")
    assert change.ticket == "TT-4711"
    changes.release(actor=house.noc[1], change=change)
    house.work()
    assert begun(change) == []
    push = change.pushes.filter(phase="edges").first()
    assert push is not None
    assert "waits for its window" in pushing.push(router_push_id=push.pk, worker="w")
    house.wait(3700)
    while not begun(change):
        house.work(1)
    house.wait(3700)
    house.work()
    (first,) = begun(change)
    assert states(change) == {name: "VERIFIED" if name == first else "APPROVED" for name in ALL}
    assert list(stranded(clock.now())) == [change], "it waits for a person, and says so"
    with pytest.raises(InvalidInput, match="over already"):
        course(house, change, window_end=clock.now() - timedelta(seconds=1))
    course(house, change, window_start=None, window_end=clock.now() + timedelta(hours=1))
    house.work()
    assert set(change.pushes.values_list("state", flat=True)) == {"VERIFIED"}
    assert not stranded(clock.now()).exists()


def test_who_sets_a_course_and_what_is_refused(bare_house: House) -> None:
    house, change = bare_house, approved(bare_house)
    with pytest.raises(NotPermitted):
        steering.set_course(actor=house.nrens["JANET"], change=change, reason="please", canary=1)
    for rules, field in (
        ({"canary": -1}, "canary"),
        ({"wave_size": 0}, "wave_size"),
        ({"at_once": True}, "at_once"),
        ({"ticket": "x" * 81}, "ticket"),
        ({"speed": 9}, "speed"),
        ({"window_start": clock.now(), "window_end": clock.now()}, "window_end"),
    ):
        with pytest.raises(InvalidInput) as error:
            course(house, change, **rules)
        assert error.value.field == field
    changes.cancel(actor=house.noc[1], change=change, reason="no")
    with pytest.raises(Conflict, match="is over"):
        course(house, change, canary=1)


@pytest.mark.parametrize("left", [9, 23, 41])
def test_a_worker_killed_in_a_wave_lets_nobody_in_before_his_turn(bare_house: House, left: int) -> None:
    """Canary, then one at once: whoever takes over after a kill finishes that router before the next is begun."""
    house, change = bare_house, approved(bare_house)
    course(house, change, canary=1, at_once=1)
    changes.release(actor=house.noc[1], change=change)
    cleared(change)
    for _ in range(3):
        with house.outliving():
            house.work(mortal=Mortal(left=left), kinds=[JobKind.PUSH, JobKind.RECOVER])
        half_way = change.pushes.filter(state__in=("PUSHING", "PUSHED", "UNKNOWN"))
        assert half_way.count() <= 1
        house.wait(400)
    house.work()
    assert set(change.pushes.values_list("state", flat=True)) == {"VERIFIED"}
    for phase in ("edges", "core-on"):
        rows = list(change.pushes.filter(phase=phase).order_by("started_at"))
        assert all(one.finished_at <= next_one.started_at for one, next_one in pairwise(rows))
