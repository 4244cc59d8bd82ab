"""A stored plan as rows for the page: every line with what the routers' interfaces do after it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from provisioning.models import RouterPush
from provisioning.pipeline.change import ChangePlan
from provisioning.pipeline.diff import Line
from provisioning.pipeline.safety import InterfaceQos, Marker, Role
from provisioning.web.spelling import rate


@dataclass(frozen=True)
class Standing:
    """One interface in words; ``bad`` when unauthorised EF could enter or EF is not policed."""

    interface: str
    text: str
    bad: bool


@dataclass(frozen=True)
class Row:
    """One command: its number from 1, its text and depth, what changed with it and what is wrong after it."""

    number: int
    text: str
    depth: int
    joined: bool
    changed: tuple[Standing, ...]
    violations: tuple[str, ...]
    gap: bool
    kind: str


@dataclass(frozen=True)
class PlanView:
    """One router in one phase, ready to be shown; ``plan`` None when the router could not be read."""

    push: RouterPush
    plan: ChangePlan | None
    before: tuple[Standing, ...]
    rows: tuple[Row, ...]
    rollback: str

    @property
    def anchor(self) -> str:
        """Return the id of its place on the page."""
        return f"{self.push.router.name}-{self.push.phase}"

    @property
    def idle(self) -> bool:
        """Return whether the router was read and holds it all: no line to send, nothing in the way."""
        return idle(self.push)


def idle(push: RouterPush) -> bool:
    """Return whether a push has no line to send and nothing in the way; one that was not read is never idle."""
    return push.plan is not None and not push.plan["commands"] and not push.conflicts


def view_of(push: RouterPush) -> PlanView:
    """Return the view of a push; ``push.line`` of its commands count as answered."""
    if push.plan is None:
        return PlanView(push, None, (), (), "")
    plan = ChangePlan.from_json(push.plan)
    proof = plan.proof
    before = _standings(proof[0].states) if proof else ()
    rows = []
    for index, line in enumerate(plan.commands):
        state = proof[index + 1] if index + 1 < len(proof) else None
        rows.append(
            Row(
                number=index + 1,
                text=line.text,
                depth=min(line.depth, 4),
                joined=line.joined,
                changed=_standings(state.states) if state else (),
                violations=state.violations if state else (),
                gap=bool(state and state.gap),
                kind=_progress(push, index),
            )
        )
    return PlanView(push, plan, before, tuple(rows), text_of(plan.rollback))


def _progress(push: RouterPush, index: int) -> str:
    if index < push.line:
        return "done"
    return "next" if push.state == "PUSHING" and index == push.line else ""


def text_of(lines: Iterable[Line]) -> str:
    """Return lines as they are read by people, indented by depth."""
    return "".join(f"{line}\n" for line in lines)


def _standings(states: Iterable[InterfaceQos]) -> tuple[Standing, ...]:
    return tuple(Standing(state.key, sentence(state), dangerous(state)) for state in states)


def dangerous(state: InterfaceQos) -> bool:
    """Return whether EF can enter here that nobody authorised, or that nothing polices."""
    if state.role is Role.CORE:
        return False
    return state.marker is Marker.NOBODY or state.ef_rate == "unlimited"


def sentence(state: InterfaceQos) -> str:
    """Return who marks, who polices EF at what rate, and what becomes of the rest, on one interface."""
    if state.role is Role.CORE:
        queue = f"priority queue on ({state.policy_out})" if state.ef_queue else "no priority queue"
        return f"core: {queue}"
    marks = {
        Marker.ROUTER: "everything becomes DSCP 0",
        Marker.NREN: "the NREN marks",
        Marker.ACL: "marked by access list " + ", ".join(state.authorised)
        if state.authorised
        else "marked by access list",
        Marker.NOBODY: "nobody marks: whatever arrives passes as it is",
    }[state.marker]
    if state.marker in {Marker.ROUTER, Marker.NOBODY}:
        return marks
    rest = "the rest becomes DSCP 0" if state.remarks_rest else "the rest keeps its marking"
    return f"{marks}; {_policed(state.ef_rate)}; {rest}"


def _policed(ef_rate: str) -> str:
    if ef_rate == "unlimited":
        return "EF is not policed"
    if ef_rate == "none":
        return "no EF enters"
    number, _, unit = ef_rate.partition(" ")
    if number == "percent":
        return f"EF policed at {unit} % of BW"
    return f"EF policed at {rate(number)}" if number.isdigit() else f"EF policed at {ef_rate}"
