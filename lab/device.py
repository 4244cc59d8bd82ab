"""A router: running and startup configuration, sessions, time, faults; its policies are moved by `lab.policies`."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from lab.blank import default_configuration, empty_configuration
from lab.counters import Table
from lab.errors import LoadError
from lab.faults import Faults
from lab.loading import Unknown, load_as_read
from lab.mode import Login
from lab.printing import Printer
from lab.session import Session
from lab.spec import RouterSpec
from lab.store import Configuration, Point
from lab.timers import Pending, Timers

_VOLATILE = re.compile(r"^(!.*|ntp clock-period \d+)$\n?", re.M)
_HARMLESS = re.compile(r"^(Enter (configuration commands|TEXT message)|Conform burst size increased)")


@dataclass
class Device:
    """One practice router; ``clock`` gives seconds since the epoch, ``persist`` receives every startup-config written."""

    spec: RouterSpec
    clock: Callable[[], float] = time.time
    persist: Callable[[str], None] | None = None
    nvram: str | None = None
    config: Configuration = field(init=False)
    startup: str | None = field(init=False, default=None)
    sessions: list[Login] = field(init=False, default_factory=list)
    faults: Faults = field(init=False, default_factory=Faults)
    timers: Timers = field(init=False, default_factory=Timers)
    counters: dict[Point, Table] = field(init=False, default_factory=dict)
    history: list[dict[str, object]] = field(init=False, default_factory=list)
    journal: list[dict[str, object]] = field(init=False, default_factory=list)
    asked: list[dict[str, object]] = field(init=False, default_factory=list)
    logins: int = field(init=False, default=0)
    syslog: list[str] = field(init=False, default_factory=list)
    boot_messages: list[str] = field(init=False, default_factory=list)
    booted: float = field(init=False, default=0.0)
    unknown: list[Unknown] = field(init=False, default_factory=list)
    changed: tuple[float, str] | None = field(init=False, default=None)
    saved: tuple[float, str] | None = field(init=False, default=None)
    pending: Pending | None = field(init=False, default=None)
    kept: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        for fault in self.spec.faults:
            self.faults.add(fault)
        if self.spec.running_config is not None and self.nvram is None:
            self._lend(self.spec.running_config)
            return
        self.startup = self.nvram if self.nvram is not None else self.spec.startup_config
        if self.startup is None:
            self.config = empty_configuration(self.spec)
            self.load(default_configuration(self.spec))
            self.startup = self.printed(self.body())
        self.boot()

    # -- configuration ------------------------------------------------------------------------------------------

    def boot(self) -> None:
        """Start from the startup-config: refused lines are reported on the console and skipped, as a router does."""
        self.booted = self.clock()
        self.config = empty_configuration(self.spec)
        self.counters.clear()
        self.boot_messages = [
            f"{line}: {reply.strip()}" for line, reply in self._type(self.startup or "") if reply
        ]
        self.changed = None
        self.history.clear()
        self.journal.clear()
        self.asked.clear()

    def _lend(self, text: str) -> None:
        """Hold what was read from another router, saved, as if it had booted from it; `unknown` are the lines left out."""
        self.config = empty_configuration(self.spec)
        session = Session(self, "console", 15, True, "con0")
        session.enter_configuration()
        faults, self.faults = self.faults, Faults()
        self.unknown = load_as_read(session, text)
        self.faults = faults
        self.booted = self.clock()
        self.changed = None
        self.history.clear()
        self.journal.clear()
        self.startup = self.printed(self.body())

    def load(self, text: str) -> None:
        """Preload configuration as if typed; raises LoadError on the first line that is refused."""
        for line, reply in self._type(text):
            if reply and not _HARMLESS.match(reply):
                raise LoadError(line, reply)

    def _type(self, text: str) -> list[tuple[str, str]]:
        session = Session(self, "console", 15, True, "con0")
        faults, self.faults = self.faults, Faults()
        replies: list[tuple[str, str]] = []
        try:
            session.enter_configuration()
            for line in text.replace("\r\n", "\n").split("\n"):
                if session.banner is None and line.strip() == "end":
                    break
                replies.append((line, session.execute(line)))
                replies += [(line, said) for said in session.asynchronous() if said.startswith("SLOT")]
                if not session.stack:  # an `exit` too many: a file is read in configuration mode to its end
                    session.enter_configuration()
        finally:
            self.faults = faults
        return [(line, reply) for line, reply in replies if reply and not _HARMLESS.match(reply)]

    def merge_startup(self) -> list[tuple[str, str]]:
        """``copy startup-config running-config``: typed over what runs; (line, reply) of what was refused."""
        return self._type(self.startup or "")

    def become(self, body: str, user: str) -> None:
        """Have exactly this configuration, as by ``configure replace``: what is not in it is gone. Sessions stay signed in,
        those in configuration mode at its top.
        """
        history, journal = list(self.history), list(self.journal)
        self.config = empty_configuration(self.spec)
        self._type(body)
        self.history[:], self.journal[:] = history, journal
        self.changed = (self.clock(), user)
        for session in self.sessions:
            if session.stack:
                session.stack = session.stack[:1]

    def body(self) -> str:
        """The configuration from ``version`` to ``end``."""
        return Printer(self.spec.train).body(self.config, self._clock_period())

    def _clock_period(self) -> int:
        """The number a 7200 or 12000 keeps adjusting (ios-facts N36)."""
        typed = next(
            (line.split()[-1] for line in self.config.lines if line.startswith("ntp clock-period")),
            "17180000",
        )
        return int(typed) // 100 * 100 + int(self.clock()) % 97

    def printed(self, body: str) -> str:
        """A configuration with the comment lines IOS puts before ``version``."""
        lines = ["!"]
        if self.changed is not None:
            when, who = self.changed
            lines.append(f"! Last configuration change at {self.stamp(when)} by {who}")
        if self.saved is not None:
            when, who = self.saved
            lines.append(f"! NVRAM config last updated at {self.stamp(when)} by {who}")
        return "\n".join((*lines, "!", "")) + body

    def running_config(self) -> str:
        """What ``show running-config`` prints."""
        text = self.printed(self.body())
        return f"Building configuration...\n\nCurrent configuration : {len(text)} bytes\n{text}\n"

    @property
    def unsaved(self) -> bool:
        """True when running and startup differ in more than what is volatile."""
        return _VOLATILE.sub("", self.body()) != _VOLATILE.sub("", self.startup or "")

    def save(self, user: str) -> str:
        """``write memory``; what is printed."""
        failed = self.faults.take("write-fails")
        if failed is not None:
            return (failed.message or "startup-config file open failed (Device or resource busy)") + "\n"
        self.saved = (self.clock(), user)
        self.startup = self.printed(self.body())
        if self.persist is not None:
            self.persist(self.startup)
        return "Building configuration...\n[OK]\n"

    # -- sessions -----------------------------------------------------------------------------------------------

    def open_session(
        self, username: str | None = None, *, privilege: int | None = None, console: bool = False
    ) -> Session:
        """An authenticated session; exec mode ``>`` unless privilege 15."""
        level = self.spec.privilege if privilege is None else privilege
        used = {session.line for session in self.sessions}
        line = "con0" if console else next(f"vty{n}" for n in range(1000) if f"vty{n}" not in used)
        self.logins += 1
        session = Session(self, username or self.spec.username, level, console, line, self.logins)
        self.sessions.append(session)
        return session

    @property
    def vty_full(self) -> bool:
        """True when every configured vty is taken: ``line vty 0 4`` is five."""
        if not self.spec.train.vty_limit:
            return False
        lines = [header.split() for header in self.config.blocks if header.startswith("line vty ")]
        lines_there = 1 + max((int(words[-1]) for words in lines), default=4)
        return sum(not session.console for session in self.sessions) >= lines_there

    def forget(self, session: Login) -> None:
        """A session is over."""
        if session in self.sessions:
            self.sessions.remove(session)

    def record(self, session: Login, line: str, reply: str) -> None:
        """Keep a configuration line and its answer."""
        self.history.append(
            {
                "at": self.clock(),
                "user": session.username,
                "session": session.number,
                "line": line,
                "prompt": session.prompt,
                "reply": reply,
            }
        )
        if not reply.lstrip().startswith(("^", "%")):
            self.changed = (self.clock(), session.username)

    def note_asked(self, session: Login, line: str) -> None:
        """Keep that a line was typed in exec mode: who asked for what, and when."""
        self.asked.append(
            {"at": self.clock(), "user": session.username, "session": session.number, "line": line}
        )

    def log_line(self, text: str) -> None:
        """A log message: seen on the console and where ``terminal monitor`` is on (ios-facts 3.5)."""
        self.syslog.append(text)
        for session in self.sessions:
            if session.console or session.monitor:
                session.say_later(f"*{self.short_stamp()}: {text}")

    # -- time ---------------------------------------------------------------------------------------------------

    def tick(self) -> None:
        """Let happen what is due."""
        self.timers.run(self.clock())
        if self.cut_off:
            for session in list(self.sessions):
                if not session.console:
                    session.close()

    @property
    def cut_off(self) -> bool:
        """True while a policy is bound on the interface by which the router is reached, and lets nothing through."""
        fault = self.faults.has("cut-off")
        return fault is not None and any(
            point[0] == fault.interface for point, _policy in self.config.attachments()
        )

    def schedule_reload(self, seconds: float) -> None:
        """``reload in``: replaces one already scheduled."""
        self.cancel_reload()
        self.timers.add(self.clock() + seconds, self.reload, "reload")

    def cancel_reload(self) -> bool:
        """``reload cancel``; False when none was scheduled."""
        return self.timers.cancel("reload")

    @property
    def reload_due(self) -> float | None:
        """When a scheduled reload happens (seconds of the router's clock); None when none is scheduled."""
        return self.timers.when("reload")

    def reload(self) -> None:
        """Start again from the startup-config; every session is dropped."""
        for session in list(self.sessions):
            session.close()
        self.timers.waiting.clear()
        self.pending = None
        self.boot()

    def stamp(self, when: float | None = None) -> str:
        """``03:01:02 UTC Sat Nov 21 2026``."""
        at = time.gmtime(self.clock() if when is None else when)
        return time.strftime("%H:%M:%S UTC %a %b ", at) + f"{at.tm_mday} {at.tm_year}"

    def short_stamp(self) -> str:
        """``Nov 21 03:01:02.345``."""
        now = self.clock()
        at = time.gmtime(now)
        return (
            time.strftime("%b ", at)
            + f"{at.tm_mday:2d} "
            + time.strftime("%H:%M:%S", at)
            + f".{int(now * 1000) % 1000:03d}"
        )
