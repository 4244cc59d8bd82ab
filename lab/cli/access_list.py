"""``ipv6 access-list``, ``ip access-list`` and ``access-list`` (ios-facts N31-N35, 2.7, 2.8)."""

# ruff: noqa: ARG002 - all handlers have one signature
from __future__ import annotations

from collections.abc import Mapping

from lab.cli.ace import read_ace, standard_address
from lab.cli.class_map import NAME_LENGTH
from lab.cursor import Cursor
from lab.errors import IncompleteCommand, Refusal
from lab.mode import Handler, Login, Mode
from lab.store import AccessList, Ace


class AccessListMode(Mode):
    """``config-ipv6-acl`` or ``config-ext-nacl``."""

    def __init__(self, name: str, family: str) -> None:
        self.name = name
        self.family = family
        self.prompt = {"ipv6": "config-ipv6-acl", "ip standard": "config-std-nacl"}.get(
            family, "config-ext-nacl"
        )

    def commands(self, session: Login) -> Mapping[str, Handler]:
        table: dict[str, Handler] = {"permit": self._ace, "deny": self._ace, "remark": self._remark}
        if self.family == "ipv6":
            table["sequence"] = self._sequence
        return table

    def run(self, session: Login, cursor: Cursor) -> str:
        """IPv4 entries may begin with their number: ``10 permit ip any any``, ``no 10``."""
        if self.family != "ipv6":
            negated = (
                cursor.peek().lower() == "no" and len(cursor.words) > 1 and cursor.words[1].text.isdigit()
            )
            if negated:
                cursor.word()
            if cursor.next_is_number:
                return self._sequence(session, cursor, negated)
        return super().run(session, cursor)

    def _read(self, cursor: Cursor) -> Ace:
        if self.family == "ip standard":
            ace = _standard(cursor)
            cursor.end()
            return ace
        return read_ace(cursor, "ipv6" if self.family == "ipv6" else "ip")

    def _list(self, session: Login) -> AccessList:
        lists = session.config.access_lists
        return lists.setdefault(self.name, AccessList(self.family, self.name))

    def _sequence(self, session: Login, cursor: Cursor, no: bool) -> str:
        number = cursor.number(1, 2147483647 if self.family != "ipv6" else 4294967295)
        if no and not cursor.more:
            entries = self._list(session).entries
            if number not in entries:
                raise Refusal(f"% Sequence number {number} not found")
            del entries[number]
            return ""
        word = cursor.candidates(("permit", "deny", "remark"))
        if word == ["remark"]:
            cursor.word()
            ace = Ace(remark=cursor.rest())
        else:
            ace = self._read(cursor)
        entries = self._list(session).entries
        if no:
            if entries.get(number) == ace:
                del entries[number]
            return ""
        if ace.remark is None and ace in entries.values():
            return ""  # ios-facts N38: the same entry but for its number changes nothing
        if number in entries and entries[number] != ace:
            replaced = self.family == "ipv6" and session.train.ipv6_acl_same_sequence == "replaced"
            if not replaced:
                raise Refusal("% Duplicate sequence number")
        entries[number] = ace
        return ""

    def _ace(self, session: Login, cursor: Cursor, no: bool) -> str:
        cursor.at -= 1
        ace = self._read(cursor)
        return self._put(session, ace, no)

    def _remark(self, session: Login, cursor: Cursor, no: bool) -> str:
        if not cursor.more and not no:
            raise IncompleteCommand
        return self._put(session, Ace(remark=cursor.rest()[:100]), no)

    def _put(self, session: Login, ace: Ace, no: bool) -> str:
        acl = self._list(session)
        present = [number for number, entry in acl.entries.items() if entry == ace]
        if no:
            for number in present:
                del acl.entries[number]
        elif not present or ace.remark is not None:
            acl.entries[acl.next_sequence()] = ace
        return ""


def named(session: Login, cursor: Cursor, no: bool, family: str) -> str:
    """``[no] ipv6 access-list NAME`` or ``[no] ip access-list extended|standard NAME``."""
    name = cursor.word(NAME_LENGTH)
    cursor.end()
    lists = session.config.access_lists
    present = lists.get(name)
    held = None if present is None else _kind(present)
    if no:
        if held != family:
            raise Refusal(f"% Access list {name} does not exist")
        if _used(session, name) and session.train.remove_acl_in_use == "refused":
            raise Refusal(f"% Access list {name} is being used")
        del lists[name]
        return ""
    if held not in (None, family):
        # ios-facts 2.7: IPv4 and IPv6 lists share one name space
        raise Refusal(f"% Access list {name} is already configured as another type")
    if present is None:
        lists[name] = AccessList("numbered" if name.isdigit() and family != "ipv6" else family, name)
    session.stack.append(AccessListMode(name, family))
    return ""


def _kind(acl: AccessList) -> str:
    """The family by which a list is entered: a numbered one by the range its number is in (command reference, `ip
    access-list`: the name or number).
    """
    if acl.family != "numbered":
        return acl.family
    return "ip standard" if _of_sources(int(acl.name)) else "ip extended"


def _of_sources(number: int) -> bool:
    return number < 100 or 1300 <= number <= 1999


def numbered(session: Login, cursor: Cursor, no: bool) -> str:
    """``[no] access-list 100-199|2000-2699 ...`` (extended; a standard list prints alike)."""
    number = cursor.number(1, 2699)
    name = str(number)
    lists = session.config.access_lists
    if no and not cursor.more:
        if name not in lists:
            raise Refusal(f"% Access list {name} does not exist")
        del lists[name]
        return ""
    if cursor.candidates(("permit", "deny", "remark")) == ["remark"]:
        cursor.word()
        ace = Ace(remark=cursor.rest())
    elif _of_sources(number):
        ace = _standard(cursor)
    else:
        ace = read_ace(cursor, "ip")
    acl = lists.setdefault(name, AccessList("numbered", name))
    if no:
        # a numbered list goes as a whole, whatever entry is named
        del lists[name]
    elif ace not in acl.entries.values():
        acl.entries[acl.next_sequence()] = ace
    return ""


def _standard(cursor: Cursor) -> Ace:
    action = cursor.keyword("permit", "deny")
    return Ace(action, "", standard_address(cursor), options=("log",) if cursor.maybe("log") else ())


def _used(session: Login, name: str) -> bool:
    for item in session.config.class_maps.values():
        if any(match.kind == "access-group name" and match.values == (name,) for match in item.matches):
            return True
    return False
