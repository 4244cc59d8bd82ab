"""All ``random-detect`` lines of one class as one RandomDetect (ios-facts N22, N23)."""

from __future__ import annotations

from typing import Final

from provisioning.errors import InvalidInput
from provisioning.pipeline.mqc import RandomDetect, WredThreshold, dscp, precedence
from provisioning.pipeline.mqc.numbers import is_number

_MODES: Final = {
    "dscp-based": "dscp",
    "precedence-based": "precedence",
    "prec-based": "precedence",
    "discard-class-based": "discard-class",
}
_UNITS: Final = frozenset({"packets", "bytes", "ms", "us", "cells", "percent"})


class Wred:
    """Collects the ``random-detect`` lines of a class; ``action`` is all of them."""

    def __init__(self) -> None:
        self._mode: str | None = None
        self._thresholds: dict[int | str, WredThreshold] = {}
        self._weight: int | None = None
        self._ecn = False
        self._other: set[str] = set()

    def add(self, text: str) -> None:
        """One line; a threshold without its ``dscp-based`` implies it, as IOS inserts it (N23)."""
        words = text.split()[1:]
        if not words:
            return
        if words[0] in _MODES:
            self._mode = _MODES[words[0]]
            if len(words) > 1:
                self._other.add(" ".join(words))
        elif words == ["ecn"]:
            self._ecn = True
        elif words[0] == "exponential-weighting-constant" and len(words) == 2 and is_number(words[1]):
            self._weight = int(words[1])
        elif words[0] in ("dscp", "precedence", "discard-class") and self._mode in (None, words[0]):
            threshold = _threshold(words[0], words[1:])
            if threshold is None:
                self._other.add(" ".join(words))
            else:
                self._thresholds[threshold.value] = threshold
            self._mode = words[0]
        else:
            self._other.add(" ".join(words))

    @property
    def action(self) -> RandomDetect:
        """The WRED of the class."""
        return RandomDetect(
            self._mode or "precedence",
            frozenset(self._thresholds.values()),
            self._weight,
            self._ecn,
            frozenset(self._other),
        )


def _threshold(mode: str, words: list[str]) -> WredThreshold | None:
    """One profile line; None for a form without a plain minimum and maximum."""
    if not words:
        return None
    value: int | str
    try:
        if words[0] == "rsvp":
            value = "rsvp"
        elif mode == "dscp":
            value = dscp(words[0])
        elif mode == "precedence":
            value = precedence(words[0])
        elif is_number(words[0]):
            value = int(words[0])
        else:
            return None
    except InvalidInput:
        return None
    numbers = [word for word in words[1:] if is_number(word)]
    units = [word for word in words[1:] if word in _UNITS]
    if len(numbers) + len(units) != len(words) - 1 or len(numbers) not in (2, 3) or len(set(units)) > 1:
        return None
    denominator = int(numbers[2]) if len(numbers) == 3 else 10
    unit = units[0] if units else "packets"
    return WredThreshold(value, int(numbers[0]), int(numbers[1]), denominator, unit)
