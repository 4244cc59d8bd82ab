"""The network that decisions are kept of."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.services.records.deciding import KEY
from tests.services.topology.diamond import DIAMOND, network, put


@pytest.fixture
def file(tmp_path: Path, settings: Any) -> Path:
    """The diamond is imported, and there is a key."""
    settings.AUDIT_SIGNING_KEY = KEY
    put(network(tmp_path / "network.yaml", DIAMOND))
    return tmp_path / "network.yaml"
