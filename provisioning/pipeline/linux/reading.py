"""What a Linux router says of itself -> the values that are compared. What of ours cannot be read is a failure, not nothing."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from provisioning.errors import ParseFailure
from provisioning.pipeline.linux import kernel
from provisioning.pipeline.linux.values import (
    DEFAULT_MINOR,
    DEVICES,
    FIRST_PLACE,
    FOREIGN,
    GENERATIONS,
    GONE,
    LINK_MINOR,
    MAJOR,
    MOST_FILTERS,
    TABLE,
    Filter,
    LinuxState,
    Policer,
    Queue,
    QueueClass,
    Rule,
    Selector,
    Stranger,
)

FIRST: Final = "### expedite linux 1"
_LAST: Final = "### end"
HELD: Final = f"""\
held() {{
  {{
    if nft list tables | grep -qx 'table inet {TABLE}'; then nft -s list table inet {TABLE}; fi
    qdiscs=$(tc qdisc show)
    echo "$qdiscs" | grep -e ' {MAJOR}:' -e ' dev {DEVICES}' -e '^qdisc clsact ' || true
    for device in $(ls /sys/class/net); do
      case "$device" in {DEVICES}*) echo "$device" ;; esac
      case "$qdiscs" in *"qdisc htb {MAJOR}: dev $device "*) tc class show dev "$device" ;; esac
      case "$qdiscs" in *"qdisc clsact ffff: dev $device "*) tc filter show dev "$device" ingress ;; esac
    done
  }} | sha256sum | cut -d' ' -f1
}}
"""
"""A function of the shell: a digest of all that is read of ours, without its counters."""

READ: Final = f"""#!/bin/sh
# Says what nftables and tc hold; changes nothing. Needs root. Ends with "{_LAST}", or something failed.
set -eu
echo '{FIRST}'
echo '### nft'
if nft list tables | grep -qx 'table inet {TABLE}'; then nft -j list table inet {TABLE}; else echo '{{"nftables": []}}'; fi
echo '### link'
ip -j link show
echo '### qdisc'
tc -s -j qdisc show
{HELD}echo "### held $(held)"
qdiscs=$(tc qdisc show)
for device in $(ls /sys/class/net); do
  case "$qdiscs" in *"qdisc htb {MAJOR}: dev $device "*)
    echo "### class $device"
    tc -s class show dev "$device" ;;
  esac
  case "$qdiscs" in *"qdisc clsact ffff: dev $device "*)
    echo "### filter $device"
    tc -j filter show dev "$device" ingress ;;
  esac
