"""/metrics: who may read it, what it says, and that it costs the same with ten rows and with thousands."""

from __future__ import annotations

from datetime import timedelta
from ipaddress import ip_network
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from prometheus_client.parser import text_string_to_metric_families

from inventory.models import Router
from provisioning.models import BareInterface, Job, JobState, PremiumRequest, RouterSync
from provisioning.pipeline.states import PushState, RequestState
from provisioning.services import heartbeats
from tests.web.world import World


@pytest.fixture(autouse=True)
def allowed(settings: Any) -> None:
    settings.METRICS_NETWORKS = [ip_network("127.0.0.0/8")]


def read(**extra: str) -> dict[tuple[str, tuple[tuple[str, str], ...]], float]:
    answer = Client().get("/metrics", **extra)  # type: ignore[arg-type]
    assert answer.status_code == 200
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(answer.content.decode())
        for sample in family.samples
    }


def one(said: dict[Any, float], name: str, **labels: str) -> float:
    return said["expedite_" + name, tuple(sorted(labels.items()))]


def test_there_is_no_such_page_for_who_is_not_allowed(world: World, settings: Any) -> None:
    assert Client().get("/metrics", REMOTE_ADDR="192.0.2.1").status_code == 404
    settings.METRICS_NETWORKS = []
    assert Client().get("/metrics").status_code == 404
    settings.METRICS_TOKEN = "a long token"
    assert Client().get("/metrics").status_code == 404
    assert Client().get("/metrics", headers={"authorization": "Bearer another"}).status_code == 404
    assert Client().get("/metrics", headers={"authorization": "Bearer a long token"}).status_code == 200


def test_a_claimed_address_counts_for_nothing(world: World) -> None:
    said = Client().get("/metrics", REMOTE_ADDR="192.0.2.1", HTTP_X_FORWARDED_FOR="127.0.0.1")
    assert said.status_code == 404


def test_it_says_what_the_rows_say(world: World) -> None:
    heartbeats.ticked()
    heartbeats.heard("a", ["read", "push"])
    said = read()
    for state in RequestState:
        assert one(said, "requests", state=state.value) == PremiumRequest.objects.filter(state=state).count()
    assert sum(one(said, "pushes", state=state.value) for state in PushState) > 0
    assert one(said, "changes_waiting", state="PLANNED") > 0
    assert one(said, "ticks_total") == 1
    assert one(said, "last_tick_age_seconds") < 60
    assert [one(said, "workers", queue=queue) for queue in ("tick", "read", "push", "tell")] == [0, 1, 1, 0]
    assert one(said, "push_enabled") == 1
    routers = sum(value for (name, _), value in said.items() if name == "expedite_routers")
    assert routers == Router.objects.count()


def test_a_service_that_never_ticked_is_not_young(world: World) -> None:
    assert one(read(), "last_tick_age_seconds") == float("inf")


def test_what_is_due_and_not_taken_has_an_age(world: World) -> None:
    Job.objects.all().delete()
    past = timezone.now() - timedelta(seconds=300)
    Job.objects.create(kind="push", subject_id=1, available_at=past)
    Job.objects.create(
        kind="recover", subject_id=1, available_at=past, state=JobState.LEASED, lease_until=past
    )
    said = read()
    assert one(said, "jobs", kind="push", state="queued") == 1
    assert 300 <= one(said, "job_oldest_due_seconds", kind="push") < 400
    assert 300 <= one(said, "job_oldest_due_seconds", kind="recover") < 400
    assert one(said, "job_oldest_due_seconds", kind="preflight") == 0


def test_an_open_edge_under_a_live_core_is_an_alarm_by_itself(world: World) -> None:
    RouterSync.objects.all().delete()
    first, second = Router.objects.order_by("pk")[:2]
    RouterSync.objects.create(router=first, open_edges=["POS1/0", "POS2/0"])
    assert one(read(), "open_edges") == 2
    assert one(read(), "live_core_with_open_edges") == 0
    RouterSync.objects.create(router=second, core_live=True)
    assert one(read(), "live_core_with_open_edges") == 1


def test_an_interface_without_a_policy_is_named_with_the_moment(world: World) -> None:
    push = world.pushes["failed"]
    assert one(read(), "bare_interfaces") == 0
    since = timezone.now() - timedelta(minutes=3)
    BareInterface.objects.create(
        router=push.router, interface="POS1/0", direction="input", since=since, push=push
    )
    assert one(read(), "bare_interfaces") == 1
    told = one(read(), "bare_interface_since_seconds", router=push.router.name, interface="POS1/0 input")
    assert told == pytest.approx(since.timestamp(), abs=1)


def test_the_time_to_answer_is_told_by_view(world: World) -> None:
    Client().get("/livez")
    Client().get("/no/such/page")
    said = read()
    name = "http_request_duration_seconds_count"
    assert one(said, name, method="GET", view="web:livez", status="200") >= 1
    assert one(said, name, method="GET", view="none", status="404") >= 1


def test_it_costs_the_same_with_thousands_of_rows(world: World) -> None:
    def queries() -> int:
        with CaptureQueriesContext(
            connection,
        ) as made:
            read()
        return len(made)

    few = queries()
    Job.objects.bulk_create(
        Job(kind="verify-router", subject_id=number, available_at=timezone.now()) for number in range(5000)
    )
    assert queries() == few <= 30
