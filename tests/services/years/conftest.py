"""The 6NET network, imported."""

from __future__ import annotations

import pytest

from inventory.models import Router
from tests.services.requests.sixnet import import_sixnet


@pytest.fixture
def network(db: None) -> Router:
    import_sixnet()
    return Router.objects.get(name="uk6")
