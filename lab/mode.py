"""A configuration mode, what it may ask of the login and the router it is typed at, and the parser that climbs through
the modes by itself (ios-facts 3.1, 3.2).

`Login` and `Router` are what a command line sees of a session and a device, so that neither imports the other's makers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from lab.counters import Table
from lab.cursor import Cursor
from lab.errors import InvalidInput
from lab.faults import Faults
from lab.spec import RouterSpec
from lab.store import Configuration, Point
from lab.timers import Pending, Timers
from lab.trains import Train


class Router(Protocol):
    """The router behind a login; `lab.device.Device` is the one there is."""

    spec: RouterSpec
    config: Configuration
    startup: str | None
    faults: Faults
    counters: dict[Point, Table]
    history: list[dict[str, object]]
    journal: list[dict[str, object]]
    syslog: list[str]
    timers: Timers
    booted: float
    kept: int

    @property
    def pending(self) -> Pending | None: ...
    @pending.setter
    def pending(self, found: Pending | None) -> None: ...

    @property
    def clock(self) -> Callable[[], float]: ...
    @property
    def sessions(self) -> Sequence[Login]: ...
    @property
    def unsaved(self) -> bool: ...
    @property
    def reload_due(self) -> float | None: ...
    def tick(self) -> None: ...
    def body(self) -> str: ...
    def running_config(self) -> str: ...
    def save(self, user: str) -> str: ...
    def merge_startup(self) -> list[tuple[str, str]]: ...
    def forget(self, session: Login) -> None: ...
    def record(self, session: Login, line: str, reply: str) -> None: ...
    def note_asked(self, session: Login, line: str) -> None: ...
    def log_line(self, text: str) -> None: ...
    def schedule_reload(self, seconds: float) -> None: ...
    def cancel_reload(self) -> bool: ...
    def reload(self) -> None: ...
    def become(self, body: str, user: str) -> None: ...
    def stamp(self, when: float | None = None) -> str: ...
    def short_stamp(self) -> str: ...


class Login(Protocol):
    """The login a command is typed at; `lab.session.Session` is the one there is."""

    number: int
    username: str
    privilege: int
    console: bool
    line: str
    monitor: bool
    length: int
    width: int
    pages: bool
    config_lines: int
    stack: list[Mode]
    stack_before_line: list[Mode]

    @property
    def device(self) -> Router: ...
    @property
    def config(self) -> Configuration: ...
    @property
    def train(self) -> Train: ...
    @property
    def prompt(self) -> str: ...
    def ask(
        self, prompt: str, answer: Callable[[str], str], *, echo: bool = True, single_key: bool = False
    ) -> str: ...
    def enter_configuration(self) -> str: ...
    def begin_banner(self, kind: str, mark: str, text: str) -> str: ...
    def say_later(self, text: str) -> None: ...
    def close(self) -> None: ...


Handler = Callable[[Login, Cursor, bool], str | None]


class Mode:
    """One level of configuration: ``prompt`` is what stands in the brackets, ``commands`` its first words."""

    prompt = "config"

    def commands(self, session: Login) -> Mapping[str, Handler]:
        """First word -> handler(session, cursor, no); a handler parses all of the line before it changes anything."""
        raise NotImplementedError

    def run(self, session: Login, cursor: Cursor) -> str:
        """Execute the line in this mode; raises a ParseError when it does not belong here."""
        table = self.commands(session)
        word = cursor.keyword("no", *table)
        negated = word == "no"
        if negated:
            word = cursor.keyword(*table)
        return table[word](session, cursor, negated) or ""


def run_line(session: Login, line: str) -> str:
    """Try the line in the current mode, then in its parents up to global configuration.

    The mode that accepts it becomes the current one, also when it then refuses; when none does, the caret goes where
    the parser came furthest and the mode stays.
    """
    before = list(session.stack)
    furthest: InvalidInput | None = None
    for depth in range(len(before), 0, -1):
        session.stack = before[:depth]
        try:
            return before[depth - 1].run(session, Cursor(line))
        except InvalidInput as error:
            if furthest is None or error.column > furthest.column:
                furthest = error
    session.stack = before
    assert furthest is not None
    raise furthest
