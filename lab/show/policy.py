"""``show policy-map``, ``show class-map`` and ``show policy-map interface`` (ios-facts 4.1; samples S3, S10, S11)."""

from __future__ import annotations

from lab.cursor import Cursor
from lab.errors import InvalidInput, Refusal
from lab.mode import Login
from lab.printing import Printer
from lab.show.policy_interface import attachment
from lab.store import Match, Police, PolicyMap


def class_maps(session: Login, cursor: Cursor) -> str:
    """``show class-map [NAME]``; class-default is always there."""
    name = cursor.word() if cursor.more else None
    cursor.end()
    printer = Printer(session.train)
    text = ""
    if name in (None, "class-default"):
        text += " Class Map match-any class-default (id 0)\n   Match any \n\n"
    for index, item in enumerate(session.config.class_maps.values(), start=1):
        if name not in (None, item.name):
            continue
        lines = [f" Class Map {item.mode} {item.name} (id {index})"]
        lines += [f"   {match_words(printer, match)}" for match in item.matches] or ["   Match none "]
        text += "\n".join(lines) + "\n\n"
    return text


def match_words(printer: Printer, match: Match) -> str:
    """``Match  dscp ef (46)`` as show class-map prints a line."""
    if match.kind.endswith("dscp"):
        values = "  ".join(f"{printer.dscp(int(v))} ({v})" if printer.train.dscp == "name" else str(v)
                           for v in match.values)  # fmt: skip
    else:
        values = "  ".join(str(value) for value in match.values)
    kind = f" {match.kind}" if match.kind == "dscp" else match.kind
    return f"Match {'not ' if match.negated else ''}{kind} {values}"


def policy_maps(session: Login, cursor: Cursor) -> str:
    """``show policy-map [NAME]`` and ``show policy-map interface [X] [input | output]``."""
    if cursor.candidates(["interface"]) and cursor.peek():
        cursor.keyword("interface")
        return _interface(session, cursor)
    name = cursor.word() if cursor.more else None
    cursor.end()
    items = [item for item in session.config.policy_maps.values() if name in (None, item.name)]
    if name is not None and not items:
        raise Refusal(f"% policy-map {name} not found")
    return "".join(_shown(session, item) for item in items)


def _shown(session: Login, item: PolicyMap) -> str:
    printer = Printer(session.train)
    lines = [f"  Policy Map {item.name}"]
    for entry in item.classes:
        lines.append(f"    Class {entry.name}")
        for word, action in entry.actions.items():
            if isinstance(action, Police):
                lines.append(f"      {printer.police_rate(action)}")
                lines += [f"        {colour} {name} " for colour, name, _ in printer.police_actions(action)]
            else:
                lines += [f"      {line}" for line in printer.action(word, action)]
    return "\n".join(lines) + "\n"


def _interface(session: Login, cursor: Cursor) -> str:
    config = session.config
    name: str | None = None
    direction: str | None = None
    if cursor.more:
        at = cursor.at
        name = cursor.interface()
        if name not in config.interfaces:
            raise InvalidInput(cursor.words[at].column)
        if cursor.more:
            direction = cursor.keyword("input", "output")
    cursor.end()
    text = ""
    shown = ""
    for point, policy in config.attachments():
        if name not in (None, point[0]) or direction not in (None, point[2]):
            continue
        where = point[0] if point[1] is None else f"{point[0]}: VC {point[1]} -"
        if where != shown:
            text += f" {where} \n\n" if session.train.show_era != "s" else f" {where}\n\n"
            shown = where
        text += attachment(session, point, config.policy_maps[policy])
    return text
