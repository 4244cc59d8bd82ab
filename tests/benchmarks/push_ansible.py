"""Ansible sends lines to routers with `cisco.ios.ios_config`, as people run it: `ansible-playbook` with so many forks."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

PLAYBOOK = [
    {
        "hosts": "all",
        "gather_facts": False,
        "tasks": [{"cisco.ios.ios_config": {"lines": "{{ sent }}", "match": "none"}}],
    }
]
"""JSON is YAML: written as it stands. ``match: none`` sends every line in its order and reads nothing first."""
ENVIRONMENT = {
    "ANSIBLE_HOST_KEY_CHECKING": "False",
    "ANSIBLE_PERSISTENT_CONNECT_TIMEOUT": "120",
    "ANSIBLE_PERSISTENT_COMMAND_TIMEOUT": "120",
    "ANSIBLE_DEPRECATION_WARNINGS": "False",
}


class PeerFailed(Exception):
    """What a peer was to send did not all arrive: it has no figure in this run."""


class Host(Protocol):
    """How to reach one router."""

    host: str
    port: int
    username: str
    password: str
    enable: str


Work = Mapping[str, tuple[Any, Sequence[str]]]


def play(binaries: Path, work: Work, forks: int) -> float:
    """Wall seconds of the playbook, the start of Ansible included; ``binaries`` is where `ansible-playbook` is.

    Raises PeerFailed.
    """
    with tempfile.TemporaryDirectory(prefix="xp-ansible-") as name:
        folder = Path(name)
        (folder / "inventory.json").write_text(json.dumps(_inventory(work)))
        (folder / "playbook.json").write_text(json.dumps(PLAYBOOK))
        words = ["ansible-playbook", "-f", str(forks), "-i", "inventory.json", "playbook.json"]
        environment = {
            **{key: value for key, value in os.environ.items() if not key.startswith("PYTHON")},
            **ENVIRONMENT,
            "PATH": f"{binaries}:{os.environ['PATH']}",
            "HOME": name,
        }
        began = time.perf_counter()
        done = subprocess.run(
            [str(binaries / words[0]), *words[1:]],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        seconds = time.perf_counter() - began
    if done.returncode:
        said = [
            line for line in (done.stdout + done.stderr).splitlines() if "FAILED" in line or "ERROR" in line
        ]
        raise PeerFailed(f"{len(said)} times, first {said[0][:300] if said else done.stderr[-300:]}")
    return seconds


def _inventory(work: Work) -> dict[str, Any]:
    return {
        "all": {
            "vars": {
                "ansible_connection": "ansible.netcommon.network_cli",
                "ansible_network_os": "cisco.ios.ios",
                "ansible_network_cli_ssh_type": "paramiko",
                "ansible_become": True,
                "ansible_become_method": "enable",
            },
            "hosts": {name: _host(reached, lines) for name, (reached, lines) in work.items()},
        }
    }


def _host(reached: Host, lines: Sequence[str]) -> dict[str, Any]:
    return {
        "ansible_host": reached.host,
        "ansible_port": reached.port,
        "ansible_user": reached.username,
        "ansible_password": reached.password,
        "ansible_become_password": reached.enable,
        "sent": list(lines),
    }
