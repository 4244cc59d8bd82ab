"""A practice network as a process of its own, and a bare terminal to it."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import netmiko
import paramiko

from lab.control import Control
from tests.lab.routers import PORTS

SPEC = {
    "routers": [
        {"name": "gsr", "platform": "cisco-12400", "ios": "12.0(28)S", "engines": {"1": 3, "2": 3}, "ssh_profile": "legacy",
         "password": "pw", "enable": "secret", "interfaces": PORTS},
        {"name": "vxr", "platform": "cisco-7200vxr", "ios": "12.4(24)T", "ssh_profile": "modern",
         "password": "pw", "enable": "secret", "interfaces": PORTS},
    ]
}  # fmt: skip


class Practice:
    """A running practice network."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.state = directory / "state"
        self.errors = directory / "errors"
        (directory / "spec.json").write_text(json.dumps(SPEC))
        self.start()

    def start(self) -> None:
        command = [sys.executable, "-m", "lab", str(self.directory / "spec.json"), "--state", str(self.state)]
        with self.errors.open("a") as errors:
            self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True)
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line.startswith("READY "), self.errors.read_text()
        self.routers: dict[str, Any] = json.loads(line[6:])

    def stop(self) -> None:
        self.process.send_signal(signal.SIGTERM)
        self.process.communicate(timeout=60)
        assert self.process.returncode == 0
        assert self.errors.read_text() == ""

    def control(self) -> Control:
        return Control(self.state / "control.sock")

    def call(self, op: str, **fields: Any) -> dict[str, Any]:
        with self.control() as control:
            return control.call(op, **fields)

    def running(self, name: str) -> str:
        return str(self.call("state", router=name)["running"])

    def netmiko(self, name: str, **changes: Any) -> netmiko.BaseConnection:
        options = {
            "device_type": "cisco_ios", "host": "127.0.0.1", "port": self.routers[name]["port"], "username": "noc",
            "password": "pw", "secret": "secret", "conn_timeout": 60, "fast_cli": True,
        }  # fmt: skip
        return netmiko.ConnectHandler(**(options | changes))

    def shell(self, name: str) -> Shell:
        return Shell(self.routers[name]["port"])


class Shell:
    """A bare terminal: what a person sees."""

    def __init__(self, port: int) -> None:
        self.client = paramiko.SSHClient()
        self.client.set_missing_host_key_policy(paramiko.AutoAddPolicy())
        self.client.connect(
            "127.0.0.1", port, "noc", "pw", look_for_keys=False, allow_agent=False, timeout=60
        )
        self.channel = self.client.invoke_shell(width=80, height=24)
        self.channel.settimeout(60)

    def until(self, *ends: str) -> str:
        text = ""
        while not text.endswith(ends):
            piece = self.channel.recv(65536).decode()
            if not piece:
                break
            text += piece
        return text

    def type(self, keys: str, *ends: str) -> str:
        self.channel.send(keys.encode())
        return self.until(*ends)

    def close(self) -> None:
        self.client.close()
