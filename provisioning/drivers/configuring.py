"""Writing configuration: every reply judged, stop at the first write of which a line is refused, always back out.

Never retried: a push that may have half happened is not repeated but read again (architecture, "Safe at
every line").
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from provisioning.drivers.base import BeforeWrite, UnitReply, WriteUnit
from provisioning.drivers.closing import close_again, in_words, left_bare, swaps_meant
from provisioning.drivers.dialogue import Dialogue
from provisioning.drivers.exchange import DialogueError, Exchange
from provisioning.drivers.judging import judge
from provisioning.errors import ConfigurationLocked, LineRefused, SessionLost

_BINDS: Final = re.compile(r"^(?:no )?service-policy\b")
_LOCKED: Final = re.compile(r"configuration mode (?:is )?locked\b.*\bby (?:user|process)\b", re.I)
_AT_ONCE: Final = 0.0
"""A line is answered when its prompt is there; what is said after it is heard before the next line, or at the end."""
_OPENS: Final = re.compile(
    r"^(?P<kind>policy-map|class-map|class|interface|pvc|ip access-list|ipv6 access-list) \S"
)
_FROM_TOP: Final = re.compile(r"^(?:policy-map|class-map|ip access-list|ipv6 access-list) \S")
"""What begins a block: it is sent from the top, so that the lines after a refused header land in no mode of something live."""
_OPENED_BY: Final = {
    "config-cmap": "class-map",
    "config-pmap": "policy-map",
    "config-pmap-c": "class",
    "config-pmap-c-police": "police",
    "config-if": "interface",
    "config-subif": "interface",
    "config-if-atm-vc": "pvc",
    "config-ext-nacl": "ip access-list",
    "config-std-nacl": "ip access-list",
    "config-ipv6-acl": "ipv6 access-list",
}
"""The modes of ios-facts 3.1: one that stands in the prompt before and after a line that opens another kind was not left."""


def push_units(
    dialogue: Dialogue,
    units: Sequence[WriteUnit],
    before_unit: BeforeWrite,
    *,
    listen: bool = True,
) -> Iterator[UnitReply]:
    """Enter configuration mode, send one write per unit, yield each judged reply, leave configuration mode.

    ``before_unit(index)`` runs before each write, with ``closing=True`` before each that closes what the unit of that index
    left without a policy; what it raises passes through, and no further line is
    sent. Where the last line of a unit is refused and it has lines to send instead, those go out at once, before
    anything else. The reply to the last unit (or to the refused one) is yielded after ``end``, so that it includes
    what the router says then; after a binding a line card may refuse for as long as ``Timeouts.binding_settle``. Without
    ``listen`` that time is the caller's to use, who asks `heard_late` afterwards.

    Raises ``LineRefused`` when configuration mode itself is refused (``ConfigurationLocked`` while somebody else
    holds it), and ``SessionLost`` when the session
    dies or falls silent: ``certain`` were answered, ``possible`` may have been executed,
    ``details["unsent"]`` never left.
    """
    units = tuple(units)
    if not units:
        return
    answered: list[str] = []
    bound = False
    _enter(dialogue, units)
    try:
        for index, unit in enumerate(units):
            objection = judge(_before(dialogue, units, index, answered))
            if objection is not None:
                done = _close_late(dialogue, units, index, objection, answered, before_unit)
                _leave(dialogue, dialogue.timeouts.settle)
                yield UnitReply(index, (), (), f"said late, after {answered[-1:]!r}: {objection}{done}")
                return
            before_unit(index)
            bound = bound or any(_BINDS.match(line) for line in unit.lines)
            reply = _send(dialogue, units, index, answered, before_unit)
            answered += unit.lines
            if reply.refused is None and index < len(units) - 1:
                yield reply
                continue
            lost = None
            try:
                quiet = dialogue.timeouts.binding_settle if bound and listen else dialogue.timeouts.settle
                if bound and not listen:
                    dialogue.listen(dialogue.timeouts.binding_settle)
                objection = judge(_leave(dialogue, quiet if listen else _AT_ONCE))
                if objection is not None and reply.refused is None:
                    done = _close_late(dialogue, units, len(units), objection, answered, before_unit)
                    _leave(dialogue, quiet)
                    reply = replace(reply, refused=f"said late, at the end: {objection}{done}")
            except DialogueError as error:
                lost = error
            yield reply
            if lost is not None:
                raise _session_lost(lost, units, None, answered) from lost
            return
    finally:
        if dialogue.dead is None and dialogue.prompt.configuring:
            try:
                _leave(dialogue, dialogue.timeouts.settle)
            except DialogueError as error:
                # The reason we are leaving (the caller's own exception, or its turning away) is what counts.
                dialogue.transcript.note(f"configuration mode was not left: {error.reason}")


def heard_late(dialogue: Dialogue) -> str | None:
    """What was said against the last binding after its prompt, waited for as `push_units` without ``listen`` did not; else None.

    Raises ``DialogueError`` when the session dies.
    """
    said = judge(dialogue.heard(lambda text: judge(text) is not None))
    return said and f"said late, at the end: {said}"


def _close_late(
    dialogue: Dialogue,
    units: tuple[WriteUnit, ...],
    sent: int,
    said: str,
    answered: list[str],
    before_unit: BeforeWrite,
) -> str:
    """A line card took a policy off after the prompt: offer the alternatives where it may have been; what came of it, in words.

    Where a policy is bound after all the router says so, and keeps it.
    """
    words = ""
    for index, leading in swaps_meant(units, sent, said):
        before_close = partial(before_unit, index, closing=True)
        if not dialogue.prompt.configuring:
            before_close()
            _enter(dialogue, units)
        try:
            for line in leading:
                before_close()
                dialogue.write([line], seconds=dialogue.timeouts.reply, settle=_AT_ONCE)
            closing = close_again(dialogue, units[index], 0.0, before_close)
        except DialogueError as lost:
            raise _session_lost(lost, units, None, answered) from lost
        words += f"; {leading[0]}: {in_words(closing)}"
    return words


def _enter(dialogue: Dialogue, units: tuple[WriteUnit, ...]) -> None:
    try:
        exchange = dialogue.write(["configure terminal"], seconds=dialogue.timeouts.reply, settle=_AT_ONCE)
        said = exchange.replies.texts[0]
        if exchange.question is not None:
            dialogue.decline(exchange.question)
        objection = exchange.question or judge(said)
        if dialogue.prompt.configuring and objection is None:
            return
        if dialogue.prompt.configuring:
            _leave(dialogue, dialogue.timeouts.settle)
    except DialogueError as lost:
        raise _session_lost(lost, units, None, []) from lost
    kind = ConfigurationLocked if _LOCKED.search(objection or "") else LineRefused
    raise kind(
        f"configuration mode was refused: {objection or 'the prompt did not change'}",
        sent="configure terminal",
        reply=said,
    )


def _leave(dialogue: Dialogue, settle: float) -> str:
    """``end``; what the router said to it."""
    if not dialogue.prompt.configuring:
        return dialogue.late()
    exchange = dialogue.write(
        ["end"], seconds=dialogue.timeouts.reply, settle=settle, urgent=lambda said: judge(said) is not None
    )
    if exchange.question is not None:
        dialogue.decline(exchange.question)
        return exchange.question
    return exchange.replies.texts[0]


def _before(dialogue: Dialogue, units: tuple[WriteUnit, ...], index: int, answered: list[str]) -> str:
    """What the router said since the last reply; for a block the session is at the top of configuration mode afterwards."""
    unit = units[index]
    try:
        said = dialogue.late()
        if (
            unit.together
            and _FROM_TOP.match(unit.lines[0])
            and dialogue.prompt.mode != "config"
            and judge(said) is None
        ):
            said += _leave(dialogue, _AT_ONCE)
            if judge(said) is None:
                _enter(dialogue, units)
        return said
    except DialogueError as lost:
        raise _session_lost(lost, units, index, answered) from lost


def _send(
    dialogue: Dialogue,
    units: tuple[WriteUnit, ...],
    index: int,
    answered: list[str],
    before_unit: BeforeWrite,
) -> UnitReply:
    unit = units[index]
    before = dialogue.prompt.mode
    closing = None
    try:
        bound = dialogue.timeouts.swap if unit.instead else dialogue.timeouts.reply
        exchange = dialogue.write(unit.lines, seconds=bound, settle=_AT_ONCE)
        taken, refused = _refusal(unit, exchange, dialogue, before)
    except DialogueError as lost:
        raise _session_lost(lost, units, index, answered) from lost
    try:
        if exchange.question is not None:
            dialogue.decline(exchange.question)
        if refused is not None and left_bare(dialogue, unit, exchange):
            before_close = partial(before_unit, index, closing=True)
            closing = close_again(dialogue, unit, exchange.seconds, before_close)
            whole = judge("\n".join(exchange.replies.texts[:-1])) is None
            refused = None if closing.taken == unit.lines[-1] and whole else f"{refused}; {in_words(closing)}"
    except DialogueError as lost:
        # What was answered is not what the unit brought: a "no", or something sent instead. All its lines stay possible.
        lost.replies = None
        raise _session_lost(lost, units, index, answered) from lost
    return UnitReply(index, unit.lines, exchange.replies.texts, refused, exchange.seconds, closing, taken)


def _refusal(
    unit: WriteUnit, exchange: Exchange, dialogue: Dialogue, before: str | None
) -> tuple[int, str | None]:
    """The first line of the unit that was not taken and why; how many that is, and None, where all were."""
    replies = exchange.replies
    modes = [prompt.mode for prompt in replies.after]
    for number, (line, text) in enumerate(zip(unit.lines, replies.texts, strict=True)):
        on_its_way = len(unit.lines) - number - 1 if unit.together else 0
        others = f"; the {on_its_way} lines after it were on their way" if on_its_way else ""
        if number >= replies.answered and exchange.question is not None:
            return number, f"{line!r}: the router asks {exchange.question!r}"
        if (objection := judge(text)) is not None:
            return number, f"{line!r}: {objection}{others}"
        mode = modes[number] if number < len(modes) else dialogue.prompt.mode
        if mode is None or not mode.startswith("config"):
            return number, f"{line!r}: the router left configuration mode{others}"
        opens = _OPENS.match(line)
        if opens and (
            mode == "config"
            or (mode == before and _OPENED_BY.get(mode or "", opens["kind"]) != opens["kind"])
        ):
            return number, f"{line!r}: the router did not enter the mode this line opens{others}"
        before = mode
    return len(unit.lines), None


def _session_lost(
    lost: DialogueError, units: tuple[WriteUnit, ...], index: int | None, answered: list[str]
) -> SessionLost:
    """Sort every line of the push into certain, possible and unsent; ``index`` is the unit that was on its
    way."""
    certain, possible = list(answered), list[str]()
    if index is not None and lost.sending:
        lines = units[index].lines
        known = lost.replies.answered if lost.replies is not None else 0
        certain += lines[:known]
        possible += lines[known:]
    settled = len(certain) + len(possible)
    unsent = tuple(line for unit in units for line in unit.lines)[settled:]
    return SessionLost(
        f"{lost.reason}; {len(certain)} lines answered, {len(possible)} perhaps executed, "
        f"{len(unsent)} not sent",
        certain=tuple(certain),
        possible=tuple(possible),
        unsent=unsent,
    )
