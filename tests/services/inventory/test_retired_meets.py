"""A router goes while something of it is under way: that ends with a reason, and nothing of it comes back by itself."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from datetime import timedelta
from pathlib import Path

import pytest
from django.db import transaction

from inventory.models import AccessLink, CoreLink, Router
from provisioning.errors import StaleState
from provisioning.models import (
    AdoptedName,
    AuditEvent,
    Change,
    CounterLook,
    Job,
    JobKind,
    Notification,
    RouterPush,
    RouterQueue,
    RouterSync,
    SyncState,
    Topic,
)
from provisioning.pipeline.states import PushState
from provisioning.pipeline.usage import Look
from provisioning.selectors import figures
from provisioning.selectors.adopted import adopted_objects
from provisioning.selectors.templates import template_digest
from provisioning.services import (
    changes,
    clock,
    intents,
    inventory,
    jobs,
    planning,
    queues,
    rereading,
    usage,
    verifying,
)
from provisioning.services.inventory import StillNeeded
from provisioning.services.jobs import due
from provisioning.services.pushing import gate
from provisioning.services.reading import Unread
from provisioning.services.telling.noting import Note, note
from provisioning.services.usage import polling
from provisioning.web.reading import differences
from tests.services.requests.sixnet import noc
from tests.services.topology.diamond import DIAMOND, network, put

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def file(tmp_path: Path) -> Path:
    path = network(tmp_path / "network.yaml", DIAMOND)
    put(path)
    noc()
    return path


def router(name: str) -> Router:
    return Router.objects.get(name=name)


def retire(row: object, **more: object) -> inventory.Rewritten:
    return inventory.retire(actor=noc(), row=row, reason="it is over", **more)  # type: ignore[arg-type]


def retire_router(name: str) -> Router:
    """With its links; what it was."""
    row = router(name)
    for link in (
        *AccessLink.objects.filter(interface__router=row),
        *CoreLink.objects.filter(name__contains=f"{name}:"),
    ):
        retire(link)
    retire(row, gone=True)
    return row


def planned(**states: PushState) -> Change:
    """A baseline of these routers as it is stored, without lines."""
    wanted = intents.wanted(routers=list(states))
    change = Change.objects.create(
        title="Baseline",
        scheme=wanted.scheme.name,
        scheme_digest=wanted.scheme_digest,
        template_digest=template_digest(),
        intent_digest=wanted.digest(states),
        planned_at=clock.now(),
    )
    for place, (name, state) in enumerate(states.items()):
        RouterPush.objects.create(
            change=change,
            router=router(name),
            phase="edges",
            position=place,
            state=state,
            fingerprint="0" * 64,
            plan_digest="0" * 64,
        )
    return change


def test_what_waits_of_a_change_of_a_router_that_went_is_stale() -> None:
    change = planned(a=PushState.VERIFIED, d=PushState.APPROVED)
    assert intents.changed_since(change) == ""
    Change.objects.filter(pk=change.pk).update(approved_at=clock.now(), released_at=clock.now())
    retire_router("a")
    why = intents.changed_since(change)
    assert why == f"a was retired since {change.reference} was planned"
    assert gate.check(Change.objects.get(pk=change.pk)) == f"stopped before the first line of edges: {why}"
    assert change.pushes.get(router__name="d").state == PushState.STALE
    change.refresh_from_db()
    assert change.finished_at is not None, "nothing of it is looked at again"


def test_what_waits_for_its_approval_is_refused_by_that_name(monkeypatch: pytest.MonkeyPatch) -> None:
    change = planned(a=PushState.VERIFIED, d=PushState.PLANNED)
    monkeypatch.setattr(changes, "_nothing_in_the_way", lambda _pushes: None)
    retire_router("a")
    with pytest.raises(StaleState, match=r"a was retired since CHG-\d+ was planned"):
        changes.approve(actor=noc("nick"), change=change, reason="as read")
    assert change.pushes.get(router__name="d").state == PushState.STALE


def test_another_router_of_the_same_name_is_not_the_one_that_was_planned(file: Path) -> None:
    change = planned(a=PushState.VERIFIED, d=PushState.APPROVED)
    before = router("a")
    retire_router("a")
    put(file)
    assert router("a").pk != before.pk
    assert intents.changed_since(change).startswith("a was retired since")


@pytest.mark.parametrize("state", [PushState.PLANNED, PushState.APPROVED, PushState.PUSHING])
def test_a_router_with_lines_that_may_go_out_stays_even_where_its_box_is_gone(state: PushState) -> None:
    change = planned(a=state)
    with pytest.raises(StillNeeded, match=rf"{change.reference} on a\. Cancel them, or let them end"):
        retire(router("a"), gone=True)


def test_a_plan_that_is_asked_for_ends_where_its_router_is_retired(file: Path) -> None:
    change = planning.ask_for_plan(actor=noc(), routers=["a", "d"])
    retire_router("a")
    for _again in range(2):  # of the same name, it is another router, and its credential is not given
        with suppress(StaleState):
            planning.plan_change(change_id=change.pk)
        change.refresh_from_db()
        assert change.finished_at is not None
    assert "a was retired since this was asked for" in change.asked["error"]
    assert [job.kind for job in due._asked(clock.now())] == []


def while_reading(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """The router is retired while it is read."""

    def read(routers: Iterable[Router]) -> dict[str, Unread]:
        rows = list(routers)
        retire_router(name)
        return {row.name: Unread(row.name, "timeout", "no answer", clock.now()) for row in rows}

    monkeypatch.setattr(verifying, "read_routers", read)


def test_a_plan_is_not_stored_for_a_router_that_went_while_it_was_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    change = planning.ask_for_plan(actor=noc(), routers=["a", "d"])
    while_reading(monkeypatch, "a")
    with pytest.raises(StaleState, match="a was retired since this was asked for"):
        planning.plan_change(change_id=change.pk)
    change.refresh_from_db()
    assert change.planned_at is None
    assert change.finished_at is not None


def test_a_reading_that_ends_after_its_router_went_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    while_reading(monkeypatch, "a")
    assert [row.router.name for row in verifying.verify_routers(names=["a", "d"])] == ["d"]
    assert not RouterSync.objects.filter(router__name="a").exists()


def test_a_job_about_a_router_that_went_ends_with_a_sentence() -> None:
    gone = retire_router("a")
    for kind in (JobKind.VERIFY_ROUTER, JobKind.COUNT, JobKind.PLAN_ROUTER):
        jobs.enqueue(kind, [gone.pk])
        assert jobs.run_subject(kind=kind, subject_id=gone.pk, worker="w")
        job = Job.objects.get(kind=kind, subject_id=gone.pk)
        assert job.outcome == "stale: a was retired meanwhile: nothing of it is kept", job.outcome
    assert not RouterQueue.objects.filter(router=gone).exists()


def test_nothing_known_of_a_router_that_went_is_due_or_counted() -> None:
    gone = retire_router("a")
    past = clock.now() - timedelta(days=30)
    before = list(figures.figures())
    RouterSync.objects.create(router=gone, state=SyncState.DIFFERS, checked_at=past, core_live=True)
    CounterLook.objects.create(router=gone, due_at=past, read_at=past, error="no answer")
    queues.mark([gone.pk])
    assert not RouterQueue.objects.exists()
    RouterQueue.objects.create(router=gone, marked_at=past, waits_for="somebody")
    assert not rereading.due(clock.now()).exists()
    assert not usage.due(clock.now()).exists()
    assert not queues.due(clock.now()).exists()
    assert differences.summary(clock.now()).differ == 0
    told = ("routers", "router_reading_oldest_seconds", "live_core_with_open_edges", "counters_unread")
    assert [each for each in figures.figures() if each.name in told] == [
        each for each in before if each.name in told
    ]


def test_counters_that_are_read_while_their_router_goes_are_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    def look(row: Router) -> tuple[Look, str]:
        retire_router("a")
        return Look(clock.now(), 1, {}), ""

    monkeypatch.setattr(polling, "_look", look)
    said = usage.count_router(router_id=router("a").pk)
    assert said.startswith("not counted: a was retired meanwhile")
    assert not CounterLook.objects.exists()


def test_what_a_router_that_went_kept_when_it_was_adopted_is_not_its_successors(file: Path) -> None:
    kept = {"kind": "policy-map", "base": "TRUSTED-IN", "name": "EDGE-IN"}
    AdoptedName.objects.create(router=router("a"), **kept)
    gone = retire_router("a")
    assert not AdoptedName.objects.exists()
    event = AuditEvent.objects.get(action="router.retire")
    assert event.before["adopted_names"] == ["policy-map EDGE-IN for TRUSTED-IN"]
    put(file)
    AdoptedName.objects.create(router=gone, **kept)
    assert adopted_objects(["a"]) == {}


def test_what_was_told_of_a_router_that_went_is_over() -> None:
    here, other = router("a"), router("d")
    places = {f"router/{row.pk}/POS1/0//input": Topic.BARE for row in (here, other)}
    readings = {f"router/{row.pk}": Topic.OPEN_EDGE for row in (here, other)}
    with transaction.atomic():
        note(*(Note(topic, subject, "it lasts") for subject, topic in (places | readings).items()))
    retire_router("a")
    lasting = set(Notification.objects.filter(over_at=None).values_list("subject", flat=True))
    assert lasting == {f"router/{other.pk}/POS1/0//input", f"router/{other.pk}"}
