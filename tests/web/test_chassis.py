"""A chassis that was replaced, on the page of its router, by command and by API."""

from __future__ import annotations

import io
from collections.abc import Callable

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.test import Client
from django.utils import timezone

from inventory.models import Router
from provisioning.models import AuditEvent, RouterSync
from tests.web.text import page_text
from tests.web.world import World

As = Callable[[str], Client]
OLD, NEW = "TBM00000001", "TBM00000002"


@pytest.fixture
def other(world: World) -> Router:
    """uk6, in whose place another chassis answered."""
    router = Router.objects.get(name="uk6")
    Router.objects.filter(pk=router.pk).update(serial=OLD)
    why = f"this is not uk6 as the inventory has it: it says serial {NEW}, the inventory has {OLD}"
    RouterSync.objects.update_or_create(
        router=router,
        defaults={
            "state": "unknown",
            "checked_at": timezone.now(),
            "detail": {
                "code": "wrong-router",
                "reason": why,
                "said": {"serial": NEW, "platform": "12416/PRP", "ios": "12.0(28)S"},
            },
        },
    )
    router.refresh_from_db()
    return router


def test_the_page_names_both_serials_and_leads_to_taking_the_new_one(as_user: As, other: Router) -> None:
    page = page_text(as_user("nora").get(f"/routers/{other.name}/"))
    assert "Another router answers." in page
    assert OLD in page and NEW in page
    assert f"/routers/{other.name}/chassis/" in page
    assert f"/routers/{other.name}/chassis/" not in page_text(
        as_user("audrey").get(f"/routers/{other.name}/")
    )


def test_the_form_takes_only_the_serial_that_answered(as_user: As, other: Router) -> None:
    address = f"/routers/{other.name}/chassis/"
    refused = as_user("nora").post(address, {"serial": "TBM7", "reason": "replaced"})
    assert refused.status_code == 200
    assert NEW in page_text(refused)
    assert as_user("nora").post(address, {"serial": NEW, "reason": ""}).status_code == 200
    other.refresh_from_db()
    assert other.serial == OLD
    assert as_user("nora").post(address, {"serial": NEW, "reason": "a fire"}).status_code == 302
    other.refresh_from_db()
    assert other.serial == NEW
    event = AuditEvent.objects.get(action="router.chassis-accepted")
    assert (event.actor, event.reason) == ("nora", "a fire")


def test_by_command_as_a_person_of_the_noc(other: Router) -> None:
    said = io.StringIO()
    call_command("chassis", other.name, stdout=said)
    assert OLD in said.getvalue() and NEW in said.getvalue()
    with pytest.raises(CommandError):
        call_command("chassis", other.name, "--serial", NEW, "--reason", "a fire")
    with pytest.raises(CommandError):
        call_command("chassis", other.name, "--serial", NEW, "--reason", "a fire", "--as", "jane")
    call_command("chassis", other.name, "--serial", NEW, "--reason", "a fire", "--as", "nora", stdout=said)
    other.refresh_from_db()
    assert other.serial == NEW
