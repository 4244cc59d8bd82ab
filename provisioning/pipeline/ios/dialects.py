"""Which system wrote a text: whole running-config or fragment of IOS, or another system that is refused by
name.
"""

from __future__ import annotations

import re
from typing import Final

from provisioning.errors import ParseFailure

_XR_ENDS: Final = frozenset({"end-class-map", "end-policy-map"})
_XR_WORDS: Final = _XR_ENDS | {
    "end-policy",
    "end-set",
    "end-group",
    "route-policy",
    "prefix-set",
    "as-path-set",
    "community-set",
    "extcommunity-set",
    "rd-set",
    "taskgroup",
}
_XR_COMMENT: Final = re.compile(r"!!\s*IOS[ -]XR", re.IGNORECASE)
_XR_LINE: Final = re.compile(
    r"(?:interface (?:MgmtEth|Bundle-Ether|preconfigure )|RP/\d+/\S+|ipv4 (?:address|access-list) )"
)
_FIREWALL: Final = re.compile(
    r"(?:ASA|PIX|FWSM|NGFW) Version |access-list \S+ extended (?:permit|deny) |nameif \S+\Z|security-level \d+\Z"
)
_JUNOS_LINE: Final = re.compile(r"version \S+;\Z")
_NXOS_COMMENT: Final = re.compile(r"!\s*Command: show (?:running|startup)-config")
_NXOS_LINE: Final = re.compile(
    r"(?:class-map|policy-map) type (?:qos|queuing)\b|(?:install )?feature-set |vdc \S+ id |vrf context \S"
    r"|interface mgmt0\b|system qos\Z|feature (?:bgp|eigrp|interface-vlan|isis|lacp|mpls|nxapi|ospf|pim|udld|vpc)\b"
)
_BEGINNING: Final = (
    r"version \d+(?:\.\S+)?[^\S\n]*(?![^\n])|Current configuration ?: ?\d+|Building configuration\.\.\."
    r"|Using \d+ out of \d+ bytes"
)
_WHOLE: Final = re.compile(_BEGINNING)
_NAMED_OR_WHOLE: Final = re.compile(rf"\n(?:hostname |[^\S\n]*(?:{_BEGINNING}))")
_PROMPT: Final = re.compile(r"[A-Za-z0-9][\w.:/@-]*(?:\([\w-]+\))?[#>]\s*(?:(?:do\s+)?sh(?:o|ow)?\s.*)?\Z")
_ERROR: Final = re.compile(
    r"% ?(?:Invalid input|Incomplete command|Ambiguous command|Unknown command|Authorization failed)"
    r"|% ?Access denied|Command authorization failed|Line has invalid autocommand"
)
_REFUSED: Final = re.compile(
    "|".join(each.pattern for each in (_XR_LINE, _NXOS_LINE, _JUNOS_LINE, _FIREWALL, _ERROR))
)

SUSPECTS: Final = _XR_WORDS | {
    "interface",
    "ipv4",
    "class-map",
    "policy-map",
    "access-list",
    "feature",
    "feature-set",
    "install",
    "nameif",
    "security-level",
    "system",
    "vdc",
    "version",
    "vrf",
    "ASA",
    "PIX",
    "FWSM",
    "NGFW",
    "Command",
    "Line",
}
"""First words of lines that may be of another system or a router's refusal."""

SUSPECT_BEGINNINGS: Final = ("%", "RP/", "!")
"""How else such a line begins; the last is how comments do, and some tell of another system."""


def refuse_comment(text: str, number: int) -> None:
    """Raises ParseFailure when a comment line says that another system wrote the text."""
    if _XR_COMMENT.match(text):
        raise ParseFailure("this is an IOS-XR configuration; only IOS and IOS-XE are read", line=number)
    if _NXOS_COMMENT.match(text):
        raise ParseFailure("this is an NX-OS configuration; only IOS and IOS-XE are read", line=number)


def refuse_line(first: str, text: str, number: int, *, of_ios: bool) -> None:
    """Raises ParseFailure when a line is one of another system, or a router's error message instead of its
    answer.

    ``of_ios`` says that the text has had its ``version`` line, which IOS-XR prints none of: then a line
    that only looks like IOS-XR is none, and only an end that IOS has not (``end-policy-map``) is refused.
    """
    if first not in SUSPECTS and not first.startswith(SUSPECT_BEGINNINGS):
        return
    if first not in _XR_WORDS and _REFUSED.match(text) is None:
        return
    if first in _XR_ENDS or (not of_ios and (first in _XR_WORDS or _XR_LINE.match(text))):
        raise ParseFailure(
            f"`{first}` is IOS-XR: this is an IOS-XR configuration; only IOS and IOS-XE are read", line=number
        )
    if _NXOS_LINE.match(text):
        raise ParseFailure(
            f"`{text}` is NX-OS: this is an NX-OS configuration; only IOS and IOS-XE are read", line=number
        )
    if _JUNOS_LINE.match(text):
        raise ParseFailure(
            f"`{text}` is Junos: this is a Junos configuration; only IOS and IOS-XE are read", line=number
        )
    if _FIREWALL.match(text):
        raise ParseFailure(
            f"`{text}`: the configuration of a firewall; only IOS and IOS-XE are read", line=number
        )
    if _ERROR.match(text):
        raise ParseFailure(f"the router refused the command: {text}", line=number)


def may_be_of_another(text: str) -> bool:
    """Whether `refuse_line` may refuse the line, in this text or in another."""
    return _REFUSED.match(text) is not None


def begins_whole(text: str) -> bool:
    """Whether the line is one that begins a whole running-config, which must then end in ``end``."""
    return _WHOLE.match(text) is not None


def is_prompt(text: str) -> bool:
    """Whether a line is a router's prompt, alone or with the command that showed what follows
    (``PE1#show running-config | section policy-map``).
    """
    return _PROMPT.match(text) is not None


def is_of_a_router(text: str) -> bool:
    """Whether a text holds a line that only a running-config has: its beginning, or the router's name."""
    return _NAMED_OR_WHOLE.search(f"\n{text}") is not None
