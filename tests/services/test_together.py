"""One look for all who ask at the same time: never one that began before somebody asked."""

from __future__ import annotations

import threading
from collections.abc import Collection

import pytest
from django.db import transaction

from provisioning.services.together import Together

LONGEST = 10


class Looking:
    """A look that lasts until it is let go, and says which look it was and about whom."""

    def __init__(self) -> None:
        self.began, self.may_end = threading.Semaphore(0), threading.Semaphore(0)
        self.looks: list[tuple[str, ...]] = []
        self.fails = False

    def __call__(self, names: Collection[str]) -> tuple[int, tuple[str, ...]]:
        self.looks.append(tuple(names))
        mine = len(self.looks)
        self.began.release()
        assert self.may_end.acquire(timeout=LONGEST)
        if self.fails:
            self.fails = False
            raise ValueError("the database is away")
        return mine, tuple(names)


def asking(
    together: Together[object], looking: Looking, *names: str
) -> tuple[list[threading.Thread], dict[str, object]]:
    """Threads that ask, all begun, in no order; and what they are answered."""
    said: dict[str, object] = {}

    def ask(name: str) -> None:
        try:
            said[name] = together.ask("routers", name, looking)
        except ValueError as error:
            said[name] = str(error)

    threads = [threading.Thread(target=ask, args=[name], daemon=True) for name in names]
    for each in threads:
        each.start()
    return threads, said


def waiting(together: Together[object], names: set[str]) -> bool:
    found = together._open.get("routers")
    return found is not None and found.names == names


@pytest.mark.django_db(transaction=True)
def test_who_asks_during_a_look_is_answered_by_the_next_one_with_all_others_who_did() -> None:
    together, looking = Together[object](), Looking()
    (first,), said_first = asking(together, looking, "a")
    assert looking.began.acquire(timeout=LONGEST)
    others, said = asking(together, looking, "c", "b", "d")
    for _ in range(1000):
        if waiting(together, {"b", "c", "d"}):
            break
        threading.Event().wait(0.005)
    else:
        pytest.fail("not all who asked wait")
    assert looking.looks == [("a",)], "nobody looks beside the one who does"
    looking.may_end.release(2)
    for each in (first, *others):
        each.join(LONGEST)
    assert said_first == {"a": (1, ("a",))}
    assert said == dict.fromkeys("bcd", (2, ("b", "c", "d"))), "one look that began after they had asked"
    assert not together._open and not together._turns


@pytest.mark.django_db(transaction=True)
def test_a_look_that_fails_is_one_callers_and_the_others_look_for_themselves() -> None:
    together, looking = Together[object](), Looking()
    (first,), _ = asking(together, looking, "a")
    assert looking.began.acquire(timeout=LONGEST)
    others, said = asking(together, looking, "b", "c")
    for _ in range(1000):
        if waiting(together, {"b", "c"}):
            break
        threading.Event().wait(0.005)
    else:
        pytest.fail("not all who asked wait")
    looking.may_end.release()
    first.join(LONGEST)
    looking.fails = True
    looking.may_end.release(LONGEST)
    for each in others:
        each.join(LONGEST)
    assert sorted(map(str, said.values()))[1] == "the database is away", said
    (answered,) = [answer for answer in said.values() if isinstance(answer, tuple)]
    assert answered[0] == 3 and len(answered[1]) == 1


@pytest.mark.django_db(transaction=True)
def test_who_waits_for_a_look_that_hangs_looks_alone_after_a_while() -> None:
    together, looking = Together[object](patience_seconds=0.1), Looking()
    (first,), said = asking(together, looking, "a")
    assert looking.began.acquire(timeout=LONGEST)
    answers: list[object] = []
    other = threading.Thread(target=lambda: answers.append(together.ask("routers", "b", list)), daemon=True)
    other.start()
    other.join(LONGEST)
    assert answers == [["b"]] and not said
    looking.may_end.release()
    first.join(LONGEST)
    assert said == {"a": (1, ("a",))} and not together._open and not together._turns


@pytest.mark.django_db
def test_in_a_transaction_everybody_looks_alone() -> None:
    with transaction.atomic():
        assert Together[Collection[str]]().ask("routers", "a", lambda names: names) == ["a"]
