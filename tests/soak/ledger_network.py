"""A made-up ring: 25 access links and 25 core links, each 1 Gbit/s, so that shares are 50 and 200 Mbit/s."""

from __future__ import annotations

ROUTERS = 25
ACCESS_SHARE_BPS = 50_000_000
CORE_SHARE_BPS = 200_000_000


def text(*, metric: int = 10) -> str:
    """The network file; another metric on one core link is what an import changes."""
    ring = range(ROUTERS)
    lines = [
        "domain:",
        "  name: SOAK",
        "  asn: 64512",
        "  prefix: 2001:db8::/32",
        "  scheme: 6net",
        "  classes: [{name: IP Premium, abbreviation: IPP, phb: EF, dscp: 46}]",
        "  caps: {ipp_percent_of_access_link: 5, lbe_percent_of_access_link: 1, ef_percent_of_core_link: 20}",
        "  policer: cap",
        "routers:",
        *(
            f"  - {{name: r{n}, pop: P{n}, country: eu, platform: cisco-7200vxr, ios: '12.3(14)T', roles: [core, access], "
            "provenance: representative}"
            for n in ring
        ),
        "core_links:",
        *(
            f"  - {{a: [r{n}, GigabitEthernet2/0], z: [r{(n + 1) % ROUTERS}, GigabitEthernet3/0], capacity_bps: 1000000000, "
            f"metric: {metric if n == 0 else 10}, prefix: '2001:db8:f{n:03x}::/64', provenance: representative}}"
            for n in ring
        ),
        "nrens:",
        *(
            f"  - {{name: N{n}, country: eu, prefixes: ['{prefix(n)}'], provenance: representative}}"
            for n in ring
        ),
        "access_links:",
        *(
            f"  - {{nren: N{n}, router: r{n}, interface: GigabitEthernet1/0, capacity_bps: 1000000000, "
            f"prefix: '2001:db8:e{n:03x}::/64', case: trusted, standing: true, provenance: representative}}"
            for n in ring
        ),
        "peerings: []",
    ]
    return "\n".join(lines) + "\n"


def prefix(number: int) -> str:
    return f"2001:{0x1000 + number:x}::/32"


def link(number: int) -> str:
    return f"N{number}@r{number}:GigabitEthernet1/0"
