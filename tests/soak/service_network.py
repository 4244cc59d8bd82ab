"""A network made up from a seed: a ring of routers with chords, NRENs on access links of every case that is provisioned.

Every NREN owns a /32; request number n of it asks from (or to) prefix n of that /32, so that one line of an access list
belongs to one request and to no other.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

HEAD = """domain:
  name: SOAK
  asn: 64512
  prefix: 2001:db8::/32
  scheme: 6net
  classes:
    - {name: IP Premium, abbreviation: IPP, phb: EF, dscp: 46}
    - {name: Best Effort, abbreviation: BE, phb: default, dscp: 0}
    - {name: Less than Best Effort, abbreviation: LBE, phb: LBE, dscp: 8}
  caps: {ipp_percent_of_access_link: 5, lbe_percent_of_access_link: 1, ef_percent_of_core_link: 20}
  policer: cap"""

KINDS = ("12000", "7200", "hqf")
PLATFORM = {
    "12000": "platform: cisco-12400, ios: '12.0(28)S', engines: {1: 3, 2: 3, 3: 3}",
    "7200": "platform: cisco-7200vxr, ios: '12.3(14)T'",
    "hqf": "platform: cisco-7200vxr, ios: '12.4(24)T'",
}
# Who marks, and whether the policy stays on the interface: a reservation has lines of its own on all but the first.
CASES = (("trusted", True), ("filtered", True), ("filtered", False), ("trusted", False))
WEIGHTS = (2, 4, 3, 1)
CAPACITY_BPS = 155_520_000
CORE_CAPACITY_BPS = 155_520_000


@dataclass(frozen=True)
class Link:
    """One access link; `number` is the NREN's."""

    number: int
    router: str
    name: str
    case: str
    standing: bool

    @property
    def nren(self) -> str:
        return f"N{self.number}"

    def prefix(self, request: int) -> str:
        """The /48 that request number `request` uses on this side."""
        return f"2001:{0x1000 + self.number:x}:{request:x}::/48"


@dataclass(frozen=True)
class Made:
    """A network file and what it says."""

    text: str
    routers: tuple[str, ...]
    links: tuple[Link, ...]
    kinds: dict[str, str]


def make(*, routers: int, nrens: int, seed: int, cases: Sequence[tuple[str, bool]] | None = None) -> Made:
    """The network of this seed; the same every time. Links of these `cases` in turn, or of all kinds by chance."""
    dice = random.Random(f"network {seed}")
    names = [f"r{number}" for number in range(routers)]
    kinds = {name: dice.choices(KINDS, (5, 3, 2))[0] for name in names}
    links, access = _access(names, kinds, nrens, dice, cases)
    lines = [
        HEAD,
        "routers:",
        *(
            f"  - {{name: {name}, pop: Anywhere, country: eu, {PLATFORM[kinds[name]]}, roles: [core, access], "
            "provenance: representative}"
            for name in names
        ),
        "core_links:",
        *_core(names, dice),
        "nrens:",
        *(
            f"  - {{name: N{number}, country: eu, prefixes: ['2001:{0x1000 + number:x}::/32'], "
            "provenance: representative}"
            for number in range(nrens)
        ),
        "access_links:",
        *access,
        "peerings: []",
    ]
    return Made("\n".join(lines) + "\n", tuple(names), tuple(links), kinds)


def _core(names: list[str], dice: random.Random) -> list[str]:
    """The ring on POS2/0 and POS2/1, and chords on POS3/0 between routers that have none yet."""
    count = len(names)
    pairs = [(n, "POS2/0", (n + 1) % count, "POS2/1", 10) for n in range(count)]
    free = list(range(count))
    dice.shuffle(free)
    while len(free) > count // 2:
        one, other = free.pop(), free.pop()
        if abs(one - other) not in (1, count - 1):
            pairs.append((one, "POS3/0", other, "POS3/0", 15))
    return [
        f"  - {{a: [{names[a]}, {at}], z: [{names[z]}, {to}], capacity_bps: {CORE_CAPACITY_BPS}, metric: {metric}, "
        f"prefix: '2001:db8:f{number:03x}::/64', provenance: representative}}"
        for number, (a, at, z, to, metric) in enumerate(pairs)
    ]


def _access(
    names: list[str],
    kinds: dict[str, str],
    nrens: int,
    dice: random.Random,
    cases: Sequence[tuple[str, bool]] | None,
) -> tuple[list[Link], list[str]]:
    links, lines = [], []
    used: dict[str, int] = dict.fromkeys(names, 0)
    for number in range(nrens):
        router = names[number % len(names)]
        interface = f"POS1/{used[router]}"
        used[router] += 1
        case, standing = cases[number % len(cases)] if cases else dice.choices(CASES, WEIGHTS)[0]
        links.append(Link(number, router, f"N{number}@{router}:{interface}", case, standing))
        lines.append(
            f"  - {{nren: N{number}, router: {router}, interface: {interface}, capacity_bps: {CAPACITY_BPS}, "
            f"prefix: '2001:db8:e{number:03x}::/64', case: {case}, standing: {str(standing).lower()}, "
            "provenance: representative}"
        )
    return links, lines
