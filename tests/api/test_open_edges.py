"""How a router stands names its open edges as objects: an interface can be looked up, and no text has to be taken apart."""

from __future__ import annotations

import pytest
from django.test import Client
from django.utils import timezone

from inventory.models import Router
from provisioning.models import RouterSync, SyncState
from tests.api.conftest import Speaker

EDGE = {"router": "gr6", "interface": "POS2/0", "reason": "no input policy"}


def test_an_open_edge_is_an_object(speakers: dict[str, Speaker]) -> None:
    router = Router.objects.get(name="gr6")
    RouterSync.objects.update_or_create(
        router=router,
        defaults={"state": SyncState.DIFFERS, "checked_at": timezone.now(), "open_edges": [EDGE]},
    )
    assert speakers["noc"].get(f"/api/v1/routers/{router.pk}/standing/")["open_edges"] == [EDGE]


@pytest.mark.django_db
def test_it_is_described_so() -> None:
    address, kind = "/api/schema/", "application/vnd.oai.openapi+json"
    schemas = Client().get(address, headers={"accept": kind}).json()["components"]["schemas"]
    assert schemas["StandingView"]["properties"]["open_edges"]["items"]["$ref"].endswith("/OpenEdgeView")
    assert sorted(schemas["OpenEdgeView"]["required"]) == ["interface", "reason", "router"]
