"""A second reader of what is rendered for IOS-XE, written from Cisco's own model of the configuration.

Cisco-IOS-XE-policy.yang, revision 2021-07-01 (IOS-XE 17.6.1): leaf names, ranges, order of words and `must`
statements, as far as classes, policies and their actions go. It knows nothing of our parser or renderer: it takes text
and says what the model would not take.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

DSCPS = {
    "default",
    "ef",
    *(f"cs{n}" for n in range(1, 8)),
    *(f"af{c}{p}" for c in range(1, 5) for p in range(1, 4)),
}
Words = list[str]


class NotInModelError(Exception):
    """The model has no such word, or not this value."""


def problems(text: str) -> list[str]:
    """One line per thing of the text that the model does not take; empty when it takes everything."""
    found: list[str] = []
    classes: set[str] = {"class-default"}
    policies: set[str] = set()
    section = _Section("", "")
    for raw in text.splitlines():
        line = raw.strip()
        if not line or line.startswith("!"):
            continue
        words = line.split()
        try:
            if not raw.startswith(" "):
                found += section.problems()
                section = _open(words, classes, policies)
            else:
                section.read(words, classes, policies)
        except (NotInModelError, IndexError) as wrong:
            found.append(f"{line}: {wrong}")
    return [*found, *section.problems()]


class _Section:
    """What has been read of one class-map or policy-map, and the actions of its present class."""

    def __init__(self, kind: str, name: str) -> None:
        self.kind, self.name = kind, name
        self.current = ""
        self.actions: dict[str, dict[str, Words]] = {}

    def read(self, words: Words, classes: set[str], policies: set[str]) -> None:
        if self.kind == "class-map":
            if words[0] == "description":
                _length(" ".join(words[1:]), 200)
            elif words[0] == "match":
                _match(words[1:], classes)
            else:
                raise NotInModelError("not in class-map")
        elif self.kind == "policy-map":
            if words[0] == "class":
                self.current = words[1]
                if words[1] not in classes or len(words) != 2:
                    raise NotInModelError("no such class")
                self.actions.setdefault(words[1], {})
            elif words[0] == "description":
                _length(" ".join(words[1:]), 200)
            else:
                self._action(words, policies)

    def _action(self, words: Words, policies: set[str]) -> None:
        if words[0] == "service-policy":
            if words[1] not in policies or len(words) != 2:
                raise NotInModelError("no such policy-map")
        elif words[0] in ("conform-action", "exceed-action", "violate-action"):
            _colours(list(words))
            self.actions[self.current].setdefault("police", []).extend(words)
            return
        elif words[0] not in ACTIONS:
            raise NotInModelError("no such action")
        else:
            rest = list(words[1:])
            ACTIONS[words[0]](rest)
            if rest:
                raise NotInModelError(f"{rest} is left")
        held = self.actions[self.current]
        if words[0] in held and words[0] not in ("set", "random-detect"):
            raise NotInModelError(f"{words[0]} twice in one class")
        held[words[0]] = [*held.get(words[0], []), *words]

    def problems(self) -> list[str]:
        """The must statements that span several lines."""
        found = []
        for name, held in self.actions.items():
            owns = {"shape", "bandwidth", "priority"} & set(held)
            if "queue-limit" in held and name != "class-default" and not owns:
                found.append(
                    f"{self.name}/{name}: queue-limit not allowed without bandwidth shape or priority"
                )
            if "police" in held:
                found += [f"{self.name}/{name}: {why}" for why in _musts(held["police"])]
        units = {_unit(held["bandwidth"]) for held in self.actions.values() if "bandwidth" in held}
        if len(units) > 1:
            found.append(f"{self.name}: mixed bandwidth types are not supported")
        return found


def _open(words: Words, classes: set[str], policies: set[str]) -> _Section:
    if words[0] == "class-map":
        if words[1] not in ("match-all", "match-any", "match-none") or len(words) != 3:
            raise NotInModelError("prematch is mandatory")
        _length(words[2], 205)
        classes.add(words[2])
        return _Section("class-map", words[2])
    if words[0] == "policy-map":
        _length(words[1], 203)
        policies.add(words[1])
        return _Section("policy-map", words[1])
    if words[0] in ("interface", "ip", "ipv6"):
        return _Section(words[0], words[-1])
    raise NotInModelError("no such section")


def _length(text: str, most: int) -> None:
    if not 1 <= len(text) <= most:
        raise NotInModelError(f"length {len(text)} is not in 1..{most}")


def number(words: Words, least: int, most: int) -> int:
    """Take a whole number of the range off the front."""
    word = words.pop(0)
    if not re.fullmatch(r"[0-9]+", word) or not least <= int(word) <= most:
        raise NotInModelError(f"{word} is not in {least}..{most}")
    return int(word)


def _dscp(words: Words) -> None:
    if words[0] in DSCPS:
        words.pop(0)
    else:
        number(words, 0, 63)


def _take(words: Words, *choices: str) -> str | None:
    return words.pop(0) if words and words[0] in choices else None


def _must_take(words: Words, word: str) -> None:
    if _take(words, word) is None:
        raise NotInModelError(f"{word} is wanted")


def _match(words: Words, classes: set[str]) -> None:
    if words[0] == "not":
        words = words[1:]
    kind, rest = words[0], words[1:]
    if kind in ("ip", "mpls"):
        kind, rest = f"{kind} {rest[0]}", rest[1:]
    ranges = {"cos": (0, 7), "discard-class": (0, 7), "qos-group": (0, 99), "precedence": (0, 7),
              "ip precedence": (0, 7), "vlan": (1, 4094), "fr-dlci": (16, 1007)}  # fmt: skip
    if kind == "access-group":
        if rest[0] == "name":
            _length(rest[1], 64)
        else:
            number(rest[:1], 1, 2799)
    elif kind in ("dscp", "ip dscp"):
        while rest:
            _dscp(rest)
    elif kind in ranges:
        while rest:
            number(rest, *ranges[kind])
    elif kind == "class-map":
        if rest[0] not in classes:
            raise NotInModelError("no such class-map")
    elif kind not in ("any", "protocol", "input-interface", "packet", "mpls experimental", "fr-de"):
        raise NotInModelError("no such criterion")


def _percent(words: Words) -> None:
    number(words, 1, 100)


def _ms(words: Words, most: int = 65535) -> None:
    number(words, 0, most)
    _must_take(words, "ms")


def _police(words: Words) -> None:
    if _take(words, "cir"):
        _police_percent(words) if _take(words, "percent") else _police_bps(words)
    elif _take(words, "rate"):
        _rate_percent(words) if _take(words, "percent") else _rate_bps(words)
    else:
        number(words, 8000, 100_000_000_000)
        for _ in range(2):
            if words and words[0].isdigit():
                number(words, 100, 512_000_000)
    _colours(words)


def _police_percent(words: Words) -> None:
    _percent(words)
    first = _take(words, "bc")
    if first:
        _ms(words)
    if _take(words, "pir"):
        _must_take(words, "percent")
        _percent(words)
        if _take(words, "be"):
            _ms(words)
    elif first and _take(words, "be"):
        _ms(words)


def _police_bps(words: Words) -> None:
    number(words, 8000, 100_000_000_000)
    first = _take(words, "bc")
    if first:
        number(words, 1000, 512_000_000)
    if _take(words, "pir"):
        number(words, 8000, 64_000_000_000)
        if _take(words, "be"):
            number(words, 1000, 512_000_000)
    elif first and _take(words, "be"):
        number(words, 1000, 512_000_000)


def _rate_percent(words: Words) -> None:
    _percent(words)
    if _take(words, "burst"):
        number(words, 1, 2000)
        _take(words, "ms")
    if _take(words, "peak-rate"):
        _must_take(words, "percent")
        _percent(words)
    if _take(words, "peak-burst"):
        _ms(words)


def _rate_bps(words: Words) -> None:
    number(words, 0, 2**64 - 1)
    _take(words, "bps", "pps")
    if _take(words, "burst"):
        number(words, 0, 2**32 - 1)
        _take(words, "bytes", "packets")
    if _take(words, "peak-rate"):
        number(words, 1, 512_000_000)
        _take(words, "bps", "pps")
    if _take(words, "peak-burst"):
        number(words, 0, 2**32 - 1)
        _take(words, "bytes", "packets")


_MARKS: dict[str, tuple[int, int]] = {
    "set-prec-transmit": (0, 7),
    "set-cos-transmit": (0, 7),
    "set-discard-class-transmit": (0, 7),
    "set-qos-transmit": (0, 99),
    "set-mpls-exp-imposition-transmit": (0, 7),
    "set-mpls-exp-topmost-transmit": (0, 7),
}


def _colours(words: Words) -> None:
    while words:
        if _take(words, "conform-action", "exceed-action", "violate-action") is None:
            raise NotInModelError(f"{words[0]} is no colour")
        action = words.pop(0)
        if action == "set-dscp-transmit":
            _dscp(words)
        elif action in _MARKS:
            number(words, *_MARKS[action])
        elif action not in ("transmit", "drop", "set-clp-transmit", "set-frde-transmit"):
            raise NotInModelError(f"{action} is no action")


def _musts(words: Words) -> Iterable[str]:
    done: dict[str, set[str]] = {"conform": set(), "exceed": set(), "violate": set()}
    for place, word in enumerate(words[:-1]):
        if word.endswith("-action"):
            done[word.removesuffix("-action")].add(words[place + 1])
    for colour, actions in done.items():
        if {"transmit", "drop"} <= actions:
            yield f"conflicting transmit and drop actions for {colour}-action"
    if "drop" in done["conform"] and "transmit" in done["exceed"]:
        yield "conform-action action can not be drop when exceed-action action is transmit"
    if "transmit" in done["violate"] and done["exceed"] - {"transmit"}:
        yield "exceed-action should be transmit when violate-action is transmit"
    if {"set-dscp-transmit", "set-prec-transmit"} <= set().union(*done.values()):
        yield "two layer 3 markings (dscp and precedence) are not allowed"


def _priority(words: Words) -> None:
    if _take(words, "level"):
        number(words, 1, 2)
    if _take(words, "percent"):
        _percent(words)
    elif words:
        number(words, 1, 100_000_000)
    if words:
        number(words, 32, 2_000_000)


def _unit(words: Words) -> str:
    return " ".join(word for word in words[1:] if not word.isdigit())


def _bandwidth(words: Words) -> None:
    if _take(words, "remaining"):
        if _take(words, "ratio"):
            number(words, 1, 65536)
            return
        _must_take(words, "percent")
        _percent(words)
    elif _take(words, "percent"):
        _percent(words)
    else:
        number(words, 1, 100_000_000)


def _shape(words: Words) -> None:
    _must_take(words, "average")
    if _take(words, "percent"):
        _percent(words)
        for _ in range(2):
            if words:
                number(words, 10, 2000)
                _must_take(words, "ms")
        return
    number(words, 8000, 100_000_000_000)
    if words:
        number(words, 256, 154_400_000)
    if words:
        number(words, 0, 154_400_000)


def _fair_queue(words: Words) -> None:
    if words and number(words, 16, 4096) not in (16, 32, 64, 128, 256, 512, 1024, 2048, 4096):
        raise NotInModelError("dynamic-queues is a power of two")


def _queue_limit(words: Words) -> None:
    number(words, 1, 64_000_000)
    _take(words, "bytes", "ms", "packets", "us")


def _random_detect(words: Words) -> None:
    if not words or _take(words, "dscp-based", "precedence-based", "discard-class-based", "ecn", "aggregate"):
        return
    if _take(words, "exponential-weighting-constant"):
        number(words, 1, 16)
        return
    kind = words.pop(0)
    if kind == "dscp":
        _dscp(words)
    elif kind in ("precedence", "discard-class"):
        if _take(words, "rsvp") is None:
            number(words, 0, 7)
    else:
        raise NotInModelError(f"{kind} is no profile")
    for _ in range(2):
        number(words, 1, 512_000_000)
        _take(words, "bytes", "ms", "us")
    if words:
        number(words, 1, 65535)


def _set(words: Words) -> None:
    kind = words.pop(0)
    if kind in ("ip", "mpls"):
        kind = f"{kind} {words.pop(0)}"
    if kind == "mpls experimental":
        kind = f"{kind} {words.pop(0)}"
    ranges = {"cos": (0, 7), "discard-class": (0, 7), "qos-group": (0, 99), "ip precedence": (0, 7),
              "mpls experimental imposition": (0, 7), "mpls experimental topmost": (0, 7)}  # fmt: skip
    if kind in ("dscp", "ip dscp"):
        _dscp(words)
    elif kind in ranges:
        number(words, *ranges[kind])
    elif kind not in ("atm-clp", "fr-de"):
        raise NotInModelError(f"set {kind} is not in the model")


ACTIONS: dict[str, Callable[[Words], None]] = {
    "police": _police,
    "priority": _priority,
    "bandwidth": _bandwidth,
    "shape": _shape,
    "fair-queue": _fair_queue,
    "queue-limit": _queue_limit,
    "random-detect": _random_detect,
    "set": _set,
}
