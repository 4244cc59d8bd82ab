"""What a Linux router counted -> the counters that `show policy-map interface` is read into."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from provisioning.errors import ParseFailure
from provisioning.pipeline.counters import (
    ClassCounters,
    Colour,
    InterfacePolicyCounters,
    Marking,
    PoliceCounters,
    QueueCounters,
)
from provisioning.pipeline.linux import names
from provisioning.pipeline.linux.reading import as_json, read, sections
from provisioning.pipeline.linux.values import FOREIGN, LinuxState, Rule

_DIRECTIONS = {"in": "input", "out": "output"}


def counted(text: str) -> tuple[InterfacePolicyCounters, ...]:
    """The counters of every interface and direction, of what `READ` printed; bytes are frames in queues and policers, and
    layer 3 elsewhere. A policed class counts what was offered, its bytes only what passed: the kernel counts no bytes of what
    it drops. Raises ParseFailure.
    """
    state, parts = read(text), sections(text)
    try:
        counts = {
            each["counter"]["name"]: (int(each["counter"]["packets"]), int(each["counter"]["bytes"]))
            for each in as_json(parts["nft"], "nft")["nftables"]
            if "counter" in each
        }
        qdiscs = as_json(parts["qdisc"], "qdisc")
        return tuple(
            InterfacePolicyCounters(
                name, None, _DIRECTIONS[base], f"{base}/{name}", _classes(rules, state, counts, qdiscs)
            )
            for base, held in (("in", state.inward), ("out", state.outward))
            for name, rules in held.items()
        )
    except (KeyError, TypeError, ValueError) as error:
        raise ParseFailure(
            f"the counters are not of the shape that nft 1.0 and iproute2 6 print: {error!r}"
        ) from error


def _classes(
    rules: tuple[Rule, ...], state: LinuxState, counts: Mapping[str, tuple[int, int]], qdiscs: list[Any]
) -> tuple[ClassCounters, ...]:
    by_counter: dict[str, list[Rule]] = {}
    for rule in rules:
        if rule.counter != FOREIGN:
            by_counter.setdefault(rule.counter, []).append(rule)
    return tuple(_class(counter, own, state, counts[counter], qdiscs) for counter, own in by_counter.items())


def _class(
    counter: str, rules: list[Rule], state: LinuxState, count: tuple[int, int], qdiscs: list[Any]
) -> ClassCounters:
    named = names.counted(counter)
    if named is None:
        raise ParseFailure(f"{counter} is no counter of ours")
    base, interface, class_name = named
    packets, octets = count
    police = None
    policer = state.policers.get(names.device(interface, class_name)) if base == "in" else None
    if policer is not None:
        (root,) = [each for each in qdiscs if each["dev"] == policer.device and each.get("root")]
        sent, dropped = int(root["packets"]), int(root["drops"])
        police = PoliceCounters(
            cir_bps=policer.rate_bps,
            bc_bytes=policer.burst_bytes,
            conformed=Colour(sent, int(root["bytes"]), ("transmit",)),
            exceeded=Colour(dropped, None, ("drop",)),
        )
        packets += dropped
    marks = {rule.dscp for rule in rules if rule.dscp is not None}
    minors = {rule.minor for rule in rules if rule.minor is not None}
    return ClassCounters(
        name=class_name,
        mode="match-any",
        packets=packets,
        bytes=octets,
        matches=tuple(dict.fromkeys(str(rule.selector) for rule in rules)),
        police=police,
        marked=tuple(Marking("dscp", str(mark), count[0]) for mark in sorted(marks)),
        queue=_queue(interface, minors, qdiscs),
    )


def _queue(interface: str, minors: set[int], qdiscs: list[Any]) -> QueueCounters | None:
    for each in qdiscs:
        if each["dev"] != interface or each["kind"] != "pfifo" or "parent" not in each:
            continue
        if int(str(each["parent"]).partition(":")[2], 16) in minors:
            return QueueCounters(
                limit=int(each["options"]["limit"]),
                depth=int(each["qlen"]),
                total_drops=int(each["drops"]),
                output_packets=int(each["packets"]),
                output_bytes=int(each["bytes"]),
            )
    return None
