"""docker-compose.yml is valid, where a compose client exists. Nothing is built or started."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parent.parent
SERVICES = {"migrate", "web", "worker", "beat", "postgres", "redis", "practice"}


def compose_client() -> list[str] | None:
    if shutil.which("docker-compose"):
        return ["docker-compose"]
    plugin = shutil.which("docker") and subprocess.run(
        ["docker", "compose", "version"], capture_output=True, check=False
    )
    return ["docker", "compose"] if plugin and plugin.returncode == 0 else None


def test_the_composition_names_every_part() -> None:
    services = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]
    assert set(services) == SERVICES
    assert services["practice"]["profiles"] == ["practice"]
    assert "privileged" not in str(services)


def test_a_compose_client_accepts_the_file(tmp_path: Path) -> None:
    client = compose_client()
    if client is None:
        pytest.skip("no compose client on this machine")
    for name in ("docker-compose.yml", "Dockerfile"):
        shutil.copy(ROOT / name, tmp_path / name)
    (tmp_path / ".env").write_text("POSTGRES_PASSWORD=for-the-check-only\n")
    done = subprocess.run(
        [*client, "config", "-q"], cwd=tmp_path, env=os.environ, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_the_image_holds_every_folder_the_program_needs() -> None:
    text = (ROOT / "Dockerfile").read_text()
    for folder in ("inventory", "provisioning", "templates", "lab"):
        assert f"COPY {folder} {folder}" in text
