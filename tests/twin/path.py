"""The path of D4.4.2v2 in namespaces, configured by the service: what is sent, and what the routers counted of it."""

from __future__ import annotations

import json
import re
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from provisioning.models import PremiumRequest
from provisioning.pipeline.states import PushState
from tests.linux.chain import Chain, chain
from tests.packs.edge_and_sender import _in_namespace
from tests.services.backbone import Backbone

PORT = 5000
DSCPS = (0, 8, 10, 46, 48)
GRANTED = "500k"
STILL_S = 0.1
"""A full queue (64 packets at 15.552 Mbit/s: 48 ms) would have sent some meanwhile."""


@dataclass
class Path:
    """London first, Athens last; GRNET's request towards JANET is on, from its host 1 alone."""

    row: Chain
    house: Backbone
    request: PremiumRequest

    @property
    def athens(self) -> int:
        return len(self.row.routers) - 1

    def on(self, router: int, script: str) -> str:
        return self.row.routers[router].run(script)

    def count_at_london(self, ports: int = 1) -> None:
        """A counter for each DSCP at each of so many ports where packets arrive, at 0."""
        each = [(PORT + number, dscp) for number in range(ports) for dscp in DSCPS]
        counters = "".join(f"counter p{port}d{dscp} {{}}\n" for port, dscp in each)
        rules = "".join(
            f"ip6 dscp {dscp} udp dport {port} counter name p{port}d{dscp} drop\n" for port, dscp in each
        )
        table = f"table inet seen\ndelete table inet seen\ntable inet seen {{\n{counters}chain in {{ type filter hook prerouting priority 0;\n{rules}}}\n}}\n"  # fmt: skip # noqa: E501
        self._at(0, "nft", "-f", "-", given=table)

    def arrived(self, port: int = PORT) -> dict[int, int]:
        """Packets by DSCP at a port since `count_at_london`."""
        found = self.counted()
        return {dscp: found[f"p{port}d{dscp}"] for dscp in DSCPS if found[f"p{port}d{dscp}"]}

    def counted(self) -> dict[str, int]:
        """Packets by name of the counter where they arrive."""
        listed = json.loads(self._at(0, "nft", "-j", "list", "counters"))["nftables"]
        return {
            each["counter"]["name"]: int(each["counter"]["packets"]) for each in listed if "counter" in each
        }

    def policed(self) -> tuple[int, int, int]:
        """Packets and bytes of frames that Athens' policer let through since it was made, and packets it dropped."""
        said = self.on(self.athens, "tc -s qdisc show | grep -A2 '^qdisc tbf 1: dev xp-' || true\n")
        found = re.findall(r"Sent (\d+) bytes (\d+) pkt \(dropped (\d+)", said)
        return (
            sum(int(each[1]) for each in found),
            sum(int(each[0]) for each in found),
            sum(int(each[2]) for each in found),
        )

    def _at(self, host: int, *words: str, given: str = "") -> str:
        done = subprocess.run(["ip", "netns", "exec", self.row.hosts[host], *words], input=given, capture_output=True,
                              text=True, timeout=60, check=False)  # fmt: skip
        assert done.returncode == 0, done.stderr
        return done.stdout

    def pack(self, text: str, verb: str) -> None:
        """Run the sender's pack on Athens' host."""
        self._at(self.athens, "sh", "-s", "--", verb, "up0", given=text)


@dataclass
class Flow:
    """Datagrams from a host to London: so many a second, for so long; `sent` when it is through, in `seconds`."""

    host: int
    source: int
    dscp: int
    packets_s: float
    lasts_s: float
    payload: int = 1400
    port: int = PORT
    sent: int = 0
    seconds: float = 0.0

    def run(self, row: Chain) -> None:
        with (
            _in_namespace(row.hosts[self.host]),
            socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as speaker,
        ):
            speaker.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_TCLASS, self.dscp << 2)
            speaker.bind((row.address(self.host, self.source), 0))
            content, target, began = bytes(self.payload), (row.address(0), self.port), time.monotonic()
            while (now := time.monotonic() - began) < self.lasts_s:
                while self.sent < now * self.packets_s:
                    speaker.sendto(content, target)
                    self.sent += 1
                time.sleep(0.001)
            self.seconds = time.monotonic() - began


def send(path: Path, *flows: Flow) -> None:
    """All of them side by side, until what was sent has arrived or was dropped."""
    failed: list[BaseException] = []

    def guarded(flow: Flow) -> None:
        try:
            flow.run(path.row)
        except BaseException as error:  # noqa: BLE001 - told to the test's own thread
            failed.append(error)

    workers = [
        threading.Thread(target=guarded, args=[flow]) for flow in flows
    ]  # a namespace belongs to a thread
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(timeout=60)
    if failed:
        raise failed[0]
    before = None
    while (now := path.counted()) != before:
        before = now
        time.sleep(STILL_S)


@contextmanager
def built(nrens: tuple[str, ...]) -> Iterator[Chain]:
    with chain(nrens) as row:
        yield row


def configured(row: Chain) -> Path:
    """Imported, planned, approved, pushed and verified by the service; nothing of it is written here."""
    house = row.people()
    mend(house)
    request = asked(row, house)
    change = house.plan_for(house.admit(request))
    house.push(house.approve(change, confirm_gaps=True))
    assert {push.state for push in change.pushes.all()} == {PushState.VERIFIED}, [
        each.error for each in change.pushes.all()
    ]
    request.refresh_from_db()
    return Path(row, house, request)


def asked(row: Chain, house: Backbone) -> PremiumRequest:
    """What `Path.request` asks for: from the last NREN's host 1 alone to the first one's."""
    last = len(row.nrens) - 1
    return house.ask(
        row.nrens[last],
        row.nrens[0],
        GRANTED,
        source_prefixes=(f"{row.address(last)}/128",),
        destination_prefixes=(f"{row.address(0)}/128",),
    )


def mend(house: Backbone) -> None:
    """Whatever differs is planned, approved and pushed."""
    change = house.push(house.approve(house.plan(), confirm_gaps=True))
    states = {(push.state, push.error) for push in change.pushes.all()}
    assert {state for state, _ in states} == {PushState.VERIFIED}, states
