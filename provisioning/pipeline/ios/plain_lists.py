"""Access lists whose section holds nothing but entries, read from its whole text; others are read line by line."""

from __future__ import annotations

from typing import Final

from provisioning.errors import InvalidInput
from provisioning.pipeline.ios.access_lists import EntryList, list_header
from provisioning.pipeline.mqc import AccessList

_ENTRIES: Final = ("permit ", "deny ", "remark ", "sequence ", *"123456789")
"""How entries begin: as no other line of a router does."""
_OF_HEADER: Final = {"ip": 4, "ipv6": 3}
"""How many words a header has that holds no entry itself."""


def plain_list(text: str, *, strict: bool) -> AccessList | None:
    """What `AccessListSection` makes of a whole section, its header first; None where that has to be asked."""
    header, *lines = text.split("\n")
    words = header.split()
    named = list_header(words) if len(words) == _OF_HEADER.get(words[0]) else None
    if named is None:
        return None
    entries = EntryList(*named, strict=strict)
    try:
        for line in lines:
            entry = line.strip()
            if entry.startswith(_ENTRIES):
                entries.add(1, entry)
            elif entry not in ("", "!"):
                return None
        return entries.access_list
    except InvalidInput:
        return None  # said where it is read, with its line
