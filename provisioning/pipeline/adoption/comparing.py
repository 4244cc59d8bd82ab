"""A hand-made policy beside one of the scheme's: by meaning, never by name (ios-facts section 1).

What belongs together is found by content: a class by what it matches, an access list by its family. Names are what
comes out.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise

from provisioning.pipeline.adoption.lists import compare_lists
from provisioning.pipeline.adoption.values import Finding, Weight
from provisioning.pipeline.intent import RouterIntent
from provisioning.pipeline.mqc import (
    CLASS_DEFAULT,
    AccessList,
    Action,
    ChildPolicy,
    ClassMap,
    Match,
    Police,
    PolicyClass,
    PolicyMap,
    RunningConfig,
    in_bps,
)
from provisioning.pipeline.mqc.referring import ACCESS_LIST, CLASS_MAP, POLICY_MAP, Key, MqcObject
from provisioning.pipeline.rendering import Renderer


@dataclass
class Comparison:
    """What differs, and which name stands for which of the scheme's (kind, BASE); `pairs` is by class.

    `unpaired` counts the classes of either side that have no counterpart.
    """

    findings: list[Finding] = field(default_factory=list)
    names: dict[Key, str] = field(default_factory=dict)
    pairs: dict[str, str] = field(default_factory=dict)
    unpaired: int = 0

    def add(self, weight: Weight, where: str, text: str) -> None:
        self.findings.append(Finding(weight, where, text))

    @property
    def weight(self) -> int:
        """How many differences are in the way."""
        return sum(finding.weight is Weight.DIFFERS for finding in self.findings)


class Comparer:
    """Compares what `config` holds with what `intended` wants; `bw_bps` is the BW of the place, in bit/s."""

    def __init__(
        self, config: RunningConfig, intended: RouterIntent, renderer: Renderer, bw_bps: int | None
    ) -> None:
        self._config = config
        self._wanted_maps = {entry.name: entry for entry in intended.class_maps}
        self._wanted_policies = {entry.name: entry for entry in intended.policy_maps}
        self._wanted_lists = {entry.name: entry for entry in intended.access_lists}
        self._renderer = renderer
        self._bw_bps = bw_bps

    def policies(self, held: PolicyMap, wanted: PolicyMap) -> Comparison:
        """Compare two policy-maps with everything they refer to."""
        found = Comparison(names={(POLICY_MAP, wanted.name): held.name})
        where = f"policy-map {held.name}"
        if held.description != wanted.description:
            found.add(Weight.SAME, where, f"carries the description {held.description!r}")
        for line in sorted(held.other_lines ^ wanted.other_lines):
            found.add(Weight.DIFFERS, where, f"`{line}` is {_only(line in held.other_lines)}")
        pairs = self._pairs(held, wanted)
        for mine, theirs in pairs:
            if mine is not None and theirs is not None:
                found.pairs[mine.name] = theirs.name
                self._entries(found, mine, theirs, wanted.name)
            elif mine is not None:
                found.add(Weight.DIFFERS, f"class {mine.name}", f"{wanted.name} has no such class")
            elif theirs is not None:
                said = self._said(theirs.name, wanted=True)
                found.add(Weight.DIFFERS, where, f"has no class for {theirs.name} of {wanted.name} ({said})")
        self._order(found, held, wanted, where)
        found.unpaired = sum(None in pair for pair in pairs)
        return found

    def same(self, held: MqcObject, wanted: MqcObject) -> bool:
        """Whether two class-maps or policy-maps mean the same, whatever is called how."""
        found = Comparison()
        if isinstance(held, PolicyMap) and isinstance(wanted, PolicyMap):
            found = self.policies(held, wanted)
        elif isinstance(held, ClassMap) and isinstance(wanted, ClassMap):
            self._class_maps(found, held.name, wanted.name)
        else:
            return False
        return not any(finding.weight is not Weight.SAME for finding in found.findings)

    def matches_of(self, name: str) -> tuple[str, ...]:
        """The match lines of a class of the router, as they are typed."""
        held = self._config.class_maps.get(name)
        if held is None:
            return () if name == CLASS_DEFAULT else (f"(class-map {name} does not exist)",)
        return tuple(sorted(self._renderer.match_line(match) for match in held.matches))

    def _said(self, name: str, *, wanted: bool) -> str:
        held = (self._wanted_maps if wanted else self._config.class_maps).get(name)
        if held is None:
            return "everything else" if name == CLASS_DEFAULT else "no such class-map"
        return " and ".join(sorted(self._renderer.match_line(match) for match in held.matches))

    def _pairs(
        self, held: PolicyMap, wanted: PolicyMap
    ) -> list[tuple[PolicyClass | None, PolicyClass | None]]:
        """Classes that take the same packets; then those left over, in their order, as the nearest there is."""
        mine, theirs = list(held.classes), list(wanted.classes)
        pairs: list[tuple[PolicyClass | None, PolicyClass | None]] = []
        for exactly in (True, False):
            for entry in list(theirs):
                fitting = [other for other in mine if self._fits(other, entry, exactly=exactly)]
                if fitting:
                    pairs.append((fitting[0], entry))
                    mine.remove(fitting[0])
                    theirs.remove(entry)
        return [*pairs, *((entry, None) for entry in mine), *((None, entry) for entry in theirs)]

    def _fits(self, held: PolicyClass, wanted: PolicyClass, *, exactly: bool) -> bool:
        if CLASS_DEFAULT in (held.name, wanted.name):
            return held.name == wanted.name
        if not exactly:
            return True
        trial = Comparison()
        self._class_maps(trial, held.name, wanted.name)
        return not trial.weight

    def _order(self, found: Comparison, held: PolicyMap, wanted: PolicyMap, where: str) -> None:
        places = {entry.name: at for at, entry in enumerate(wanted.classes)}
        paired = [entry.name for entry in held.classes if entry.name in found.pairs]
        for first, second in pairwise(paired):
            if places[found.pairs[first]] > places[found.pairs[second]]:
                found.add(
                    Weight.DIFFERS,
                    where,
                    f"tries class {first} before class {second}; {wanted.name} tries "
                    f"{found.pairs[second]} before {found.pairs[first]}, and the first match wins",
                )

    def _entries(self, found: Comparison, held: PolicyClass, wanted: PolicyClass, policy: str) -> None:
        if CLASS_DEFAULT not in (held.name, wanted.name):
            found.names[(CLASS_MAP, wanted.name)] = held.name
            self._class_maps(found, held.name, wanted.name)
        where = f"class {held.name}"
        missing, extra = set(wanted.actions - held.actions), set(held.actions - wanted.actions)
        if held.police in extra and wanted.police in missing:
            assert held.police is not None
            assert wanted.police is not None
            self._policers(found, where, held.police, wanted.police, policy)
            extra.discard(held.police)
            missing.discard(wanted.police)
        if held.child is not None and wanted.child is not None:
            self._children(found, where, held.child, wanted.child)
            extra.discard(ChildPolicy(held.child))
            missing.discard(ChildPolicy(wanted.child))
        for action in sorted(extra, key=self._text):
            found.add(Weight.DIFFERS, where, f"has `{self._text(action)}`, {policy} has not")
        for action in sorted(missing, key=self._text):
            found.add(Weight.DIFFERS, where, f"lacks `{self._text(action)}` of {policy}")

    def _children(self, found: Comparison, where: str, held_name: str, wanted_name: str) -> None:
        """Compare the policies inside a class; their names count, their classes are their own."""
        held, wanted = self._config.policy_maps.get(held_name), self._wanted_policies.get(wanted_name)
        if held is None or wanted is None:
            found.add(Weight.DIFFERS, where, f"has `service-policy {held_name}`, which does not exist")
            return
        inside = self.policies(held, wanted)
        found.findings += inside.findings
        found.names.update(inside.names)

    def _policers(self, found: Comparison, where: str, held: Police, wanted: Police, policy: str) -> None:
        texts = f"`{self._text(held)}`, {policy} has `{self._text(wanted)}`"
        if dataclasses.replace(held, rate=wanted.rate) != wanted:
            found.add(Weight.DIFFERS, where, f"has {texts}")
            return
        mine, theirs = in_bps(held.rate, self._bw_bps), in_bps(wanted.rate, self._bw_bps)
        if type(held.rate) is not type(wanted.rate) and mine is not None and mine == theirs:
            found.add(
                Weight.TODAY,
                where,
                f"has {texts}: {mine} bit/s either way while BW is {self._bw_bps} bit/s",
            )
            return
        rates = "" if mine is None or theirs is None else f": {mine} bit/s, not {theirs} bit/s"
        found.add(Weight.DIFFERS, where, f"has {texts}{rates}")

    def _text(self, action: Action) -> str:
        return " ".join(line.strip() for line in self._renderer.action_lines(action))

    def _class_maps(self, found: Comparison, held_name: str, wanted_name: str) -> None:
        held, wanted = self._config.class_maps.get(held_name), self._wanted_maps.get(wanted_name)
        where = f"class-map {held_name}"
        if held is None or wanted is None:
            if held is not wanted:
                found.add(Weight.DIFFERS, where, "does not exist")
            return
        if held.description != wanted.description:
            found.add(Weight.SAME, where, f"carries the description {held.description!r}")
        for line in sorted(held.other_lines ^ wanted.other_lines):
            found.add(Weight.DIFFERS, where, f"`{line}` is {_only(line in held.other_lines)}")
        mine, theirs = self._plain_matches(held), self._plain_matches(wanted)
        for match in sorted(mine - theirs, key=self._renderer.match_line):
            found.add(
                Weight.DIFFERS, where, f"has `{self._renderer.match_line(match)}`, {wanted_name} has not"
            )
        for match in sorted(theirs - mine, key=self._renderer.match_line):
            found.add(Weight.DIFFERS, where, f"lacks `{self._renderer.match_line(match)}` of {wanted_name}")
        if held.mode != wanted.mode:
            alone = len(held.matches) == len(wanted.matches) == 1
            weight = Weight.SAME if alone and held.mode != "match-none" else Weight.DIFFERS
            found.add(weight, where, f"is {held.mode}, {wanted_name} is {wanted.mode}")
        self._lists(found, held, wanted, where)

    @staticmethod
    def _plain_matches(class_map: ClassMap) -> frozenset[Match]:
        """The matches that name no plain access list; those are compared by what is in the list."""
        return frozenset(match for match in class_map.matches if not _names_a_list(match))

    def _lists(self, found: Comparison, held: ClassMap, wanted: ClassMap, where: str) -> None:
        mine = [name for match in held.matches if _names_a_list(match) for name in map(str, match.values)]
        theirs = [name for match in wanted.matches if _names_a_list(match) for name in map(str, match.values)]
        by_family: dict[int, list[AccessList]] = {}
        for name in sorted(mine):
            listed = self._list(name)
            if listed is None:
                found.add(Weight.DIFFERS, where, f"refers to access list {name}, which does not exist")
            else:
                by_family.setdefault(listed.family, []).append(listed)
        for name in sorted(theirs):
            base = self._wanted_lists.get(name)
            if base is None:
                found.add(Weight.DIFFERS, where, f"refers to no list that is {name}")
                continue
            candidates = by_family.pop(base.family, [])
            if len(candidates) == 1:
                found.names[(ACCESS_LIST, name)] = candidates[0].name
                for finding in compare_lists(candidates[0], base):
                    found.findings.append(finding)
            elif candidates:
                said = ", ".join(entry.name for entry in candidates)
                found.add(Weight.DIFFERS, where, f"refers to several IPv{base.family} lists ({said})")
            else:
                found.add(Weight.DIFFERS, where, f"refers to no IPv{base.family} list, as {name} is one")
        for family, entries in sorted(by_family.items()):
            for entry in entries:
                found.add(
                    Weight.DIFFERS,
                    where,
                    f"refers to the IPv{family} list {entry.name}, {wanted.name} to none",
                )

    def _list(self, name: str) -> AccessList | None:
        if f"ipv6 {name}" in self._config.access_lists:
            return None  # one name for two lists: which is meant cannot be said
        return self._config.access_lists.get(name)


def lists_of(config: RunningConfig, policy: PolicyMap) -> Iterator[tuple[AccessList, PolicyClass]]:
    """Yield every access list that a class of the policy refers to, each once, where it exists; and that class."""
    seen: set[str] = set()
    for entry in policy.classes:
        held = config.class_maps.get(entry.name)
        for name in sorted(() if held is None else held.access_lists):
            listed = config.access_lists.get(name)
            if listed is not None and name not in seen:
                seen.add(name)
                yield listed, entry


def _names_a_list(match: Match) -> bool:
    return match.kind == "access-group" and not match.negated and len(match.values) == 1


def _only(held: bool) -> str:
    return "only on the router" if held else "not on the router"
