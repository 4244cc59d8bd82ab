"""One push from its release to its end: who has it, what its router is told, the kill at its moment, the takeover after it."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from lab.control import Control
from tests.soak.kills_moments import Moment, Seen
from tests.soak.kills_oracle import SURE
from tests.soak.kills_stack import Workers

OVER = ("VERIFIED", *SURE)
ROUTER_EVERY, ROWS_EVERY = 0.1, 0.25
AFTERWARDS_EVERY = 0.5
"""How often the router and the rows are looked at until the kill, and both after it."""
LONGEST_SECONDS = 420.0


@dataclass
class Kill:
    """One process killed, and what became of a push that it had.

    `takeover`: seconds until a successor's first line; None where nobody had to take over any more, or where whoever was to was
    killed before it came to that. `in_save`: the process was in `write memory`.
    """

    moment: str
    deed: str
    at: float
    takeover: float | None = None
    in_save: bool = False
    end: str = ""
    course: list[tuple[float, str]] = field(default_factory=list)
    """What was said of the push and its job, and how many seconds after the kill."""


@dataclass
class Watch:
    """`kills` are those that hit this push: the chosen one, a second one of its successor, and those meant for others."""

    push: Any
    where: str
    deed: str
    lab: Control
    workers: Workers
    dice: random.Random
    say: Callable[[str], None]
    kills: list[Kill] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    seen: Seen = field(default_factory=Seen)
    _row: dict[str, Any] = field(default_factory=dict)
    _job: Any = None
    _pid: int = 0
    _leased: float = 0.0
    _owners: dict[int, float] = field(default_factory=dict)

    @property
    def router(self) -> str:
        return str(self.push.router.name)

    def until_over(self, moment: Moment | None, before: Mapping[str, Any]) -> None:
        """Until the push has ended; `before` is the router's state when its lines had not begun."""
        from provisioning.selectors.changes import UNRECOGNISED

        begun, looked = time.time(), 0.0
        twice = moment is not None and moment.name == "successor"
        known = (len(before["log"]), len(before["asked"]))
        while True:
            if time.time() - looked >= ROWS_EVERY:
                looked = time.time()
                self._look_at_rows()
            self._look_at_router(known)
            if moment is not None and (at := self._struck(moment)) is not None:
                self.lab.call("clear", router=self.router)
                moment = self._again(at) if twice else None
                twice = False
            self._beside()
            # What is unknown for good takes a new plan: the next of this deed.
            if self._job is None and (self._row["state"] in OVER or self._row["error_code"] == UNRECOGNISED):
                break
            if time.time() - begun > LONGEST_SECONDS:
                self.faults.append(f"{self.where}: not over in {LONGEST_SECONDS:.0f} s: {self._row}")
                break
            time.sleep(ROUTER_EVERY if moment is not None else AFTERWARDS_EVERY)
        self.lab.call("clear", router=self.router)
        self._measure()

    def _look_at_rows(self) -> None:
        from provisioning.models import Job, RouterPush

        rows = RouterPush.objects.values("state", "undo_from", "error_code", "error")
        self._row = rows.get(pk=self.push.pk)
        jobs = Job.objects.filter(subject_id=self.push.pk, kind__in=("push", "recover"))
        self._job = job = jobs.filter(state__in=("queued", "leased")).order_by("state").first()
        self._pid = int(job.lease_owner.split(":")[2]) if job is not None and job.lease_owner else 0
        if self._pid:
            self._leased = self._leased or time.time()
            self._owners.setdefault(self._pid, time.time())
        told = f"{self._row['state']} {job and (job.state, self._pid, job.outcome[:60])}"
        for kill in self.kills:
            if not kill.course or kill.course[-1][1] != told:
                kill.course.append((round(time.time() - kill.at, 1), told))

    def _look_at_router(self, known: tuple[int, int]) -> None:
        log, asked = known[0] + len(self.seen.log), known[1] + len(self.seen.asked)
        typed: dict[str, Any] = self.lab.call("typed", router=self.router, log=log, asked=asked)
        self.seen.log += typed["log"]
        self.seen.asked += typed["asked"]
        self.seen.leased_for = time.time() - self._leased if self._leased else 0.0
        self.seen.undoing = self._row["undo_from"] is not None

    def _struck(self, moment: Moment) -> float | None:
        """Kill whoever has the push, if this is the moment; when that was."""
        if not self._pid or self._row["state"] in OVER or not moment.reached(self.seen):
            return None
        if (at := self.workers.kill(self._pid)) is not None:
            self.kills.append(Kill(moment.name, self.deed, at))
            self.say(f"{self.where}: killed {moment.words}")
        return at

    def _beside(self) -> None:
        """Kills that were meant for another push of the same process."""
        for owner, since in self._owners.items():
            at = self.workers.killed(owner, since)
            if at is not None and not any(abs(each.at - at) < 1e-6 for each in self.kills):
                self.kills.append(Kill("beside", self.deed, at))

    def _again(self, at: float) -> Moment:
        """So long into the first session that began after an instant."""
        wait = self.dice.uniform(0.3, 4.0)

        def reached(seen: Seen) -> bool:
            first = [float(str(each["at"])) for each in seen.asked if float(str(each["at"])) > at + 1.0]
            return bool(first) and time.time() - first[0] >= wait

        return Moment("successor", f"again, {wait:.1f} s into its successor", (), reached)

    def _measure(self) -> None:
        """Seconds from each kill to the first line of the next session of this push, as the router heard it."""
        rows = self.push.transcripts.order_by("pk").values_list("started_at", flat=True)
        sessions = [at.timestamp() for at in rows]
        ours = [each for each in self.seen.asked if each["user"] != "console"]
        first: dict[Any, float] = {}
        for each in ours:
            first.setdefault(each["session"], float(str(each["at"])))
        for kill in self.kills:
            last = [each for each in ours if float(str(each["at"])) <= kill.at]
            kill.in_save = bool(last) and str(last[-1]["line"]) == "write memory"
            opened = next((at for at in sessions if at > kill.at), None)
            if opened is None or any(kill.at < other.at < opened for other in self.kills):
                continue
            heard = [at for at in first.values() if kill.at < at <= opened + 0.2]
            kill.takeover = (max(heard) if heard else opened) - kill.at
            self.say(f"{self.router}: taken over after {kill.takeover:.1f} s, killed {kill.moment}")