done
echo '{_LAST}'
"""

_CLASS: Final = re.compile(
    rf"^class htb {MAJOR}:(?P<minor>[0-9a-f]+) (?:root|parent \S+) (?:leaf \S+ )?(?:prio (?P<rank>\d+) )?"
    r"rate (?P<rate>\S+) ceil (?P<ceil>\S+)", re.M
)  # fmt: skip
_RATE: Final = re.compile(r"(\d+)([KMG]?)bit\Z")
_SCALE: Final = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9}
_GIVEN: Final = "0:"
"""The handle of a queue that the kernel gave by itself: ours may take its place."""


def sections(text: str) -> dict[str, str]:
    """The parts of what `READ` printed, by their heading. Raises ParseFailure when it is not whole."""
    lines = text.replace("\r\n", "\n").strip("\n").split("\n")
    if lines[0] != FIRST:
        raise ParseFailure("this is not what `manage.py linux read` prints", line=1)
    if lines[-1] != _LAST:
        raise ParseFailure("the text ends before it should: something failed on the router", line=len(lines))
    found: dict[str, list[str]] = {}
    part: list[str] = []
    for line in lines[1:-1]:
        if line.startswith("### "):
            part = found.setdefault(line[4:], [])
        else:
            part.append(line)
    missing = {"nft", "link", "qdisc"} - found.keys()
    if missing:
        raise ParseFailure(f"the text has no part {', '.join(sorted(missing))}")
    return {name: "\n".join(part) for name, part in found.items()}


def as_json(text: str, part: str) -> Any:
    """A part as JSON; keys that stand more than once (tc's matches) become a list under ``NAME[]``."""

    def gathered(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        whole = dict(pairs)
        for name in {name for name, _ in pairs if name == "match"}:
            whole[f"{name}[]"] = [value for key, value in pairs if key == name]
        return whole

    try:
        return json.loads(text or "[]", object_pairs_hook=gathered)
    except ValueError as error:
        raise ParseFailure(f"{part}: {error}") from error


def read(text: str) -> LinuxState:
    """What the router holds of ours. Raises ParseFailure where that cannot be read."""
    parts = sections(text)
    try:
        return _read(parts)
    except (KeyError, TypeError, AttributeError, IndexError, ValueError) as error:
        raise ParseFailure(
            f"the text is not of the shape that nft 1.0 and iproute2 6 print: {error!r}"
        ) from error


def _read(parts: Mapping[str, str]) -> LinuxState:
    qdiscs = as_json(parts["qdisc"], "qdisc")
    links = {each["ifname"] for each in as_json(parts["link"], "link")}
    roots = {each["dev"]: each for each in qdiscs if each.get("root")}
    policers = {name: _policer(name, qdiscs) for name in links if name.startswith(DEVICES)}
    filters: dict[str, tuple[Filter, ...]] = {}
    strangers: list[Stranger] = []
    for heading, text in parts.items():
        if heading.startswith("filter "):
            interface = heading.removeprefix("filter ")
            filters[interface] = tuple(_filters(interface, as_json(text, heading), strangers))
    inward, outward = _rules(as_json(parts["nft"], "nft")["nftables"], strangers)
    queues = {}
    for name, root in roots.items():
        if root["kind"] == "htb" and root["handle"] == f"{MAJOR}:":
            queues[name] = _queue(name, parts.get(f"class {name}", ""), root, qdiscs)
        elif root["handle"] != _GIVEN:
            text = f"{name} has a queue that is not ours: {root['kind']} {root['handle']}"
            strangers.append(Stranger("queue", name, text))
    strangers += [
        Stranger("filter", each["dev"], f"{each['dev']} has an ingress qdisc; ours is a clsact")
        for each in qdiscs
        if each["kind"] == "ingress"
    ]
    (digest,) = [name.removeprefix("held ") for name in parts if name.startswith("held ")]
    return LinuxState(policers, filters, inward, outward, queues, tuple(strangers), digest)


def _policer(name: str, qdiscs: list[Any]) -> Policer:
    """The policer of a device; of rate 0 where it was cut off in the making."""
    own = {each.get("parent", "root"): each for each in qdiscs if each["dev"] == name}
    root, child = own.get("root"), own.get("1:")
    if (
        root is None
        or root["kind"] != "tbf"
        or child is None
        or child["kind"] != "pfifo"
        or child["options"]["limit"] != 1
    ):
        return Policer(name, 0, 0)
    return Policer(name, int(root["options"]["rate"]) * 8, int(root["options"]["burst"]))


def _filters(interface: str, read: list[Any], strangers: list[Stranger]) -> Iterator[Filter]:
    for each in sorted((each for each in read if "options" in each), key=lambda each: int(each["pref"])):
        options = each["options"]
        if "ht_divisor" in options:
            continue
        action = (options.get("actions") or [{}])[0]
        device, place = str(action.get("to_dev", "")), int(each["pref"])
        if device == "*" and FIRST_PLACE <= place < FIRST_PLACE + GENERATIONS * MOST_FILTERS:
            device = GONE
        led = action.get("mirred_action") == "redirect" and device.startswith((DEVICES, GONE))
        if each["kind"] != "u32" or not led:
            text = f"{interface} has a filter on what enters that is not ours: {each['kind']} pref {each['pref']}"
            strangers.append(Stranger("filter", interface, text))
            continue
        words = [
            (int(match["off"]), int(match["value"], 16), int(match["mask"], 16))
            for match in options["match[]"]
        ]
        family = {"ipv6": 6, "ip": 4}[each["protocol"]]
        yield Filter(kernel.selector_of(family, words), device, place)


Rules = dict[str, tuple[Rule, ...]]


def _rules(listed: list[Any], strangers: list[Stranger]) -> tuple[Rules, Rules]:
    chains: dict[str, list[Any]] = {}
    for each in listed:
        if "chain" in each:
            chains[each["chain"]["name"]] = []
            _check_hook(each["chain"])
    for each in listed:
        if "rule" in each:
            chains[each["rule"]["chain"]].append(each["rule"]["expr"])
    found: dict[str, Rules] = {"in": {}, "out": {}}
    for base, (_, key) in kernel.HOOKS.items():
        for expressions in chains.pop(base, []):
            match expressions:
                case [
                    {"match": {"op": "==", "left": {"meta": {"key": word}}, "right": str(name)}},
                    {"jump": {"target": target}},
                ] if word == key and target == f"{base}/{name}":
                    found[base][name] = tuple(_rule(each, name, strangers) for each in chains.pop(target))
                case _:
                    raise ParseFailure(
                        f"chain {base} of table {TABLE} has a rule that none of ours is: {expressions}"
                    )
    if chains:
        text = f"table {TABLE} has chains that nothing leads to: {', '.join(sorted(chains))}"
        strangers.append(Stranger("table", "", text))
    return found["in"], found["out"]


def _rule(expressions: list[Any], interface: str, strangers: list[Stranger]) -> Rule:
    """The rule; a placeholder for one that somebody else put there: it equals none of ours, and goes with its chain."""
    try:
        return kernel.rule_of(expressions)
    except ParseFailure as error:
        strangers.append(Stranger("rule", interface, error.reason))
        return Rule(Selector(6), FOREIGN)


def _check_hook(chain: Mapping[str, Any]) -> None:
    name = chain["name"]
    hook = kernel.HOOKS[name][0] if name in kernel.HOOKS else None
    if (chain.get("hook"), chain.get("prio")) != (hook, kernel.PRIORITY if hook else None) or chain.get(
        "policy"
    ) == "drop":
        raise ParseFailure(f"chain {name} of table {TABLE} does not hang where ours do: {dict(chain)}")


def _queue(name: str, classes: str, root: Mapping[str, Any], qdiscs: list[Any]) -> Queue:
    limits = {
        int(str(each["parent"]).partition(":")[2], 16): int(each["options"]["limit"])
        for each in qdiscs
        if each["dev"] == name and each["kind"] == "pfifo" and "parent" in each
    }
    link, found = 0, []
    for each in _CLASS.finditer(classes):
        minor = int(each["minor"], 16)
        if minor == LINK_MINOR:
            link = _bps(each["rate"])
        else:
            found.append(
                QueueClass(
                    minor,
                    int(each["rank"] or 0),
                    _bps(each["rate"]),
                    _bps(each["ceil"]),
                    limits.get(minor, 0),
                )
            )
    if int(str(root["options"].get("default", "0")), 16) != DEFAULT_MINOR:
        link = 0  # what no rule sorts would be sent before all others
    return Queue(link, tuple(sorted(found, key=lambda each: each.minor)))


def _bps(text: str) -> int:
    found = _RATE.match(text)
    if found is None:
        raise ParseFailure(f"{text} is no rate that tc prints")
    return int(found[1]) * _SCALE[found[2]]
