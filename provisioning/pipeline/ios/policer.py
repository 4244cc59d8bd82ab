"""``police`` in its three shapes: one line, several lines, defaults omitted (ios-facts N14-N19, 1.2)."""

from __future__ import annotations

from typing import Final

from provisioning.errors import InvalidInput, ParseFailure
from provisioning.pipeline.ios.words import OtherFormError, decimal, number
from provisioning.pipeline.mqc import Bps, BurstBytes, BurstMs, OpaqueAction, Percent, Police, Rate
from provisioning.pipeline.mqc.numbers import is_number

COLOURS: Final = {"conform-action": "conform", "exceed-action": "exceed", "violate-action": "violate"}
_BURST_WORDS: Final = frozenset({"bc", "burst"})
_EXCESS_WORDS: Final = frozenset({"be", "peak-burst"})
_PEAK_WORDS: Final = frozenset({"pir", "peak-rate"})
_UNITS: Final = {"bps": 1, "kbps": 1000, "mbps": 10**6, "gbps": 10**9}
_SUFFIXES: Final = {"k": 1000, "m": 10**6, "g": 10**9}


class Policer:
    """Collects the lines of one policer; ``action`` is the finished one."""

    def __init__(self, number: int, text: str, *, strict: bool) -> None:
        self._number = number
        self._strict = strict
        self._lines = [text]
        words = text.split()
        cut = next((i for i, word in enumerate(words) if word in COLOURS), len(words))
        self._head = words[1:cut]
        self._actions: dict[str, list[str]] = {}
        self._opaque = False
        self._colours(number, words[cut:])

    def add(self, number: int, text: str) -> None:
        """One more line: ``conform-action transmit`` or another that belongs to the policer."""
        self._lines.append(text)
        words = text.split()
        if words[0] in COLOURS:
            self._colours(number, words)
        else:
            self._opaque = True

    def _colours(self, number: int, words: list[str]) -> None:
        colour: list[str] | None = None
        current = ""
        for word in words:
            if word in COLOURS:
                if colour is not None:
                    self._close(number, current, colour)
                current, colour = word, []
            elif colour is not None:
                colour.append(word)
        if colour is not None:
            self._close(number, current, colour)

    def _close(self, number: int, keyword: str, words: list[str]) -> None:
        if not words:
            raise ParseFailure(f"{keyword} without an action", line=number)
        self._actions.setdefault(COLOURS[keyword], []).append(" ".join(words))

    @property
    def action(self) -> Police | OpaqueAction:
        """The policer, or its text where its form is not one of MQC's rate policers. Raises ParseFailure.

        A value that IOS has not is kept as text too, except where ``strict``.
        """
        if not self._head:
            raise ParseFailure("police without a rate", line=self._number)
        try:
            if self._opaque:
                raise OtherFormError
            return self._police()
        except (OtherFormError, IndexError):
            return self._whole
        except InvalidInput as wrong:
            if self._strict:
                raise ParseFailure(wrong.reason, line=self._number) from wrong
            return self._whole

    @property
    def _whole(self) -> OpaqueAction:
        return OpaqueAction(" ".join(" ".join(line.split()) for line in self._lines))

    def _police(self) -> Police:
        words = list(self._head)
        keyword = "cir"
        if words[0] in ("cir", "rate"):
            keyword = words.pop(0)
        rate = _rate(words)
        burst = excess = None
        peak: Rate | None = None
        by_place = bool(words and is_number(words[0]))
        if by_place:
            burst = _burst(words)
            if words and is_number(words[0]):
                excess = _burst(words)
        while words:
            word = words.pop(0)
            if word in _BURST_WORDS and burst is None:
                burst = _burst(words)
            elif word in _EXCESS_WORDS and excess is None:
                excess = _burst(words)
            elif word in _PEAK_WORDS and peak is None:
                peak = _rate(words)
            else:
                raise OtherFormError
        violate = self._actions.get("violate")
        if violate is None and not by_place and (excess is not None or peak is not None):
            violate = ["drop"]  # a second bucket that is named
        return Police(
            rate,
            burst,
            excess,
            peak,
            tuple(self._actions.get("conform", ("transmit",))),
            tuple(self._actions.get("exceed", ("drop",))),
            None if violate is None else tuple(violate),
            keyword,
        )


def _rate(words: list[str]) -> Rate:
    """Takes a rate off the front of the words."""
    word = words.pop(0)
    if word == "percent":
        return Percent(decimal(words.pop(0)))
    factor = _SUFFIXES.get(word[-1:].lower(), 1)
    bps = number(word[:-1] if factor > 1 else word)
    if words and words[0] in ("pps", "cps"):
        raise OtherFormError
    if words and words[0] in _UNITS:
        factor = _UNITS[words.pop(0)]
    return Bps(bps * factor)


def _burst(words: list[str]) -> BurstBytes | BurstMs:
    """Takes a bucket off the front of the words: bytes, or milliseconds where it says so."""
    word = words.pop(0)
    value = number(word)
    unit = words[0] if words else ""
    if unit in ("ms", "msec"):
        words.pop(0)
        return BurstMs(value)
    if unit in ("bytes", "byte"):
        words.pop(0)
    elif unit in ("packets", "us", "kbyte", "kbytes", "mbyte", "mbytes"):
        raise OtherFormError
    return BurstBytes(value)
