"""One attachment in ``show policy-map interface``, in the manner of four eras (samples S3, S11; ios-facts 4.1)."""

from __future__ import annotations

from lab.counters import ClassCounters, Colour, Table, child_base_kbit, effective
from lab.mode import Login
from lab.names import DSCP_NAMES
from lab.printing import Printer
from lab.store import Match, Point, Police, PolicyClass, PolicyMap, RandomDetect, Shape, Share


def attachment(session: Login, point: Point, policy: PolicyMap) -> str:
    """The text of one policy on one interface and direction."""
    table = session.device.counters.get(point, {})
    base = session.config.bandwidth_kbit(point[0], point[1]) or 0
    return "\n".join(_policy(session, f"Service-policy {point[2]}", policy, table, "", base, 2)) + "\n\n"


def _policy(
    session: Login, title: str, policy: PolicyMap, table: Table, prefix: str, base: int, indent: int
) -> list[str]:
    era = session.train.show_era
    pad = " " * indent
    colon = ":" if era == "s" else ": "  # ios-facts S11: the old text has no blank
    lines = [f"{pad}{title}{colon}{policy.name}", ""]
    entries = list(policy.classes)
    if policy.find("class-default") is None:
        entries.append(PolicyClass("class-default"))
    for entry in entries:
        lines += _class(session, entry, table, prefix, base, indent + 2)
        lines.append("")
    return lines[:-1]


def _class(
    session: Login, entry: PolicyClass, table: Table, prefix: str, base: int, indent: int
) -> list[str]:
    counters = table.get(prefix + entry.name, ClassCounters())
    era, pad, printer = session.train.show_era, " " * indent, Printer(session.train)
    item = session.config.class_maps.get(entry.name)
    mode = "match-any" if entry.name == "class-default" or item is None else item.mode
    colon = ":" if era == "s" else ": "
    lines = [
        f"{pad}Class-map{colon}{entry.name} ({mode})",
        f"{pad}  {counters.packets} packets, {counters.bytes} bytes",
        f"{pad}  5 minute offered rate {counters.rate} bps, drop rate {counters.drop_rate} bps",
    ]
    matches = item.matches if item is not None and entry.name != "class-default" else [Match("any")]
    for place, match in enumerate(matches):
        lines.append(f"{pad}  Match{colon}{_match(printer, match, era)} ")
        if mode == "match-any" and entry.name != "class-default":
            here = counters.by_match.get(place, Colour())
            rate = counters.rate * here.bytes // counters.bytes if counters.bytes else 0
            lines += [
                f"{pad}    {here.packets} packets, {here.bytes} bytes",
                f"{pad}    5 minute rate {rate} bps",
            ]
    inner = indent + 2
    lines += _queueing(session, entry, counters, base, inner)
    police = entry.actions.get("police")
    if isinstance(police, Police):
        lines += _police(session, police, counters, base, inner)
    lines += _marking(printer, entry, counters, inner, era)
    child = session.config.policy_maps.get(str(entry.actions.get("service-policy", "")))
    if child is not None:
        rate = child_base_kbit(session.train, entry, base)
        lines += [
            "",
            *_policy(session, "Service-policy ", child, table, f"{prefix}{entry.name}/", rate, inner),
        ]
    return lines


def _match(printer: Printer, match: Match, era: str) -> str:
    if match.kind.endswith("dscp"):
        values = " ".join(f"{DSCP_NAMES.get(int(v), v)} ({v})" if printer.train.dscp == "name" else str(v)
                          for v in match.values)  # fmt: skip
    else:
        values = "  ".join(str(value) for value in match.values)
    kind = f" {match.kind}" if match.kind == "dscp" and era != "s" else match.kind
    return f"{'not ' if match.negated else ''}{kind} {values}".rstrip()


def _police(session: Login, police: Police, counters: ClassCounters, base: int, indent: int) -> list[str]:
    train, pad = session.train, " " * indent
    era, printer = train.show_era, Printer(train)
    cir, bc, pir, be = effective(train, police, base)
    actions = printer.police_actions(police)
    colours = [
        ("conform-action", "conformed", counters.conformed),
        ("exceed-action", "exceeded", counters.exceeded),
    ]
    if be:
        colours.append(("violate-action", "violated", counters.violated))
    lines = [f"{pad}police:"]
    if era == "s":
        if police.percent:
            lines.append(f"{pad}    cir {police.rate} %")
        limit = f"{cir} bps, {bc} limit" + (f", {be} extended limit" if be else "")
        lines.append(f"{pad}    {limit}")
        for word, name, colour in colours:
            done = next(action for kind, action, _ in actions if kind == word)
            lines.append(f"{pad}    {name} {colour.packets} packets, {colour.bytes} bytes; action:{done}")
        return [*lines, f"{pad}    {_rates(counters, be, 'exceed')}"]
    if police.percent:
        lines.append(f"{pad}    cir {police.rate} %")
    lines.append(f"{pad}    cir {cir} bps, bc {bc} bytes" + (f", be {be} bytes" if be and not pir else ""))
    if pir:
        lines += [f"{pad}    pir {police.pir} %"] if police.percent else []
        lines.append(f"{pad}    pir {pir} bps, be {be} bytes")
    for word, name, colour in colours:
        lines.append(f"{pad}  {name} {colour.packets} packets, {colour.bytes} bytes; actions:")
        lines += [f"{pad}    {action} " for kind, action, _ in actions if kind == word]
    return [*lines, f"{pad}  {_rates(counters, be, 'exceeded' if era == 'xe' else 'exceed')}"]


def _rates(counters: ClassCounters, be: int, exceed: str) -> str:
    text = f"conformed {counters.conform_rate} bps, {exceed} {counters.exceed_rate} bps"
    return text + (f", violate {counters.violate_rate} bps" if be else "")


