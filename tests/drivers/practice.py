"""Practice routers for tests: ``python -m lab`` as a process of its own, and how to reach and to upset them."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from lab.control import Control
from provisioning.drivers import Target

PASSWORD = "line-password"
ENABLE = "enable-secret"

POS = [
    {"name": "POS1/0", "bandwidth_kbit": 155000, "description": "JANET", "ipv6": "2001:db8:1::1/64"},
    {"name": "POS1/1", "bandwidth_kbit": 155000, "description": "GEANT", "ipv6": "2001:db8:2::1/64"},
    {"name": "POS2/0", "bandwidth_kbit": 155000, "description": "core", "ipv6": "2001:db8:3::1/64"},
    {"name": "POS2/1", "bandwidth_kbit": 155000, "description": "spare", "shutdown": True},
]

ROUTERS: dict[str, dict[str, object]] = {
    # One per train the drivers and the golden cases meet; the last name is longer than what IOS shows of it.
    "gsr": {
        "platform": "cisco-12400",
        "ios": "12.0(28)S",
        "engines": {"1": 3, "2": 3},
        "ssh_profile": "legacy",
    },
    "old": {"platform": "cisco-7200vxr", "ios": "12.2(15)T", "ssh_profile": "legacy"},
    "pre": {"platform": "cisco-7200vxr", "ios": "12.3(14)T", "ssh_profile": "legacy"},
    "hqf": {"platform": "cisco-7200vxr", "ios": "12.4(24)T", "ssh_profile": "legacy"},
    "isr": {"platform": "isr4331", "ios": "17.6.1", "ssh_profile": "modern"},
    "a-router-with-a-name-of-its-own": {
        "platform": "cisco-7200vxr",
        "ios": "12.4(24)T",
        "ssh_profile": "modern",
        "privilege": 15,
    },
}


def specification(routers: Mapping[str, Mapping[str, object]]) -> dict[str, object]:
    """The document ``lab`` reads."""
    common = {"username": "noc", "password": PASSWORD, "enable": ENABLE, "interfaces": POS}
    return {"routers": [{**common, "name": name, **values} for name, values in routers.items()]}


class Practice:
    """Running routers: ``target`` to reach one, ``control`` to upset it, ``state`` to know what it really holds."""

    def __init__(self, directory: Path, routers: Mapping[str, Mapping[str, object]]) -> None:
        self.directory = directory
        self.routers = routers
        self.control = Control(directory / "control.sock")

    def target(self, name: str, driver: str = "netmiko", **changes: object) -> Target:
        """How to reach the router; ``changes`` make a target that is wrong somewhere."""
        published = json.loads((self.directory / "routers.json").read_text())[name]
        values: dict[str, object] = {
            "name": name,
            "host": published["host"],
            "port": published["port"],
            "username": "noc",
            "password": PASSWORD,
            "enable": ENABLE,
            "host_key": published["host_key"],
            "ssh_profile": self.routers[name]["ssh_profile"],
            "platform": self.routers[name]["platform"],
            "driver": driver,
        }
        return Target(**{**values, **changes})  # type: ignore[arg-type]

    def state(self, name: str) -> dict[str, object]:
        """What the router holds, told by itself and not over SSH."""
        return self.control.call("state", router=name)

    def attached(self, name: str) -> set[tuple[str, str, str]]:
        """(interface, direction, policy) of every service-policy in force."""
        attachments = self.state(name)["attachments"]
        assert isinstance(attachments, list)
        return {(item["interface"], item["direction"], item["policy"]) for item in attachments}


@contextmanager
def practice_routers(
    directory: Path, routers: Mapping[str, Mapping[str, object]] = ROUTERS
) -> Iterator[Practice]:
    """Start the process, wait until every router listens, stop it at the end."""
    spec = directory / "spec.json"
    spec.write_text(json.dumps(specification(routers)))
    process = subprocess.Popen(
        [sys.executable, "-m", "lab", str(spec), "--state", str(directory)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).resolve().parents[2],
    )
    assert process.stdout is not None and process.stderr is not None
    watchdog = threading.Timer(180, process.kill)
    watchdog.start()
    try:
        ready = process.stdout.readline()
        if not ready.startswith("READY"):
            raise RuntimeError(f"the practice routers did not start: {ready}{process.stderr.read()[-2000:]}")
        watchdog.cancel()
        practice = Practice(directory, routers)
        try:
            yield practice
        finally:
            practice.control.close()
    finally:
        watchdog.cancel()
        process.terminate()
        process.communicate(timeout=60)
