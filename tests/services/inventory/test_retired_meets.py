"""A router goes while something of it is under way: that ends with a reason, and nothing of it comes back by itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from inventory.models import AccessLink, CoreLink, Router
from provisioning.errors import StaleState
from provisioning.models import Change, RouterPush
from provisioning.pipeline.states import PushState
from provisioning.selectors.templates import template_digest
from provisioning.services import changes, clock, intents, inventory
from provisioning.services.inventory import StillNeeded
from provisioning.services.pushing import gate
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