def _marking(
    printer: Printer, entry: PolicyClass, counters: ClassCounters, indent: int, era: str
) -> list[str]:
    pad = " " * indent
    marks = [
        (word.removeprefix("set "), value) for word, value in entry.actions.items() if word.startswith("set ")
    ]
    lines = [f"{pad}QoS Set"] if marks else []
    for kind, value in marks:
        shown = printer.dscp(int(value)) if kind.endswith("dscp") else value  # type: ignore[arg-type]
        lines.append(f"{pad}  {kind} {shown}")
        # ios-facts 2.4: IOS-XE does not count what it marks unless told to
        lines.append(
            f"{pad}    Marker statistics: Disabled"
            if era == "xe"
            else f"{pad}    Packets marked {counters.marked}"
        )
    return lines


def _queueing(
    session: Login, entry: PolicyClass, counters: ClassCounters, base: int, indent: int
) -> list[str]:
    if not entry.queueing:
        return []
    pad, era = " " * indent, session.train.show_era
    modern = era in ("hqf", "xe")
    lines = [f"{pad}Queueing"]
    if modern:
        lines += [f"{pad}queue limit 64 packets", f"{pad}(queue depth/total drops/no-buffer drops) 0/0/0",
                  f"{pad}(pkts output/bytes output) {counters.packets}/{counters.bytes}"]  # fmt: skip
    priority = entry.actions.get("priority")
    if isinstance(priority, Share):
        lines += _priority(priority, counters, base, pad, modern)
    bandwidth = entry.actions.get("bandwidth")
    if isinstance(bandwidth, Share):
        kbit = base * bandwidth.value // 100 if "percent" in bandwidth.unit else bandwidth.value
        if modern:
            shown = f"{bandwidth.value}% ({kbit} kbps)" if bandwidth.unit == "percent" else f"{kbit} kbps"
            lines.append(f"{pad}bandwidth {shown}")
        else:
            unit = "(%)" if "percent" in bandwidth.unit else "(kbps)"
            lines += [f"{pad}  Output Queue: Conversation 265 ",
                      f"{pad}  Bandwidth {bandwidth.value} {unit}Max Threshold 64 (packets)",
                      f"{pad}  (pkts matched/bytes matched) {counters.packets}/{counters.bytes}",
                      f"{pad}  (depth/total drops/no-buffer drops) 0/0/0"]  # fmt: skip
    shape = entry.actions.get("shape")
    if isinstance(shape, Shape):
        rate = base * 10 * shape.rate if shape.percent else shape.rate
        bc = shape.bc or rate // 250
        lines += [
            f"{pad}shape ({shape.mode}) cir {rate}, bc {bc}, be {shape.be or bc}",
            f"{pad}target shape rate {rate}",
        ]
    if "fair-queue" in entry.actions and not modern:
        lines += [f"{pad}  Flow Based Fair Queueing", f"{pad}  Maximum Number of Hashed Queues 256 ",
                  f"{pad}  (total queued/total drops/no-buffer drops) 0/0/0"]  # fmt: skip
    wred = entry.actions.get("random-detect")
    if isinstance(wred, RandomDetect):
        lines += _wred(wred, counters, pad)
    return lines


def _priority(share: Share, counters: ClassCounters, base: int, pad: str, modern: bool) -> list[str]:
    if share.unit == "strict":
        if modern:
            return [f"{pad}Priority: Strict, b/w exceed drops: 0"]
        return [f"{pad}  Strict Priority", f"{pad}  Output Queue: Conversation 264 ",
                f"{pad}  (pkts matched/bytes matched) {counters.packets}/{counters.bytes}",
                f"{pad}  (total drops/bytes drops) 0/0"]  # fmt: skip
    kbit = base * share.value // 100 if share.unit == "percent" else share.value
    burst = share.burst or kbit * 25
    if modern:
        shown = f"{share.value}% ({kbit} kbps)" if share.unit == "percent" else f"{kbit} kbps"
        return [f"{pad}Priority: {shown}, burst bytes {burst}, b/w exceed drops: 0"]
    percent = [f"{pad}  Bandwidth {share.value} (%)"] if share.unit == "percent" else []
    return [f"{pad}  Strict Priority", f"{pad}  Output Queue: Conversation 264 ", *percent,
            f"{pad}  Bandwidth {kbit} (kbps) Burst {burst} (Bytes)",
            f"{pad}  (pkts matched/bytes matched) {counters.packets}/{counters.bytes}",
            f"{pad}  (total drops/bytes drops) 0/0"]  # fmt: skip


def _wred(wred: RandomDetect, counters: ClassCounters, pad: str) -> list[str]:
    lines = [f"{pad}  Exp-weight-constant: 9 (1/512)", f"{pad}  Mean queue depth: 0 packets",
             f"{pad}  {wred.basis:10} Transmitted       Random drop      Tail drop          Minimum        Maximum     Mark",
             f"{pad}             pkts/bytes     pkts/bytes       pkts/bytes          thresh         thresh     prob"]  # fmt: skip
    for point, low, high, mark, _unit in wred.thresholds:
        name = DSCP_NAMES.get(point, str(point)) if wred.basis == "dscp" else str(point)
        lines.append(f"{pad}  {name:10} {'0/0':15} {'0/0':15} {'0/0':15} {low:11} {high:14}  1/{mark or 10}")
    total = f"{counters.packets}/{counters.bytes}"
    lines.append(
        f"{pad}  {'default' if wred.basis == 'dscp' else '0':10} {total:15} {'0/0':15} {'0/0':15} {20:11} {40:14}  1/10"
    )
    return lines
