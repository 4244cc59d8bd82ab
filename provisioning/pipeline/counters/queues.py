"""The queueing and marking lines of ``show policy-map interface``, of every era (ios-facts 4.1)."""

from __future__ import annotations

import re
from typing import Any, Final

from provisioning.pipeline.counters.values import Marking, QueueCounters, WredRow

_LIMIT: Final = re.compile(r"queue limit (\d+) ?(packets|bytes|ms|us|kbytes)?")
_DISTRIBUTED: Final = re.compile(
    r"queue size (?P<depth>\d+), queue limit (?P<limit>\d+)"
    r"|packets? output (?P<output_packets>\d+), packet drops? (?P<total_drops>\d+)"
    r"|tail/random drops? \d+, no buffer drops? (?P<no_buffer_drops>\d+)"
)
"""The queue as routers print it whose line cards queue by themselves (7500, FlexWAN)."""
_OUTPUT_QUEUE: Final = re.compile(
    r"Output queue: (?P<depth>\d+)/(?P<limit>\d+); (?P<output_packets>\d+)/(?P<output_bytes>\d+) packets/bytes output"
    r", (?P<total_drops>\d+)/(?P<dropped_bytes>\d+) drops"
)
"""The queue of a 10000 (its quality of service guide, OL-7433, example 8-3)."""
_TRIPLE: Final = re.compile(
    r"\(?(?:(?:queue )?depth|total queued)/total drops/no-buffer drops(?:/flow ?drops)?\) (\d+)/(\d+)/(\d+)"
)
_OUTPUT: Final = re.compile(r"\(pkts (?:output|matched|queued)/bytes (?:output|matched|queued)\) (\d+)/(\d+)")
_DROPS: Final = re.compile(
    r"\(total drops(?:/bytes drops)?\) (?P<total_drops>\d+)(?:/(?P<dropped_bytes>\d+))?"
    r"|\(bytes output\) (?P<output_bytes>\d+)|\(pkts output\) (?P<output_packets>\d+)"
)
_TABLE_OF_RATES: Final = re.compile(r"(?P<shape_bps>\d+)/\d+(?:\s+\d+){5}\Z")
_TABLE_OF_DELAYS: Final = re.compile(
    r"\S+\s+(?P<depth>\d+)\s+(?P<output_packets>\d+)\s+(?P<output_bytes>\d+)"
    r"\s+(?P<delayed_packets>\d+)\s+(?P<delayed_bytes>\d+)\s+(?:yes|no)\Z"
)
"""Shaping as releases before HQF print it: two tables."""
_EXCEED: Final = re.compile(r"b/w exceed drops: (\d+)")
_SHAPE: Final = re.compile(r"(?:target shape rate|shape \((?:average|peak)\) cir) (\d+)")
_ROW: Final = re.compile(
    r"(?P<value>[a-z]+[0-9]*|[0-9]+)\s+(?P<t>\d+/\d+)\s+(?P<r>\d+/\d+)\s+(?P<d>\d+/\d+)"
    r"(?:\s+(?P<min>\d+)\s+(?P<max>\d+)\s+(?:1/)(?P<den>\d+))?"
)
_NOISE: Final = re.compile(
    r"Queueing\Z|Weighted Fair Queueing\Z|Output Queue:|Overhead Accounting|Exp-weight-constant|[Mm]ean queue depth"
    r"|exponential weight|(?:dscp|class|precedence|discard-class)\s+Transmitted|pkts/bytes|bytes\s+bytes\Z"
    r"|packets\s+packets\Z|Fair-queue|\(pkts discards|Marker statistics|drop\Z|target shape"
    r"|\d+ (?:second|minute) rate|Traffic Shaping|(?:prob|thresh)\b|account"
    r"|Target/Average\s|Rate\s+Limit\s|Adapt\s+Queue\s|Active\s+Depth\s|Minimum\s+Maximum\s+Mark"
)
_MARK: Final = re.compile(
    r"(?P<field>(?:ip )?(?:dscp|precedence)(?= )|cos|qos-group|discard-class|traffic-class|fr-de|atm-clp"
    r"|mpls experimental(?: topmost| imposition)?)(?: (?P<value>\S.*))?\Z"
)
_MARKED: Final = re.compile(r"Packets marked (\d+)")


class QueueLines:
    """Collects queueing lines; ``counters`` is the queue, None when there was none."""

    def __init__(self) -> None:
        self._values: dict[str, Any] = {}
        self._wred: list[WredRow] = []

    def take(self, text: str) -> bool:
        """Reads a line if it is about a queue; False when it is not."""
        row = _ROW.match(text)
        if row is not None:
            self._wred.append(_wred_row(row))
            return True
        return self._numbers(text) or self._words(text) or _NOISE.match(text) is not None

    def _numbers(self, text: str) -> bool:
        values = self._values
        if found := _LIMIT.match(text):
            values["limit"] = int(found[1])
            values["limit_unit"] = found[2] or "packets"
        elif found := _TRIPLE.match(text):
            values["depth"], values["total_drops"], values["no_buffer_drops"] = map(int, found.groups())
        elif found := _OUTPUT.match(text):
            values["output_packets"], values["output_bytes"] = map(int, found.groups())
        elif found := _SHAPE.match(text):
            values["shape_bps"] = int(found[1])
        elif found := (
            _DISTRIBUTED.match(text)
            or _OUTPUT_QUEUE.match(text)
            or _DROPS.match(text)
            or _TABLE_OF_RATES.match(text)
            or _TABLE_OF_DELAYS.match(text)
        ):
            values.update((name, int(word)) for name, word in found.groupdict().items() if word is not None)
        else:
            return False
        return True

    def _words(self, text: str) -> bool:
        lowered = text.lower()
        if lowered.startswith(("priority", "strict priority")):
            label = text.partition(":")[2] if lowered.startswith("priority:") else text
            label = label.split(", burst")[0].split(", b/w")[0].strip()
            if lowered.startswith("priority level"):  # said again after the rate; the rate says more
                self._values.setdefault("priority", label)
            else:
                self._values["priority"] = label
            if exceed := _EXCEED.search(text):
                self._values["priority_exceed_drops"] = int(exceed[1])
            return True
        if lowered.startswith("bandwidth"):
            self._values["bandwidth"] = " ".join(text.split()[1:])
            return True
        return False

    @property
    def counters(self) -> QueueCounters | None:
        """The queue, or None."""
        if not self._values and not self._wred:
            return None
        return QueueCounters(**self._values, wred=tuple(self._wred))


def _wred_row(found: re.Match[str]) -> WredRow:
    def pair(name: str) -> tuple[int, int]:
        packets, _, size = found[name].partition("/")
        return int(packets), int(size)

    def number(name: str) -> int | None:
        return int(found[name]) if found[name] else None

    return WredRow(
        found["value"], pair("t"), pair("r"), pair("d"), number("min"), number("max"), number("den")
    )


class MarkLines:
    """Collects the lines after ``QoS Set``."""

    def __init__(self) -> None:
        self._marks: list[Marking] = []

    def take(self, text: str) -> bool:
        """Reads a line if it is about marking; False when it is not."""
        marked = _MARKED.match(text)
        if marked is not None and self._marks:
            last = self._marks[-1]
            self._marks[-1] = Marking(last.field, last.value, int(marked[1]))
            return True
        if text.startswith("Marker statistics"):
            return True
        found = _MARK.match(text)
        if found is None:
            return False
        self._marks.append(Marking(found["field"], " ".join((found["value"] or "").split())))
        return True

    @property
    def marks(self) -> tuple[Marking, ...]:
        """The fields marked."""
        return tuple(self._marks)
