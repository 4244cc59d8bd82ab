"""Every test of this folder has 6NET in its database."""

from __future__ import annotations

import pytest

from tests.services.requests.sixnet import import_sixnet


@pytest.fixture(autouse=True)
def _six(db: None) -> None:
    import_sixnet()
