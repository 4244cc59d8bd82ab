"""A Linux router in a network namespace, between two others: what it holds is asked of the kernel."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import pytest

from provisioning.pipeline.linux import READ, LinuxState, Step, read, shell
from tests.packs.edge_and_sender import ready, run


@dataclass(frozen=True)
class LinuxRouter:
    """The router: `eth1` towards NREN, `eth2` towards backbone, `eth3.100` to nobody."""

    name: str
    interfaces: tuple[str, ...]

    def run(self, script: str) -> subprocess.CompletedProcess[str]:
        words = ["ip", "netns", "exec", self.name, "sh", "-s"]
        return subprocess.run(words, input=script, capture_output=True, text=True, timeout=60, check=False)

    def shown(self) -> str:
        """What the script of `manage.py linux read` prints here."""
        done = self.run(READ)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def held(self) -> LinuxState:
        return read(self.shown())

    def take(self, steps: tuple[Step, ...]) -> None:
        done = self.run("\n".join(["set -eu", *map(shell, steps)]) + "\n")
        assert done.returncode == 0, (done.stderr, list(map(shell, steps)))

    def clear(self) -> None:
        """Whatever anybody put on it goes."""
        self.run("nft flush ruleset\n")
        for interface in self.interfaces:
            self.run(
                f"tc qdisc del dev {interface} root 2>/dev/null; tc qdisc del dev {interface} clsact 2>/dev/null\n"
            )
        self.run("for each in /sys/class/net/xp-*; do [ -e $each ] && ip link del ${each##*/}; done; true\n")
        assert self.held() == LinuxState()


@contextmanager
def built() -> Iterator[LinuxRouter]:
    """Three namespaces in a row, routed; skipped with the reason where there can be none."""
    why = ready()
    if why:
        pytest.skip(why)
    router = f"xl{os.getpid()}-router"
    nren, backbone = f"{router}-nren", f"{router}-core"
    names = (router, nren, backbone)
    try:
        for name in names:
            run("ip", "netns", "add", name)
            run("ip", "-n", name, "link", "set", "lo", "up")
        run(
            "ip", "link", "add", "eth1", "netns", router, "type", "veth", "peer", "name", "up0", "netns", nren
        )
        run(
            "ip",
            "link",
            "add",
            "eth2",
            "netns",
            router,
            "type",
            "veth",
            "peer",
            "name",
            "down0",
            "netns",
            backbone,
        )
        run("ip", "-n", router, "link", "add", "eth3.100", "type", "veth", "peer", "name", "spare")
        for name, interface, *addresses in (
            (router, "eth1", "2001:db8:1::fe/64", "10.1.0.254/24"),
            (nren, "up0", "2001:db8:1::1/64", "2001:db8:1::9/64", "10.1.0.1/24"),
            (router, "eth2", "2001:db8:2::fe/64", "10.2.0.254/24"),
            (backbone, "down0", "2001:db8:2::1/64", "10.2.0.1/24"),
            (router, "eth3.100"),
        ):
            run(
                "ip",
                "netns",
                "exec",
                name,
                "sh",
                "-c",
                f"echo 0 > /proc/sys/net/ipv6/conf/{interface}/accept_dad",
            )
            for address in addresses:
                run("ip", "-n", name, "addr", "add", address, "dev", interface)
            run("ip", "-n", name, "link", "set", interface, "up")
        forward = "echo 1 > /proc/sys/net/ipv6/conf/all/forwarding; echo 1 > /proc/sys/net/ipv4/ip_forward"
        run("ip", "netns", "exec", router, "sh", "-c", forward)
        for name, to6, to4 in (
            (nren, "2001:db8:1::fe", "10.1.0.254"),
            (backbone, "2001:db8:2::fe", "10.2.0.254"),
        ):
            run("ip", "-n", name, "-6", "route", "add", "default", "via", to6)
            run("ip", "-n", name, "route", "add", "default", "via", to4)
        yield LinuxRouter(router, ("eth1", "eth2", "eth3.100"))
    finally:
        for name in names:
            subprocess.run(["ip", "netns", "del", name], capture_output=True, timeout=60, check=False)
