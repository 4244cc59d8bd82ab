"""Two network namespaces: the NREN's router with the pack on it, and the backbone's edge that polices.

The policer is an IFB whose root is a token bucket filter with room for one packet: what has no token is dropped, and its
counters say how many passed and how many did not. Layer 2 is counted, as a router does. Veth pairs know no
medium, so nothing but the shaper and the policer ever holds a packet back.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

NREN, EDGE = f"xp{os.getpid()}-nren", f"xp{os.getpid()}-edge"
UPLINK, ACCESS = "up0", "pos10"
SOURCE, OTHER, TARGET = "2001:db8:1::1", "2001:db8:9::1", "2001:db8:2::1"
PAYLOAD = 1400  # bytes; with UDP, IPv6 and Ethernet 1462 on the wire


def ready() -> str:
    """Why the twin cannot be built here; empty when it can."""
    if os.geteuid() != 0:
        return "needs root: network namespaces"
    missing = [program for program in ("ip", "tc", "nft") if shutil.which(program) is None]
    if missing:
        return f"needs {', '.join(missing)}: `make test` installs them"
    return _refused()


def _refused() -> str:
    """What a container or a kernel without these parts says, where root is not root of the network; empty on a machine."""
    probe = f"xp{os.getpid()}-probe"
    ground = (
        f"ip netns add {probe} && ip netns exec {probe} sh -c '"
        "ip link add probe0 type ifb && tc qdisc add dev probe0 clsact"
        " && tc qdisc add dev probe0 root tbf rate 1mbit burst 2000b limit 2000 && tc qdisc del dev probe0 root"
        " && tc qdisc add dev probe0 root htb && nft add table inet probe'"
    )
    tried = subprocess.run(["sh", "-c", ground], capture_output=True, text=True, timeout=60, check=False)
    subprocess.run(["ip", "netns", "del", probe], capture_output=True, timeout=60, check=False)
    return (
        ""
        if tried.returncode == 0
        else f"no network namespace with ifb, tbf, htb and nft here: {tried.stderr.strip()}"
    )


def run(*words: str, given: str = "") -> str:
    done = subprocess.run(words, input=given, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, (words, done.stdout, done.stderr)
    return done.stdout


def within(namespace: str, *words: str, given: str = "") -> str:
    return run("ip", "netns", "exec", namespace, *words, given=given)


@dataclass(frozen=True)
class Twin:
    """The two routers; counters are read, never guessed from the clock."""

    directory: Path

    def pack(self, text: str, verb: str) -> str:
        """Run a pack on the NREN's router."""
        script = self.directory / "pack.sh"
        script.write_text(text)
        return within(NREN, "sh", str(script), verb, UPLINK)

    def checked(self, text: str) -> tuple[int, str]:
        """Exit status and words of a pack's `check`."""
        script = self.directory / "pack.sh"
        script.write_text(text)
        words = ("ip", "netns", "exec", NREN, "sh", str(script), "check", UPLINK)
        done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
        assert done.stderr == "", done.stderr
        return done.returncode, done.stdout

    def police(self, rate_bps: int, bucket_bytes: int) -> None:
        """Police EF at the edge; everything else passes. A new policer has fresh counters and a full bucket."""
        if "tbf" in within(EDGE, "tc", "qdisc", "show", "dev", "ifb0", "root"):
            within(EDGE, "tc", "qdisc", "del", "dev", "ifb0", "root")
        within(EDGE, "tc", "qdisc", "add", "dev", "ifb0", "root", "handle", "1:", "tbf", "rate",
               f"{rate_bps}bit", "burst", f"{bucket_bytes}b", "limit", "1600")  # fmt: skip

    def policed(self) -> tuple[int, int]:
        """(packets that conformed, packets that were dropped) at the policer."""
        said = within(EDGE, "tc", "-s", "qdisc", "show", "dev", "ifb0")
        found = re.search(
            r"qdisc tbf 1: root.*?\n Sent \d+ bytes (\d+) pkt \(dropped (\d+),", said, re.DOTALL
        )
        assert found, said
        return int(found[1]), int(found[2])

    def reset(self) -> None:
        """Counters by DSCP at 0."""
        within(EDGE, "nft", "reset", "counters")

    def marks(self) -> dict[str, int]:
        """Packets that arrived at the edge, by DSCP."""
        listed = json.loads(within(EDGE, "nft", "-j", "list", "counters"))["nftables"]
        return {one["counter"]["name"]: one["counter"]["packets"] for one in listed if "counter" in one}

    def send(
        self, packets: int, *, source: str = SOURCE, label: int = 0, dscp: int = 0, held: int = 8_000
    ) -> None:
        """Send that many datagrams of PAYLOAD bytes as fast as the router takes them.

        The socket holds `held` bytes: a few packets only, so it waits for a shaper and overflows no queue.
        """
        before = sum(self.marks().values()) + self.policed()[1]

        def speak() -> None:
            with _in_namespace(NREN), socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as speaker:
                speaker.setsockopt(socket.SOL_SOCKET, _SO_SNDBUFFORCE, held)
                speaker.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_TCLASS, dscp << 2)
                speaker.bind((source, 0))
                if label:
                    _lease(speaker, label)
                for _ in range(packets):
                    speaker.sendto(bytes(PAYLOAD), (TARGET, 5000, label, 0))

        failed: list[BaseException] = []

        def guarded() -> None:
            try:
                speak()
            except BaseException as error:  # noqa: BLE001 - told to the test's own thread
                failed.append(error)

        worker = threading.Thread(target=guarded)  # a namespace belongs to a thread
        worker.start()
        worker.join(timeout=60)
        assert not worker.is_alive()
        if failed:
            raise failed[0]
        while sum(self.marks().values()) + self.policed()[1] < before + packets:
            time.sleep(0.02)  # the test's own time limit ends it when they never come


