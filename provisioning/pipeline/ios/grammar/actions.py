"""Lines of a class in a policy-map besides `police` (ios-facts N11-N13, N20-N24, N30; IOS command references)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from provisioning.pipeline.ios.grammar.ranges import Ranges
from provisioning.pipeline.ios.grammar.tokens import Tokens
from provisioning.pipeline.mqc.actions import MARKS_FROM

_UNITS: Final = ("packets", "bytes", "ms", "us")
_WRED_UNITS: Final = (*_UNITS, "cells")
_BASES: Final = ("dscp", "precedence", "discard-class", "cos")


def _set(tokens: Tokens, ranges: Ranges) -> None:
    field = tokens.keyword(
        {
            "dscp",
            "ip",
            "precedence",
            "cos",
            "mpls",
            "qos-group",
            "discard-class",
            "atm-clp",
            "fr-de",
            "traffic-class",
        },
        "the field that is set",
    )
    if field == "ip":
        field = tokens.keyword({"dscp", "precedence"})
    if field == "mpls":
        tokens.keyword({"experimental"})
        tokens.maybe("topmost", "imposition")
    if field in ("atm-clp", "fr-de"):
        return
    if field in ("dscp", "precedence"):
        tokens.maybe("tunnel")
    elif field == "cos":
        tokens.maybe("inner")
    if tokens.next in MARKS_FROM and not (field == "precedence" and tokens.next == "precedence"):
        tokens.take("a field to mark from")
        if tokens.maybe("table"):
            tokens.name("a table-map")
    elif field == "dscp":
        tokens.dscp()
    elif field == "precedence":
        tokens.precedence()
    else:
        ranges.take(tokens, "mark-qos-group" if field == "qos-group" else "mark-3-bits")


def _priority(tokens: Tokens, ranges: Ranges) -> None:
    leveled = tokens.maybe("level") is not None
    if leveled:
        ranges.take(tokens, "priority-level")
    if not tokens.more:
        return
    if tokens.maybe("percent"):
        tokens.percent("a percentage")
    elif tokens.next_is_number:
        ranges.take(tokens, "priority-kbps")
    else:
        tokens.keyword(
            {"percent"} if leveled else {"percent", "level"}, "`percent`, `level` or a rate in kbit/s"
        )
    if tokens.more:
        ranges.take(tokens, "priority-burst")


def _bandwidth(tokens: Tokens, ranges: Ranges) -> None:
    if tokens.next_is_number:
        ranges.take(tokens, "bandwidth-kbps")
        return
    kind = tokens.keyword(
        {"percent", "remaining", "qos-reference"}, "`percent`, `remaining` or a rate in kbit/s"
    )
    if kind == "qos-reference":
        tokens.number(1, 100_000_000, "a bandwidth in kbit/s")
    elif kind == "percent" or tokens.keyword({"percent", "ratio"}) == "percent":
        tokens.percent("a percentage")
    else:
        ranges.take(tokens, "bandwidth-ratio")


def _shape(tokens: Tokens, ranges: Ranges) -> None:
    kind = tokens.keyword({"average", "peak", "adaptive", "fecn-adapt", "max-buffers"})
    if kind == "fecn-adapt":
        return
    if kind == "max-buffers":
        tokens.number(1, 4096, "a number of buffers")
        return
    if kind == "adaptive":
        ranges.take(tokens, "shape-rate")
        return
    percent = tokens.maybe("percent") is not None
    if percent:
        tokens.percent("a percentage")
    else:
        ranges.take(tokens, "shape-rate")
    for code in ("shape-burst", "shape-excess"):
        if not tokens.next_is_number:
            break
        following = tokens.words[tokens.at + 1 : tokens.at + 2]
        if percent or following == ["ms"]:
            least, most = ranges.of("shape-burst-ms")
            tokens.number(
                0 if code == "shape-excess" else least, most, "a shaper's bucket in ms", ranges.whose
            )
            tokens.keyword({"ms"}, "`ms`: the bucket of a percentage is a time")
        else:
            ranges.take(tokens, code)
    if tokens.maybe("account"):
        _account(tokens)


def _account(tokens: Tokens) -> None:
    """`account dot1q|qinq|user-defined ...`: what a shaper counts besides the packet (ASR 1000, QoS Overhead Accounting)."""
    kind = tokens.keyword({"dot1q", "qinq", "user-defined"})
    if kind == "user-defined":
        tokens.number(0, 63, "a number of bytes")
        tokens.maybe("atm")
        return
    tokens.maybe("aal5", "aal3")
    if tokens.more:
        tokens.name("an encapsulation")


def _random_detect(tokens: Tokens, ranges: Ranges) -> None:
    if not tokens.more:
        return
    word = tokens.keyword(
        {
            "dscp-based", "precedence-based", "prec-based", "discard-class-based", "cos-based", "ecn", "exp", "atm-clp-based",
            "exponential-weighting-constant", "dscp", "precedence", "discard-class", "cos", "aggregate",
        },
        "what drops go by",
    )  # fmt: skip
    if word == "exponential-weighting-constant":
        ranges.take(tokens, "wred-weight")
    elif word in ("dscp-based", "precedence-based", "prec-based"):
        tokens.maybe("aggregate")
    elif word in _BASES:
        _threshold(tokens, word, ranges)


def _threshold(tokens: Tokens, base: str, ranges: Ranges) -> None:
    if tokens.next == "rsvp":
        tokens.take("rsvp")
    elif base == "dscp":
        tokens.dscp()
        if tokens.next == "values":
            tokens.take("values")
    elif base == "precedence":
        tokens.precedence()
    else:
        ranges.take(tokens, "mark-3-bits")
    if not tokens.more:
        return
    if tokens.maybe("percent"):
        tokens.number(0, 100, "a minimum in percent")
        tokens.number(0, 100, "a maximum in percent")
    else:
        least = ranges.take(tokens, "wred-threshold")
        unit = tokens.maybe(*_WRED_UNITS)
        place = tokens.at
        most = ranges.take(tokens, "wred-threshold")
        if most < least:
            tokens.refuse(f"`{most}`: the maximum of a WRED threshold is below its minimum {least}", at=place)
        if unit is not None:
            tokens.keyword({unit})
    if tokens.more:
        ranges.take(tokens, "wred-denominator")


def _queue_limit(tokens: Tokens, ranges: Ranges) -> None:
    base = tokens.maybe("dscp", "precedence", "cos", "qos-group", "discard-class")
    if base is not None:
        if base == "dscp":
            tokens.dscp()
        elif base == "precedence":
            tokens.precedence()
        else:
            ranges.take(tokens, "mark-qos-group" if base == "qos-group" else "mark-3-bits")
    if tokens.maybe("percent"):
        tokens.percent("a percentage")
        return
    ranges.take(tokens, "queue-limit")
    tokens.maybe(*_UNITS)


def _fair_queue(tokens: Tokens, _: Ranges) -> None:
    if tokens.maybe("queue-limit"):
        tokens.number(1, 4096, "a queue limit")
        return
    if tokens.more:
        place = tokens.at
        queues = tokens.number(16, 4096, "a number of queues")
        if queues & (queues - 1):
            tokens.refuse(f"`{queues}`: a number of queues is a power of two, 16-4096", at=place)


def _compression(tokens: Tokens, _: Ranges) -> None:
    tokens.keyword({"header"})
    if tokens.maybe("ip"):
        tokens.maybe("rtp", "tcp")


def _nothing(_: Tokens, __: Ranges) -> None:
    """The line is its first word."""


def _account_drops(tokens: Tokens, _: Ranges) -> None:
    tokens.maybe("drop")


def _sampler(tokens: Tokens, _: Ranges) -> None:
    tokens.name("a sampler")


def _buffers(tokens: Tokens, _: Ranges) -> None:
    tokens.keyword({"ratio"})
    tokens.number(0, 100, "a share of the buffers")


def _trust(tokens: Tokens, _: Ranges) -> None:
    if tokens.more:
        tokens.keyword({"cos", "dscp", "ip-precedence", "device"})
        tokens.skip()


def _log(tokens: Tokens, _: Ranges) -> None:
    tokens.skip()


def _estimate(tokens: Tokens, _: Ranges) -> None:
    tokens.keyword({"bandwidth"})
    if tokens.maybe("drop-one-in"):
        tokens.number(50, 1_000_000, "a number of packets")
    if tokens.maybe("delay-one-in"):
        tokens.number(50, 1_000_000, "a number of packets")
        tokens.keyword({"milliseconds"})
        tokens.number(8, 1000, "a delay in ms")


_READERS: Final[dict[str, Callable[[Tokens, Ranges], None]]] = {
    "account": _account_drops,
    "bandwidth": _bandwidth,
    "compress": _compression,
    "compression": _compression,
    "drop": _nothing,
    "estimate": _estimate,
    "exit": _nothing,
    "fair-queue": _fair_queue,
    "log": _log,
    "netflow-sampler": _sampler,
    "priority": _priority,
    "queue-buffers": _buffers,
    "queue-limit": _queue_limit,
    "random-detect": _random_detect,
    "set": _set,
    "shape": _shape,
    "trust": _trust,
}
FIRST_WORDS: Final = frozenset(_READERS) | {"police", "service-policy"}


def check_action(tokens: Tokens, ranges: Ranges) -> None:
    """A line of a class whose first word is among FIRST_WORDS, without `police` and `service-policy`."""
    word = tokens.keyword(FIRST_WORDS, "an action of a class")
    _READERS[word](tokens, ranges)
    tokens.end()
