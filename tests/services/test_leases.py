"""The right to write to a router: one owner at a time, by the database's clock."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from datetime import timedelta
from types import SimpleNamespace

import pytest
from django.db import connection
from django.utils import timezone

from inventory.models import Domain, Pop, Router
from provisioning.errors import LeaseLost
from provisioning.models import RouterLease
from provisioning.services import leases
from tests.run import ROOT


@pytest.fixture
def router(db: None) -> Router:
    return make_router()


def make_router() -> Router:
    domain = Domain.objects.create(name="6NET", asn=6680, prefix="2001:798::/40", scheme="6net")
    pop = Pop.objects.create(domain=domain, name="London", country="uk")
    return Router.objects.create(domain=domain, pop=pop, name="uk6", platform="cisco-12400", ios="12.0(28)S")


def age(router: Router, seconds: float) -> None:
    """Let a lease have run out so many seconds ago."""
    RouterLease.objects.filter(router=router).update(until=timezone.now() - timedelta(seconds=seconds))


def test_a_router_is_held_by_one_owner(router: Router) -> None:
    held = leases.acquire(router=router, owner="a")
    assert held is not None
    assert held.epoch == 1
    assert leases.acquire(router=router, owner="b") is None
    assert leases.acquire(router=router, owner="a") is None, "an owner that asks twice is two owners"
    leases.confirm(held)


def test_a_lease_given_back_is_free_at_once(router: Router) -> None:
    held = leases.acquire(router=router, owner="a")
    assert held is not None
    leases.release(held)
    again = leases.acquire(router=router, owner="b")
    assert again is not None
    assert again.epoch == 2


def left(router: Router) -> float:
    """In how many seconds another may take a router."""
    return leases.free_in(router)[1]


def test_a_takeover_waits_out_the_lease_and_what_was_written_last(router: Router, settings: object) -> None:
    """A line is through soon after its worker died; `write memory` when a router is through with it, and no later."""
    settings.ROUTER_LEASE_SECONDS, settings.ROUTER_WRITE_SECONDS = 6, 4
    held = leases.acquire(router=router, owner="a")
    assert held is not None
    assert 9 < left(router) <= 10
    leases.confirm(held)
    assert 9 < left(router) <= 10
    leases.confirm(held, lasts=30)
    assert 29 < left(router) <= 30
    leases.renew([held])
    assert 29 < left(router) <= 30, "a sign of life shortens nothing"
    leases.confirm(held)
    assert 9 < left(router) <= 10, "the save is through"
    assert leases.acquire(router=router, owner="b") is None
    age(router, -0.5)
    assert leases.acquire(router=router, owner="b") is None
    age(router, 0.5)
    assert leases.acquire(router=router, owner="b") is not None
    assert leases.renew([held]) == 0
    assert leases.free_in(router)[0] == "b"


def test_a_worker_is_silent_no_longer_than_a_takeover_in_fifteen_seconds_allows() -> None:
    """What the product ships with: silence, the look for what is due, and a session, in a fresh process without our settings."""
    said = subprocess.run(
        [
            sys.executable,
            "-c",
            "from provisioning import settings as s; print(s.ROUTER_LEASE_SECONDS + s.ROUTER_WRITE_SECONDS, s.TICK_SECONDS)",
        ],
        env={"PATH": os.environ["PATH"], "DEBUG": "true", "EXPEDITE_ENV_FILE": os.devnull},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    silence, tick = map(float, said)
    assert silence + tick <= 10.0


@pytest.mark.django_db(transaction=True)
def test_a_lease_lives_as_long_as_its_process_works_and_is_given_back(settings: object) -> None:
    settings.ROUTER_LEASE_SECONDS, settings.ROUTER_WRITE_SECONDS = 0.6, 0.2
    router = make_router()
    held = leases.acquire(router=router, owner="a")
    assert held is not None
    with leases.kept(held):
        time.sleep(1.5)
        assert leases.acquire(router=router, owner="b") is None, "a long `show` is read all the while"
        leases.confirm(held)
    assert leases.acquire(router=router, owner="b") is not None


def test_who_was_only_slow_finds_out_before_its_next_write(router: Router) -> None:
    slow = leases.acquire(router=router, owner="a")
    assert slow is not None
    age(router, 3600)
    leases.confirm(slow)  # slow, but nobody took over: the row is its own, and a takeover waits anew
    assert leases.acquire(router=router, owner="b") is None
    age(router, 3600)
    successor = leases.acquire(router=router, owner="b")
    assert successor is not None
    with pytest.raises(LeaseLost, match="uk6"):
        leases.confirm(slow)
    leases.release(slow)
    leases.confirm(successor)


def test_confirming_extends_the_lease(router: Router, settings: object) -> None:
    settings.ROUTER_LEASE_SECONDS = 3600
    held = leases.acquire(router=router, owner="a")
    assert held is not None
    RouterLease.objects.update(until=timezone.now() + timedelta(seconds=2))
    leases.confirm(held)
    until = RouterLease.objects.get(router=router).until
    assert until is not None
    assert until > timezone.now() + timedelta(seconds=3000)


def test_an_answer_older_than_the_lease_is_asked_for_again(
    router: Router, settings: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The process was stopped inside the confirmation: meanwhile another may have taken the router."""
    settings.ROUTER_LEASE_SECONDS = 5
    held = leases.acquire(router=router, owner="a")
    assert held is not None
    clock = iter([0.0, 60.0, 60.0, 60.1])
    monkeypatch.setattr(leases, "time", SimpleNamespace(monotonic=lambda: next(clock)))
    leases.confirm(held)
    assert next(clock, None) is None, "asked twice"

    def taken_while_stopped() -> float:
        RouterLease.objects.update(owner="b", epoch=held.epoch + 1)
        return next(later)

    later = iter([0.0, 60.0, 60.0, 60.1])
    monkeypatch.setattr(leases, "time", SimpleNamespace(monotonic=taken_while_stopped))
    until = RouterLease.objects.get(router=router).until
    with pytest.raises(LeaseLost, match="taken over"):
        leases.confirm(held)
    assert RouterLease.objects.get(router=router).until == until, "what another took is not extended"

    slow = iter(range(0, 600, 60))
    RouterLease.objects.update(owner="a", epoch=held.epoch)
    monkeypatch.setattr(leases, "time", SimpleNamespace(monotonic=lambda: float(next(slow))))
    with pytest.raises(LeaseLost, match="slower than the lease"):
        leases.confirm(held)


