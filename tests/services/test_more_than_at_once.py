"""What a tick takes up at once is bounded, and what it has made a job of keeps nothing behind it from its turn."""

from __future__ import annotations

import pytest

from provisioning.models import Job, JobKind, JobState, RouterPush, RouterSync
from provisioning.services import clock, jobs
from provisioning.services.jobs import due
from tests.services.house import House
from tests.services.house import bare_house as bare_house
from tests.services.house import house as house

pytestmark = pytest.mark.usefixtures("one_at_once")


@pytest.fixture
def one_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(due, "AT_ONCE", 1)


def jobs_after_ticks(kind: JobKind) -> set[int]:
    """The subjects of the jobs that as many ticks as there are routers, and one, have made; nobody does one."""
    for _ in range(4):
        jobs.tick()
    return set(Job.objects.filter(kind=kind, state=JobState.QUEUED).values_list("subject_id", flat=True))


def test_every_push_that_broke_off_is_recovered(house: House) -> None:
    pushes = RouterPush.objects.filter(phase="edges")
    keys = set(pushes.values_list("pk", flat=True))
    pushes.update(state="UNKNOWN", error_code="session-lost")
    assert len(keys) == 3 and jobs_after_ticks(JobKind.RECOVER) == keys


def test_every_save_that_was_refused_is_tried_again(house: House) -> None:
    newest = {push.router_id: push.pk for push in RouterPush.objects.order_by("pk")}
    RouterPush.objects.filter(pk__in=newest.values()).update(saved=False)
    RouterSync.objects.update(unsaved={"ours": ["+ class-map match-all X"], "foreign": []})
    assert len(newest) == 3 and jobs_after_ticks(JobKind.SAVE_AGAIN) == set(newest.values())


def test_every_router_is_read_on_which_a_promise_waits_to_be_seen(house: House) -> None:
    requests = [house.ask(number, sender, 0) for number, sender in enumerate(("SURFnet", "JANET"))]
    # The first does not pass the router at which the second enters.
    routers = {request.source_link.interface.router_id for request in requests}
    for request in requests:
        house.begin(request)
        request.reservation.put_on_at = clock.now()
        request.reservation.save()
    assert len(routers) == 2 and jobs_after_ticks(JobKind.VERIFY_ROUTER) >= routers
