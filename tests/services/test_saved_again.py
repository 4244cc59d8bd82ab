"""What a router refused to save is saved by itself: so many times, later each time, and never over somebody else's lines."""

from __future__ import annotations

from datetime import timedelta

import pytest

from provisioning.errors import Conflict
from provisioning.models import AuditEvent, Job, JobKind, RouterPush, RouterSync
from provisioning.pipeline.ends import SAVES
from provisioning.selectors.ends import end_of_push
from provisioning.services import clock, jobs, probing, saving
from tests.services.house import House
from tests.services.house import bare_house as bare_house
from tests.services.house import house as house

pytestmark = pytest.mark.once  # over practice routers, the same on either database

NAME = "uk6"


def refused(house: House, *, times: int) -> RouterPush:
    """A reservation of JANET's is on at uk6, verified, and `write memory` was refused; it will be so many times."""
    house.routers.devices[NAME].faults.add({"kind": "write-fails", "times": times})
    request = house.ask(1, "JANET", 0)
    house.begin(request)
    house.work()
    change = request.changes.get()
    house.approve(house.noc[2], change)
    house.work()
    push = RouterPush.objects.get(change=change, router__name=NAME)
    assert (push.state, push.saved, push.error_code) == ("VERIFIED", False, "save-refused"), push.error
    return push


def startup(house: House) -> str:
    return house.routers.devices[NAME].startup or ""


def tries(push: RouterPush) -> int:
    return Job.objects.filter(kind=JobKind.SAVE_AGAIN, subject_id=push.pk, attempts__gt=0).count()


def test_it_is_saved_after_a_pause(house: House) -> None:
    push = refused(house, times=1)
    assert tries(push) == 0 and "FILTERED-IN" not in startup(house)
    house.wait(10)
    house.work()
    push.refresh_from_db()
    assert (tries(push), push.saved, push.error_code) == (1, True, "")
    assert "FILTERED-IN" in startup(house)
    assert RouterSync.objects.get(router__name=NAME).unsaved == {}
    assert AuditEvent.objects.filter(action="router.saved").count() == 1
    house.wait(4000)
    house.work()
    assert tries(push) == 1, "what is saved is left alone"


def test_the_pauses_grow_and_it_is_given_up_to_a_person(house: House) -> None:
    push = refused(house, times=SAVES + 1)
    house.wait(10)
    house.work()
    assert tries(push) == 1
    house.wait(10)
    house.work()
    assert tries(push) == 1, "the second pause is longer"
    for _ in range(2 * SAVES):
        house.wait(301)
        house.work()
    assert tries(push) == SAVES
    push.refresh_from_db()
    assert push.saved is False
    seen = saving.look(actor=house.noc[0], router=push.router)
    assert seen.ours and not seen.foreign
    done = saving.save_router(actor=house.noc[0], router=push.router, seen=seen.digest, reason="NVRAM mended")
    push.refresh_from_db()
    assert done.saved and push.saved is True


def test_never_over_lines_of_somebody_else_and_again_when_those_are_gone(house: House) -> None:
    push = refused(house, times=1)
    house.routers.type(NAME, "snmp-server location MARK")
    house.wait(10)
    house.work()
    assert tries(push) == 1 and startup(house).count("MARK") == 0 and "FILTERED-IN" not in startup(house)
    for _ in range(3):
        house.wait(400)
        house.work()
    assert tries(push) == 1, "as last read somebody's line is there: it waits for a person"
    end = end_of_push(push)
    assert end is not None and end.verb == "save"
    house.routers.type(NAME, "snmp-server location practice rack")
    saving.look(actor=house.noc[0], router=push.router)  # or whatever reads the router next
    house.work()
    house.wait(400)
    house.work()
    push.refresh_from_db()
    assert push.saved is True and "FILTERED-IN" in startup(house) and "MARK" not in startup(house)


def test_not_while_another_push_is_half_way_there(house: House) -> None:
    push = refused(house, times=1)
    other = RouterPush.objects.filter(router=push.router).exclude(pk=push.pk).latest("pk")
    RouterPush.objects.filter(pk=other.pk).update(state="UNKNOWN", error_code="session-lost")
    assert not saving.to_save_again().exists()
    job = Job.objects.get(kind=JobKind.SAVE_AGAIN, subject_id=push.pk)
    house.wait(10)
    jobs.run(job_id=job.pk, worker="w")
    job.refresh_from_db()
    assert "what it left there is not verified" in job.outcome
    assert "FILTERED-IN" not in startup(house)


def test_nor_while_the_router_may_take_a_push_back_by_itself(house: House) -> None:
    push = refused(house, times=1)
    seen = saving.look(actor=house.noc[0], router=push.router)
    ended = RouterPush.objects.filter(router=push.router).exclude(pk=push.pk).earliest("pk")
    RouterPush.objects.filter(pk=ended.pk).update(revert_until=clock.now() + timedelta(minutes=5))
    assert not saving.to_save_again().exists()
    for deed in (
        lambda: saving.save_router(actor=house.noc[0], router=push.router, seen=seen.digest, reason="now"),
        lambda: probing.probe(actor=house.noc[0], router=push.router),
    ):
        with pytest.raises(Conflict, match=r"until .* the router may take it back by itself"):
            deed()
    RouterPush.objects.filter(pk=ended.pk).update(revert_until=clock.now() - timedelta(seconds=1))
    assert saving.to_save_again().get() == push
    assert saving.save_router(actor=house.noc[0], router=push.router, seen=seen.digest, reason="now").saved
