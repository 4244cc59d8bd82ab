"""Linux routers in a row, each with an NREN's host, and the network file that says so.

`eth1` leads to the host, `eth2` onwards, `eth3` back.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import pairwise

import pytest

from inventory.models import AccessLink, Nren, Router
from inventory.readers.network_yaml import read_network_text
from provisioning.models import SYSTEM, Role, Via
from provisioning.services import credentials, people
from provisioning.services.inventory import import_network
from tests.drivers.practice import PASSWORD
from tests.linux.over_ssh import KERNEL, PORT, Reached, reached
from tests.linux.router import LinuxRouter
from tests.packs.edge_and_sender import ready, run
from tests.services.backbone import Backbone

HEAD = """\
domain:
  name: 6NET
  asn: 6680
  prefix: 2001:798::/40
  scheme: 6net
  classes:
    - {name: IP Premium, abbreviation: IPP, phb: EF, dscp: 46}
    - {name: Best Effort, abbreviation: BE, phb: default, dscp: 0}
    - {name: Less than Best Effort, abbreviation: LBE, phb: LBE, dscp: 8}
  caps: {ipp_percent_of_access_link: 5, lbe_percent_of_access_link: 1, ef_percent_of_core_link: 20}
  policer: cap
"""


@dataclass(frozen=True)
class Chain:
    """The routers with their sshd, the names of the hosts' namespaces, and the NREN of each; hosts have PREFIX:1::1 to ::9."""

    nrens: tuple[str, ...]
    routers: tuple[Reached, ...]
    hosts: tuple[str, ...]
    bps: int
    case: str

    def prefix(self, number: int) -> str:
        return f"2001:db8:{number + 1:x}::/48"

    def address(self, number: int, host: int = 1) -> str:
        return f"2001:db8:{number + 1:x}:1::{host:x}"

    def network_file(self) -> bytes:
        """What an operator would write of it."""
        names = [f"l{number + 1}" for number in range(len(self.nrens))]
        lines = [
            *(f"  - {{name: {name}, pop: {name}, country: uk, platform: linux, ios: '{KERNEL}', roles: [core, access]}}"
              for name in names),
            "core_links:",
            *(f"  - {{a: [{a}, Ethernet2], z: [{z}, Ethernet3], capacity_bps: {self.bps}, prefix: '2001:798:{at:x}::/64'}}"
              for at, (a, z) in enumerate(pairwise(names), 1)),
            "interfaces:",
            *(f"  - {{router: {name}, interface: Ethernet9, capacity_bps: 10000000000, "
              "exempt_reason: the way to its management}" for name in names),
            "nrens:",
            *(f"  - {{name: {nren}, country: uk, prefixes: ['{self.prefix(at)}']}}" for at, nren in enumerate(self.nrens)),
            "access_links:",
            *(f"  - {{nren: {nren}, router: {name}, interface: Ethernet1, capacity_bps: {self.bps}, "
              f"prefix: '2001:798:1{at:x}::/64', case: {self.case}, standing: {str(self.case == 'trusted').lower()}}}"
              for at, (nren, name) in enumerate(zip(self.nrens, names, strict=True))),
        ]  # fmt: skip
        return (HEAD + "routers:\n" + "\n".join(lines) + "\n").encode()

    def people(self) -> Backbone:
        """The network imported, its routers' addresses, keys and passwords recorded, and everybody with an account."""
        import_network(
            actor=SYSTEM, network=read_network_text(self.network_file(), source="chain"), dry_run=False
        )
        for number, at in enumerate(self.routers):
            router = Router.objects.get(name=f"l{number + 1}")
            router.management_host, router.management_port, router.host_key = at.host, PORT, at.host_key
            router.save(update_fields=["management_host", "management_port", "host_key"])
            credentials.store(actor=SYSTEM, router=router, username="root", password=PASSWORD, enable="")
        for name in ("planner", "approver"):
            people.put_person(actor=SYSTEM, username=name, roles=[Role.NOC])
        for nren in Nren.objects.all():
            people.put_person(actor=SYSTEM, username=nren.name.lower(), nrens=[nren])
        assert AccessLink.objects.count() == len(self.nrens)
        return Backbone(
            network=None,  # type: ignore[arg-type] # no practice routers are among them
            planner=people.actor_named("planner", via=Via.WEB),
            approver=people.actor_named("approver", via=Via.WEB),
            nren={
                nren.name: people.actor_named(nren.name.lower(), via=Via.API) for nren in Nren.objects.all()
            },
        )


@contextmanager
def chain(nrens: tuple[str, ...], bps: int = 15_552_000, case: str = "filtered") -> Iterator[Chain]:
    """Routers in a row on links of `bps`; skipped with the reason where there can be none."""
    why = ready()
    if why:
        pytest.skip(why)
    routers = [f"xc{os.getpid()}-l{number + 1}" for number in range(len(nrens))]
    hosts = [f"xc{os.getpid()}-h{number + 1}" for number in range(len(nrens))]
    bandwidths = "".join(f"eth{number} {bps}\n" for number in (1, 2, 3))
    with ExitStack() as stack:
        for name in (*routers, *hosts):
            run("ip", "netns", "add", name)
            stack.callback(
                subprocess.run, ["ip", "netns", "del", name], capture_output=True, timeout=60, check=False
            )
            run("ip", "-n", name, "link", "set", "lo", "up")
            _say(
                name,
                "echo 0 > /proc/sys/net/ipv6/conf/default/accept_dad; echo 0 > /proc/sys/net/ipv6/conf/default/accept_ra",
            )
        for at, (router, host) in enumerate(zip(routers, hosts, strict=True)):
            _joined(router, "eth1", host, "up0")
            _say(host, *(f"ip addr add 2001:db8:{at + 1:x}:1::{each:x}/64 dev up0" for each in range(1, 10)),
                 "ip link set up0 up", f"ip -6 route add default via 2001:db8:{at + 1:x}:1::fe")  # fmt: skip
            _say(router, f"ip addr add 2001:db8:{at + 1:x}:1::fe/64 dev eth1", "ip link set eth1 up",
                 "echo 1 > /proc/sys/net/ipv6/conf/all/forwarding")  # fmt: skip
        for at, (a, z) in enumerate(pairwise(routers)):
            _joined(a, "eth2", z, "eth3")
            _say(a, f"ip addr add 2001:798:{at + 1:x}::1/64 dev eth2", "ip link set eth2 up")
            _say(z, f"ip addr add 2001:798:{at + 1:x}::2/64 dev eth3", "ip link set eth3 up")
        for here, router in enumerate(routers):
            _say(router, *(
                f"ip -6 route add 2001:db8:{there + 1:x}::/48 via "
                + (f"2001:798:{here + 1:x}::2" if there > here else f"2001:798:{here:x}::1")
                for there in range(len(routers)) if there != here
            ))  # fmt: skip
        at = [
            stack.enter_context(reached(LinuxRouter(name, ("eth1", "eth2", "eth3")), number, bandwidths))
            for number, name in enumerate(routers)
        ]
        yield Chain(nrens, tuple(at), tuple(hosts), bps, case)


def _joined(one: str, name: str, other: str, called: str) -> None:
    run("ip", "link", "add", name, "netns", one, "type", "veth", "peer", "name", called, "netns", other)
    for where, what in ((one, name), (other, called)):
        run("ip", "-n", where, "link", "set", what, "gso_max_segs", "1")


def _say(name: str, *lines: str) -> None:
    run("ip", "netns", "exec", name, "sh", "-s", given="set -e\n" + "\n".join(lines) + "\n")
