"""What each router really did, from the lines it took itself: when each flow was let in on which interface.

A model of its own of the few objects concerned (access lists, class-maps, policy-maps, bindings), as text: nothing of the
product's reading, nothing of the practice routers' engine.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

HAND = "console"
Flow = tuple[
    str, str, str
]  # interface, source, destination; both empty: the class is matched by its mark alone

_PERMIT = re.compile(r"^(?:sequence (\d+) )?permit ipv6 (\S+) (\S+)(?: sequence (\d+))?")
_NO_SEQUENCE = re.compile(r"^no (?:sequence )?(\d+)$")


@dataclass(frozen=True)
class Span:
    """A flow was let in from `begin` (seconds since the epoch) until `end`, None: still; `hand`: ended by a hand edit."""

    begin: float
    end: float | None
    hand: bool = False

    def holds(self, at: float) -> bool:
        return self.begin <= at and (self.end is None or at < self.end)


@dataclass
class _Mode:
    """Where one login stands: the kind of object and its name, and the class inside a policy-map."""

    kind: str = ""
    name: str = ""
    inner: str = ""


@dataclass
class Replay:
    """The objects of one router that decide what is let in."""

    lists: dict[str, dict[tuple[str, str], int]] = field(default_factory=dict)
    matches: dict[str, set[str]] = field(default_factory=dict)
    policies: dict[str, set[str]] = field(default_factory=dict)
    bound: dict[str, str] = field(default_factory=dict)
    modes: dict[str, _Mode] = field(default_factory=dict)

    def take(self, user: str, line: str) -> None:
        """One configuration line that was not refused."""
        text = " ".join(line.split())
        mode = self.modes.setdefault(user, _Mode())
        if text in ("end", "exit"):
            self.modes[user] = _Mode()
        elif text.startswith(("ipv6 access-list ", "class-map ", "policy-map ", "interface ")):
            kind, name = text.split()[0], text.split()[-1]
            self.modes[user] = _Mode("list" if kind == "ipv6" else kind, name)
            self._begin(self.modes[user])
        elif text.startswith(("no ipv6 access-list ", "no class-map ", "no policy-map ")):
            name = text.split()[-1]
            gone = {"ipv6": self.lists, "class-map": self.matches, "policy-map": self.policies}
            gone[text.split()[1]].pop(name, None)  # type: ignore[attr-defined]
            self.modes[user] = _Mode()
        elif mode.kind == "list":
            self._entry(mode.name, text)
        elif mode.kind == "class-map":
            self._match(mode.name, text)
        elif mode.kind == "policy-map" and text.startswith("class "):
            self.policies[mode.name].add(text.split()[1])
        elif mode.kind == "policy-map" and text.startswith("no class "):
            self.policies[mode.name].discard(text.split()[2])
        elif mode.kind == "interface" and text.startswith("service-policy input "):
            self.bound[mode.name] = text.split()[-1]
        elif (
            mode.kind == "interface"
            and text.startswith("no service-policy input")
            and text.split()[-1] in (self.bound.get(mode.name), "input")
        ):
            self.bound.pop(mode.name, None)

    def _begin(self, mode: _Mode) -> None:
        if mode.kind == "list":
            self.lists.setdefault(mode.name, {})
        elif mode.kind == "class-map":
            self.matches.setdefault(mode.name, set())
        elif mode.kind == "policy-map":
            self.policies.setdefault(mode.name, set())

    def _entry(self, name: str, text: str) -> None:
        entries = self.lists.setdefault(name, {})
        number = _NO_SEQUENCE.match(text)
        if number:
            for pair in [pair for pair, at in entries.items() if at == int(number[1])]:
                del entries[pair]
            return
        found = _PERMIT.match(text.removeprefix("no "))
        if found is None:
            return
        pair = (found[2].lower(), found[3].lower())
        if text.startswith("no "):
            entries.pop(pair, None)
        else:
            entries[pair] = int(found[1] or found[4] or max(entries.values(), default=0) + 10)

    def _match(self, name: str, text: str) -> None:
        wanted = text.removeprefix("no ").removeprefix("match ")
        if wanted == text:
            return
        if text.startswith("no "):
            self.matches[name].discard(wanted)
        else:
            self.matches[name].add(wanted)

    def let_in(self) -> set[Flow]:
        """Every flow that is marked EF on an interface now."""
        found: set[Flow] = set()
        for interface, policy in self.bound.items():
            for name in self.policies.get(policy, ()):
                for wanted in self.matches.get(name, ()):
                    if wanted in ("dscp 46", "dscp ef", "ip dscp ef", "ip dscp 46"):
                        found.add((interface, "", ""))
                    elif wanted.startswith("access-group name "):
                        pairs = self.lists.get(wanted.split()[-1], {})
                        found |= {(interface, source, destination) for source, destination in pairs}
        return found


def spans(log: Iterable[Mapping[str, object]]) -> dict[Flow, list[Span]]:
    """When each flow was let in on this router, from its journal of lines (`at`, `user`, `line`, `reply`)."""
    replay, since, found = Replay(), {}, {}  # type: tuple[Replay, dict[Flow, float], dict[Flow, list[Span]]]
    for entry in log:
        if str(entry["reply"]).lstrip().startswith(("%", "^")):
            continue
        at, user = float(str(entry["at"])), str(entry["user"])
        replay.take(user, str(entry["line"]))
        now = replay.let_in()
        for flow in now - since.keys():
            since[flow] = at
        for flow in since.keys() - now:
            found.setdefault(flow, []).append(Span(since.pop(flow), at, user == HAND))
    for flow, begin in since.items():
        found.setdefault(flow, []).append(Span(begin, None))
    return found
