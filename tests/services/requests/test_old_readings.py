"""A reading speaks for the moment it began, however late it is written down: not for what happened meanwhile."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest
from django.db import connection

from inventory.models import Router
from provisioning.models import (
    Change,
    ConfigSnapshot,
    JobKind,
    PremiumRequest,
    Reservation,
    RouterPush,
    RouterSync,
    SyncState,
)
from provisioning.pipeline import ios
from provisioning.pipeline.change import ChangePlan, Phase
from provisioning.pipeline.safety import simulate
from provisioning.pipeline.states import PushState
from provisioning.services import clock, intents, jobs, requests, verifying
from provisioning.services.intents import Wanted
from provisioning.services.ownership import own
from provisioning.services.planning.making import plans_for
from provisioning.services.plans import keep_plan
from provisioning.services.reading import Reading, Unread
from tests.services.requests.sixnet import admitted, hours, import_sixnet, janet


def bare(wanted: Wanted, name: str) -> Reading:
    """A router with its interfaces and nothing of ours, read now."""
    rows = [
        f"interface {entry.interface}\n ip address 192.0.2.1 255.255.255.0\n!"
        for entry in wanted.intents[name].interfaces
    ]
    text = "\n".join([f"version 12.3\nhostname {name}\n!", *rows, "end\n"])
    return Reading(
        router=name, text=text, config=ios.parse(text), serial="1", version="12.3", host_key="k", unsaved=(),
        bandwidths={entry.interface: 155_000_000 for entry in wanted.intents[name].interfaces},
        enabled={entry.interface: True for entry in wanted.intents[name].interfaces},
        read_at=clock.now(),
    )  # fmt: skip


def held(wanted: Wanted, name: str) -> Reading:
    """The same router once every plan for it went through, ours by its rows."""
    reading = bare(wanted, name)
    config = reading.config
    for plan in plans_for(wanted, reading):
        config = simulate(config, plan.commands, wanted.profiles[name])[-1]
        own(wanted.routers[name], plan)
    return replace(reading, config=config)


Readings = dict[str, Reading | Unread]


@pytest.fixture
def routers(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Says what the next look at the routers shows, and what happens while it lasts (a second, then)."""

    def answer(shown: Readings, meanwhile: Callable[[], object] | None = None) -> None:
        def read(rows: object) -> Readings:
            began = clock.now()
            if meanwhile is not None:
                began -= timedelta(seconds=1)
                meanwhile()
            return {name: replace(reading, read_at=began) for name, reading in shown.items()}

        monkeypatch.setattr(verifying, "read_routers", read)

    return answer


def promised() -> tuple[PremiumRequest, list[str]]:
    """JANET's request, admitted and put on an hour ago, its window open since, and the routers its promise depends on."""
    request = admitted()
    PremiumRequest.objects.filter(pk=request.pk).update(start=hours(-1), state_changed_at=hours(-1))
    Reservation.objects.filter(request=request).update(put_on_at=hours(-1))
    request.refresh_from_db()
    return request, sorted(intents.routers_concerned(request))


def taken_off(request: PremiumRequest) -> None:
    """Its ingress was seen without it."""
    Reservation.objects.filter(request=request).update(taken_off_at=clock.now())


def state_of(request: PremiumRequest) -> str:
    return str(PremiumRequest.objects.values_list("state", flat=True).get(pk=request.pk))


@pytest.mark.usefixtures("six")
def test_a_request_withdrawn_while_the_routers_were_read_is_not_gone_by_that_reading(
    routers: Callable[..., None],
) -> None:
    request, names = promised()
    shown = {name: held(intents.wanted(), name) for name in names}
    routers(shown)
    verifying.verify_routers(names=names)
    assert state_of(request) == "ACTIVE"

    routers(shown, meanwhile=lambda: requests.withdraw(actor=janet(), request=request, reason="over"))
    verifying.verify_routers(names=names)
    taken_off(request)
    verifying.settle_requests()
    assert state_of(request) == "WITHDRAWN", "every router was read while it still was to be on"
    routers(shown)
    verifying.verify_routers(names=names)
    assert state_of(request) == "COMPLETED", "on a standing link there is nothing to be seen but the baseline"


@pytest.mark.usefixtures("six")
def test_one_that_was_on_when_the_intent_was_worked_out_is_not_seen_gone_by_being_in_sync_with_it() -> None:
    request, names = promised()
    before = intents.wanted()
    shown = {name: held(before, name) for name in names}
    requests.withdraw(actor=janet(), request=request, reason="over")
    for name in names:
        row = verifying.record(
            router=before.routers[name], reading=replace(shown[name], read_at=clock.now()), wanted=before
        )
        assert row.state == SyncState.IN_SYNC
        taken_off(request)
        verifying.settle_requests()
        assert state_of(request) == "WITHDRAWN"


