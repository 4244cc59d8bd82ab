"""Parse and diff of a large running-config, beside hier_config 3.7 on the same text."""

from __future__ import annotations

import resource
from functools import partial

from hier_config import Platform, get_hconfig

from provisioning.pipeline.diff import diff_configs
from provisioning.pipeline.ios import parse
from provisioning.pipeline.rendering import Renderer
from provisioning.selectors.templates import ios_environment
from tests.benchmarks.timing import Row, side_by_side

RENDERER = Renderer(ios_environment())


def running_config(
    *, interfaces: int, policies: int, class_maps: int, access_lists: int, rate: int = 5
) -> str:
    """A plausible edge router: the text `show running-config` prints, with our own names and numbers."""
    lines = ["version 12.4", "hostname bench6", "!"]
    for number in range(access_lists):
        lines.append(f"ipv6 access-list AUTH-{number}")
        lines += [
            f" permit ipv6 2001:DB8:{number:X}:{entry:X}::/64 2001:DB8:FFFF::/48" for entry in range(20)
        ]
    for number in range(class_maps):
        kind = (
            f" match access-group name AUTH-{number}"
            if number < access_lists
            else f" match  dscp {number % 64} "
        )
        lines += [f"class-map match-all CM-{number}", kind]
    for number in range(policies):
        lines.append(f"policy-map PM-{number}")
        for member in range(number % 4, number % 4 + 3):
            lines += [
                f" class CM-{member + number * 3}",
                f"   police cir percent {rate}",
                "     conform-action transmit ",
                "     exceed-action drop ",
            ]
        lines += [" class class-default", "  set dscp default"]
    for number in range(interfaces):
        lines += [
            "!",
            f"interface GigabitEthernet{number // 48}/{number % 48}",
            f" description customer {number}",
            f" ipv6 address 2001:DB8:{number:X}::1/64",
            " no ip address",
            " ipv6 nd ra suppress",
            " load-interval 30",
            " ipv6 enable",
            f" service-policy input PM-{number % policies}",
        ]
    lines += ["!", "end", ""]
    return "\n".join(lines)


def size(scale: float) -> dict[str, int]:
    return {
        "interfaces": int(2000 * scale),
        "policies": int(60 * scale),
        "class_maps": int(200 * scale),
        "access_lists": int(100 * scale),
    }


def ours(running: str, intended: str) -> object:
    return diff_configs(parse(running), parse(intended), RENDERER)


def theirs(running: str, intended: str) -> object:
    before = get_hconfig(Platform.CISCO_IOS, running)
    return before.config_to_get_to(get_hconfig(Platform.CISCO_IOS, intended))


def run() -> list[Row]:
    rows = []
    for scale in (1.0, 4.0):
        running, intended = running_config(**size(scale)), running_config(**size(scale), rate=6)
        count = len(running.splitlines())
        peers = {"hier_config-3.7": partial(theirs, running, intended)} if scale == 1.0 else {}
        rows.append(
            side_by_side(f"parse + diff, {count} lines", partial(ours, running, intended), peers, rounds=3)
        )
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    rows.append(Row("peak memory of the whole process", "MiB", peak))
    return rows
