"""A swap whose second line is refused leaves an interface without a policy: the alternatives go out at once, in the same mode.

Nothing is read before that. What may be sent is what the unit carries, each of it approved; how often is bounded by time,
because what a line card has no room for in one second it may take in the next.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from provisioning.drivers.base import Closing, WriteUnit
from provisioning.drivers.dialogue import Dialogue
from provisioning.drivers.exchange import Exchange
from provisioning.drivers.judging import judge

PAUSE_S: Final = 1.0
"""Between two rounds of the alternatives; the first round has none."""
_BOUND: Final = re.compile(r"^Policy map \S+ is already attached", re.I)
"""The words by which classic IOS says that the interface is not bare (ios-facts 2.8)."""
_LEADS_IN: Final = re.compile(r"^(?P<kind>interface|pvc) (?P<name>\S+)")


def left_bare(dialogue: Dialogue, unit: WriteUnit, exchange: Exchange) -> bool:
    """Whether the last line of a unit was refused in a way that may have left its interface without a policy."""
    if not unit.instead or not dialogue.prompt.configuring:
        return False
    said = exchange.replies.texts[-1]
    return exchange.question is not None or (judge(said) is not None and not _says_bound(said))


def close_again(
    dialogue: Dialogue, unit: WriteUnit, bare_for: float, before_write: Callable[[], None]
) -> Closing:
    """Send what the unit carries instead until the router takes one of it, round after round, for ``Timeouts.closing``.

    ``bare_for`` are the seconds the interface may have been without a policy already. ``before_write`` runs before every
    line; what it raises passes through, and no further line is sent. Raises ``DialogueError`` when the session dies.
    """
    began = time.monotonic()
    tried: list[tuple[str, str]] = []
    while True:
        for line in unit.instead:
            before_write()
            answer = dialogue.write([line], seconds=dialogue.timeouts.swap, settle=0.0)
            lasted = bare_for + time.monotonic() - began
            if answer.question is not None:
                dialogue.decline(answer.question)
            said = answer.question or answer.replies.texts[0]
            tried.append((line, said))
            objection = answer.question or judge(said)
            if objection is None or _says_bound(said) or not dialogue.prompt.configuring:
                return Closing(tuple(tried), line if objection is None else "", lasted)
        if time.monotonic() - began >= dialogue.timeouts.closing:
            return Closing(tuple(tried), "", lasted)
        time.sleep(PAUSE_S)


def swaps_meant(units: Sequence[WriteUnit], sent: int, said: str) -> Iterator[tuple[int, tuple[str, ...]]]:
    """The units, of the first ``sent``, that what a line card ``said`` late may be about, with the lines that lead into the mode
    of each: those whose interface it names, or all that have lines to send instead."""
    found: list[tuple[int, tuple[str, ...]]] = []
    leading: dict[str, str] = {}
    for index, unit in enumerate(units[:sent]):
        for line in unit.lines:
            if (match := _LEADS_IN.match(line)) is not None:
                leading = {line: match["name"]} if match["kind"] == "interface" else leading | {line: ""}
        if unit.instead:
            found.append((index, tuple(leading)))
    named = [each for each in found if any(line.partition(" ")[2] in said for line in each[1][:1])]
    yield from named or found


def in_words(closing: Closing) -> str:
    """What became of the interface, for whoever reads why the push stopped."""
    if closing.taken:
        return f"{closing.taken!r} was taken instead, after {closing.seconds:.2f} s"
    last, said = closing.tried[-1]
    if _says_bound(said):
        return f"the router says that a policy is bound there: {said.strip()}"
    return (
        f"nothing was taken instead in {closing.seconds:.0f} s, not in {len(closing.tried)} tries: "
        f"the last was {last!r}: {judge(said) or said.strip()}"
    )


def _says_bound(said: str) -> bool:
    return any(_BOUND.match(line.strip()) for line in said.splitlines())
