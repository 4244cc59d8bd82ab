"""Is this the router of the inventory? What it says it is, held against what is recorded: chassis, train, serial, line cards.

A platform of the inventory is a family (``cisco-12400``), the router names its chassis (``12416/PRP``), so the two are
compared as what they come to: the profile by which lines are made and judged. Only what changes that, or is other
hardware, contradicts; a rebuild of the same train is a remark.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from provisioning.errors import InvalidInput
from provisioning.pipeline.platforms.gates import GATES
from provisioning.pipeline.platforms.profiles import Profile
from provisioning.pipeline.platforms.registry import platform_name, profile
from provisioning.pipeline.platforms.release import Release

_SPELLING: Final = ("release", "model", "kind")


@dataclass(frozen=True, slots=True)
class Identity:
    """Who a router is: ``platform`` is a family or a chassis, ``ios`` a release; what is not known is empty."""

    platform: str
    ios: str
    serial: str = ""


@dataclass(frozen=True, slots=True)
class Compared:
    """``contradictions`` are sentences that each name both values: another router, or one whose lines are spelled otherwise.
    ``remarks`` keep nothing from being done.
    """

    contradictions: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()


def compare(recorded: Identity, said: Identity) -> Compared:
    """Hold what a router says (``show version``) against the inventory; what either does not say contradicts nothing."""
    against: list[str] = []
    remarks: list[str] = []
    if not same_serial(recorded.serial, said.serial):
        against.append(f"it says serial {said.serial}, the inventory has {recorded.serial}")
    elif recorded.serial and not said.serial:
        remarks.append(f"it shows no serial; the inventory has {recorded.serial}")
    if not said.platform:
        remarks.append(f"it does not say its chassis; the inventory has {recorded.platform}")
    elif _family(said.platform) != _family(recorded.platform) or _other_model(recorded, said):
        against.append(f"it says it is a {said.platform}, the inventory has {recorded.platform}")
        return Compared(tuple(against), tuple(remarks))
    if not said.ios:
        remarks.append(f"it does not say its release; the inventory has {recorded.ios}")
    elif recorded.ios and not _alike(recorded.ios, said.ios):
        differing = _changes(recorded, said)
        sentence = f"it runs {said.ios}, the inventory has {recorded.ios}"
        if differing:
            against.append(f"{sentence}, and lines are made otherwise for that: {', '.join(differing)}")
        else:
            remarks.append(f"{sentence}: lines are made alike for both")
    return Compared(tuple(against), tuple(remarks))


def same_serial(recorded: str, said: str) -> bool:
    """Whether two serials may be of one chassis: equal but for case, or one of them not known."""
    return not recorded or not said or recorded.strip().upper() == said.strip().upper()


def compare_cards(recorded: Mapping[int, str], shown: Mapping[int, str]) -> Compared:
    """Hold the engines of ``show diag`` (slot -> engine, ios-facts 2.2) against the inventory's.

    Another engine contradicts: it decides what a card can do. A slot that shows none is a remark, as is a plus (``4+``)
    that only one of them has: whether the text of a router carries it is not known.
    """
    against: list[str] = []
    remarks: list[str] = []
    for slot, engine in sorted(recorded.items()):
        found = shown.get(slot)
        if found is None:
            remarks.append(f"slot {slot} shows no line card; the inventory has one of Engine {engine}")
        elif found != engine:
            sentence = f"slot {slot} holds a card of Engine {found}, the inventory has Engine {engine}"
            (remarks if found.rstrip("+") == engine.rstrip("+") else against).append(sentence)
    return Compared(tuple(against), tuple(remarks))


def _family(platform: str) -> str:
    """The profile's name of a family or chassis; the word itself where no profile is known for it."""
    word = platform.split("/")[0].strip()
    try:
        return platform_name(word)
    except InvalidInput:
        return word.lower()


def _other_model(recorded: Identity, said: Identity) -> bool:
    """Whether both name a model of which rules differ; a family (``cisco-iosxe``) names none."""
    one, other = _profile(recorded, recorded.ios), _profile(said, recorded.ios)
    return bool(one and other and one.model and other.model and one.model != other.model)


def _changes(recorded: Identity, said: Identity) -> list[str]:
    """What of the profile is otherwise with the release that the router says, in words."""
    one, other = _profile(recorded, recorded.ios), _profile(recorded, said.ios)
    if one is not None and other is not None and _is_number_only(one.release, other.release):
        return []  # adopted from a text that says `version 12.3` of every 12.3
    if one is None:
        return []  # what the inventory says comes to nothing: that is said where lines would be made
    if other is None:
        try:
            Release.parse(said.ios)
        except InvalidInput:
            return []  # a release nobody can read is no other one
        return ["it does not run on this platform"]
    found = [
        name.replace("_", " ")
        for name in Profile.__dataclass_fields__
        if name not in _SPELLING and getattr(one, name) != getattr(other, name)
    ]
    gated = [
        f"`{feature}`"
        for feature, gate in GATES.items()
        if gate.passed(one.release) is not gate.passed(other.release)
    ]
    train = [] if one.release.family == other.release.family else ["train"]
    return [*train, *gated, *found]


def _alike(recorded: str, said: str) -> bool:
    """Whether two texts are one release: ``17.6.1`` and ``17.06.01``."""
    try:
        return recorded == said or Release.parse(recorded) == Release.parse(said)
    except InvalidInput:
        return False


def _is_number_only(recorded: Release, said: Release) -> bool:
    return recorded == Release(*recorded.number) and recorded.number == said.number


def _profile(identity: Identity, ios: str) -> Profile | None:
    try:
        return profile(identity.platform.split("/")[0].strip(), ios)
    except InvalidInput:
        return None
