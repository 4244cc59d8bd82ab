"""Practice routers for a while: a child process that holds running-configs as read, and ends with whoever borrowed it."""

from __future__ import annotations

import importlib.util
import json
import os
import secrets
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from django.conf import settings

from provisioning.drivers.base import Target
from provisioning.errors import Conflict, Unreachable

START_SECONDS = 120.0
STOP_SECONDS = 5.0
# What the child needs to run; it is given no key of ours and no address of the database.
_ENVIRONMENT = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "PYTHONPATH", "VIRTUAL_ENV", "SYSTEMROOT")


class NoPracticeRouters(Conflict):
    """The practice routers (`python -m lab`) are not installed where this runs."""

    code = "no-practice-routers"


@dataclass(frozen=True, slots=True)
class Likeness:
    """A router as it was read: what a practice router has to be to stand in for it.

    `bandwidths` in bit/s by interface, `engines` by slot; `running` is the running-config as stored, its secrets removed.
    """

    name: str
    platform: str
    ios: str
    serial: str
    engines: Mapping[int, str]
    bandwidths: Mapping[str, int]
    running: str
    driver: str = "netmiko"


@dataclass(frozen=True, slots=True)
class Unknown:
    """A line of a running-config that the practice router did not take: its number, and what it said (nothing, where a line
    above it was not taken).
    """

    number: int
    line: str
    reply: str

    @property
    def text(self) -> str:
        return f"line {self.number}: {self.line}"

    def as_row(self) -> list[object]:
        return [self.number, self.line, self.reply]


@dataclass(frozen=True, slots=True)
class Lent:
    """How to sign in to each practice router by the router's name, what of its running-config it does not know, and which
    routers cannot be had, with the reason.
    """

    targets: Mapping[str, Target]
    unknown: Mapping[str, tuple[Unknown, ...]]
    refused: Mapping[str, str]
    asking: Callable[[str, Sequence[str]], bool]
    ended: Callable[[], bool]
    """Whether the process is gone: what came of a session after that says nothing about a router."""

    def knows(self, router: str, lines: Sequence[str]) -> bool:
        """Whether any practice router, of whatever release, knows the last of these lines where the others lead, on what this one
        holds. Raises Unreachable when nobody answers.
        """
        return self.asking(router, lines)


@dataclass(slots=True)
class _Throwaway:
    """Sign-ins that live as long as the child does."""

    password: str = field(default_factory=lambda: secrets.token_urlsafe(12))
    enable: str = field(default_factory=lambda: secrets.token_urlsafe(12))


def require() -> None:
    """Raise NoPracticeRouters where `python -m lab` cannot be started."""
    if not (Path(settings.BASE_DIR) / "lab" / "__main__.py").exists() and not importlib.util.find_spec("lab"):
        raise NoPracticeRouters(
            "The practice routers (the package `lab`) are not installed where this runs, so nothing can be rehearsed.",
            field="lab",
        )


@contextmanager
def lent(likenesses: Sequence[Likeness], *, seconds: int) -> Iterator[Lent]:
    """Practice routers that hold what these routers showed, on loopback, until the block is left.

    One process for all of them. It has `seconds` at most, and ends when this process does, however that ends: its stdin
    does. Raises NoPracticeRouters, Unreachable with its last words when it does not come up.
    """
    require()
    keys = {each.name: _Throwaway() for each in likenesses}
    names = {f"r{number}": each for number, each in enumerate(likenesses)}
    document = {"routers": [_spec(name, each, keys[each.name]) for name, each in names.items()]}
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(  # noqa: S603 - our own interpreter and our own module, no shell
            [sys.executable, "-m", "lab", "--lent", str(seconds)],
            cwd=settings.BASE_DIR,
            env={name: os.environ[name] for name in _ENVIRONMENT if name in os.environ},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            start_new_session=True,
        )
        try:
            said = _ready(process, json.dumps(document).encode() + b"\n", errors)
            asking = _Questions(process, {each.name: name for name, each in names.items()})
            yield _lent(said, names, keys, asking, lambda: process.poll() is not None)
        finally:
            _end(process)


def _spec(name: str, router: Likeness, key: _Throwaway) -> dict[str, Any]:
    return {
        "name": name,
        "platform": router.platform,
        "ios": router.ios,
        "serial": router.serial or None,
        "engines": {str(slot): engine for slot, engine in router.engines.items()},
        "bandwidths": {name: bps // 1000 for name, bps in router.bandwidths.items() if bps >= 1000},
        "running_config": router.running,
        # What is rehearsed are lines; the algorithms of the router's age would only take time.
        "ssh_profile": "modern",
        "username": "rehearsal",
        "password": key.password,
        "enable": key.enable,
    }


def _ready(process: subprocess.Popen[bytes], document: bytes, errors: IO[bytes]) -> dict[str, Any]:
    """What the child says of its routers once all listen."""
    assert process.stdin is not None and process.stdout is not None
    watch = threading.Timer(START_SECONDS, process.kill)
    watch.daemon = True
    watch.start()
    try:
        process.stdin.write(document)
        process.stdin.flush()
        line = process.stdout.readline()
    except OSError:
        line = b""
    finally:
        watch.cancel()
    if not line.startswith(b"READY "):
        _end(process)
        errors.seek(0)
        words = " | ".join(errors.read().decode(errors="replace").splitlines()[-3:])
        raise Unreachable(f"The practice routers did not come up: {words or 'they wrote nothing'}")
    said: dict[str, Any] = json.loads(line.removeprefix(b"READY "))
    return said


class _Questions:
    """One question at a time to the child, from whichever thread."""

    def __init__(self, process: subprocess.Popen[bytes], names: Mapping[str, str]) -> None:
        self._process, self._names, self._one = process, names, threading.Lock()

    def __call__(self, router: str, lines: Sequence[str]) -> bool:
        assert self._process.stdin is not None and self._process.stdout is not None
        question = json.dumps({"router": self._names[router], "lines": list(lines)})
        try:
            with self._one:
                self._process.stdin.write(question.encode() + b"\n")
                self._process.stdin.flush()
                answer = json.loads(self._process.stdout.readline())
            return bool(answer["known"])
        except (OSError, ValueError, KeyError) as error:
            raise Unreachable(f"The practice routers do not answer: {error!r}") from error


def _lent(
    said: dict[str, Any],
    names: Mapping[str, Likeness],
    keys: Mapping[str, _Throwaway],
    asking: Callable[[str, Sequence[str]], bool],
    ended: Callable[[], bool],
) -> Lent:
    targets = {
        router.name: Target(
            name=router.name,
            host=at["host"],
            port=at["port"],
            username=at["username"],
            password=keys[router.name].password,
            enable=keys[router.name].enable,
            host_key=at["host_key"],
            ssh_profile="modern",
            platform=router.platform,
            driver=router.driver,
            ios=router.ios,
            serial=router.serial,
            among=len(names),
        )
        for name, router in names.items()
        if (at := said["routers"].get(name)) is not None
    }
    unknown = {
        names[name].name: tuple(Unknown(*row) for row in rows) for name, rows in said["unknown"].items()
    }
    refused = {names[name].name: why for name, why in said["refused"].items()}
    return Lent(targets, unknown, refused, asking, ended)


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the child: it leaves when its stdin ends, and is killed when it does not."""
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with suppress(OSError):  # it is gone already
                pipe.close()
    try:
        process.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
