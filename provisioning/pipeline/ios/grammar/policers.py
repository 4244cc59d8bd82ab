"""`police` in all its forms, and what it does to packets of each colour (ios-facts 1.2, N14-N19)."""

from __future__ import annotations

from typing import Final

from provisioning.pipeline.ios.grammar.ranges import Ranges
from provisioning.pipeline.ios.grammar.tokens import Tokens

COLOURS: Final = ("conform-action", "exceed-action", "violate-action")
_SUFFIX: Final = {"k": 1000, "m": 10**6, "g": 10**9}
_UNITS: Final = {"bps": 1, "kbps": 1000, "mbps": 10**6, "gbps": 10**9}
_PLAIN: Final = frozenset({"transmit", "drop", "set-clp-transmit", "set-frde-transmit"})
_THREE_BITS: Final = frozenset(
    {"set-cos-transmit", "set-cos-inner-transmit", "set-discard-class-transmit"}
    | {
        f"set-mpls-{exp}{place}-transmit"
        for exp in ("exp", "experimental")
        for place in ("", "-topmost", "-imposition")
    }
)
_ACTIONS: Final = (
    _PLAIN
    | _THREE_BITS
    | {
        "set-dscp-transmit",
        "set-dscp-tunnel-transmit",
        "set-prec-transmit",
        "set-prec-tunnel-transmit",
        "set-qos-transmit",
    }
)
_FROM: Final = frozenset({"dscp", "cos", "exp", "precedence", "prec", "qos-group"})


def check_police(tokens: Tokens, ranges: Ranges) -> None:
    """The rest of a `police` line."""
    keyword = tokens.maybe("cir", "rate")
    percent = tokens.maybe("percent") is not None
    if percent:
        tokens.percent("a percentage")
    else:
        _rate(tokens, ranges, "police-rate", bare=keyword is None)
    if tokens.next_is_number:
        _by_place(tokens, ranges, percent=percent)
    else:
        _by_name(tokens, ranges, percent=percent, rate=keyword == "rate")
    _colours(tokens, ranges)
    tokens.end()


def check_colour(tokens: Tokens, ranges: Ranges) -> None:
    """A line of the mode that `police` opens."""
    if tokens.next in ("conform-color", "exceed-color"):
        _colour_aware(tokens)
    else:
        tokens.keyword(COLOURS)
        _action(tokens, ranges)
    tokens.end()


def _rate(tokens: Tokens, ranges: Ranges, code: str, *, bare: bool = False) -> None:
    """A rate in bit/s, with a suffix or a unit where IOS takes one."""
    word = tokens.next
    least, most = ranges.of(code)
    if word[-1:] in _SUFFIX and word[:-1].isdigit():
        value = int(word[:-1][:18]) * _SUFFIX[word[-1]]
        if not least <= value <= most:
            tokens.refuse(f"`{word}`: a policer's rate in bit/s is {least}-{most}{ranges.whose}")
        tokens.take("a rate")
        return
    if tokens.more and not tokens.next_is_number and bare:
        tokens.keyword({"cir", "rate", "percent"}, "`cir`, `rate`, `percent` or a rate in bit/s")
    place = tokens.at
    unit = tokens.words[place + 1].lower() if place + 1 < len(tokens.words) else ""
    if unit in ("pps", "cps"):
        tokens.number(1, 2_000_000, "a rate in packets or cells a second")
        tokens.take("the unit")
    elif unit in _UNITS:
        value = tokens.number(1, most, "a rate")
        if not least <= value * _UNITS[unit] <= most:
            tokens.refuse(
                f"`{value} {unit}`: a policer's rate in bit/s is {least}-{most}{ranges.whose}", at=place
            )
        tokens.take("the unit")
    else:
        ranges.take(tokens, code)


def _by_place(tokens: Tokens, ranges: Ranges, *, percent: bool) -> None:
    """`police 8000 1500 3000`, `police percent 5 100 ms 200 ms`."""
    for _ in range(2):
        if not tokens.next_is_number:
            return
        _burst(tokens, ranges, percent=percent)


def _by_name(tokens: Tokens, ranges: Ranges, *, percent: bool, rate: bool) -> None:
    words = {"burst", "peak-rate", "peak-burst"} if rate else {"bc", "pir", "be"}
    while (word := tokens.maybe(*words)) is not None:
        words.discard(word)
        if word not in ("pir", "peak-rate"):
            _burst(tokens, ranges, percent=percent)
        elif tokens.maybe("percent"):
            tokens.percent("a percentage")
        else:
            _rate(tokens, ranges, "police-peak-rate" if rate else "police-peak")


def _burst(tokens: Tokens, ranges: Ranges, *, percent: bool) -> None:
    following = tokens.words[tokens.at + 1 : tokens.at + 2]
    unit = following[0].lower() if following else ""
    if unit in ("ms", "msec", "us"):
        if unit == "us":
            tokens.number(1, 2_000_000, "a policer's burst in us")
        else:
            ranges.take(tokens, "burst-ms")
        tokens.take("the unit")
        return
    if unit == "packets":
        tokens.number(1, 2_000_000, "a policer's burst in packets")
        tokens.take("the unit")
        return
    if percent and unit != "bytes":
        tokens.number(1, ranges.of("burst-ms")[1], "a policer's burst in ms", ranges.whose)
        tokens.keyword({"ms"}, "`ms`: the burst of a percentage is a time")
        return
    ranges.take(tokens, "police-burst")
    tokens.maybe("bytes")


def _colours(tokens: Tokens, ranges: Ranges) -> None:
    left = set(COLOURS)
    while tokens.more:
        word = tokens.keyword(
            left, "`conform-action`, `exceed-action`, `violate-action` or the end of the line"
        )
        left.discard(word)
        _action(tokens, ranges)


def _action(tokens: Tokens, ranges: Ranges) -> None:
    word = tokens.keyword(_ACTIONS, "what is done to such packets")
    if word in _PLAIN:
        return
    if tokens.next in _FROM and tokens.next not in ("precedence",):
        tokens.take("a field")
        if tokens.maybe("table"):
            tokens.name("a table-map")
    elif word.startswith("set-dscp"):
        tokens.dscp()
    elif word.startswith("set-prec"):
        tokens.precedence()
    elif word == "set-qos-transmit":
        ranges.take(tokens, "mark-qos-group")
    else:
        ranges.take(tokens, "mark-3-bits")


def _colour_aware(tokens: Tokens) -> None:
    tokens.keyword({"conform-color"})
    tokens.name("a class-map")
    if tokens.maybe("exceed-color"):
        tokens.name("a class-map")
