"""Every line of a text that somebody intends, understood to its last word before anything is made of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import Final, NamedTuple

from provisioning.errors import ParseFailure
from provisioning.pipeline.ios.access_lists import AccessListSection, list_header
from provisioning.pipeline.ios.class_maps import ClassMapSection
from provisioning.pipeline.ios.grammar.actions import FIRST_WORDS, check_action
from provisioning.pipeline.ios.grammar.entries import check_entry
from provisioning.pipeline.ios.grammar.interface_lines import check_interface_line, is_of_another
from provisioning.pipeline.ios.grammar.matches import check_class_header, check_class_line
from provisioning.pipeline.ios.grammar.policers import COLOURS, check_colour, check_police
from provisioning.pipeline.ios.grammar.ranges import Ranges
from provisioning.pipeline.ios.grammar.tokens import Tokens
from provisioning.pipeline.ios.interfaces import InterfaceSection
from provisioning.pipeline.ios.policy_maps import PolicyMapSection
from provisioning.pipeline.ios.sections import Line, Section
from provisioning.pipeline.mqc.policies import TIES
from provisioning.pipeline.mqc.referring import CLASS_MAP, POLICY_MAP, Key
from provisioning.pipeline.platforms import Profile

_HEADERS: Final = ("class-map", "policy-map", "interface", "access-list")
_OF_LISTS: Final = frozenset({"resequence", "logging", "log-update", "helper", "role-based", "fqdn"})
"""Behind `ip access-list` and `ipv6 access-list`: settings, no list."""
_NEAR: Final = 0.85


class Use(NamedTuple):
    """Where one object says the name of another: the key of that one, line and column."""

    used: Key
    line: int
    column: int


class Understanding:
    """Holds lines against the grammar, in the mode in which the parser reads them.

    ``of_a_router`` when the text is a whole running-config. ``uses`` gathers who says whose name where: class-maps and
    policy-maps that refer to others of their kind.
    """

    def __init__(self, profile: Profile | None, *, of_a_router: bool) -> None:
        self.ranges = Ranges(profile)
        self._of_a_router = of_a_router
        self.uses: dict[Key, list[Use]] = {}
        self._class: str | None = None
        self._policer = False

    def header(self, line: Line, words: list[str]) -> None:
        """A line at the top level, before anything is opened; raises ParseFailure."""
        tokens = _tokens(line)
        self._class, self._policer = None, False
        first = line.first
        if first in ("class-map", "policy-map") and words[1:2] == ["type"]:
            return
        if first == "class-map":
            check_class_header(tokens)
        elif first == "policy-map":
            tokens.take("policy-map")
            tokens.name("a policy-map")
            tokens.end()
        elif first == "access-list" or (first in ("ip", "ipv6") and words[1:2] == ["access-list"]):
            self._list(tokens, words)
        elif self._of_a_router and first not in _HEADERS and get_close_matches(first, _HEADERS, 1, _NEAR):
            near = get_close_matches(first, _HEADERS, 1, _NEAR)[0]
            tokens.refuse(f"`{first}` is not understood: is `{near}` meant?")

    def line(self, section: Section, line: Line) -> None:
        """A line of an open section, before the section reads it; raises ParseFailure."""
        match section:
            case InterfaceSection() if not is_of_another(line.first):
                check_interface_line(_tokens(line), of_a_router=self._of_a_router)
                if line.first == "service-policy":
                    self._one_policy(section, line)
            case ClassMapSection():
                self._class_line(section.name, line)
            case PolicyMapSection():
                self._policy_line(section.name, line)
            case AccessListSection() if line.text != "exit":
                check_entry(_tokens(line), section.entries.family, standard=section.entries.standard)

    def _one_policy(self, section: InterfaceSection, line: Line) -> None:
        """Raises ParseFailure where another policy is bound at that place: a router refuses the second."""
        words = line.text.split()
        if len(words) != 3 or words[1] not in ("input", "output"):
            return
        there = section.bound_where(line, words[1])
        if there is not None and there.policy != words[2]:
            tokens = _tokens(line)
            place = there.interface if there.pvc is None else f"{there.interface} pvc {there.pvc}"
            tokens.refuse(
                f"{place} has {there.policy} bound {words[1]} already: a place has one policy in each direction",
                at=2,
            )

    def _list(self, tokens: Tokens, words: list[str]) -> None:
        """The header of a list, or a list in one line."""
        family = tokens.keyword({"ip", "ipv6", "access-list"})
        if family == "access-list":
            if tokens.next_is_number and list_header([*words, ""][:3]) is None:
                return  # of another protocol: the parser says so
            tokens.number(1, 2699, "the number of an access list")
            found = list_header(words)
            if found is None:
                tokens.missing("`permit` or `deny`")
            if tokens.maybe("dynamic-extended"):
                return
            check_entry(tokens, 4, standard=found[2])
            return
        tokens.keyword({"access-list"})
        if tokens.next in _OF_LISTS:
            return
        if family == "ip":
            tokens.keyword({"extended", "standard"})
            tokens.name("an access list")
            tokens.end()
            return
        tokens.name("an access list")
        if tokens.more:
            check_entry(tokens, 6, standard=False)

    def _class_line(self, name: str, line: Line) -> None:
        tokens = _tokens(line)
        nested = check_class_line(tokens, self.ranges)
        if nested is not None:
            self._note((CLASS_MAP, name), (CLASS_MAP, nested), line)

    def _policy_line(self, name: str, line: Line) -> None:
        tokens, first = _tokens(line), line.first
        in_policer, self._policer = self._policer, False
        if first == "class":
            self._class = _class_named(tokens)
        elif self._class is None:
            if first == "description":
                tokens.take("description")
                tokens.take("the description")
            elif first in FIRST_WORDS - {"exit"}:
                tokens.refuse(f"`{first}` stands before any class of policy-map {name}")
            else:
                tokens.keyword({"class", "description", "exit"}, "`class` or `description`")
        elif first in COLOURS or first == "conform-color":
            if not in_policer:
                tokens.refuse(f"`{first}` without `police` before it")
            self._policer = True
            check_colour(tokens, self.ranges)
        elif first == "police":
            self._policer = True
            tokens.take("police")
            check_police(tokens, self.ranges)
        elif first == "service-policy":
            tokens.take("service-policy")
            child = tokens.name("a policy-map")
            tokens.end()
            self._note((POLICY_MAP, name), (POLICY_MAP, child), line)
        else:
            check_action(tokens, self.ranges)

    def _note(self, user: Key, used: Key, line: Line) -> None:
        column = line.indent + line.text.rfind(used[1]) + 1
        self.uses.setdefault(user, []).append(Use(used, line.number, column))

    def refuse_circles(self, others: Mapping[Key, Iterable[Key]]) -> None:
        """Raises ParseFailure where an object would contain itself, or policies stand deeper in one another than any router
        takes; ``others`` is what objects that are not in this text refer to.
        """
        inside = {key: tuple(used) for key, used in others.items() if key not in self.uses}
        inside |= {key: tuple(use.used for use in uses) for key, uses in self.uses.items()}
        done: dict[Key, int] = {}
        for key in sorted(self.uses):
            circle = _levels(key, inside, done)
            if circle:
                raise self._circle(circle)
        most = self.ranges.of("policy-levels")[1]
        deep = [key for key in self.uses if key[0] == POLICY_MAP and done[key] > most]
        if deep:
            key = min(deep, key=lambda each: (done[each], each[1]))
            use = max(self.uses[key], key=lambda each: done.get(each.used, 1))
            raise ParseFailure(
                f"policy-map {key[1]} is {done[key]} levels of policies deep; there are at most {most}{self.ranges.whose}",
                line=use.line,
                column=use.column,
            )

    def _circle(self, circle: list[Key]) -> ParseFailure:
        """The failure at the last line of this text that closes the circle."""
        among = set(circle)
        uses = [(user, use) for user in among for use in self.uses.get(user, ()) if use.used in among]
        user, use = max(uses, key=lambda each: each[1].line)
        shown = " in ".join(name for _, name in circle[:4]) + (
            " in ..." if len(circle) > 4 else f" in {circle[0][1]}"
        )
        how = "itself" if len(circle) == 1 else f"itself through others ({shown})"
        return ParseFailure(f"{user[0]} {user[1]} would contain {how}", line=use.line, column=use.column)


def _tokens(line: Line) -> Tokens:
    return Tokens(line.text, line.number, line.indent)


def _class_named(tokens: Tokens) -> str:
    """``class NAME``, with the place or the tie that may follow; the name."""
    tokens.take("class")
    if tokens.next == "service-fragment" and len(tokens.words) == 3:
        tokens.take("service-fragment")
    name = tokens.name("a class")
    if tokens.maybe("insert-before", *TIES):
        tokens.name("a class or a tie")
    tokens.end()
    return name


def _levels(start: Key, inside: Mapping[Key, tuple[Key, ...]], done: dict[Key, int]) -> list[Key]:
    """Fills ``done`` with how many levels each object that ``start`` leads to has, itself included; the circle, if it
    leads round in one. Without recursion: a text may nest as deep as it is long.
    """
    trail: dict[Key, None] = {}
    todo: list[tuple[Key, bool]] = [(start, False)]
    while todo:
        key, left = todo.pop()
        if left:
            del trail[key]
            done[key] = 1 + max((done[used] for used in inside.get(key, ())), default=0)
            continue
        if key in done:
            continue
        if key in trail:
            round_it = list(trail)
            return round_it[round_it.index(key) :]
        trail[key] = None
        todo.append((key, True))
        todo += ((used, False) for used in inside.get(key, ()))
    return []
