"""The session with one router beside bare Netmiko; whole safe pushes at a round trip of 30 ms beside what only sends lines."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from netmiko import ConnectHandler

from provisioning.drivers import Target, WriteUnit, connect
from tests.benchmarks import push_domain
from tests.benchmarks.timing import Row, side_by_side
from tests.drivers.practice import practice_routers

POLICY = (
    "class-map match-all EF", "match dscp 46", "class-map match-all LBE", "match dscp 8", "policy-map TRUSTED-IN",
    "class EF", "police cir percent 5 conform-action transmit exceed-action drop", "class LBE",
    "police cir percent 1 conform-action transmit exceed-action transmit", "class class-default", "set dscp 0",
)  # fmt: skip
SIZES = [int(each) for each in os.environ.get("ROUTERS", "1,20").split(",")]
"""Practice routers of the whole pushes."""
AWAY = ("no policy-map TRUSTED-IN", "no class-map LBE", "no class-map EF")


def ours(target: Target, lines: Sequence[str]) -> None:
    with connect(target) as session:
        for reply in session.configure([WriteUnit((line,)) for line in lines], lambda _index: None):
            assert reply.refused is None, reply.refused
        assert session.running_config()


def bare_netmiko(target: Target, lines: Sequence[str]) -> None:
    """What people write: no pinned key, no reply judged."""
    session = ConnectHandler(
        device_type="cisco_ios", host=target.host, port=target.port, username=target.username,
        password=target.password, secret=target.enable, use_keys=False, allow_agent=False,
        disabled_algorithms={"pubkeys": ["rsa-sha2-256", "rsa-sha2-512"]},
    )  # fmt: skip
    session.enable()
    session.send_config_set(lines, exit_config_mode=True)
    assert session.send_command("show running-config")
    session.disconnect()


def run() -> Iterator[Row]:
    routers = {"bench": {"platform": "cisco-7200vxr", "ios": "12.4(24)T", "ssh_profile": "legacy"}}
    with tempfile.TemporaryDirectory() as name, practice_routers(Path(name), routers) as network:
        target = network.target("bench")

        def there_and_back(push: object) -> None:
            assert callable(push)
            push(target, POLICY)
            push(target, AWAY)

        yield side_by_side(
            f"{len(POLICY)} lines there, {len(AWAY)} back, read after each",
            lambda: there_and_back(ours),
            {"netmiko": lambda: there_and_back(bare_netmiko)},
            rounds=3,
        )
    for size in SIZES:
        yield from push_domain.run(size)
