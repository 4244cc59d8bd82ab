"""A router's configuration beside one that somebody intends: what is not compared may be anything."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final, NamedTuple

from provisioning.errors import ParseFailure
from provisioning.pipeline.ios.access_lists import list_header
from provisioning.pipeline.ios.grammar import Understanding
from provisioning.pipeline.ios.interfaces import interface_name
from provisioning.pipeline.ios.lines import clean
from provisioning.pipeline.ios.parsing import parse
from provisioning.pipeline.ios.reader import Reader
from provisioning.pipeline.ios.sections import SectionFailure
from provisioning.pipeline.mqc import RunningConfig
from provisioning.pipeline.mqc.referring import ACCESS_LIST, CLASS_MAP, POLICY_MAP, Key
from provisioning.pipeline.platforms import Profile

_INTERFACE: Final = "interface"
_MOST: Final = 50
"""So many sections that cannot be read are passed over; a text with more of them is none of a router."""


class Around(NamedTuple):
    """What was read, and of each section that was passed over its header and why."""

    config: RunningConfig
    passed_over: tuple[str, ...]


def parse_around(text: str, platform: Profile | None, wanted: RunningConfig | None) -> Around:
    """`parse`, but for sections that cannot be read and of whose object or interface ``wanted`` says nothing: those are
    passed over and named. With ``wanted`` None everything is compared, and nothing passed over. Raises ParseFailure.
    """
    lines, left = clean(text).split("\n"), list[str]()
    while True:
        try:
            return Around(parse("\n".join(lines), platform), tuple(left))
        except SectionFailure as wrong:
            header = lines[wrong.header - 1]
            key = _key(header)
            if wanted is None or len(left) >= _MOST or key is None or _is_named(key, wanted):
                raise
            left.append(f"`{header.strip()}` (line {wrong.line}: {wrong.reason})")
            _blank(lines, wrong.header - 1)


def refuse_not_understood(text: str, keys: Collection[Key]) -> None:
    """Raises ParseFailure at the first line, in the sections of these objects, that is not IOS to its last word; the ranges
    are the widest of any platform, since a router has taken it.
    """
    lines = clean(text).split("\n")
    names = {(kind, name.removeprefix("ipv6 ")) for kind, name in keys}
    for index, header in enumerate(lines):
        key = _key(header)
        if key is None or key[0] == _INTERFACE or (key[0], key[1]) not in names:
            continue
        end = _end(lines, index)
        section = "\n" * index + "\n".join(lines[index:end]) + "\n"
        understanding = Understanding(None, of_a_router=True)
        Reader(section, strict=False, default_mode="match-all", understanding=understanding).read()


def _key(header: str) -> Key | None:
    """The object, or the interface, that a line opens."""
    words = header.split()
    if len(words) < 2:
        return None
    if words[0] in (CLASS_MAP, POLICY_MAP) and words[1] != "type":
        return words[0], words[-1]
    listed = list_header(words)
    if listed is not None:
        return ACCESS_LIST, listed[0]
    if words[0] == _INTERFACE:
        try:
            return _INTERFACE, interface_name(header, 0)
        except ParseFailure:
            return _INTERFACE, ""
    return None


def _is_named(key: Key, wanted: RunningConfig) -> bool:
    kind, name = key
    held = {
        CLASS_MAP: wanted.class_maps,
        POLICY_MAP: wanted.policy_maps,
        ACCESS_LIST: wanted.access_lists,
        _INTERFACE: wanted.interfaces,
    }[kind]
    return name in held or f"ipv6 {name}" in held


def _end(lines: list[str], start: int) -> int:
    """The index after the last line of the section that opens there."""
    depth = _depth(lines[start])
    following = next((line for line in lines[start + 1 :] if line.strip() not in ("", "!")), "")
    indented = _depth(following) > depth
    for index in range(start + 1, len(lines)):
        line = lines[index].strip()
        if line and (_depth(lines[index]) <= depth if indented else line in ("!", "end") or _key(line)):
            return index
    return len(lines)


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip())


def _blank(lines: list[str], start: int) -> None:
    for index in range(start, _end(lines, start)):
        lines[index] = ""
