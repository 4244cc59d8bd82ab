"""What ships to run it: the compose file and the systemd units, checked by the programs that read them. Nothing is started;
`make image-test` builds the image and serves it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parent.parent
SERVICES = {"migrate", "web", "worker", "teller", "beat", "postgres", "redis", "practice"}


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
        pytest.skip("needs a compose client: `make test` installs one (package docker-compose)")
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


def seconds(setting: str) -> int:
    source = (ROOT / "provisioning/settings.py").read_text()
    found = re.search(rf'"{setting}", default=(\d+)', source)
    assert found
    return int(found[1])


def test_every_part_comes_back_and_has_time_to_hand_over() -> None:
    services = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]
    needed = seconds("STOP_GRACE_SECONDS") + seconds("ROUTER_TIMEOUT_SECONDS")
    for name in SERVICES - {"migrate"}:
        assert services[name]["restart"] == "unless-stopped", name
    for name in ("web", "worker", "teller", "beat"):
        assert int(services[name]["stop_grace_period"].removesuffix("s")) > needed, name
    assert "/readyz" in str(services["web"]["healthcheck"])


UNITS = sorted((ROOT / "deploy/systemd").glob("*.service"))


def test_there_is_a_unit_for_every_process() -> None:
    assert {unit.stem for unit in UNITS} == {
        f"expedite-{name}" for name in ("web", "worker", "teller", "beat", "runjobs")
    }


def test_systemd_takes_the_units(tmp_path: Path) -> None:
    """With the paths of this checkout, so that the programs they start are looked for, too."""
    program = shutil.which("systemd-analyze")
    if program is None:
        pytest.skip("needs systemd-analyze: `make test` installs it (package systemd)")
    for unit in UNITS:
        text = unit.read_text().replace("/srv/expedite/.venv/bin/", f"{Path(sys.executable).parent}/")
        (tmp_path / unit.name).write_text(text.replace("/srv/expedite", str(ROOT)))
    done = subprocess.run(
        [program, "verify", "--man=no", *(str(tmp_path / unit.name) for unit in UNITS)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr.strip()) == (0, "")


@pytest.mark.parametrize("unit", UNITS, ids=lambda path: path.stem)
def test_a_unit_starts_its_process_again_and_gives_it_time(unit: Path) -> None:
    said = dict(
        line.split("=", 1) for line in unit.read_text().splitlines() if "=" in line and line[0] != "#"
    )
    assert said["Restart"] == "always"
    assert said["KillMode"] == "mixed", (
        "a SIGTERM to a process of the pool would kill it in the middle of a line"
    )
    if unit.stem in {"expedite-worker", "expedite-runjobs"}:
        assert int(said["TimeoutStopSec"]) > seconds("STOP_GRACE_SECONDS") + seconds("ROUTER_TIMEOUT_SECONDS")
