"""A hundred thousand lines are read in one pass: time grows with the length of the text, not with its square."""

from __future__ import annotations

import time

from provisioning.pipeline import counters, ios


def configuration(interfaces: int) -> str:
    lines = ["version 12.4", "hostname large", "!"]
    for number in range(interfaces):
        lines += [
            f"class-map match-all C{number}",
            " match  dscp ef ",
            f"policy-map P{number}",
            f" class C{number}",
            "   police cir percent 5",
            "     conform-action transmit ",
            "     exceed-action drop ",
            f"interface GigabitEthernet1/{number}",
            f" description to {number} ^",
            " ip access-group 101 in",
            f" service-policy input P{number}",
            "!",
            f"ipv6 access-list L{number}",
            f" permit ipv6 2001:DB8:{number % 65536:X}::/48 any",
        ]
    return "\n".join([*lines, "end", ""])


def seconds(text: str) -> float:
    began = time.process_time()
    ios.parse(text)
    return time.process_time() - began


def test_a_hundred_thousand_lines() -> None:
    text = configuration(7200)
    assert text.count("\n") > 100_000
    config = ios.parse(text)
    assert len(config.interfaces) == len(config.policy_maps) == len(config.access_lists) == 7200
    quarter = min(seconds(configuration(1800)) for _ in range(3))
    # Sixteen times as long, were it the square. Tried again, as a busy machine may take any one of them longer.
    assert any(seconds(text) < 10 * quarter for _ in range(5))


def test_one_endless_access_list_and_policy() -> None:
    entries = [f" permit ipv6 2001:DB8:{n // 65536:X}:{n % 65536:X}::/64 any" for n in range(20_000)]
    classes = [f" class C{n}\n  set dscp ef" for n in range(5_000)]
    config = ios.parse("\n".join(["ipv6 access-list L", *entries, "policy-map P", *classes]))
    assert len(config.access_lists["L"].entries) == 20_000
    assert len(config.policy_maps["P"].classes) == 5_000


def test_hostile_lines_take_no_time() -> None:
    blank, began = " " * 60_000, time.process_time()
    ios.parse(
        f"ipv6 access-list L\n permit ipv6 any any{blank}log\nhostname r\nclass-map match-all A\n match dscp {blank}ef\n"
    )
    ios.parse("hostname r\n" + "description ^C\n" * 50_000 + "banner motd ^ hello ^\n")
    ios.parse("hostname r\n" + "\r" * 200_000 + "x ^C\n" * 50_001)
    counters.parse(
        " POS1/0\n Service-policy input: P\n  Class-map: A (match-all)\n  1 packets\n  A1"
        + ":" * 60_000
        + "\n"
    )
    assert time.process_time() - began < 20
