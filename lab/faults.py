"""Faults a practice router can be told to have; each is one JSON object with a ``kind``."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from lab.errors import SessionDropped, SessionHung, SpecError

# kind -> the fields it may carry
KINDS: dict[str, set[str]] = {
    "refuse": {"match", "message", "times", "where", "late", "skip"},
    "ignore": {"match", "times", "where"},
    "drop": {"match", "line", "when", "times", "where"},
    "hang": {"match", "times", "where"},
    "slow": {"seconds", "match", "line", "times", "where"},
    "wrong-password": set(),
    "enable-refused": set(),
    "unreachable": set(),
    "vty-closed": set(),
    "vty-refused": {"message"},
    "vanish": {"interface", "direction", "seconds", "times"},
    "noise": {"match", "text", "times"},
    "write-fails": {"message", "times"},
    "other-image": set(),
    "replaced": {"message"},
    "neighbour-lost": {"neighbour", "match"},
    "busy": {"percent", "match"},
    "truncate-echo": {"width"},
    "short-minutes": {"seconds"},
    "cut-off": {"interface"},
}
_REQUIRED = {"refuse": {"match", "message"}, "ignore": {"match"}, "hang": {"match"}, "slow": {"seconds"},
             "vanish": {"interface", "seconds"}, "replaced": {"message"},
             "neighbour-lost": {"neighbour"}, "busy": {"percent"}, "short-minutes": {"seconds"},
             "cut-off": {"interface"}}  # fmt: skip


class Typist(Protocol):
    """What a fault needs of the login whose line it hits."""

    config_lines: int

    @property
    def stack(self) -> Sequence[object]: ...
    def say_later(self, text: str, seconds: float = 0.0) -> None: ...
    def close(self) -> None: ...


@dataclass
class Fault:
    """One fault: ``times`` counts down, None lasts until cleared; ``where`` is "config", "exec" or "any".

    ``line`` counts the configuration lines of one login from 1; ``slow`` holds back the reply to a line that is applied.
    ``neighbour-lost`` and ``busy`` last, with ``match``, while a policy-map that it matches is bound somewhere.
    A minute of a revert timer lasts ``seconds`` with ``short-minutes``. While a policy is bound on its ``interface``, ``cut-off``
    ends every session that came over the network and lets nobody in.
    ``skip`` lets the first so many pass. A refusal with ``late`` comes so many seconds after the prompt, as a line card's does.
    """

    kind: str
    match: re.Pattern[str] | None = None
    message: str = ""
    line: int | None = None
    when: str = "before"
    where: str = "config"
    seconds: float = 0.0
    interface: str = ""
    direction: str = ""
    width: int = 0
    neighbour: str = ""
    percent: int = 0
    times: int | None = None
    late: float | None = None
    skip: int = 0

    @classmethod
    def from_dict(cls, data: Mapping[str, object]) -> Fault:
        """Read a fault; raises SpecError naming the field."""
        kind = str(data.get("kind"))
        if kind not in KINDS:
            raise SpecError("fault.kind", f"{kind!r} is none of {', '.join(sorted(KINDS))}")
        for name in set(data) - {"kind"}:
            if name not in KINDS[kind]:
                raise SpecError(f"fault.{name}", f"unknown for {kind}")
        for name in _REQUIRED.get(kind, set()) - set(data):
            raise SpecError(f"fault.{name}", f"{kind} needs it")
        if kind == "drop" and not {"match", "line"} & set(data):
            raise SpecError("fault.match", "drop needs match or line")
        try:
            match = re.compile(str(data["match"])) if "match" in data else None
        except re.error as error:
            raise SpecError("fault.match", str(error)) from error
        when = str(data.get("when", "before"))
        if when not in ("before", "after"):
            raise SpecError("fault.when", f"{when!r} is neither before nor after")
        everywhere = kind == "slow" and "line" not in data
        where = str(data.get("where", "any" if everywhere else "config"))
        if where not in ("config", "exec", "any"):
            raise SpecError("fault.where", f"{where!r} is none of config, exec, any")
        try:
            return cls(
                kind=kind,
                match=match,
                message=str(data.get("message", data.get("text", ""))),
                line=int(str(data["line"])) if "line" in data else None,
                when=when,
                where=where,
                seconds=float(str(data.get("seconds", 0))),
                interface=str(data.get("interface", "")),
                direction=str(data.get("direction", "")),
                width=int(str(data.get("width", 0))),
                neighbour=str(data.get("neighbour", "")),
                percent=int(str(data.get("percent", 0))),
                times=int(str(data["times"])) if "times" in data else None,
                late=float(str(data["late"])) if "late" in data else None,
                skip=int(str(data.get("skip", 0))),
            )
        except ValueError as error:
            raise SpecError("fault", str(error)) from error

    def hits(self, text: str, where: str | None = None) -> bool:
        """True when the fault concerns this line, typed in configuration or in exec mode."""
        if where is not None and self.where not in (where, "any"):
            return False
        return self.match is None or self.match.search(text) is not None


@dataclass
class Faults:
    """The faults of one router."""

    items: list[Fault] = field(default_factory=list)

    def add(self, data: Mapping[str, object]) -> None:
        """Add a fault; raises SpecError."""
        self.items.append(Fault.from_dict(data))

    def has(self, kind: str) -> Fault | None:
        """The first fault of the kind, or None."""
        return next((item for item in self.items if item.kind == kind), None)

    def take(
        self,
        kind: str,
        text: str = "",
        where: str | None = None,
        *,
        line: int | None = None,
        when: str | None = None,
    ) -> Fault | None:
        """The first fault of the kind that concerns the text, the configuration line of that number and the moment; counts
        one of its times.
        """
        for item in self.items:
            here = item.line in (None, line) and when in (None, item.when)
            if item.kind == kind and here and item.hits(text, where):
                if item.skip > 0:
                    item.skip -= 1
                    continue
                self._count(item)
                return item
        return None

    def before(self, session: Typist, text: str) -> str | None:
        """What happens instead of the line: a reply, an exception, or None to let the line through."""
        where = "config" if session.stack else "exec"
        if self.take("drop", text, where, line=session.config_lines, when="before"):
            session.close()
            raise SessionDropped("fault: dropped before the line")
        if self.take("hang", text, where):
            raise SessionHung("fault: no answer")
        refused = self.take("refuse", text, where)
        if refused is not None and refused.late is not None:
            session.say_later(refused.message, refused.late)
            return ""
        if refused is not None:
            return refused.message.rstrip("\n") + "\n"
        return "" if self.take("ignore", text, where) else None

    def delay(self, session: Typist, text: str, where: str) -> float:
        """Seconds by which the reply to a line that is applied already comes late."""
        slow = self.take("slow", text, where, line=session.config_lines)
        return 0.0 if slow is None else slow.seconds

    def after(self, session: Typist, text: str, where: str) -> None:
        """What happens once the line is applied, before its reply is sent."""
        if self.take("drop", text, where, line=session.config_lines, when="after"):
            session.close()
            raise SessionDropped("fault: dropped after the line")
        noise = self.take("noise", text)
        if noise is not None:
            session.say_later(
                noise.message
                or "%LINEPROTO-5-UPDOWN: Line protocol on Interface POS9/9, changed state to down"
            )

    def _count(self, item: Fault) -> None:
        if item.times is not None:
            item.times -= 1
            if item.times <= 0:
                self.items.remove(item)