# Linux sends a flow label only after it was asked for (RFC 3542 has no words for it; linux/in6.h has).
_FLOWLABEL_MGR, _FLOWINFO_SEND = 32, 33
_SO_SNDBUFFORCE = 32  # as root, beyond what the system allows others


def _lease(speaker: socket.socket, label: int) -> None:
    address = socket.inet_pton(socket.AF_INET6, TARGET)
    # struct in6_flowlabel_req: label, action get, share any, create, no expiry, no linger.
    request = address + label.to_bytes(4, "big") + bytes([0, 255]) + (1).to_bytes(2, "little") + bytes(8)
    speaker.setsockopt(socket.IPPROTO_IPV6, _FLOWLABEL_MGR, request)
    speaker.setsockopt(socket.IPPROTO_IPV6, _FLOWINFO_SEND, 1)


@contextmanager
def _in_namespace(name: str) -> Iterator[None]:
    with open(f"/run/netns/{name}") as handle:
        os.setns(handle.fileno(), os.CLONE_NEWNET) if hasattr(os, "setns") else _setns(handle.fileno())
    yield


def _setns(descriptor: int) -> None:
    """Python 3.11 has no os.setns."""
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)
    if libc.setns(descriptor, 0x40000000) != 0:
        raise OSError(ctypes.get_errno(), "setns")


@contextmanager
def built(directory: Path) -> Iterator[Twin]:
    """Both namespaces, wired, policing nothing yet; gone at the end."""
    reason = ready()
    if reason:
        pytest.skip(reason)
    _remove()
    try:
        for name in (NREN, EDGE):
            run("ip", "netns", "add", name)
            within(name, "ip", "link", "set", "lo", "up")
        run("ip", "link", "add", UPLINK, "netns", NREN, "type", "veth", "peer", "name", ACCESS, "netns", EDGE)
        for name, port, addresses in ((NREN, UPLINK, (SOURCE, OTHER)), (EDGE, ACCESS, (TARGET,))):
            within(name, "ip", "link", "set", port, "gso_max_segs", "1", "up")
            for address in addresses:
                within(name, "ip", "addr", "add", f"{address}/128", "dev", port, "nodad")
        within(NREN, "ip", "route", "add", "2001:db8:2::/48", "dev", UPLINK)
        within(EDGE, "ip", "route", "add", "2001:db8::/32", "dev", ACCESS)
        _know_each_other()
        _edge()
        yield Twin(directory)
    finally:
        _remove()


def _know_each_other() -> None:
    """Neighbours are written down: a probe whether one still lives would go the way of what is counted."""
    for name, port, other, far, addresses in (
        (NREN, UPLINK, EDGE, ACCESS, (TARGET,)),
        (EDGE, ACCESS, NREN, UPLINK, (SOURCE, OTHER)),
    ):
        hardware = json.loads(within(other, "ip", "-j", "link", "show", "dev", far))[0]["address"]
        for address in addresses:
            words = ("ip", "neigh", "replace", address, "lladdr", hardware, "nud", "permanent", "dev", port)
            within(name, *words)


def _edge() -> None:
    """What arrives with EF goes through the policer; everything is counted by DSCP before."""
    within(EDGE, "ip", "link", "add", "ifb0", "type", "ifb")
    # Without a link-local address: it would ask for routers through the policer, three times in its first twelve seconds.
    within(EDGE, "ip", "link", "set", "ifb0", "addrgenmode", "none")
    within(EDGE, "ip", "link", "set", "ifb0", "up")
    within(EDGE, "tc", "qdisc", "add", "dev", ACCESS, "clsact")
    within(EDGE, "tc", "filter", "add", "dev", ACCESS, "ingress", "protocol", "ipv6", "u32",
           "match", "u32", "0x0b800000", "0x0fc00000", "at", "0",
           "action", "mirred", "egress", "redirect", "dev", "ifb0")  # fmt: skip
    rules = "".join(f"counter {name} {{}}\n" for name in ("ef", "be", "other"))
    chain = (
        "chain seen { type filter hook input priority 0; policy accept;\n"
        "udp dport 9 drop\n"
        "ip6 dscp ef meta l4proto udp counter name ef\n"
        "ip6 dscp cs0 meta l4proto udp counter name be\n"
        "ip6 dscp != ef ip6 dscp != cs0 meta l4proto udp counter name other\n"
        "meta l4proto udp drop\n}\n"  # nobody listens, and nobody shall be told so
    )
    within(EDGE, "nft", "-f", "-", given=f"table inet seen {{\n{rules}{chain}}}\n")


def _remove() -> None:
    for name in (NREN, EDGE):
        subprocess.run(["ip", "netns", "del", name], capture_output=True, timeout=60, check=False)
