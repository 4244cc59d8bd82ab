"""Separation of duties: who stands behind what, whose word is still missing, and why somebody's word is not taken (ADR 44).

People are keys of users. Nothing here asks who has which role: that is the table.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class Why(StrEnum):
    """What an objection rests on."""

    ROLE = "role"
    NAMELESS = "nameless"
    SUBMITTED = "submitted"
    TOKEN = "token"  # noqa: S105 - the name of a reason
    MEMBER = "member"
    PLANNED = "planned"
    GIVEN = "given"

    @property
    def can_be_overridden(self) -> bool:
        """Whether an approver may act all the same, once, with a reason (break-glass): never against the table of roles."""
        return self in (Why.SUBMITTED, Why.TOKEN, Why.MEMBER, Why.PLANNED)


@dataclass(frozen=True, slots=True)
class Objection:
    """Why somebody may not do something; ``text`` is the sentence that page, command and API show them alike, ``told`` what
    other people read where they did it all the same.
    """

    why: Why
    text: str
    told: str = ""


@dataclass(frozen=True, slots=True)
class Behind:
    """Who stands behind one request, series or modification, called ``name``.

    ``asked`` submitted it or changed what it asks; ``issued`` issued a token with which that was done; ``members`` belong to the
    NREN that sends or receives, by whose name.
    """

    name: str
    asked: frozenset[int] = frozenset()
    issued: frozenset[int] = frozenset()
    members: Mapping[int, str] = field(default_factory=dict)

    def __contains__(self, person: object) -> bool:
        return person in self.asked or person in self.issued or person in self.members


@dataclass(frozen=True, slots=True)
class Parts:
    """What a plan carries and who stands behind it.

    `planners` are who asked for the plan and who issued the token that was used; none for the clock. `base_lines`: it carries
    lines that no request asked for. `two`: two people of the NOC stand behind every change.
    """

    requests: tuple[Behind, ...] = ()
    planners: frozenset[int] = frozenset()
    base_lines: bool = False
    two: bool = False


def objections(
    people: Collection[int], behind: Collection[Behind], deed: str = "decides about it"
) -> tuple[Objection, ...]:
    """Return why somebody does not do the ``deed`` to something with so much behind it; empty when they may.

    ``people`` are who acts and who issued the token it is done with. Of each request one is said, the plainest.
    """
    found = []
    for one in behind:
        member = next((one.members[person] for person in people if person in one.members), None)
        if one.asked.intersection(people):
            said = f"{one.name} was submitted by you: somebody else of the NOC {deed}."
            found.append(Objection(Why.SUBMITTED, said, f"{one.name} was submitted by the same person"))
        elif one.issued.intersection(people):
            said = f"{one.name} was submitted with a token that you issued: somebody else of the NOC {deed}."
            told = f"{one.name} was submitted with a token that the same person issued"
            found.append(Objection(Why.TOKEN, said, told))
        elif member is not None:
            said = f"{one.name} concerns {member}, to which you belong: somebody else of the NOC {deed}."
            told = f"{one.name} concerns {member}, to which the same person belongs"
            found.append(Objection(Why.MEMBER, said, told))
    return tuple(found)


def objections_to_approving(
    parts: Parts, people: Collection[int], words: Collection[frozenset[int]], name: str
) -> tuple[Objection, ...]:
    """Return why somebody does not approve the change called ``name`` that has these ``words`` already; empty when they may.

    A word is the people behind one approval: who gave it, and who issued the token it was given with.
    """
    found = objections(people, parts.requests, "approves the change that carries it")
    if parts.planners.intersection(people):
        said = f"{name} was planned by you: somebody else of the NOC approves it."
        found += (Objection(Why.PLANNED, said, f"{name} was planned by the same person"),)
    if not found and any(word.intersection(people) for word in words) and (lacking := missing(parts, words)):
        found += (Objection(Why.GIVEN, f"You have approved {name} already: {'; '.join(lacking)}."),)
    return found


def missing(parts: Parts, words: Collection[frozenset[int]]) -> tuple[str, ...]:
    """Return, a sentence each, what keeps these words from being enough; empty when they are.

    Where two people of the NOC are needed, whoever asked for the plan is one of them. A word counts for every request but those
    that somebody of it stands behind, and for lines that no request asked for only where its people stand behind none; two words
    that share a person are one.
    """
    given = [word for word in words if not word & parts.planners]
    counting = [
        [word for word in given if not any(person in one for person in word)] for one in parts.requests
    ]
    found = [
        f"{one.name} needs the approval of somebody who neither asked for it nor belongs to an NREN it concerns"
        for one, its in sorted(zip(parts.requests, counting, strict=True), key=lambda each: each[0].name)
        if not its
    ]
    if not given and not found:
        found.append("it needs the approval of a member of the NOC")
    if parts.base_lines or not counting:
        counting = [[word for word in given if all(word in its for its in counting)]]
    needed = 2 if (parts.two or parts.base_lines) and not parts.planners else 1
    if given and min(apart(its) for its in counting) < needed and (needed == 2 or not found):
        why = (
            "it carries lines that no request asked for"
            if parts.base_lines
            else "two people stand behind every change"
        )
        found.append(f"a second member of the NOC has to approve it: {why}")
    return tuple(found)


def apart(words: Collection[frozenset[int]]) -> int:
    """Return how many people, at least, these words are of: words that share nobody."""
    counted: set[int] = set()
    number = 0
    for word in sorted(words, key=sorted):
        if not word & counted:
            counted |= word
            number += 1
    return number
