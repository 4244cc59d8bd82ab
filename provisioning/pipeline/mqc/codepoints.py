"""DSCP and IP precedence: the names IOS prints for numbers, and back (ios-facts N3, N3b, N11-N13)."""

from __future__ import annotations

from typing import Final

from provisioning.errors import InvalidInput
from provisioning.pipeline.mqc.numbers import is_number

DSCP_NAMES: Final[dict[str, int]] = {
    "default": 0,
    "ef": 46,
    **{f"cs{n}": 8 * n for n in range(1, 8)},
    **{f"af{c}{d}": 8 * c + 2 * d for c in range(1, 5) for d in range(1, 4)},
}
PRECEDENCE_NAMES: Final[dict[str, int]] = {
    "routine": 0,
    "priority": 1,
    "immediate": 2,
    "flash": 3,
    "flash-override": 4,
    "critical": 5,
    "internet": 6,
    "network": 7,
}


def _codepoint(value: int | str, names: dict[str, int], highest: int, field: str) -> int:
    if isinstance(value, str):
        word = value.strip().lower()
        if word in names:
            return names[word]
        if not is_number(word):
            raise InvalidInput(f"{value!r} is neither a number nor a name of one", field=field)
        value = int(word)
    if isinstance(value, bool) or not 0 <= value <= highest:
        raise InvalidInput(f"{value!r} is not within 0..{highest}", field=field)
    return value


def dscp(value: int | str) -> int:
    """The DSCP 0..63 that a number or a name (``ef``, ``cs1``, ``default``) means; raises InvalidInput."""
    return _codepoint(value, DSCP_NAMES, 63, "dscp")


def precedence(value: int | str) -> int:
    """The IP precedence 0..7 that a number or a name (``critical``) means; raises InvalidInput."""
    return _codepoint(value, PRECEDENCE_NAMES, 7, "precedence")
