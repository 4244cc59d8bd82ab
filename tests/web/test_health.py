"""/livez, /readyz and /healthz: each part fails by itself, and is named."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.db import OperationalError
from django.test import Client
from django.utils import timezone

from provisioning.models import Heartbeat
from provisioning.selectors import health
from provisioning.services import heartbeats
from provisioning.web.views import health as pages


@pytest.fixture(autouse=True)
def asked_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "KEPT_SECONDS", 0.0)


@pytest.fixture
def alive(db: None) -> None:
    heartbeats.ticked()
    heartbeats.heard("a", ["tick", "read", "tell"])
    heartbeats.heard("b", ["push"])


def ask(address: str = "/readyz") -> tuple[int, dict[str, Any]]:
    answer = Client().get(address)
    return answer.status_code, answer.json()


def failing(body: dict[str, Any]) -> list[str]:
    return [name for name, part in body["parts"].items() if not part["ok"]]


def grow_old(**which: Any) -> None:
    Heartbeat.objects.filter(**which).update(heard_at=timezone.now() - timedelta(seconds=61))


def test_a_service_that_works_is_ready(alive: None) -> None:
    status, body = ask()
    assert (status, body["status"], failing(body)) == (200, "ok", [])
    assert body["parts"]["tick"]["age_seconds"] < 60
    assert body["parts"]["workers"]["heard"] == 2
    assert ask("/healthz")[0] == 200


def test_nothing_is_ready_before_the_first_tick(db: None) -> None:
    status, body = ask()
    assert (status, failing(body)) == (503, ["tick", "workers"])
    assert ask("/livez") == (200, {"status": "ok"})


def test_a_tick_that_is_long_ago_is_named(alive: None) -> None:
    grow_old(kind="tick")
    status, body = ask()
    assert (status, failing(body)) == (503, ["tick"])
    assert body["parts"]["tick"]["age_seconds"] > 60


def test_a_queue_that_nobody_serves_is_named(alive: None) -> None:
    grow_old(name="b")
    status, body = ask()
    assert (status, failing(body)) == (503, ["workers"])
    assert body["parts"]["workers"]["unserved_queues"] == ["push"]


def test_a_worker_that_is_heard_again_is_back(alive: None) -> None:
    grow_old(name="b")
    heartbeats.heard("b", ["push"])
    assert ask()[0] == 200


def test_who_ended_in_order_leaves_no_row_and_who_was_killed_leaves_one_for_a_day(alive: None) -> None:
    heartbeats.ended("a")
    Heartbeat.objects.filter(name="b").update(heard_at=timezone.now() - timedelta(hours=25))
    heartbeats.heard("c", ["push"])
    assert list(Heartbeat.objects.filter(kind="worker").values_list("name", flat=True)) == ["c"]


def test_a_broker_that_does_not_answer_is_named(alive: None, settings: Any, tmp_path: Any) -> None:
    """Nobody listens on that socket; nothing of the address is told."""
    from provisioning.celery import app

    address = f"redis+socket://{tmp_path}/nobody.sock"
    settings.CELERY_BROKER_URL = address
    before, app.conf.broker_url = app.conf.broker_url, address
    try:
        status, body = ask()
    finally:
        app.conf.broker_url = before
    assert (status, failing(body)) == (503, ["broker"])
    assert "nobody.sock" not in str(body)


def test_a_database_that_is_away_is_named(alive: None, monkeypatch: pytest.MonkeyPatch) -> None:
    class Away:
        def cursor(self) -> Iterator[None]:
            raise OperationalError("the server closed the connection; host=secret")

    monkeypatch.setattr(health, "connection", Away())
    status, body = ask()
    assert (status, failing(body)) == (503, ["database", "tick", "workers"])
    assert "secret" not in str(body)


@pytest.mark.parametrize("address", ["/livez", "/readyz", "/healthz"])
def test_only_looking_is_allowed(db: None, address: str) -> None:
    assert Client().post(address).status_code == 405


def test_however_often_it_is_asked_the_parts_are_asked_once_a_second(
    alive: None, monkeypatch: pytest.MonkeyPatch, django_assert_num_queries: Any
) -> None:
    monkeypatch.setattr(pages, "KEPT_SECONDS", 60.0)
    monkeypatch.setattr(pages, "_kept", {})
    ask()
    with django_assert_num_queries(0):
        assert ask()[0] == 200
