"""Changes proved and rehearsed before they are approved, decisions derived again, and what routers can do."""

from __future__ import annotations

from typing import Any, TypedDict


class Proof(TypedDict):
    """One router in one phase. `commands` and `rollback` hold `start`, `lines`, `end`, `problems` and `safe`. Of each line:
    what it `changed` (interface, sentence, whole state), whether a `gap` opens or closes, `violations`.
    """

    push: int
    router: str
    phase: str
    fingerprint: str
    commands: Any
    rollback: Any
    equal_today: Any


class RehearsedPush(TypedDict):
    """What became of one push. `line` (of its plan, from 1) and `reply` are where it ended, if at a line."""

    push: int
    router: str
    phase: str
    outcome: str
    said: str
    line: int | None
    reply: str
    seconds: float


class Rehearsal(TypedDict):
    """The last rehearsal of a change. `current` is false when other lines were planned since: those are not rehearsed."""

    id: int
    fingerprint: str
    current: bool
    passed: bool
    summary: str
    asked_at: str
    asked_by: str | None
    finished_at: str | None
    error: str
    digest: str
    pushes: list[RehearsedPush]


class RehearsedLines(RehearsedPush):
    """One push, line by line, with the session word for word, secrets removed."""

    lines: Any
    differs: Any
    unknown: Any
    transcript: Any


class Found(TypedDict):
    """One thing that was found: a fault, something missing to say so, or what changed since."""

    kind: str
    part: str
    text: str


class Recheck(TypedDict):
    """Whether the last decision about a request follows from what was kept of it. An NREN reads the outcome and what does
    not hold; what others hold by now is the NOC's.
    """

    requests: list[str]
    deed: str
    at: str | None
    topology: int
    verdict: str
    status: str
    findings: list[Found]


class Capability(TypedDict):
    """One capability: ``can`` is null where the answer proves neither."""

    capability: str
    can: bool | None
    asked: str
    said: str
    ios: str
    at: str


class Unsaved(TypedDict):
    """What startup-config lacks as last read: ``+`` is missing there, ``-`` is there and no longer runs. ``digest`` stands
    for exactly these lines.
    """

    ours: list[str]
    foreign: list[str]
    since: dict[str, str]
    digest: str
    read_at: str | None


class Saved(TypedDict):
    """What was saved; ``saved`` is false where there was nothing; ``meanwhile`` was typed between look and saving."""

    router: str
    ours: list[str]
    foreign: list[str]
    digest: str
    saved: bool
    meanwhile: list[str]
