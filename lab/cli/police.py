"""``police`` in every typed form, and its own mode where the train has one (ios-facts 1.2, 3.2, N14-N19)."""

# ruff: noqa: ARG002 - all handlers have one signature
from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from lab.cursor import Cursor
from lab.errors import IncompleteCommand, Refusal
from lab.mode import Handler, Login, Mode
from lab.store import Police

MINIMUM_BPS = 8000  # ios-facts 1.4
MAXIMUM_BPS = 2_000_000_000
_PLAIN = ("transmit", "drop", "set-clp-transmit")
_VALUED: dict[str, tuple[int, int]] = {
    "set-prec-transmit": (0, 7),
    "set-mpls-exp-transmit": (0, 7),
    "set-mpls-exp-imposition-transmit": (0, 7),
    "set-qos-transmit": (0, 99),
    "set-cos-transmit": (0, 7),
    "set-discard-class-transmit": (0, 7),
}
_WHEN = ("conform-action", "exceed-action", "violate-action")


class PoliceMode(Mode):
    """``config-pmap-c-police``: one action per line."""

    prompt = "config-pmap-c-police"

    def __init__(self, change: Callable[[Login, Callable[[Police], Police]], str]) -> None:
        self.change = change

    def commands(self, session: Login) -> Mapping[str, Handler]:
        return {word: self._handler(word) for word in _WHEN}

    def _handler(self, word: str) -> Handler:
        name = word.removesuffix("-action")

        def handle(session: Login, cursor: Cursor, no: bool) -> str:
            if no:
                cursor.rest()
                return self.change(session, lambda police: replace(police, **{name: None}))
            action = read_action(cursor)
            cursor.end()

            def add(police: Police) -> Police:
                present: tuple[str, ...] = getattr(police, name) or ()
                # 12.2(8)T: several actions for one colour (ios-facts 2.1); transmit and drop stand alone
                alone = action in _PLAIN or bool(set(present) & set(_PLAIN))
                actions = (action,) if alone else tuple(dict.fromkeys((*present, action)))
                return replace(police, **{name: actions})

            return self.change(session, add)

        return handle


def read_action(cursor: Cursor) -> str:
    """One policer action, canonical: ``transmit``, ``set-dscp-transmit 0`` (DSCP as a number)."""
    word = cursor.keyword(*_PLAIN, "set-dscp-transmit", *_VALUED)
    if word in _PLAIN:
        return word
    if word == "set-dscp-transmit":
        return f"{word} {cursor.dscp()}"
    return f"{word} {cursor.number(*_VALUED[word])}"


def read_police(session: Login, cursor: Cursor) -> Police:
    """The rest of a ``police`` line; raises Refusal for a rate the platform cannot hold."""
    train = session.train
    forms = ["rate"]
    if (
        train.police_percent
    ):  # ios-facts 2.1: 12.0(27)S knows `police bps burst burst` and `police rate bps` only
        forms += ["cir", "percent"]
    police = _rate(cursor, forms, train.release.is_xe)
    police = _bursts(cursor, police)
    if (
        train.release.is_xe
        and not police.percent
        and any(0 < (each or 1000) < 1000 for each in (police.bc, police.be))
    ):
        raise cursor.invalid()  # Cisco-IOS-XE-policy: police-burst-type is 1000..512000000
    found: dict[str, tuple[str, ...]] = {}
    while cursor.more:
        name = cursor.keyword(*(word for word in _WHEN if word.removesuffix("-action") not in found))
        actions = [read_action(cursor)]
        found[name.removesuffix("-action")] = tuple(actions)
    police = replace(police, **found)
    if train.release.is_xe:
        refuse_contradiction(police)
    return police


def refuse_contradiction(police: Police) -> None:
    """What IOS-XE does not let stand beside each other (Cisco-IOS-XE-policy, the must statements of police)."""
    conform, exceed, violate = police.conform or (), police.exceed or (), police.violate or ()
    if "drop" in conform and "transmit" in exceed:
        raise Refusal("conform-action action can not be drop when exceed-action action is transmit")
    if "transmit" in violate and police.exceed != ("transmit",):
        raise Refusal("exceed-action should be transmit when violate-action is transmit")
    marks = {action.split(" ")[0] for action in (*conform, *exceed, *violate)}
    if {"set-dscp-transmit", "set-prec-transmit"} <= marks:
        raise Refusal("Two layer 3 markings (dscp and precedence) are not allowed")


def _rate(cursor: Cursor, forms: list[str], xe: bool) -> Police:
    ceiling = 100_000_000_000 if xe else MAXIMUM_BPS
    if cursor.next_is_number:
        return Police("", False, cursor.number(MINIMUM_BPS, ceiling))
    spelling = cursor.keyword(*forms)
    if spelling == "percent":
        return Police("percent", True, cursor.number(1, 100))
    if not cursor.next_is_number and "cir" in forms:
        cursor.keyword("percent")
        return Police(spelling, True, cursor.number(1, 100))
    police = Police(spelling, False, cursor.number(MINIMUM_BPS, ceiling))
    if spelling == "rate":
        cursor.maybe("bps")
    return police


def _bursts(cursor: Cursor, police: Police) -> Police:
    if cursor.next_is_number:  # police 10000000 312500 312500: bytes; police cir percent 5 100 ms
        police = _burst(cursor, police, "bc")
        if cursor.next_is_number:
            police = _burst(cursor, police, "be")
        return police
    words = ("burst", "peak-rate", "peak-burst") if police.spelling == "rate" else ("bc", "be", "pir")
    names = {"burst": "bc", "peak-burst": "be"}
    while (word := cursor.maybe(*words)) is not None:
        if word in ("pir", "peak-rate"):
            if police.percent:
                cursor.keyword("percent")
                police = replace(police, pir=cursor.number(police.rate, 100))
            else:
                police = replace(police, pir=cursor.number(police.rate, 64_000_000_000))
                cursor.maybe("bps")
        else:
            police = _burst(cursor, police, names.get(word, word))
    return police


def _burst(cursor: Cursor, police: Police, name: str) -> Police:
    value = cursor.number(1, 512_000_000)
    milliseconds = police.percent and cursor.maybe("ms") is not None
    if not police.percent and police.spelling == "rate":
        cursor.maybe("bytes")
    if police.percent and not milliseconds:
        # bursts of a percent policer are times (ios-facts N18)
        if cursor.more:
            raise cursor.invalid()
        raise IncompleteCommand
    if milliseconds and not 1 <= value <= 2000:
        raise Refusal("% burst must be 1-2000 ms")
    return replace(police, **{name: value, f"{name}_ms": milliseconds})


def adjusted(police: Police) -> tuple[Police, str]:
    """A conform burst below 2 ms of the rate (or 1000 bytes) is raised, with a notice (ios-facts 3.3)."""
    if police.percent or police.bc is None or police.bc_ms:
        return police, ""
    least = max(1000, police.rate // 4000)
    if police.bc >= least:
        return police, ""
    return replace(police, bc=least), f"Conform burst size increased to {least}\n"
