"""``class-map`` and what is typed in it."""

# ruff: noqa: ARG002 - all handlers have one signature
from __future__ import annotations

from collections.abc import Mapping

from lab.cursor import Cursor
from lab.errors import IncompleteCommand, Refusal
from lab.mode import Handler, Login, Mode
from lab.store import ClassMap, Match

NAME_LENGTH = 40  # ios-facts 2.1
CLASS_LIMIT = 64  # ios-facts 2.1, classic IOS; XE 256


class ClassMapMode(Mode):
    """``config-cmap``."""

    prompt = "config-cmap"

    def __init__(self, name: str) -> None:
        self.name = name

    def commands(self, session: Login) -> Mapping[str, Handler]:
        return {"match": self._match, "description": self._description, "rename": self._rename}

    def _class_map(self, session: Login) -> ClassMap:
        found = session.config.class_maps.get(self.name)
        if found is None:
            raise Refusal(f"% class-map {self.name} not configured")
        return found

    def _match(self, session: Login, cursor: Cursor, no: bool) -> None:
        match = read_match(session, cursor)
        item = self._class_map(session)
        if no:
            item.matches = [present for present in item.matches if present != match]
            return
        if match.kind == "class-map" and match.values[0] not in session.config.class_maps:
            raise Refusal(f"% class-map {match.values[0]} not configured")
        if match.kind == "access-group name" and session.train.release.is_xe:
            # ios-facts 2.4, S15
            acl = session.config.access_lists.get(str(match.values[0]))
            if acl and any("log" in entry.options for entry in acl.entries.values()):
                raise Refusal("% access-lists with 'log' keyword are not supported")
        if match not in item.matches:
            item.matches.append(match)

    def _description(self, session: Login, cursor: Cursor, no: bool) -> None:
        if not no and not cursor.more:
            raise IncompleteCommand
        text = cursor.rest()
        self._class_map(session).description = None if no else text

    def _rename(self, session: Login, cursor: Cursor, no: bool) -> None:
        if no:
            raise cursor.invalid()
        new = cursor.word(NAME_LENGTH)
        cursor.end()
        maps = session.config.class_maps
        if new in maps:
            raise Refusal(f"% class-map {new} already exists")
        item = self._class_map(session)
        item.name = new
        session.config.class_maps = {new if key == self.name else key: value for key, value in maps.items()}
        for policy in session.config.policy_maps.values():
            for entry in policy.classes:
                if entry.name == self.name:
                    entry.name = new
        self.name = new


def class_map(session: Login, cursor: Cursor, no: bool) -> None:
    """``[no] class-map [match-all | match-any] NAME``; match-all is the default (ios-facts N8)."""
    mode = cursor.maybe("match-all", "match-any")
    name = cursor.word(NAME_LENGTH)
    cursor.end()
    maps = session.config.class_maps
    if no:
        if name not in maps:
            raise Refusal(f"% class-map {name} not configured")
        if _used(session, name):
            raise Refusal(f"% Class-map {name} is being used")  # ios-facts 2.8
        del maps[name]
        return
    if name == "class-default":
        raise Refusal("% class-default is a well-known class and is not configurable under class-map")
    present = maps.get(name)
    if present is None:
        if len(maps) >= (256 if session.train.release.is_xe else CLASS_LIMIT):
            raise Refusal("% Maximum number of class-maps reached")
        maps[name] = ClassMap(name, mode or "match-all")
    elif mode and mode != present.mode:
        manner = session.train.class_map_mode_change
        if manner == "refused":
            raise Refusal(f"% class-map {name} is already configured as {present.mode}")
        if manner == "changed":
            present.mode = mode
    session.stack.append(ClassMapMode(name))


def _used(session: Login, name: str) -> bool:
    config = session.config
    in_policy = any(policy.find(name) for policy in config.policy_maps.values())
    nested = any(Match("class-map", (name,), neg) in item.matches for item in config.class_maps.values()
                 for neg in (False, True))  # fmt: skip
    return in_policy or nested


def read_match(session: Login, cursor: Cursor) -> Match:
    """The rest of a ``match`` line; several values are kept sorted (ios-facts N5)."""
    negated = cursor.maybe("not") is not None
    kinds = ["any", "ip", "precedence", "access-group", "protocol", "cos", "mpls", "qos-group", "class-map",
             "input-interface", "vlan", "discard-class", "fr-de"]  # fmt: skip
    if session.train.match_dscp:
        kinds.append("dscp")  # ios-facts 2.1: without `ip` from 12.2(13)T and 12.0(28)S on
    kind = cursor.keyword(*kinds)
    if kind in ("any", "fr-de"):
        cursor.end()
        return Match(kind, (), negated)
    if kind == "ip":
        kind = "ip " + cursor.keyword("dscp", "precedence", "rtp")
    if kind in ("dscp", "ip dscp"):
        return Match(kind, _values(cursor, cursor.dscp, 8), negated)
    if kind in ("precedence", "ip precedence"):
        return Match(kind, _values(cursor, cursor.precedence, 4), negated)
    if kind == "ip rtp":
        low = cursor.number(2000, 65535)
        value: tuple[int | str, ...] = (low, cursor.number(0, 16383))
    elif kind == "access-group":
        if cursor.maybe("name"):
            kind = "access-group name"
            value = (cursor.word(NAME_LENGTH),)  # ios-facts N10: nobody checks that it exists
        else:
            value = (cursor.number(1, 2699),)
    elif kind == "mpls":
        cursor.keyword("experimental")
        kind = "mpls experimental topmost" if cursor.maybe("topmost") else "mpls experimental"
        return Match(kind, _values(cursor, lambda: cursor.number(0, 7), 8), negated)
    elif kind == "cos":
        return Match(kind, _values(cursor, lambda: cursor.number(0, 7), 4), negated)
    elif kind == "vlan":
        inner = "vlan inner" if cursor.maybe("inner") else "vlan"
        return Match(inner, _values(cursor, lambda: cursor.number(1, 4095), 8), negated)
    elif kind == "input-interface":
        value = (cursor.interface(),)
    elif kind in ("qos-group", "discard-class"):
        value = (cursor.number(0, 99 if kind == "qos-group" else 7),)
    else:
        value = (cursor.word(NAME_LENGTH),)
    cursor.end()
    return Match(kind, value, negated)


def _values(cursor: Cursor, read: object, most: int) -> tuple[int, ...]:
    values: set[int] = set()
    assert callable(read)
    values.add(read())
    while cursor.more:
        if len(values) >= most:
            raise cursor.invalid()
        values.add(read())
    return tuple(sorted(values))
