"""Whole routers as somebody may have made them by hand: text from one number, typed into a practice router.

What the router refuses is left out, so whatever it then holds is a state that routers of its kind can be in. A second
state is the first one edited the way people and we ourselves edit, or another one altogether.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from random import Random

from provisioning.pipeline.mqc import RunningConfig
from tests.pipeline.practice import Oracle

SOURCES = [
    "2001:DB8:A::/48",
    "2001:DB8:B::/48",
    "2001:DB8:B:1::/64",
    "host 2001:DB8:C::7",
    "any",
]
DESTINATIONS = ["any", "2001:DB8:F::/48"]
IPV4 = [
    "permit ip 198.51.100.0 0.0.0.255 any",
    "permit ip host 192.0.2.7 203.0.113.0 0.0.0.255",
    "permit udp any any eq 5004",
    "permit tcp 192.0.2.0 0.0.0.255 any eq www",
    "deny ip host 192.0.2.9 any",
    "remark who asked: NOC",
]
DESCRIPTIONS = ["", "", "edge of the NREN", "<<< by hand >>>", "50% of (A|B); see #12", "Zürich, São Paulo"]
LISTS = ["hosts", "hosts-2", "nren-auth-ef"]
IPV4_LISTS = ["hosts-v4", "hosts-v4-2"]
CLASSES = ["EF", "LBE", "VIDEO", "VIDEO-2", "VIDEO-3", "BULK"]
EDGE = ["EDGE-IN", "EDGE-IN-2", "CUSTOMER-IN"]
INNER = ["INNER", "INNER-2"]
CORE = ["CORE-OUT", "CORE-OUT-2", "my_policy"]
EDGE_PLACES = ["POS1/0", "POS1/1", "GigabitEthernet3/0", "ATM5/0.1"]
CORE_PLACES = ["POS2/0", "POS2/1", "GigabitEthernet3/0", "POS1/0"]
RATES = ["cir percent 5", "cir percent 10", "cir percent 1", "cir 7750000", "cir 2000000", "cir 64000"]


@dataclass
class Made:
    """The objects of a router as lines by name, and the policies by place."""

    lists: dict[str, list[str]] = field(default_factory=dict)
    ipv4: dict[str, list[str]] = field(default_factory=dict)
    classes: dict[str, tuple[str, list[str]]] = field(default_factory=dict)
    policies: dict[str, list[tuple[str, list[str]]]] = field(default_factory=dict)
    bound: dict[tuple[str, str], str] = field(default_factory=dict)
    descriptions: dict[str, str] = field(default_factory=dict)

    def text(self) -> str:
        """Everything in the order in which a router takes it."""
        lines: list[str] = []
        for name, entries in self.lists.items():
            lines += [f"ipv6 access-list {name}", *(f" {entry}" for entry in entries)]
        for name, entries in self.ipv4.items():
            lines += [f"ip access-list extended {name}", *(f" {entry}" for entry in entries)]
        for name, (mode, matches) in self.classes.items():
            lines += [f"class-map {mode} {name}", *self._described(name), *(f" {match}" for match in matches)]
        for name in sorted(self.policies, key=lambda name: name not in INNER):
            lines += [f"policy-map {name}", *self._described(name)]
            for entry, actions in self.policies[name]:
                lines += [f" class {entry}", *(f"  {action}" for action in actions)]
        for (interface, direction), policy in sorted(self.bound.items()):
            lines.append(f"interface {interface}")
            if interface.startswith("ATM"):
                lines.append(" pvc 0/32")
            lines.append(f" service-policy {direction} {policy}")
        return "\n".join([*lines, ""])

    def _described(self, name: str) -> list[str]:
        words = self.descriptions.get(name, "")
        return [f" description {words}"] if words else []


def made(rng: Random) -> Made:
    """A router somebody made."""
    it = Made()
    for name in LISTS:
        if rng.random() < 0.6:
            it.lists[name] = _entries(rng)
    for name in IPV4_LISTS:
        if rng.random() < 0.4:
            it.ipv4[name] = rng.sample(IPV4, rng.randint(1, 4))
    for name in CLASSES:
        if rng.random() < 0.7:
            it.classes[name] = _class(rng, it)
    for name in [*INNER, *EDGE, *CORE]:
        if rng.random() < 0.6:
            it.policies[name] = _policy(rng, it, name)
    for name in [*it.classes, *it.policies]:
        it.descriptions[name] = rng.choice(DESCRIPTIONS)
    for interface in EDGE_PLACES:
        _bind(rng, it, interface, "input", EDGE)
    for interface in CORE_PLACES:
        _bind(rng, it, interface, "output", CORE)
    return it


def edited(it: Made, rng: Random) -> Made:
    """The same router after one to four edits."""
    now = copy.deepcopy(it)
    for _ in range(rng.randint(1, 4)):
        rng.choice([_edit_list, _edit_class, _edit_policy, _edit_policy, _edit_binding, _forget])(rng, now)
    return now


def _entries(rng: Random) -> list[str]:
    taken = rng.sample([(source, to) for source in SOURCES for to in DESTINATIONS], rng.randint(1, 4))
    lines = [f"permit ipv6 {source} {to}" for source, to in taken]
    if rng.random() < 0.2:
        lines[0] = "deny ipv6 2001:DB8:BAD::/48 any"
    if rng.random() < 0.2:
        lines.insert(rng.randrange(len(lines) + 1), "remark added by hand")
    if rng.random() < 0.2:
        lines.append("deny ipv6 any any")
    if rng.random() < 0.4:
        numbers = sorted(rng.sample(range(1, 60), len(lines)))
        lines = [f"sequence {number} {line}" for number, line in zip(numbers, lines, strict=True)]
    return lines


def _class(rng: Random, it: Made) -> tuple[str, list[str]]:
    choices = [
        "match dscp ef",
        "match dscp cs1",
        "match ip dscp ef",
        "match precedence 5",
        "match not dscp 0",
    ]
    choices += [f"match access-group name {name}" for name in (*it.lists, *it.ipv4)] * 3
    choices += [f"match class-map {name}" for name in it.classes]
    mode = rng.choice(["match-any", "match-any", "match-all"])
    return mode, rng.sample(choices, min(len(choices), rng.randint(1, 3 if mode == "match-any" else 1)))


def _policy(rng: Random, it: Made, name: str) -> list[tuple[str, list[str]]]:
    names = rng.sample(list(it.classes), min(len(it.classes), rng.randint(1, 3)))
    if rng.random() < 0.8:
        names.append("class-default")
    return [(each, _actions(rng, it, name, each)) for each in names]


def _actions(rng: Random, it: Made, policy: str, name: str) -> list[str]:
    inner = [each for each in INNER if each in it.policies]
    if policy in CORE:
        actions = rng.sample(
            ["bandwidth percent 10", "bandwidth percent 20", "shape average 20000000"], rng.randint(0, 1)
        )
        if name == "class-default":
            actions = [*rng.sample(["fair-queue"], rng.randint(0, 1)), "random-detect dscp-based"]
            actions += rng.sample(
                ["random-detect dscp 8 20 40 10", "random-detect dscp 0 30 60 10"], rng.randint(0, 2)
            )
        return actions or ["bandwidth percent 5"]
    actions = [rng.choice(["set dscp default", "set dscp ef", "set dscp cs1", "set precedence 1"])]
    if rng.random() < 0.6:
        over = rng.choice(["drop", "drop", "transmit", "set-dscp-transmit 8"])
        actions.append(f"police {rng.choice(RATES)} conform-action transmit exceed-action {over}")
        actions = actions[rng.randint(0, 1) :]
    if inner and policy not in INNER and rng.random() < 0.2:
        actions.append(f"service-policy {rng.choice(inner)}")
    return actions


def _bind(rng: Random, it: Made, interface: str, direction: str, names: list[str]) -> None:
    there = [name for name in names if name in it.policies]
    if there and rng.random() < 0.7:
        it.bound[interface, direction] = rng.choice(there)


def _edit_list(rng: Random, it: Made) -> None:
    lists = it.lists if rng.random() < 0.6 or not it.ipv4 else it.ipv4
    if not lists:
        return
    name = rng.choice(list(lists))
    entries = lists[name]
    how = rng.random()
    if how < 0.4:
        source, to = rng.choice(SOURCES), rng.choice(DESTINATIONS)
        new = f"permit ipv6 {source} {to}" if lists is it.lists else rng.choice(IPV4)
        if new not in entries:
            entries.insert(rng.randrange(len(entries) + 1), new)
    elif how < 0.8 and len(entries) > 1:
        entries.pop(rng.randrange(len(entries)))
    else:
        rng.shuffle(entries)


def _edit_class(rng: Random, it: Made) -> None:
    if not it.classes:
        return
    name = rng.choice(list(it.classes))
    if rng.random() < 0.3:
        it.descriptions[name] = rng.choice(DESCRIPTIONS)
    else:
        others = Made(
            it.lists,
            it.ipv4,
            {key: it.classes[key] for key in list(it.classes)[: list(it.classes).index(name)]},
        )
        it.classes[name] = _class(rng, others)


def _edit_policy(rng: Random, it: Made) -> None:
    if not it.policies:
        return
    name = rng.choice(list(it.policies))
    classes = it.policies[name]
    how = rng.random()
    at = rng.randrange(len(classes)) if classes else 0
    if how < 0.35 and classes:
        entry, actions = classes[at]
        police = [index for index, action in enumerate(actions) if action.startswith("police")]
        if police:
            rest = actions[police[0]].split(" conform-action", 1)[1]
            actions[police[0]] = f"police {rng.choice(RATES)} conform-action{rest}"
        else:
            classes[at] = (entry, _actions(rng, it, name, entry))
    elif how < 0.55:
        rng.shuffle(classes)
    elif how < 0.7 and classes:
        classes[at] = (classes[at][0], _actions(rng, it, name, classes[at][0]))
    elif how < 0.8 and len(classes) > 1:
        classes.pop(at)
    elif how < 0.9:
        unused = [each for each in it.classes if each not in {entry for entry, _ in classes}]
        if unused:
            new = rng.choice(unused)
            classes.insert(at, (new, _actions(rng, it, name, new)))
    else:
        it.descriptions[name] = rng.choice(DESCRIPTIONS)


def _edit_binding(rng: Random, it: Made) -> None:
    places = [(interface, "input", EDGE) for interface in EDGE_PLACES]
    places += [(interface, "output", CORE) for interface in CORE_PLACES]
    interface, direction, names = rng.choice(places)
    it.bound.pop((interface, direction), None)
    _bind(rng, it, interface, direction, names)


def _forget(rng: Random, it: Made) -> None:
    unbound = [name for name in it.policies if name not in it.bound.values() and name not in INNER]
    if unbound:
        it.policies.pop(rng.choice(unbound))


def holding(kind: str, it: Made) -> tuple[Oracle, RunningConfig]:
    """A practice router of that kind told all of it, and what it then holds."""
    oracle = Oracle(kind)
    oracle.send(it.text().splitlines())
    return oracle, oracle.read()
