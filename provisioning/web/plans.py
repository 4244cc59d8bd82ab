"""A stored plan as rows for the page: every line with what it changes on which interface."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from provisioning.errors import LineRefused
from provisioning.models import RouterPush
from provisioning.pipeline.change import Alternative, ChangePlan
from provisioning.pipeline.diff import Line
from provisioning.pipeline.safety import LineState, Together, Told, tell, together
from provisioning.pipeline.states import PushState
from provisioning.selectors.changes import BARE, answered, is_idle
from provisioning.selectors.plans import plan_of, plans_of, removed
from provisioning.selectors.swaps import lasted, lasted_on
from provisioning.web.words import PHASES

# As many routers are shown with all their lines on one page.
AT_ONCE = 3


@dataclass(frozen=True)
class Row:
    """One command: its number from 1, its text and depth, what changed with it and what is wrong after it.

    ``gap`` is "opens" or "closes" where a swap leaves an interface without a policy and where it has one again.
    """

    number: int
    text: str
    depth: int
    joined: bool
    changed: tuple[Together, ...]
    violations: tuple[str, ...]
    gap: str
    kind: str


@dataclass(frozen=True)
class PlanView:
    """One router in one phase, ready to be shown; ``plan`` None when the router could not be read.

    ``before`` and ``after`` are the interfaces whose state a line changes; ``untouched`` counts the others.
    ``measured`` says how long swaps have lasted on such routers, where the plan has one.
    """

    push: RouterPush
    plan: ChangePlan | None
    before: tuple[Together, ...] = ()
    rows: tuple[Row, ...] = ()
    after: tuple[Together, ...] = ()
    untouched: int = 0
    problems: tuple[str, ...] = ()
    back: tuple[Row, ...] = ()
    measured: str = ""

    @property
    def anchor(self) -> str:
        """Return the id of its place on the page."""
        return f"{self.push.router.name}-{self.push.phase}"

    @property
    def idle(self) -> bool:
        """Return whether the router was read and holds it all: no line to send, nothing in the way."""
        return is_idle(self.push)

    @property
    def removed(self) -> str:
        """Return why there are no lines although there was a plan, else nothing."""
        return removed(self.push) if self.push.plan_removed else ""

    @property
    def instead(self) -> list[tuple[str, list[Alternative]]]:
        """Return what is sent where a swap is refused, by the place of the swap."""
        found: dict[str, list[Alternative]] = {}
        for each in () if self.plan is None else self.plan.alternatives:
            found.setdefault(each.where, []).append(each)
        return list(found.items())

    @property
    def rollback(self) -> str:
        """Return the way back as text."""
        return "" if self.plan is None else text_of(self.plan.rollback)


@dataclass(frozen=True)
class Summary:
    """One router in one phase as a row of the table: counts of what is in its plan, which itself is not read."""

    push: RouterPush
    phase: str
    gaps: int = 0
    doubts: int = 0
    unsafe: int = 0

    @property
    def anchor(self) -> str:
        """Return the id of its place on the page."""
        return f"{self.push.router.name}-{self.push.phase}"


def rows_of(pushes: Sequence[RouterPush]) -> list[Summary]:
    """Return a row for every push that sends something or cannot, in push order."""
    found = []
    for push in pushes:
        if is_idle(push):
            continue
        phase = PHASES.get(push.phase, (push.phase, ""))[0]
        if not push.has_plan:
            found.append(Summary(push, phase))
            continue
        plan = push.stored_plan
        found.append(Summary(push, phase, len(plan.gaps), len(plan.doubts), len(plan.violations)))
    return found


def many(rows: Sequence[Summary]) -> bool:
    """Whether the page is a summary, with the lines of one router at a time."""
    return len({row.push.router_id for row in rows}) > AT_ONCE


def views_of(pushes: Sequence[RouterPush]) -> list[PlanView]:
    """Return the views of the pushes that send something or cannot; their plans are read in one query."""
    shown = [push for push in pushes if not is_idle(push)]
    plans = plans_of(shown)
    swapping = [push.router for push in shown if push.pk in plans and plans[push.pk].gaps]
    measured = lasted_on(swapping) if swapping else {}
    return [_view(push, plans.get(push.pk), measured.get(push.router_id, "")) for push in shown]


def view_of(push: RouterPush) -> PlanView:
    """Return the view of a push; ``push.line`` of its commands count as answered."""
    plan = plan_of(push) if push.has_plan and not push.plan_removed else None
    return _view(push, plan, lasted(push.router) if plan is not None and plan.gaps else "")


def _view(push: RouterPush, plan: ChangePlan | None, measured: str) -> PlanView:
    if plan is None:
        return PlanView(push, None)
    told, back = _told(push, plan.proof), _told(push, plan.back)
    moved = {each.interface for line in told.lines for each in line.changed}
    return PlanView(
        push,
        plan,
        before=together([one for one in told.start if one.interface in moved]),
        rows=tuple(_rows(plan.commands, told, _kinds(push, plan.commands))),
        after=together([one for one in told.end if one.interface in moved]),
        untouched=sum(one.interface not in moved for one in told.start),
        problems=told.problems,
        back=tuple(_rows(plan.rollback, back, [""] * len(plan.rollback))),
        measured=measured,
    )


def told_rows(lines: Sequence[Line], told: Told) -> tuple[Row, ...]:
    """Return lines that nobody sends yet, each with what it changes."""
    return tuple(_rows(lines, told, [""] * len(lines)))


def _told(push: RouterPush, proof: Sequence[LineState]) -> Told:
    return tell(proof, push.before.bandwidths if push.before else {})


def _rows(lines: Sequence[Line], told: Told, kinds: Sequence[str]) -> Iterable[Row]:
    for index, line in enumerate(lines):
        said = told.lines[index] if index < len(told.lines) else None
        yield Row(
            number=index + 1,
            text=line.text,
            depth=min(line.depth, 4),
            joined=line.joined,
            changed=said.together if said else (),
            violations=said.violations if said else (),
            gap=said.gap.value if said and said.gap else "",
            kind=kinds[index],
        )


_REFUSED = frozenset({LineRefused.code, BARE})
"""Codes of an end at which a line was refused."""


def _kinds(push: RouterPush, lines: Sequence[Line]) -> list[str]:
    return [_progress(push, lines, index) for index in range(len(lines))]


def _progress(push: RouterPush, lines: Sequence[Line], index: int) -> str:
    came = answered(push)
    if push.error_code in _REFUSED and came < len(lines) and _write_of(lines, index) == came:
        return "refused" if index == _refused_of(push, lines, came) else "done"
    if push.state == PushState.ROLLED_BACK and index < came:
        return "undone"
    if index < came:
        return "done"
    return "next" if push.state == "PUSHING" and index == push.line else ""


def _refused_of(push: RouterPush, lines: Sequence[Line], came: int) -> int:
    """Of the lines of the write that was refused the one that the reason names; the last where it names none."""
    write = [index for index in range(came, len(lines)) if _write_of(lines, index) == came]
    named = [index for index in write if push.error.startswith(f"'{lines[index].text}' was refused")]
    return (named or write)[-1]


def _write_of(lines: Sequence[Line], index: int) -> int:
    """The first line of the write that a line goes out in."""
    while index and lines[index].joined:
        index -= 1
    return index


def text_of(lines: Iterable[Line]) -> str:
    """Return lines as they are read by people, indented by depth."""
    return "".join(f"{line}\n" for line in lines)
