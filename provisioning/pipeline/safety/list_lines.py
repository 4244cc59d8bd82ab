"""Single lines inside an access list, and what they do to its entries (ios-facts 2.7, N32, N33)."""

from __future__ import annotations

import re

from provisioning.pipeline.mqc import AccessEntry, AccessList
from provisioning.pipeline.safety.holdings import LineNotAccepted

_ENTRY = re.compile(r"(?:sequence (\d+) |(\d+) )?((?:permit|deny|remark)\b.*)\Z")
_NUMBER = re.compile(r"sequence (\d+)|(\d+)")


def entries_after(held: AccessList, line: str) -> tuple[AccessEntry, ...] | None:
    """The entries after a line: one more, or one less by its number or its words; None when it is no line of a list.

    Raises LineNotAccepted for an entry that is there already, or that is to go and is not there.
    """
    negated = line.startswith("no ")
    body = line[3:] if negated else line
    if negated and (found := _NUMBER.fullmatch(body)):
        number = int(found[1] or found[2])
        entries = tuple(entry for entry in held.entries if entry.sequence != number)
    elif found := _ENTRY.match(body):
        wanted = AccessEntry(int(found[1] or found[2] or 1), found[3])
        if not negated:
            return _with(held, wanted, numbered=bool(found[1] or found[2]))
        entries = tuple(entry for entry in held.entries if entry.text != wanted.text)
    else:
        return None
    if len(entries) == len(held.entries):
        raise LineNotAccepted(f"{held.name} has no such entry: {body}")
    return entries


def _with(held: AccessList, wanted: AccessEntry, *, numbered: bool) -> tuple[AccessEntry, ...]:
    if not numbered:
        if any(entry.text == wanted.text for entry in held.entries):
            raise LineNotAccepted(f"{held.name} holds this entry already: {wanted.text}")
        last = max((entry.sequence for entry in held.entries), default=0)
        return (*held.entries, AccessEntry(last + 10, wanted.text))
    if any(entry.sequence == wanted.sequence for entry in held.entries):
        raise LineNotAccepted(f"{held.name} uses sequence {wanted.sequence} already")
    return (*held.entries, wanted)
