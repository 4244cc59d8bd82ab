"""``class`` in a policy-map: police, priority, bandwidth, shape, WRED, set, child policy (ios-facts 2.2, 2.3, 2.6)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from lab.cli.class_map import NAME_LENGTH
from lab.cli.police import PoliceMode, adjusted, read_police
from lab.cli.policy_edit import edit_policy
from lab.cursor import Cursor
from lab.errors import IncompleteCommand, Refusal
from lab.mode import Handler, Login, Mode
from lab.store import Action, Police, PolicyMap, RandomDetect, Shape, Share
from lab.trains import Train

Actions = dict[str, Action]


class PolicyClassMode(Mode):
    """``config-pmap-c``."""

    prompt = "config-pmap-c"

    def __init__(self, policy: str, name: str) -> None:
        self.policy = policy
        self.name = name

    def commands(self, session: Login) -> Mapping[str, Handler]:
        table: dict[str, Handler] = {
            "police": self._police,
            "priority": self._priority,
            "bandwidth": self._bandwidth,
            "shape": self._shape,
            "random-detect": self._random_detect,
            "queue-limit": self._queue_limit,
            "set": self._set,
            "service-policy": self._child,
        }
        if not session.train.is_12000:
            table["fair-queue"] = self._fair_queue  # ios-facts 2.2: no WFQ on the 12000
        return table

    def edit(self, session: Login, change: Callable[[Actions], None]) -> str:
        """Change the actions of this class in a copy of its policy-map; the device judges the result."""

        def apply(draft: PolicyMap) -> None:
            entry = draft.find(self.name)
            if entry is None:
                raise Refusal(f"% class {self.name} not configured in policy {self.policy}")
            change(entry.actions)

        return edit_policy(session, self.policy, apply)

    def _put(self, session: Login, word: str, action: Action) -> str:
        return self.edit(session, lambda actions: actions.__setitem__(word, action))

    def _drop(self, session: Login, word: str) -> str:
        return self.edit(session, lambda actions: _pop(actions, word))

    def _police(self, session: Login, cursor: Cursor, no: bool) -> str:
        if no:
            cursor.rest()
            return self._drop(session, "police")
        police, notice = adjusted(read_police(session, cursor))
        text = notice + self._put(session, "police", police)
        if session.train.police_mode:
            session.stack.append(PoliceMode(self._change_police))
        return text

    def _change_police(self, session: Login, change: Callable[[Police], Police]) -> str:
        def apply(actions: Actions) -> None:
            present = actions.get("police")
            if not isinstance(present, Police):
                raise Refusal(f"% police not configured in class {self.name}")
            actions["police"] = change(present)

        return self.edit(session, apply)

    def _priority(self, session: Login, cursor: Cursor, no: bool) -> str:
        if no:
            cursor.rest()
            return self._drop(session, "priority")
        train = session.train
        if not cursor.more:
            if train.bare_priority == "incomplete":
                raise IncompleteCommand  # ios-facts 2.3, U5
            if train.bare_priority == "refused":
                raise Refusal("priority: bandwidth must be specified on this platform")
            return self._put(session, "priority", Share("strict"))
        if cursor.next_is_number:
            share = Share("kbps", _kbps(cursor, train))
        else:
            words = (["percent"] if train.priority_percent else []) + (["level"] if train.hqf else [])
            unit = cursor.keyword(*words) if words else _no_word(cursor)
            share = Share(unit, cursor.number(1, 2 if unit == "level" else 100))
            if unit == "level" and cursor.more:
                share = _limited(cursor, train, share.value)
        if cursor.more and share.unit != "level":
            share = replace(share, burst=cursor.number(32, 2_000_000))
        cursor.end()
        return self._put(session, "priority", share)

    def _bandwidth(self, session: Login, cursor: Cursor, no: bool) -> str:
        if no:
            cursor.rest()
            return self._drop(session, "bandwidth")
        train = session.train
        if cursor.next_is_number:
            share = Share("kbps", cursor.number(1, 100_000_000 if train.release.is_xe else 2_000_000))
        else:
            unit = cursor.keyword("percent", "remaining")
            if unit == "remaining":
                unit = f"remaining {cursor.keyword(*(('percent', 'ratio') if train.hqf else ('percent',)))}"
            share = Share(unit, cursor.number(1, 65536 if unit.endswith("ratio") else 100))
        cursor.end()
        return self._put(session, "bandwidth", share)

    def _shape(self, session: Login, cursor: Cursor, no: bool) -> str:
        if no:
            cursor.rest()
            return self._drop(session, "shape")
        mode = cursor.keyword("average", "peak")
        if cursor.maybe("percent"):
            shape = Shape(mode, cursor.number(1, 100), percent=True)
        else:
            shape = Shape(mode, cursor.number(8000, 10**11 if session.train.release.is_xe else 10**10))
        for name in ("bc", "be"):
            if cursor.more:
                least = 10 if shape.percent else 0 if name == "be" else 256
                shape = replace(shape, **{name: cursor.number(least, 2000 if shape.percent else 154_400_000)})
                if shape.percent:
                    cursor.keyword("ms")
        cursor.end()
        return self._put(session, "shape", shape)

    def _random_detect(self, session: Login, cursor: Cursor, no: bool) -> str:
        if no and not cursor.more:
            return self._drop(session, "random-detect")
        special = _wred_option(cursor)
        if special is not None:
            name, value = special
            default = RandomDetect("precedence")
            return self.edit(
                session, lambda actions: _set_wred(actions, name, getattr(default, name) if no else value)
            )
        basis, threshold = _read_wred(cursor)
        if no:
            if threshold is None:
                return self._drop(session, "random-detect")
            point = threshold[0]
            return self.edit(session, lambda actions: _forget_threshold(actions, point))
        train = session.train

        def apply(actions: Actions) -> None:
            present = actions.get("random-detect")
            if not (train.is_12000 or train.hqf) and not {"bandwidth", "fair-queue", "shape"} & set(actions):
                # ios-facts 2.3: pre-HQF WRED stands on fair-queue or bandwidth
                raise Refusal("Must configure bandwidth or fair-queue before random-detect")
            if (
                train.hqf
                and self.name != "class-default"
                and not {"bandwidth", "shape", "fair-queue", "priority"} & set(actions)
            ):
                raise Refusal("Must configure bandwidth or shape before random-detect")
            thresholds = present.thresholds if isinstance(present, RandomDetect) else ()
            if isinstance(present, RandomDetect) and present.basis != basis and thresholds:
                # ios-facts 2.2: not both bases in one class
                raise Refusal(f"Must remove {present.basis}-based random-detect first")
            if threshold is not None:
                thresholds = tuple(
                    sorted({**{t[0]: t for t in thresholds}, threshold[0]: threshold}.values())
                )
            held = present if isinstance(present, RandomDetect) else RandomDetect(basis)
            # ios-facts N23: the basis is implied
            actions["random-detect"] = replace(held, basis=basis, thresholds=thresholds)

        return self.edit(session, apply)

    def _queue_limit(self, session: Login, cursor: Cursor, no: bool) -> str:
        if no:
            cursor.rest()
            return self._drop(session, "queue-limit")
        limit = cursor.number(1, 64_000_000 if session.train.release.is_xe else 8_192_000)
        unit = "packets"
        if cursor.more:
            unit = cursor.keyword(*(("packets", "bytes", "ms", "us") if session.train.hqf else ("packets",)))
        cursor.end()
        limit_of: Action = limit if unit == "packets" else f"{limit} {unit}"

        def apply(actions: Actions) -> None:
            owns = self.name == "class-default" or {"bandwidth", "shape", "priority"} & set(actions)
            if session.train.release.is_xe and not owns:
                raise Refusal("queue-limit not allowed without bandwidth shape or priority command")
            actions["queue-limit"] = limit_of

        return self.edit(session, apply)

    def _fair_queue(self, session: Login, cursor: Cursor, no: bool) -> str:
        if no:
            cursor.rest()
            return self._drop(session, "fair-queue")
        queues = cursor.number(16, 4096) if cursor.more else 0
        if queues & (queues - 1):  # a power of two
            cursor.at -= 1
            raise cursor.invalid()
        cursor.end()
        if self.name != "class-default" and not session.train.hqf:
            raise Refusal("fair-queue can only be configured in class-default")
        return self._put(session, "fair-queue", queues)

    def _set(self, session: Login, cursor: Cursor, no: bool) -> str:
        kinds = ["ip", "precedence", "mpls", "cos", "qos-group", "discard-class", "atm-clp", "fr-de"]
        if session.train.match_dscp:
            kinds.append("dscp")
        kind = cursor.keyword(*kinds)
        if kind == "ip":
            kind = "ip " + cursor.keyword("dscp", "precedence")
        if kind == "mpls":
            cursor.keyword("experimental")
            kind = "mpls experimental " + (cursor.maybe("imposition", "topmost") or "imposition")
        if no:
            cursor.rest()
            return self._drop(session, f"set {kind}")
        value: Action
        if kind.endswith("dscp"):
            value = cursor.dscp()
        elif kind.endswith("precedence"):
            value = cursor.precedence()
        elif kind in ("atm-clp", "fr-de"):
            value = ""
        else:
            value = cursor.number(0, 99 if kind == "qos-group" else 7)
        cursor.end()
        return self._put(session, f"set {kind}", value)

    def _child(self, session: Login, cursor: Cursor, no: bool) -> str:
        name = cursor.word(NAME_LENGTH) if cursor.more or not no else ""
        cursor.end()
        if no:
            return self._drop(session, "service-policy")
        if name not in session.config.policy_maps:
            raise Refusal(f"% policy map {name} not configured")
        if self.policy in _descendants(session, name):
            raise Refusal("% Recursive service-policy is not supported")
        return self._put(session, "service-policy", name)


def _descendants(session: Login, name: str) -> set[str]:
    found = {name}
    for entry in session.config.policy_maps[name].classes:
        child = entry.actions.get("service-policy")
        if isinstance(child, str) and child not in found:
            found |= _descendants(session, child)
    return found


def _pop(actions: Actions, word: str) -> None:
    actions.pop(word, None)


def _no_word(cursor: Cursor) -> str:
    raise cursor.invalid()


def _forget_threshold(actions: Actions, point: int) -> None:
    present = actions.get("random-detect")
    if isinstance(present, RandomDetect):
        kept = tuple(item for item in present.thresholds if item[0] != point)
        actions["random-detect"] = replace(present, thresholds=kept)


def _kbps(cursor: Cursor, train: Train) -> int:
    """The rate of a priority: Cisco-IOS-XE-policy has 1..100000000, older trains less."""
    return cursor.number(1, 100_000_000) if train.release.is_xe else cursor.number(8, 2_000_000)


def _limited(cursor: Cursor, train: Train, level: int) -> Share:
    """``priority level 1 percent 20`` and ``priority level 1 20000``."""
    if cursor.maybe("percent"):
        return Share("percent", cursor.number(1, 100), level=level)
    return Share("kbps", _kbps(cursor, train), level=level)


def _wred_option(cursor: Cursor) -> tuple[str, int | bool] | None:
    """``exponential-weighting-constant N`` and ``ecn``; None for every other form."""
    word = cursor.maybe("exponential-weighting-constant", "ecn")
    if word is None:
        return None
    if word == "ecn":
        cursor.end()
        return "ecn", True
    value = cursor.number(1, 16) if cursor.more else 9
    cursor.end()
    return "weight", value


def _set_wred(actions: Actions, name: str, value: int | bool) -> None:
    present = actions.get("random-detect")
    if not isinstance(present, RandomDetect):
        raise Refusal("Must configure random-detect first")
    actions["random-detect"] = replace(present, **{name: value})  # type: ignore[arg-type]


def _read_wred(cursor: Cursor) -> tuple[str, tuple[int, int, int, int | None, str] | None]:
    """``random-detect [dscp-based | prec-based | dscp V MIN MAX [MARK] | precedence V ...]`` (ios-facts N22, N23)."""
    if not cursor.more:
        return "precedence", None
    word = cursor.keyword(
        "dscp-based",
        "prec-based",
        "precedence-based",
        "discard-class-based",
        "dscp",
        "precedence",
        "discard-class",
    )
    if word.endswith("-based"):
        cursor.end()
        return {"prec-based": "precedence"}.get(word, word.removesuffix("-based")), None
    point = {"dscp": cursor.dscp, "precedence": cursor.precedence}.get(word, lambda: cursor.number(0, 7))()
    if not cursor.more:
        return word, (point, 0, 0, None, "")
    low = cursor.number(1, 512_000_000)
    unit = cursor.maybe("packets", "bytes", "cells", "ms", "us") or ""
    high = cursor.number(low, 512_000_000)
    if unit:
        cursor.keyword(unit)
    mark = cursor.number(1, 65535) if cursor.more else None
    cursor.end()
    return word, (point, low, high, mark, unit)
