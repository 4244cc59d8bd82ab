"""OpenSSH's sshd in a router's namespace, with files of its own: root's password, a machine id, what is kept in /etc and /run."""

from __future__ import annotations

import os
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import asyncssh
import pytest

from provisioning.drivers import Target
from tests.drivers.front_ends import HASH, SSHD, why_no_sshd
from tests.drivers.practice import PASSWORD
from tests.linux.router import LinuxRouter

PORT = 2222
KERNEL = ".".join(os.uname().release.split(".")[:2])


@dataclass(frozen=True)
class Reached:
    """A router with its sshd: `host` is its address of a link that leads to it alone, and `mounted` the process whose files its
    sshd has."""

    router: LinuxRouter
    host: str
    host_key: str
    mounted: int

    def target(self, **other: object) -> Target:
        said: dict[str, object] = {
            "name": "l1", "host": self.host, "port": PORT, "username": "root", "password": PASSWORD, "enable": "",
            "host_key": self.host_key, "ssh_profile": "modern", "platform": "linux", "ios": KERNEL,
        }  # fmt: skip
        return Target(**{**said, **other})  # type: ignore[arg-type]

    def run(self, script: str) -> str:
        """What a script prints that root runs on the router, with the router's own files."""
        words = ["nsenter", f"--target={self.mounted}", "--mount", "--net", "--uts", "sh", "-s"]
        done = subprocess.run(words, input=script, capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout


@contextmanager
def reached(router: LinuxRouter, number: int = 0, bandwidths: str = "") -> Iterator[Reached]:
    """The router with an sshd of its own, skipped with the reason where there can be none; `number` among those of a test."""
    why = why_no_sshd()
    if why:
        pytest.skip(why)
    net = (os.getpid() * 8 + number) % 16000 * 4
    ours, host = (f"198.18.{net // 256}.{net % 256 + end}" for end in (1, 2))
    port = f"xh{os.getpid() % 100000}-{number}"
    _run("ip", "link", "add", port, "type", "veth", "peer", "name", "eth9", "netns", router.name)
    _run("ip", "addr", "add", f"{ours}/30", "dev", port)
    _run("ip", "link", "set", port, "up")
    _run("ip", "-n", router.name, "addr", "add", f"{host}/30", "dev", "eth9")
    _run("ip", "-n", router.name, "link", "set", "eth9", "up")
    key = asyncssh.generate_private_key("ssh-ed25519")
    with tempfile.TemporaryDirectory(prefix="xp-") as directory:
        process = subprocess.Popen(
            ["ip", "netns", "exec", router.name, "unshare", "--uts", "--mount", "--propagation", "private",
             "sh", "-ec", _setting_up(Path(directory), key, number, bandwidths)],
            stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        try:
            _listening(host, process)
            yield Reached(
                router, host, " ".join(key.export_public_key("openssh").decode().split()[:2]), process.pid
            )
        finally:
            process.terminate()
            process.communicate(timeout=30)
            subprocess.run(["ip", "link", "del", port], capture_output=True, timeout=60, check=False)


def _setting_up(directory: Path, key: asyncssh.SSHKey, number: int, bandwidths: str) -> str:
    (directory / "key").write_bytes(key.export_private_key("openssh"))
    (directory / "key").chmod(0o600)
    (directory / "sshd_config").write_text(
        f"Port {PORT}\nHostKey {directory}/key\nPidFile none\nUsePAM no\nPermitRootLogin yes\nPasswordAuthentication yes\n"
        "KbdInteractiveAuthentication no\nAuthorizedKeysFile none\nStrictModes no\nUseDNS no\nPrintMotd no\nPrintLastLog no\n"
        "AllowUsers root\nLogLevel ERROR\nMaxStartups 50\n"
    )
    shadow = [line for line in Path("/etc/shadow").read_text().splitlines() if not line.startswith("root:")]
    (directory / "shadow").write_text("\n".join([f"root:{HASH}:20000:0:99999:7:::", *shadow, ""]))
    (directory / "bandwidths").write_text(bandwidths)
    return (
        f"mkdir {directory}/over; mount -t tmpfs tmpfs {directory}/over; mkdir {directory}/over/up {directory}/over/work; "
        f"mount -t overlay overlay -o lowerdir=/etc,upperdir={directory}/over/up,workdir={directory}/over/work /etc; "
        f"install -m 600 {directory}/shadow /etc/shadow; echo {os.getpid():016x}{number:016x} > /etc/machine-id; "
        f"mkdir -p /etc/expedite; cp {directory}/bandwidths /etc/expedite/bandwidths; touch /etc/expedite/loads-at-boot; "
        f"hostname l{number + 1}; "
        "mount -t tmpfs tmpfs /run; mkdir /run/sshd; mount -t tmpfs tmpfs /var/log; "
        f"exec {SSHD} -D -e -f {directory}/sshd_config"
    )


def _run(*words: str) -> None:
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, (words, done.stderr)


def _listening(host: str, process: subprocess.Popen[str]) -> None:
    for _attempt in range(200):
        if process.poll() is not None:
            break
        with suppress(OSError), socket.create_connection((host, PORT), timeout=1):
            return
        time.sleep(0.05)
    process.kill()
    raise RuntimeError(f"sshd did not start: {process.communicate()[1]}")
