"""Changes of routers, and the pushes that they consist of."""

from __future__ import annotations

from typing import Any, TypedDict


class Planning(TypedDict):
    """How far a plan is that somebody asked for: so many of its routers are read; `error` says why it could not be made."""

    read: int
    routers: int
    error: str


class ApprovalGiven(TypedDict):
    """One person's word on a change; `carried_from` is the change with the same lines that it was given on."""

    user: str
    at: str
    reason: str
    carried_from: int | None


class Rollout(TypedDict):
    """The course of a change as people set it; null: no such rule (`canary`: by the number of routers)."""

    canary: int | None
    wave_size: int | None
    at_once: int | None
    window_start: str | None
    window_end: str | None
    ticket: str


class NextStep(TypedDict):
    """How a push ended, and what is to be done: `verb` is the next step, null where nothing is; `also` are others."""

    verb: str | None
    also: list[str]
    means: str
    do: str
    meanwhile: str


class Change(TypedDict):
    """A change; an NREN sees that it exists, how far it is and which of its own requests it carries out."""

    id: int
    reference: str
    kind: str
    state: str
    title: str | None
    requests: list[int]
    takes_off: list[int]
    modifies: list[int]
    base_lines: bool | None
    created_at: str
    planned_at: str | None
    planning: Planning | None
    due_at: str | None
    approvals: list[ApprovalGiven] | None
    still_needed: list[str] | None
    approved_at: str | None
    approved_by: str | None
    released_at: str | None
    held: str | None
    rollout: Rollout | None
    finished_at: str | None
    pushes: list[int] | None
    rates: dict[str, Any] | None
    way_back: list[dict[str, Any]] | None
    next_step: NextStep | None


class OnRouter(TypedDict):
    """Something said about one router."""

    router: str
    text: str


class UnsavedOnRouter(TypedDict):
    """Lines on one router that somebody else typed and nobody has saved."""

    router: str
    lines: list[str]


class Approval(TypedDict):
    """What has to be read before a change is approved, and what the reader may do about it now."""

    change: int
    fingerprint: str
    may_approve: bool
    why_not: list[str]
    alone: list[str]
    approved_by: list[str]
    still_needed: list[str]
    may_push: bool
    lines: int
    routers: int
    gaps: list[OnRouter]
    doubts: list[OnRouter]
    unsaved: list[UnsavedOnRouter]
    conflicts: list[OnRouter]
    violations: list[OnRouter]
    unread: list[OnRouter]
    warnings: list[OnRouter]


class Push(TypedDict):
    """What one router receives in one phase, for those who see everything; the plan itself is on the single push."""

    id: int
    change: int
    router: str
    phase: str
    position: int
    state: str
    fingerprint: str
    plan_digest: str
    line: int
    lines: int
    answered: int
    error: str
    error_code: str
    saved: bool | None
    started_at: str | None
    finished_at: str | None
    next_step: NextStep | None


class PushWithPlan(Push):
    """One push; `plan` is exactly what was approved, null when the router was not read or its lines were pruned."""

    plan: dict[str, Any] | None


class Taken(TypedDict):
    """What was done, in a sentence; `change` is the id of the one that is being planned now, where one is."""

    verb: str
    said: str
    change: int | None


class Undone(TypedDict):
    """The ids of the requests that were withdrawn, and what a person has still to do, a sentence each."""

    withdrawn: list[int]
    left: list[str]


class Stop(TypedDict):
    """Whether every push is held: by whom (empty: by a restore), since when and why."""

    stopped: bool
    by: str
    since: str | None
    reason: str
