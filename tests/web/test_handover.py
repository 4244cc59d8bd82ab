"""The invariant is green only where it is known to hold, and the next shift reads what it has to know."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from inventory.models import Router
from provisioning.models import Change, PremiumRequest, RouterPush, RouterSync, SyncState, TopologyVersion
from provisioning.selectors.invariant import invariant_of, longest
from tests.web.text import page_text
from tests.web.world import World


@pytest.fixture
def all_read(world: World) -> World:
    """Every router was read a moment ago, is in sync and has no open edge; nothing is half way."""
    RouterPush.objects.update(started_at=None)
    now = timezone.now()
    TopologyVersion.objects.update(created_at=now - timedelta(days=1))
    for router in Router.objects.all():
        RouterSync.objects.update_or_create(
            router=router, defaults={"state": SyncState.IN_SYNC, "open_edges": [], "checked_at": now}
        )
    return world


def verdict() -> str:
    return invariant_of(timezone.now()).verdict


def test_it_holds_where_every_router_was_read_lately_and_none_is_open(all_read: World) -> None:
    assert verdict() == "holds"
    RouterSync.objects.filter(router__name="nl6").update(state=SyncState.DIFFERS)
    assert verdict() == "holds", "what else differs lets nothing in"


@pytest.mark.parametrize(
    ("broken", "why"),
    [
        (lambda sync: sync.delete(), "never read"),
        (
            lambda sync: RouterSync.objects.filter(pk=sync.pk).update(state=SyncState.UNKNOWN),
            "could not be read",
        ),
        (
            lambda sync: RouterSync.objects.filter(pk=sync.pk).update(
                checked_at=timezone.now() - longest() - timedelta(minutes=1)
            ),
            "last read",
        ),
        (lambda _sync: TopologyVersion.objects.update(created_at=timezone.now()), "became another one"),
        (
            lambda sync: RouterPush.objects.filter(
                pk=RouterPush.objects.filter(state="PUSHING").first().pk
            ).update(started_at=timezone.now(), router=sync.router),
            "a push has begun",
        ),
    ],
)
def test_what_is_not_known_is_never_green(all_read: World, broken: Any, why: str) -> None:
    broken(RouterSync.objects.select_related("router").get(router__name="nl6"))
    found = invariant_of(timezone.now())
    assert found.verdict == "unknown" and not found.open
    assert any(spot.router == "nl6" and why in spot.reason for spot in found.unknown)


def test_how_old_a_reading_may_be_is_what_the_handbook_says(settings: Any) -> None:
    settings.VERIFY_SECONDS, settings.VERIFY_STEADY_FACTOR = 900, 4.0
    assert longest() == timedelta(minutes=80)
    settings.VERIFY_STEADY_FACTOR = 0.5
    assert longest() == timedelta(minutes=2 * 15 + 5)
    settings.VERIFY_SECONDS = 0
    assert longest() == timedelta(hours=1)
    text = (Path(settings.BASE_DIR) / "docs/howto/see-space-and-time.md").read_text()
    assert "80 minutes unless you set them otherwise; an hour with `VERIFY_SECONDS=0`" in text


def test_an_open_edge_is_red_and_named_whatever_else_is_not_known(all_read: World) -> None:
    edge = {"router": "de6", "interface": "FastEthernet0/1", "reason": "no input policy"}
    RouterSync.objects.filter(router__name="de6").update(open_edges=[edge])
    RouterSync.objects.filter(router__name="nl6").delete()
    found = invariant_of(timezone.now())
    assert found.verdict == "broken"
    assert [(spot.router, spot.interface, spot.reason) for spot in found.open] == [
        ("de6", "FastEthernet0/1", "no input policy")
    ]


def test_a_network_without_a_router_is_not_green(db: None) -> None:
    assert verdict() == "unknown"


def test_the_queue_and_the_handover_say_it(all_read: World, as_user: Callable[[str], Client]) -> None:
    for address in ("/queue/", "/handover/"):
        assert "No unauthorised EF can enter" in page_text(as_user("nora").get(address))
    RouterSync.objects.filter(router__name="nl6").delete()
    for address in ("/queue/", "/handover/"):
        text = page_text(as_user("nora").get(address))
        assert "is not known" in text and "No unauthorised EF can enter" not in text


def test_the_next_shift_reads_what_begins_ends_and_is_paused(
    world: World, as_user: Callable[[str], Client]
) -> None:
    now = timezone.now()
    admitted, active = world.requests["admitted"], world.requests["active"]
    PremiumRequest.objects.filter(pk=admitted.pk).update(start=now + timedelta(hours=3))
    PremiumRequest.objects.filter(pk=active.pk).update(end=now + timedelta(hours=5))
    Change.objects.filter(pk=world.changes["planned"].pk).update(
        paused_at=now, pause_reason="waits for the vendor"
    )
    text = page_text(as_user("nora").get("/handover/"))
    begins, _, rest = text.partition("End in the next 12 hours")
    ends = rest.partition("What happened")[0]
    assert f">{admitted.reference}<" in begins.partition("Begin in the next")[2]
    assert f">{active.reference}<" in ends and f">{admitted.reference}<" not in ends
    assert "waits for the vendor" in text