@pytest.mark.usefixtures("six")
def test_a_slow_reading_does_not_stand_for_the_newer_one() -> None:
    wanted = intents.wanted()
    newer = held(wanted, "uk6")
    slow = replace(bare(wanted, "uk6"), read_at=newer.read_at - timedelta(seconds=1))
    router = wanted.routers["uk6"]
    first = verifying.record(router=router, reading=newer, wanted=wanted)
    stored = ConfigSnapshot.objects.filter(router=router).count()
    for late in (slow, Unread("uk6", "unreachable", "no session", slow.read_at)):
        row = verifying.record(router=router, reading=late, wanted=wanted)
        assert (row.state, row.checked_at, row.snapshot) == (SyncState.IN_SYNC, newer.read_at, first.snapshot)
    assert ConfigSnapshot.objects.filter(router=router).count() == stored, (
        "what is no news is not kept as the last"
    )


@pytest.mark.usefixtures("six")
@pytest.mark.parametrize("under_way", ["PUSHING", "PUSHED", "UNKNOWN"])
def test_nothing_is_seen_gone_while_lines_may_still_be_sent(
    routers: Callable[..., None], under_way: str
) -> None:
    request, names = promised()
    shown = {name: held(intents.wanted(), name) for name in names}
    requests.withdraw(actor=janet(), request=request, reason="over")
    taken_off(request)
    change = Change.objects.create(
        kind="reservation", title="t", scheme="6net", scheme_digest="", template_digest="", intent_digest=""
    )
    push = RouterPush.objects.create(
        change=change, router=Router.objects.get(name=names[0]), phase=Phase.EDGES, position=0,
        state=under_way,
    )  # fmt: skip
    keep_plan(push, planning_of(names[0]))
    routers(shown)
    verifying.verify_routers(names=names)
    assert state_of(request) == "WITHDRAWN", f"a push that is {under_way} may yet put it on"
    RouterPush.objects.filter(pk=push.pk).update(state=PushState.ROLLED_BACK)
    verifying.verify_routers(names=names)
    assert state_of(request) == "COMPLETED"


def planning_of(name: str) -> ChangePlan:
    """A plan as a push keeps it."""
    wanted = intents.wanted()
    return plans_for(wanted, bare(wanted, name))[0]


@pytest.mark.usefixtures("six")
def test_a_reading_older_than_the_one_that_verified_a_push_settles_nothing(
    routers: Callable[..., None],
) -> None:
    """The worker died between VERIFIED and writing down how the router stands: only the older reading is there."""
    request, names = promised()
    shown = {name: held(intents.wanted(), name) for name in names}
    change = Change.objects.create(
        kind="reservation", title="t", scheme="6net", scheme_digest="", template_digest="", intent_digest=""
    )

    def finished() -> None:
        RouterPush.objects.create(
            change=change, router=Router.objects.get(name=names[0]), phase=Phase.EDGES, position=0,
            state=PushState.VERIFIED, verification={"result": "in-sync", "read_at": clock.now().isoformat()},
        )  # fmt: skip

    routers(shown, meanwhile=finished)
    verifying.verify_routers(names=names)
    assert state_of(request) == "ADMITTED"
    change.requests.add(request)
    asked = [job.subject_id for job in jobs.tick() if job.kind == JobKind.VERIFY_ROUTER]
    assert asked == [Router.objects.get(name=names[0]).pk], (
        "only that one is read again, and without being told"
    )
    routers(shown)
    verifying.verify_routers(names=names)
    assert state_of(request) == "ACTIVE"


@pytest.mark.django_db(transaction=True)
def test_of_readings_written_down_side_by_side_the_newest_stays() -> None:
    import_sixnet()
    wanted = intents.wanted()
    router = wanted.routers["uk6"]
    began = clock.now()
    late = [
        Unread("uk6", "unreachable", f"try {count}", began + timedelta(milliseconds=count))
        for count in (3, 7, 1, 9, 0, 8, 2, 6)
    ]
    ready = threading.Barrier(len(late))
    failed: list[Exception] = []

    def write(reading: Unread) -> None:
        try:
            ready.wait(30)
            verifying.record(router=router, reading=reading, wanted=wanted)
        except Exception as error:  # noqa: BLE001 - a thread has nobody to raise to
            failed.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=write, args=(reading,)) for reading in late]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert failed == []
    row = RouterSync.objects.get(router=router)
    assert (row.detail["reason"], row.checked_at) == ("try 9", late[3].read_at)


@pytest.mark.django_db
def test_the_clock_goes_on_from_what_the_database_said_and_is_never_ahead_of_it() -> None:
    going = clock.started()
    first, second = going(), going()
    assert first <= second <= clock.now()
    assert first.utcoffset() == timedelta(0)
