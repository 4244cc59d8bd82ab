"""Faults and hand edits at instants that the seed chooses."""

from __future__ import annotations

import random
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from lab.control import Control
from tests.jobs.broker import Broker
from tests.soak.service_network import Made
from tests.soak.service_processes import CELERY, PostgreSQL, Supervisor

KINDS = (
    "worker child killed",
    "worker killed",
    "web child killed",
    "web killed",
    "Redis killed",
    "Redis flushed",
    "PostgreSQL restarted",
    "PostgreSQL cut off",
    "beat doubled",
    "router away",
)
HARMLESS = ("interface POS2/0", "description by another hand")
# In objects of ours: told apart from what is intended at the next reading, and put back by a repair.
OURS = (
    ("interface POS2/0", "no service-policy output my_policy"),
    ("interface POS2/1", "no service-policy output my_policy"),
    ("policy-map my_policy", "class class-default", "no random-detect"),
)


def moments(kinds: tuple[str, ...], *, each: int, seconds: float, seed: int) -> list[tuple[float, str]]:
    """Every kind `each` times between a tenth and nine tenths of the time, in a random order."""
    dice = random.Random(f"faults {seed}")
    wanted = [kind for kind in kinds for _ in range(each)]
    dice.shuffle(wanted)
    return sorted((dice.uniform(0.1, 0.9) * seconds, kind) for kind in wanted)


@dataclass
class Faults:
    """Does them one after another in a thread of its own, and says what it did."""

    supervisor: Supervisor
    broker: Broker
    database: PostgreSQL
    control: Path
    made: Made
    seed: int
    over: threading.Event
    say: Callable[[str], None]
    done: Counter[str] = field(default_factory=Counter)
    edits: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)
    endings: list[threading.Thread] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.dice = random.Random(f"what {self.seed}")
        self.workers = [name for name in self.supervisor.services if name.startswith("worker")]

    def run(self, wanted: list[tuple[float, str]]) -> threading.Thread:
        thread = threading.Thread(target=self._work, args=(wanted,), daemon=True)
        thread.start()
        return thread

    def _work(self, wanted: list[tuple[float, str]]) -> None:
        begun = time.monotonic()
        for at, kind in wanted:
            if self.over.wait(max(0.0, at - (time.monotonic() - begun))):
                return
            try:
                what = self._do(kind)
            except Exception as error:  # noqa: BLE001 - a fault that could not be made is a fault of the soak
                self.faults.append(f"{kind} could not be done: {error!r}")
                continue
            self.done[kind] += 1
            self.say(f"{kind}: {what}")

    def _do(self, kind: str) -> str:
        if kind == "worker child killed":
            return self.supervisor.strike_child(self.dice.choice(self.workers), self.dice.random())
        if kind == "worker killed":
            return self.supervisor.strike(self.dice.choice(self.workers))
        if kind == "web child killed":
            return self.supervisor.strike_child("web", self.dice.random())
        if kind == "web killed":
            return self.supervisor.strike("web")
        if kind == "Redis killed":
            away = self.dice.uniform(1, 8)
            self.broker.kill()
            self.over.wait(away)
            self.broker.start()
            return f"away for {away:.1f} s, and empty"
        if kind == "Redis flushed":
            self.broker.flush()
            return "empty"
        if kind.startswith("PostgreSQL"):
            mode = "fast" if kind == "PostgreSQL restarted" else "immediate"
            away = self.dice.uniform(0, 3)
            self.database.stop(mode)
            self.over.wait(away)
            self.database.start()
            return f"-m {mode}, away for {away:.1f} s and some"
        if kind == "beat doubled":
            return self._second_beat()
        if kind == "router away":
            return self._away()
        return self._edit(
            OURS[self.dice.randrange(len(OURS))] if kind == "hand edit in ours" else HARMLESS, kind
        )

    def _second_beat(self) -> str:
        name = "second-beat"
        schedule = self.supervisor.folder / name
        if name in self.supervisor.services:
            return "there were two already"
        self.supervisor.start(name, *CELERY, "--quiet", "beat", "--schedule", str(schedule))
        self._later(15, lambda: self.supervisor.stop(name))
        return "for 15 s"

    def _away(self) -> str:
        router, seconds = self.dice.choice(self.made.routers), self.dice.uniform(3, 20)
        with Control(self.control) as control:
            control.fault(router, {"kind": "unreachable"})
        self._later(seconds, lambda: self._back(router))
        return f"{router} for {seconds:.1f} s"

    def _back(self, router: str) -> None:
        with Control(self.control) as control:
            control.call("clear", router=router)

    def _later(self, seconds: float, act: Callable[[], None]) -> None:
        """Undo a fault after so long; others may come meanwhile."""

        def wait() -> None:
            self.over.wait(seconds)
            try:
                act()
            except Exception as error:  # noqa: BLE001 - said at the end
                self.faults.append(f"a fault could not be ended: {error!r}")

        thread = threading.Thread(target=wait, daemon=True)
        self.endings.append(thread)
        thread.start()

    def _edit(self, lines: tuple[str, ...], kind: str) -> str:
        """One edit on a router that takes it: one that nobody has repaired yet has nothing left to be undone."""
        for router in self.dice.sample(self.made.routers, len(self.made.routers)):
            with Control(self.control) as control:
                replies = control.call("configure", router=router, lines=list(lines))["replies"]
            if not any(str(reply).lstrip().startswith(("%", "^")) for reply in replies):  # type: ignore[attr-defined]
                self.edits[router] += 1
                return f"{router} {'; '.join(lines)}"
        raise AssertionError(f"no router takes {lines}")
