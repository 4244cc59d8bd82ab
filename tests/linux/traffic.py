"""Datagrams from the NREN through the router, counted where they arrive: by what they are marked with."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Iterable

from tests.linux.router import LinuxRouter
from tests.packs.edge_and_sender import _in_namespace, run

SINK = "2001:db8:2::1"
DSCPS = (0, 8, 10, 18, 46, 48)


def ready_to_count(router: LinuxRouter) -> None:
    """A counter for each DSCP on the backbone's side, at 0, and neighbours known."""
    core = f"{router.name}-core"
    counters = "".join(f"counter d{dscp} {{}}\n" for dscp in DSCPS)
    rules = "".join(f"ip6 dscp {dscp} udp dport 5000 counter name d{dscp} drop\n" for dscp in DSCPS)
    table = (
        "table inet seen\ndelete table inet seen\n"
        f"table inet seen {{\n{counters}chain in {{ type filter hook prerouting priority 0; policy accept;\n{rules}}}\n}}\n"
    )
    run("ip", "netns", "exec", core, "nft", "-f", "-", given=table)
    for name, device, near, far, address in (
        (f"{router.name}-nren", "up0", router.name, "eth1", "2001:db8:1::fe"),
        (router.name, "eth2", core, "down0", SINK),
    ):
        hardware = json.loads(run("ip", "-n", near, "-j", "link", "show", "dev", far))[0]["address"]
        run(
            "ip",
            "-n",
            name,
            "neigh",
            "replace",
            address,
            "lladdr",
            hardware,
            "nud",
            "permanent",
            "dev",
            device,
        )


def arrived(router: LinuxRouter) -> dict[int, int]:
    """Datagrams by DSCP; what none arrived with is left out."""
    text = run("ip", "netns", "exec", f"{router.name}-core", "nft", "-j", "list", "counters")
    found = {
        each["counter"]["name"]: each["counter"]["packets"]
        for each in json.loads(text)["nftables"]
        if "counter" in each
    }
    return {dscp: found[f"d{dscp}"] for dscp in DSCPS if found[f"d{dscp}"]}


def send(
    router: LinuxRouter, moments: Iterable[float], *, source: str, dscp: int, payload: int = 1400
) -> None:
    """One datagram at each moment, in seconds from now; never before it, so that what conforms as planned conforms as sent."""
    failed: list[BaseException] = []

    def speak() -> None:
        try:
            with (
                _in_namespace(f"{router.name}-nren"),
                socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as speaker,
            ):
                speaker.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_TCLASS, dscp << 2)
                speaker.bind((source, 0))
                began = time.monotonic()
                for moment in moments:
                    if (wait := began + moment - time.monotonic()) > 0:
                        time.sleep(wait)
                    speaker.sendto(bytes(payload), (SINK, 5000))
        except BaseException as error:  # noqa: BLE001 - told to the test's own thread
            failed.append(error)

    worker = threading.Thread(target=speak)  # a namespace belongs to a thread
    worker.start()
    worker.join(timeout=60)
    assert not worker.is_alive()
    if failed:
        raise failed[0]
    time.sleep(0.2)  # the last datagram waits for its token, on the policer