@pytest.mark.parametrize(
    ("seconds", "extended"), [(8, False), (5.6, False), (5.4, True), (2, True), (-60, True)]
)
def test_before_a_line_a_lease_that_lasts_is_only_looked_at_and_a_short_one_is_extended(
    router: Router, settings: object, seconds: float, extended: bool
) -> None:
    """What lasts as long as a line, and half of the lease more, is long enough: 3 and 2.5 seconds."""
    settings.ROUTER_LEASE_SECONDS, settings.ROUTER_WRITE_SECONDS = 5, 3
    held = leases.acquire(router=router, owner="a")
    assert held is not None
    age(router, -seconds)
    before = RouterLease.objects.get(router=router).until
    leases.check(held)
    after = RouterLease.objects.get(router=router).until
    assert (after != before) is extended
    assert after is not None
    assert after > timezone.now() + timedelta(seconds=5)


def test_before_a_line_who_lost_the_router_finds_out_however_long_the_lease_lasts(router: Router) -> None:
    slow = leases.acquire(router=router, owner="a")
    assert slow is not None
    age(router, 60)
    assert leases.acquire(router=router, owner="b") is not None
    with pytest.raises(LeaseLost, match="uk6"):
        leases.check(slow)


def test_before_a_line_a_look_that_took_too_long_is_not_believed(
    router: Router, settings: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The process was stopped after the look: another may have taken the router meanwhile, or is about to."""
    settings.ROUTER_LEASE_SECONDS = 5
    held = leases.acquire(router=router, owner="a")
    assert held is not None
    clock = iter([0.0, 3.0, 3.0, 3.1])
    monkeypatch.setattr(leases, "time", SimpleNamespace(monotonic=lambda: next(clock)))
    leases.check(held)
    assert next(clock, None) is None, "looked at, and then confirmed"

    def taken_while_stopped() -> float:
        RouterLease.objects.update(owner="b", epoch=held.epoch + 1)
        return next(later)

    later = iter([0.0, 3.0, 3.0, 3.1])
    looks = iter([lambda: next(later), taken_while_stopped, lambda: next(later), lambda: next(later)])
    monkeypatch.setattr(leases, "time", SimpleNamespace(monotonic=lambda: next(looks)()))
    with pytest.raises(LeaseLost, match="taken over"):
        leases.check(held)


@pytest.mark.django_db(transaction=True)
def test_of_many_that_ask_together_one_gets_it() -> None:
    router = make_router()
    RouterLease.objects.create(router=router)
    start = threading.Barrier(8)
    got: list[object] = []

    def ask(number: int) -> None:
        try:
            start.wait()
            got.append(leases.acquire(router=router, owner=f"w{number}"))
        finally:
            connection.close()

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len([each for each in got if each is not None]) == 1
