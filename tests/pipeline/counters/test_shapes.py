"""Sixty outputs of ``show policy-map interface``, a folder each: ``shown.txt`` with the release and where its shape comes from at
its head, ``counters.json`` what is read of it. ``GOLDEN_UPDATE=1`` writes the latter anew: read the difference.

The golden values are held against a second reading that knows nothing of classes in policies: it takes the numbers of each
kind out of the text in their order, whatever the lines.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import pytest

from provisioning.drivers.netmiko import NetmikoDriver
from provisioning.errors import ParseFailure
from provisioning.pipeline import counters
from provisioning.pipeline.counters import ClassCounters, InterfacePolicyCounters, QueueCounters
from provisioning.pipeline.ios.lines import clean
from tests.depth import DEEP

CUTS = 150 if DEEP else 40
SHAPES = Path(__file__).parent / "shapes"
NAMES = sorted(path.name for path in SHAPES.iterdir())


class Answering(NetmikoDriver):
    """A session whose router says this."""

    def __init__(self, said: str) -> None:
        self.said = said

    def policy_counters(self, interface: str | None = None) -> str:
        return self.said


Numbers = list[tuple[int | None, ...]]


def shown(name: str) -> str:
    """The output without its head; as bytes it may have CRLF."""
    lines = (SHAPES / name / "shown.txt").read_bytes().decode().splitlines(keepends=True)
    return "".join(line for line in lines if not line.startswith("! "))


def classes(found: Iterable[InterfacePolicyCounters]) -> Iterator[ClassCounters]:
    """Every class in the order of the text."""
    waiting = [each for policy in found for each in policy.classes]
    while waiting:
        now = waiting.pop(0)
        yield now
        waiting = [each for child in now.children for each in child.classes] + waiting


def queues(found: Iterable[InterfacePolicyCounters]) -> Iterator[QueueCounters]:
    """Every queue, those that priority classes share before the classes, in the order of the text."""
    for policy in found:
        yield from policy.priority_queues
        for each in policy.classes:
            yield from _queues_of(each)


def _queues_of(one: ClassCounters) -> Iterator[QueueCounters]:
    if one.queue is not None:
        yield one.queue
    for child in one.children:
        yield from child.priority_queues
        for each in child.classes:
            yield from _queues_of(each)


def ours(found: tuple[InterfacePolicyCounters, ...]) -> dict[str, Any]:
    """What was read, by kind, flat and in the order of the text."""
    every, lines = list(classes(found)), list(queues(found))
    policers = [each.police for each in every if each.police is not None]
    colours = [
        colour
        for police in policers
        for colour in (police.conformed, police.exceeded, police.violated)
        if colour is not None
    ]
    return {
        "policies": [policy.policy for policy in found],
        "classes": [(each.name, each.packets) for each in every],
        "bytes": sum(each.bytes or 0 for each in every),
        "matches": [(m.packets, m.bytes) for each in every for m in each.matched if m.packets is not None],
        "coloured packets": [each.packets for each in colours if each.packets is not None],
        "coloured bytes": sum(each.bytes or 0 for each in colours),
        "rates": [police.cir_bps for police in policers if police.cir_bps is not None],
        "marked": [mark.packets for each in every for mark in each.marked if mark.packets is not None],
        "dropped": [
            (each.total_drops, each.no_buffer_drops) for each in lines if each.no_buffer_drops is not None
        ],
        "sent": [
            (each.output_packets, each.output_bytes)
            for each in lines
            if None not in (each.output_packets, each.output_bytes)
        ],
        "priority": [
            each.priority_exceed_drops for each in lines if each.priority_exceed_drops is not None
        ],
        "wred": [
            (row.value, *row.transmitted, *row.random_drop, *row.tail_drop, row.minimum, row.maximum)
            for each in lines
            for row in each.wred
        ],
    }  # fmt: skip


def theirs(text: str) -> dict[str, Any]:
    """The same by patterns over the whole text as one line."""
    line = " ".join(
        word
        for raw in clean(text).splitlines()
        if not re.match(r"\S+#|Load for|Time source", raw)
        for word in raw.split()
    )

    def numbers(pattern: str) -> Numbers:
        return [
            tuple(None if word is None else int(word) for word in each.groups())
            for each in re.finditer(pattern, line)
        ]

    heads = r"[Cc]lass-[Mm]ap ?: ?(\S+) \(match.\w+\)(?: \(\d+/\d+\))?(?: (\d+) packets)?"
    counted = r"\(match.\w+\)(?: \(\d+/\d+\))? \d+ packets, (\d+) bytes|(?<=slot \d : )(\d+) bytes"
    coloured = r"(?:conformed|exceeded|violated|forwarded(?= \d+ bytes action)|Conform:|Exceed:) (?:(\d+) packets,? )?(\d+) bytes"
    triple = r"total drops/no-buffer drops(?:/flow ?drops)?\) \d+/(\d+)/(\d+)"
    vip = r"packets? drops? \d+ tail/random drops? \d+, no buffer drops? (\d+)"
    drops = [*numbers(triple)] or [
        (total, buffers)
        for (total,), (buffers,) in zip(numbers(r"packet drops? (\d+)"), numbers(vip), strict=True)
    ]
    sent = r"\(pkts (?:output|matched|queued)/bytes \w+\) (\d+)/(\d+)|; (\d+)/(\d+) packets/bytes output"
    delayed = r" (?:-|\d+) \d+ (\d+) (\d+) \d+ \d+ (?:yes|no) "
    return {
        "policies": re.findall(r"[Ss]ervice-[Pp]olicy (?:input|output) ?: ?(\S+)", line),
        "classes": [(name, int(count) if count else None) for name, count in re.findall(heads, line)],
        "bytes": sum(number or 0 for each in numbers(counted) for number in each),
        "matches": numbers(r"(\d+) packets, (\d+) bytes \d+ (?:second|minute)s? rate"),
        "coloured packets": [each[0] for each in numbers(coloured) if each[0] is not None],
        "coloured bytes": sum(each[1] or 0 for each in numbers(coloured)),
        "rates": [one or two for one, two in numbers(r"(?:cir|rate) (\d+) bps,? (?:bc|burst|conform)|(\d+) bps,? \d+ limit")],
        "marked": [each[0] for each in numbers(r"Packets marked (\d+)")],
        "dropped": drops,
        "sent": [tuple(n for n in each if n is not None) for each in numbers(f"{sent}|{delayed}")]
        + [(packets, size) for size, packets in numbers(r"\(bytes output\) (\d+) \(pkts output\) (\d+)")],
        "priority": [each[0] for each in numbers(r"exceed drops: (\d+)")],
        "wred": [
            (row[0], *map(int, row[1:]))
            for row in re.findall(r"(\w+) (\d+)/(\d+) (\d+)/(\d+) (\d+)/(\d+) (\d+) (\d+) 1/\d+", line)
        ],
    }  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_an_output_of_every_era_is_read_exactly(name: str) -> None:
    text = shown(name)
    found = counters.parse(text)
    said = json.dumps(_said(counters.to_json(found)), indent=1, sort_keys=True) + "\n"
    golden = SHAPES / name / "counters.json"
    if os.environ.get("GOLDEN_UPDATE") == "1":
        golden.write_text(said)
    assert said == golden.read_text()
    assert ours(found) == theirs(text)
    assert [each.matches for each in classes(found)] == [
        tuple(match["match"] for match in each["matched"]) for each in _classes_of(json.loads(said))
    ]
    assert counters.parse(text.replace("\r\n", "\n").replace("\n", "\r\n")) == found


def _said(value: Any) -> Any:
    """Without what is None or empty: a golden file shows what was said."""
    if isinstance(value, dict):
        return {key: _said(one) for key, one in value.items() if one not in (None, [], {})}
    return [_said(one) for one in value] if isinstance(value, list) else value


def _classes_of(policies: list[Any]) -> Iterator[Any]:
    for policy in policies:
        for each in policy["classes"]:
            yield each
            yield from _classes_of(each.get("children", []))


def test_there_are_sixty_and_each_says_where_its_shape_comes_from() -> None:
    assert len(NAMES) >= 60
    for name in NAMES:
        release, source = (SHAPES / name / "shown.txt").read_bytes().decode().splitlines()[:2]
        assert release.startswith("! ")
        assert source.startswith("! shape: ")


def _agrees(part: Any, whole: Any) -> bool:
    """Whether nothing in `part` is other than in `whole`; what is not there yet is None, nought of lines, or missing."""
    if part is None or part == whole:
        return True
    if is_dataclass(part) and type(part) is type(whole):
        return all(_agrees(getattr(part, each.name), getattr(whole, each.name)) for each in fields(part))
    if isinstance(part, tuple) and isinstance(whole, tuple):
        return len(part) <= len(whole) and all(map(_agrees, part, whole))
    return isinstance(part, str)  # a label that goes on: none of the numbers


@pytest.mark.parametrize("name", [each for each in NAMES if "slots" not in each and "margin" not in each])
def test_a_text_cut_off_anywhere_is_refused_or_says_no_other_number(name: str) -> None:
    text = shown(name)
    found = counters.parse(text)
    numbers = [each.start() + 2 for each in re.finditer(r"\d\d+", text)]
    ends = sorted({*range(1, len(text), max(1, len(text) // CUTS)), *numbers})
    if not DEEP:
        ends = ends[:: max(1, len(ends) // CUTS)]
    for end in ends:
        try:
            part = counters.parse(text[:end])
        except ParseFailure:
            continue
        assert _agrees(part, found), f"cut at {end}: {text[max(0, end - 60) : end]!r}"


def test_every_capture_is_counted_whatever_its_last_class_is() -> None:
    """A session reads to the prompt; a router whose policies have no class-default is counted like any other."""
    for path in sorted((SHAPES.parent / "outputs").glob("*.txt")):
        text = path.read_text()
        found = Answering(text).counted()
        assert [each.policy for each in found] == theirs(text)["policies"], path.name
    empty = "POS1/0\n\n  Service-policy input: NONE\n"
    assert [each.policy for each in Answering(empty).counted()] == ["NONE"]


FOREIGN = {
    "a policy as it is configured": "  Policy Map TRUSTED-IN\n    Class EF\n     police cir percent 5\n",
    "IOS XR": "POS0/1/0/0 input: TRUSTED-IN\n\nClass EF\n  Classification statistics  (packets/bytes)\n    Matched : 31/4000\n",
    "JUNOS": "Physical interface: so-0/0/0, Enabled\n  Egress queues: 4 supported, 4 in use\n   0  best-effort  12  12  0\n",
    "Linux": "qdisc htb 1: dev eth0 root refcnt 2\n Sent 1200 bytes 10 pkt (dropped 0, overlimits 0 requeues 0)\n",
    "interfaces": "POS1/0 is up, line protocol is up\n     1200 packets input, 99 bytes, 0 no buffer\n",
    "a web page": "<html><body>Service unavailable: 503</body></html>\n",
    "SNMP": "SNMPv2-SMI::enterprises.9.9.166.1.15.1.1.6.18.65536 = Counter64: 12345\n",
}


@pytest.mark.parametrize("name", FOREIGN)
def test_a_foreign_text_is_refused(name: str) -> None:
    with pytest.raises(ParseFailure):
        counters.parse(FOREIGN[name])
