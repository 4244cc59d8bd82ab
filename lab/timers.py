"""What is to happen on a router later."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass
class Timer:
    """Something that happens at ``when`` (seconds of the router's clock)."""

    when: float
    action: Callable[[], None]
    name: str


@dataclass
class Timers:
    """All that waits on one router."""

    waiting: list[Timer] = field(default_factory=list)

    def add(self, when: float, action: Callable[[], None], name: str) -> None:
        """Have the action done at the first look at or after ``when``."""
        self.waiting.append(Timer(when, action, name))

    def run(self, now: float) -> None:
        """Let happen what is due."""
        due = [timer for timer in self.waiting if timer.when <= now]
        self.waiting = [timer for timer in self.waiting if timer.when > now]
        for timer in due:
            timer.action()

    def cancel(self, name: str) -> bool:
        """Forget what has this name; False when nothing had."""
        before = len(self.waiting)
        self.waiting = [timer for timer in self.waiting if timer.name != name]
        return len(self.waiting) < before

    def when(self, name: str) -> float | None:
        """When the first of this name happens; None when none waits."""
        return next((timer.when for timer in self.waiting if timer.name == name), None)


@dataclass(frozen=True)
class Pending:
    """A change that waits to be confirmed: `copy` is the configuration before it, `file` where it is kept."""

    copy: str
    file: str
    minutes: int
    since: float
    user: str
