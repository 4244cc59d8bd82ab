"""6NET, for tests of the audit trail, transitions, people and tokens."""

from __future__ import annotations

import pytest

from tests.services.requests.sixnet import import_sixnet


@pytest.fixture
def six(db: None) -> None:
    """6NET as rows."""
    import_sixnet()
