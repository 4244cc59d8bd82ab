"""Messages have a lane of their own: a mail server that hangs takes a quarter of the workers, and no reading waits for it."""

from __future__ import annotations

import threading

import pytest

from provisioning.models import Job, JobKind, JobState
from provisioning.selectors import workers
from provisioning.services import jobs
from provisioning.services.jobs import execution
from provisioning.services.jobs.queues import ALL, TELL, kinds_of, lanes, queue_of


def test_messages_travel_in_a_queue_of_their_own() -> None:
    assert kinds_of([TELL]) == [JobKind.NOTIFY]
    assert all(queue_of(kind) != TELL for kind in JobKind if kind != JobKind.NOTIFY)
    assert set(workers.QUEUES) == set(ALL), "ready means that each of them is served"


@pytest.mark.parametrize(
    ("workers", "running", "more"), [(16, 0, 4), (16, 3, 1), (16, 4, 0), (4, 1, 0), (1, 0, 1), (1, 1, 0)]
)
def test_messages_take_at_most_a_quarter(workers: int, running: int, more: int) -> None:
    kinds = kinds_of(ALL)
    (telling, left), (others, rest), (counting, _) = lanes(
        kinds, [JobKind.NOTIFY] * running + [JobKind.PUSH], workers
    )
    assert (telling, left, rest) == ([JobKind.NOTIFY], more, workers)
    assert {*telling, *others, *counting} == set(kinds)
    assert lanes([JobKind.NOTIFY], [JobKind.NOTIFY] * 9, workers) == [([JobKind.NOTIFY], workers)], (
        "it does nothing else"
    )
    assert lanes([JobKind.PUSH], [], workers) == [([JobKind.PUSH], workers)]


@pytest.mark.parametrize(("workers", "running", "more"), [(16, 0, 4), (16, 4, 0), (2, 0, 1), (1, 1, 0)])
def test_counters_are_read_last_and_take_at_most_a_quarter(workers: int, running: int, more: int) -> None:
    found = lanes(kinds_of(ALL), [JobKind.COUNT] * running, workers)
    assert found[-1] == ([JobKind.COUNT], more)
    assert all(JobKind.COUNT not in kinds for kinds, _ in found[:-1])


def test_a_mail_server_that_hangs_keeps_no_reading_waiting(
    transactional_db: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers, lock = threading.Event(), threading.Lock()
    hanging: list[int] = []
    most: list[int] = []

    def hang(subject: int, _worker: str) -> str:
        with lock:
            hanging.append(subject)
            most.append(len(hanging))
        assert answers.wait(30)
        with lock:
            hanging.remove(subject)
        return "sent"

    monkeypatch.setitem(execution.HANDLERS, JobKind.NOTIFY, hang)
    monkeypatch.setitem(execution.HANDLERS, JobKind.VERIFY_ROUTER, lambda _subject, _worker: "read")
    jobs.enqueue(JobKind.NOTIFY, range(1, 13))
    jobs.enqueue(JobKind.VERIFY_ROUTER, range(1, 7))
    reads = Job.objects.filter(kind=JobKind.VERIFY_ROUTER)

    def all_read() -> bool:
        if reads.exclude(state=JobState.DONE).exists():
            return False
        answers.set()
        return True

    guard = threading.Timer(25, answers.set)
    guard.start()
    jobs.work(workers=8, queues=("read", "tell"), until=all_read)
    guard.cancel()
    assert set(reads.values_list("outcome", flat=True)) == {"read"}
    assert max(most) == 2
    assert Job.objects.filter(kind=JobKind.NOTIFY, state=JobState.QUEUED).count() == 10
    jobs.work(workers=8, queues=("read", "tell"), until_idle=True)
    assert set(Job.objects.values_list("state", flat=True)) == {JobState.DONE}
