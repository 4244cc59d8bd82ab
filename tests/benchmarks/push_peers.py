"""What people would write to send lines to many routers: none of these reads, compares, verifies or saves."""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import asyncssh
from netmiko import ConnectHandler

from provisioning.drivers.profiles import LEGACY
from tests.benchmarks import push_ansible
from tests.benchmarks.push_ansible import PeerFailed as PeerFailed

_NORNIR = Path(__file__).with_name("push_nornir.py")
_PROMPT = re.compile(r"\S+[#>]\s*$")


@dataclass(frozen=True)
class Reached:
    """How to reach one router."""

    host: str
    port: int
    username: str
    password: str
    enable: str


Work = Mapping[str, tuple[Reached, Sequence[str]]]
"""By the router's name where it is and what is sent to it."""


def pipelined(work: Work) -> float:
    """Seconds for all of them at once over asyncssh, every line written before a reply is read: the floor."""
    return _timed(work, lambda session, lines: session.say("\n".join(lines), len(lines)))


def line_by_line(work: Work) -> float:
    """The same, each line after the prompt of the one before."""

    async def talk(session: _Session, lines: Sequence[str]) -> None:
        for line in lines:
            await session.say(line, 1)

    return _timed(work, talk)


def netmiko(work: Work, threads: int) -> float:
    """Seconds with Netmiko's `send_config_set`, so many at a time."""

    def one(item: tuple[Reached, Sequence[str]]) -> None:
        reached, lines = item
        session = ConnectHandler(
            device_type="cisco_ios", host=reached.host, port=reached.port, username=reached.username,
            password=reached.password, secret=reached.enable, use_keys=False, allow_agent=False,
            disabled_algorithms={"pubkeys": ["rsa-sha2-256", "rsa-sha2-512"]},
        )  # fmt: skip
        session.enable()
        session.send_config_set(lines, exit_config_mode=True)
        session.disconnect()

    began = time.perf_counter()
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(one, work.values()))
    return time.perf_counter() - began


def nornir(work: Work, workers: int) -> float:
    """Seconds with Nornir's threaded runner and its Netmiko plugin, so many at a time, in a process of its own whose start and
    imports do not count. It is installed, with a Paramiko that still speaks to old routers, into a virtual environment in the
    user's cache: nothing of ours needs it.
    """
    hosts = {name: {**asdict(reached), "lines": list(lines)} for name, (reached, lines) in work.items()}
    done = subprocess.run(
        [
            str(_python_with("nornir==3.6.0", "nornir-netmiko==1.0.1", "netmiko[par4]")),
            "-I",
            str(_NORNIR),
            str(workers),
        ],
        input=json.dumps(hosts),
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise PeerFailed(done.stderr[-300:])
    return float(done.stdout.split()[-1])


def ansible(work: Work, forks: int) -> float:
    """Seconds of `ansible-playbook` with so many forks, its start included; installed like Nornir."""
    return push_ansible.play(_python_with("ansible==11.13.0", "paramiko<4").parent, work, forks)


def _python_with(*packages: str) -> Path:
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    folder = (
        cache / "expedite-bench" / f"{packages[0]}-python{sys.version_info.major}.{sys.version_info.minor}"
    )
    python = folder / "venv" / "bin" / "python"
    if not (folder / "installed").exists():
        print(f"  installing {' '.join(packages)} into {folder} ...", flush=True)
        subprocess.run([sys.executable, "-m", "venv", "--clear", str(folder / "venv")], check=True)
        subprocess.run([str(python), "-m", "pip", "install", "--quiet", *packages], check=True)
        (folder / "installed").touch()
    return python


class _Session:
    def __init__(self, process: asyncssh.SSHClientProcess[str]) -> None:
        self._process = process

    async def say(self, text: str, prompts: int) -> None:
        """Write it and wait for so many prompts."""
        self._process.stdin.write(text + "\n")
        await self.wait(prompts)

    async def wait(self, prompts: int) -> None:
        seen = ""
        while True:
            seen += await self._process.stdout.read(65536)
            found = len(re.findall(r"(?m)^\S+(?:\([\w-]+\))?[#>]", seen))
            if found >= prompts and _PROMPT.search(seen):
                return
            if seen.rstrip().endswith("Password:"):
                return


def _timed(work: Work, talk: Any) -> float:
    async def one(reached: Reached, lines: Sequence[str]) -> None:
        async with asyncssh.connect(
            reached.host,
            reached.port,
            username=reached.username,
            password=reached.password,
            known_hosts=None,
            client_keys=None,
            kex_algs=list(LEGACY.key_exchange),
            encryption_algs=list(LEGACY.ciphers),
            mac_algs=list(LEGACY.digests),
            server_host_key_algs=list(LEGACY.host_keys),
            config=None,
        ) as connection:
            process = await connection.create_process(term_type="vt100", encoding="utf-8", errors="replace")
            session = _Session(process)
            await session.wait(1)
            await session.say("enable", 1)
            await session.say(reached.enable, 1)
            await session.say("terminal length 0", 1)
            await talk(session, ["configure terminal", *lines, "end"])

    async def everybody() -> None:
        await asyncio.gather(*(one(reached, lines) for reached, lines in work.values()))

    began = time.perf_counter()
    asyncio.run(everybody())
    return time.perf_counter() - began
