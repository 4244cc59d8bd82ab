"""What pipeline tests share: the templates as shipped, and the 6NET scheme."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from provisioning.pipeline.rendering import Renderer
from provisioning.pipeline.scheme import Scheme, from_mapping
from provisioning.selectors.templates import ios_environment

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def renderer() -> Renderer:
    return Renderer(ios_environment())


@pytest.fixture(scope="session")
def sixnet() -> Scheme:
    return from_mapping(yaml.safe_load((ROOT / "provisioning/schemes/6net.yaml").read_text()))
