"""What a router has to hold at the end of a push, told by an untouched practice router on which the approved lines are typed.

Nothing of the product's reading takes part: configurations are compared as blocks of text.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from lab.device import Device
from lab.spec import RouterSpec

_VOLATILE = re.compile(r"^(!.*|ntp clock-period .*|Building configuration.*|Current configuration.*|\s*)$")
SURE = ("ROLLED_BACK", "STALE", "FAILED", "CANCELLED")
"""Ends at which nothing of the push is on its router."""


def blocks(text: str) -> Counter[tuple[str, ...]]:
    """A configuration as its top lines, each with all that stands under it; where a block stands does not matter."""
    found: list[list[str]] = []
    for line in text.replace("\r", "").split("\n"):
        if _VOLATILE.match(line):
            continue
        if line.startswith(" ") and found:
            found[-1].append(line.rstrip())
        else:
            found.append([line.rstrip()])
    return Counter(tuple(block) for block in found)


def differences(left: str, right: str) -> list[str]:
    """The blocks that only one of two configurations has, one line each, at most six."""
    one, other = blocks(left), blocks(right)
    said = [f"- {' / '.join(block)[:200]}" for block in (one - other)]
    said += [f"+ {' / '.join(block)[:200]}" for block in (other - one)]
    return said[:6]


@dataclass(frozen=True)
class Approved:
    """The lines of one plan, as approved: those of the way there, and all that may be sent to take it back."""

    commands: tuple[str, ...]
    back: frozenset[str]

    @classmethod
    def of(cls, plan: Any) -> Approved:
        back = {line.text for undo in plan.undo for line in undo} | {each.line for each in plan.alternatives}
        back |= {f"interface {each.interface}" for each in plan.alternatives}
        # Of a block that was cut off its objects go, whichever of them are there.
        back |= {f"no {line.text}" for line in plan.commands if line.depth == 0}
        return cls(tuple(line.text for line in plan.commands), frozenset(back))


@dataclass
class Witness:
    """The routers as specified, to be made again without sessions and faults."""

    specs: Mapping[str, Mapping[str, object]]
    faults: list[str] = field(default_factory=list)

    def after(self, router: str, before: str, commands: Iterable[str]) -> str:
        """What the router shows when it starts from a configuration and these lines are typed, none of which may be refused."""
        spec = {**self.specs[router], "startup_config": None, "faults": []}
        text = before[before.find("version ") :] if "version " in before else before
        device = Device(RouterSpec.from_dict(spec), nvram=text)
        session = device.open_session("console", privilege=15, console=True)
        session.enter_configuration()
        for line in commands:
            if (reply := session.execute(line)).lstrip().startswith(("%", "^")):
                raise AssertionError(f"{router} refuses the approved {line!r}: {reply.strip()}")
        return device.running_config()

    def judge(
        self,
        where: str,
        router: str,
        approved: Approved,
        end: tuple[str, bool | None],
        before: Mapping[str, Any],
        after: Mapping[str, Any],
        foreign: str = "",
    ) -> list[str]:
        """Every sentence of what does not hold at the end (state, saved) of a push; `before` and `after` are the router's own.

        `foreign` is a word in a line of somebody else that was there unsaved: nobody may have saved it.
        """
        state, saved = end
        said = [f"{where}: {each}" for each in self._lines(approved, before, after, state)]
        commands = approved.commands if state == "VERIFIED" else ()
        expected = self.after(router, before["running"], commands)
        if state != "UNKNOWN" and (found := differences(expected, after["running"])):
            said.append(f"{where}: {state}, and the router does not hold that: {'; '.join(found)}")
        if foreign and foreign in after["startup"]:
            said.append(f"{where}: {state}, and a line of somebody else was saved")
        if foreign and state == "VERIFIED" and saved and commands:
            said.append(f"{where}: called saved beside a line of somebody else")
        kept = after["running"] if state == "VERIFIED" and saved else before["startup"]
        if found := differences(kept, after["startup"]):
            said.append(f"{where}: {state}, saved {saved}, startup-config is another: {'; '.join(found)}")
        return said

    def _lines(
        self, approved: Approved, before: Mapping[str, Any], after: Mapping[str, Any], state: str
    ) -> list[str]:
        typed = typed_by_us(after["log"][len(before["log"]) :])
        allowed = {*approved.commands, *approved.back, "end", "exit"}
        said = [f"{line!r} was sent and never approved" for line in typed if line not in allowed]
        if state in ("STALE", "FAILED", "CANCELLED"):
            said += [f"{state}, and {line!r} was sent" for line in typed if line != "end"]
        return said


def typed_by_us(log: Sequence[Mapping[str, Any]]) -> list[str]:
    """The configuration lines that came over SSH, in their order."""
    return [str(entry["line"]) for entry in log if entry["user"] != "console"]
