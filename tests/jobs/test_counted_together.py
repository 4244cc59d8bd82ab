"""Failed sign-ins are counted by all processes together in Redis, and by each alone while Redis is away."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings

from provisioning import shared_cache
from provisioning.services import attempts
from tests.jobs.broker import Broker

ROOT = Path(__file__).resolve().parents[2]
WHO = ("sign-in", "192.0.2.1", "nora")
ELSEWHERE = """
import django
django.setup()
from provisioning.services import attempts
for _ in range({times}):
    attempts.failed(*{who})
"""


@pytest.fixture
def cache(broker: Broker, monkeypatch: pytest.MonkeyPatch) -> Iterator[shared_cache.SharedCache]:
    """What a process of a site with this broker counts in."""
    made = shared_cache.SharedCache(
        broker.url.replace("redis+socket://", "unix://"),
        {
            "KEY_PREFIX": f"{settings.REDIS_PREFIX}-counts",
            "OPTIONS": {"socket_timeout": 0.5, "socket_connect_timeout": 0.5},
        },
    )
    monkeypatch.setattr(attempts, "cache", made)
    monkeypatch.setattr(shared_cache.SharedCache, "_away_until", {})
    yield made
    made.close()


SEND = """
import django
django.setup()
from provisioning.celery import app
app.send_task("provisioning.tick", queue="tick")
"""
RECEIVE = """
import django
django.setup()
from provisioning.celery import app
with app.connection_for_read() as connection:
    print("received", connection.default_channel.basic_get("tick", no_ack=True) is not None)
"""


def elsewhere(broker: Broker, script: str, **settings: str) -> str:
    """What another process with this broker prints last."""
    done = subprocess.run(
        [sys.executable, "-c", script],
        env=os.environ
        | {"CELERY_BROKER_URL": broker.url, "DJANGO_SETTINGS_MODULE": "tests.settings"}
        | settings,
        cwd=ROOT,
        check=True,
        timeout=120,
        stdout=subprocess.PIPE,
        text=True,
    )
    return (done.stdout.splitlines() or [""])[-1]


def fail_elsewhere(broker: Broker, times: int, **settings: str) -> None:
    elsewhere(broker, ELSEWHERE.format(times=times, who=WHO), **settings)


def test_two_installations_may_share_one_redis(broker: Broker, cache: shared_cache.SharedCache) -> None:
    """Failures of one shut nobody out of the other, and no worker takes the messages of the other."""
    other = {"SECRET_KEY": "of another installation " + "0" * 40}
    fail_elsewhere(broker, attempts.ATTEMPTS + 1, **other)
    assert not attempts.is_blocked(*WHO)
    elsewhere(broker, SEND)
    assert elsewhere(broker, RECEIVE, **other) == "received False"
    assert elsewhere(broker, RECEIVE) == "received True"


def test_two_processes_count_together(broker: Broker, cache: shared_cache.SharedCache) -> None:
    for _ in range(attempts.ATTEMPTS - 4):
        attempts.failed(*WHO)
    assert not attempts.is_blocked(*WHO)
    fail_elsewhere(broker, 4)
    assert attempts.is_blocked(*WHO)
    assert not attempts.is_blocked("sign-in", "192.0.2.2", "nora")
    attempts.succeeded(*WHO)
    assert not attempts.is_blocked(*WHO)


def test_an_outage_stops_nobody_and_forgets_nothing_it_counts(
    broker: Broker, cache: shared_cache.SharedCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    attempts.failed(*WHO)
    broker.kill()
    began = time.monotonic()
    for _ in range(attempts.ATTEMPTS):
        attempts.failed(*WHO)
    assert attempts.is_blocked(*WHO), "counted by itself"
    assert time.monotonic() - began < shared_cache.AWAY_SECONDS, "it waited once, not each time"
    broker.start()
    monkeypatch.setattr(shared_cache.SharedCache, "_away_until", {})
    assert not attempts.is_blocked(*WHO), "this Redis kept nothing, and is asked again"
    attempts.failed(*WHO)
    assert client(cache).exists(cache.make_key(attempts._key(*WHO)))


def test_a_redis_that_hangs_is_waited_for_once(broker: Broker, cache: shared_cache.SharedCache) -> None:
    assert broker._process is not None
    broker._process.send_signal(signal.SIGSTOP)
    try:
        began = time.monotonic()
        for _ in range(50):
            attempts.failed(*WHO)
        assert attempts.is_blocked(*WHO)
        assert time.monotonic() - began < shared_cache.AWAY_SECONDS
    finally:
        broker._process.send_signal(signal.SIGCONT)


def client(cache: shared_cache.SharedCache) -> Any:
    return cache._cache.get_client(write=True)


def test_what_somebody_else_put_there_is_read_as_nothing(
    broker: Broker, cache: shared_cache.SharedCache
) -> None:
    class Harm:
        def __reduce__(self) -> tuple[Any, ...]:
            return pytest.fail, ("it was unpickled",)

    name = cache.make_key(attempts._key(*WHO))
    for value in (pickle.dumps(Harm()), b"", b"\xff", b"[" * 100_000):
        client(cache).set(name, value)
        assert not attempts.is_blocked(*WHO)


def test_nobody_is_shut_out_for_ever(broker: Broker, cache: shared_cache.SharedCache) -> None:
    name = cache.make_key(attempts._key(*WHO))
    client(cache).set(name, 3)  # as Redis makes it when it ran out between the look and the count
    attempts.failed(*WHO)
    assert 0 < client(cache).ttl(name) <= attempts.REST_SECONDS


def test_forgetting_leaves_the_messages_of_the_broker(
    broker: Broker, cache: shared_cache.SharedCache
) -> None:
    client(cache).lpush("celery", "a message")
    attempts.failed(*WHO)
    cache.clear()
    assert client(cache).keys("*") == [b"celery"]


def test_rates_are_what_json_can_say(broker: Broker, cache: shared_cache.SharedCache) -> None:
    history = [time.time(), 1.5]
    cache.set("throttle_user_1", history, 60)
    assert cache.get("throttle_user_1", []) == history
    assert cache.get("throttle_user_2", []) == []


@pytest.mark.once
@pytest.mark.parametrize("url", ["", "amqp://192.0.2.1//"])
def test_without_redis_each_process_counts_by_itself(url: str) -> None:
    said = subprocess.run(
        [sys.executable, "-c", "from django.conf import settings; print(settings.CACHES['default']['BACKEND'])"],
        env=os.environ | {"CELERY_BROKER_URL": url, "DJANGO_SETTINGS_MODULE": "tests.settings"},
        cwd=ROOT, check=True, timeout=120, capture_output=True, text=True,
    )  # fmt: skip
    assert said.stdout.strip().endswith("LocMemCache")
