"""Who may do what with whose: the one table that code, tests, pages and docs/reference/authority.md are read from."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from provisioning.pipeline.authority.roles import ROLES, Role


class Whose(StrEnum):
    """Of whom something is, seen from whoever acts."""

    NONE = "-"
    SELF = "self"
    SENT = "sent"
    RECEIVED = "received"
    OWN = "own"
    ALL = "all"

    def covers(self, *, sent: bool = False, received: bool = False) -> bool:
        """Return whether it holds something that one's NREN sends, or receives; neither is somebody else's."""
        return (
            self is Whose.ALL
            or (sent and self in (Whose.SENT, Whose.OWN))
            or (received and self in (Whose.RECEIVED, Whose.OWN))
        )


class Verb(StrEnum):
    """What is done, by the name that it has in the table."""

    LOOK = "look"
    SEE_REQUESTS = "see-requests"
    SEE_USAGE = "see-usage"
    SEE_OWN = "see-own"
    SEE_BACKBONE = "see-backbone"
    CHECK_TRAIL = "check-trail"
    ASK = "ask"
    SAY = "say"
    END = "end"
    ANSWER = "answer"
    DECIDE = "decide"
    APPROVE_LINES = "approve-lines"
    TAKE_LINES_BACK = "take-lines-back"
    APPROVE = "approve"
    RELEASE = "release"
    COURSE = "course"
    CANCEL = "cancel"
    PAUSE = "pause"
    STOP = "stop"
    GO_ON = "go-on"
    UNDO = "undo"
    PLAN = "plan"
    REHEARSE = "rehearse"
    READ_ROUTER = "read-router"
    MEND = "mend"
    NETWORK = "network"
    QUOTA = "quota"
    NOTIFY = "notify"
    ACKNOWLEDGE = "acknowledge"
    CREDENTIALS = "credentials"
    TOKENS = "tokens"
    PEOPLE = "people"

    @property
    def row(self) -> Row:
        """Its row of the table."""
        return TABLE[self]


@dataclass(frozen=True, slots=True)
class Row:
    """One verb: whose it may be done to by each of ROLES, and whether Expedite itself does it too.

    ``deed`` is it in a sentence, in the third person. ``apart``: separation of duties holds (`duties`). ``means`` says what is
    done under this name.
    """

    verb: Verb
    whose: tuple[Whose, ...]
    itself: bool
    apart: bool
    deed: str
    means: str

    def of(self, role: Role) -> Whose:
        """Return whose it may be done to by somebody of this role."""
        return self.whose[ROLES.index(role)]

    @property
    def roles(self) -> frozenset[Role]:
        """The roles that may do it at all."""
        return frozenset(
            role for role, whose in zip(ROLES, self.whose, strict=True) if whose is not Whose.NONE
        )

    @property
    def refusal(self) -> str:
        """The sentence for whoever has none of these roles."""
        return f"Only {spoken(self.roles)} {self.deed}."

    @property
    def refusal_with(self) -> str:
        """The sentence for whoever has one of these roles, and not with this: it is another NREN's."""
        of = {
            Whose.SELF: "whoever it speaks for",
            Whose.SENT: "the NREN that asked",
            Whose.RECEIVED: "the NREN that receives",
            Whose.OWN: "an NREN that it concerns",
        }
        everybodys = {role for role in self.roles if self.of(role) is Whose.ALL}
        theirs = sorted({of[cell] for cell in self.whose if cell in of})
        both = [*theirs, *([spoken(everybodys)] if everybodys else [])]
        return f"Only {' or '.join(both)} {self.deed}."


#  verb            reader  nren      operator  approver auditor  administrator  itself apart
_TABLE: Final = """
  look             all     all       all       all      all      all            no     no
  see-requests     own     own       all       all      all      all            no     no
  see-usage        sent    sent      all       all      all      all            no     no
  see-own          own     own       -         -        -        -              no     no
  see-backbone     -       -         all       all      all      all            no     no
  check-trail      -       -         all       all      all      all            no     no
  ask              -       sent      all       -        -        -              no     no
  say              -       sent      all       all      -        -              no     no
  end              -       sent      all       all      -        -              no     no
  answer           -       received  -         -        -        -              no     no
  decide           -       -         -         all      -        -              no     yes
  approve-lines    -       -         -         all      -        -              no     yes
  take-lines-back  -       -         -         all      -        -              no     no
  approve          -       -         -         all      -        -              no     yes
  release          -       -         -         all      -        -              yes    no
  course           -       -         -         all      -        -              no     no
  cancel           -       -         all       all      -        -              yes    no
  pause            -       -         all       all      -        -              no     no
  stop             -       -         all       all      -        -              no     no
  go-on            -       -         -         all      -        -              no     no
  undo             -       -         all       all      -        -              no     no
  plan             -       -         all       -        -        -              yes    no
  rehearse         -       -         all       all      -        -              yes    no
  read-router      -       -         all       -        -        -              yes    no
  mend             -       -         all       -        -        -              yes    no
  network          -       -         all       -        -        -              yes    no
  quota            -       -         -         all      -        -              no     yes
  notify           -       -         all       -        -        all            no     no
  acknowledge      -       -         all       all      -        -              no     no
  credentials      -       -         all       -        -        all            yes    no
  tokens           self    self      self      self     self     all            yes    no
  people           -       -         -         -        -        all            yes    no
"""
# What each is in a sentence, and what is done under that name.
_MEANS: Final[dict[Verb, tuple[str, str]]] = {
    Verb.LOOK: (
        "comes in",
        "advice on bursts, names of NRENs, access links and what they carry, notes on changes of one's own",
    ),
    Verb.SEE_REQUESTS: ("sees requests", "requests, series, modifications, packs, records, their history"),
    Verb.SEE_USAGE: (
        "sees what is used",
        "what a request sends, as its router counts it, and what is said about it: who sends it, not who receives",
    ),
    Verb.SEE_OWN: ("has requests of an NREN's own", "the pages of an NREN: its requests, its inbox"),
    Verb.SEE_BACKBONE: (
        "sees the backbone",
        "routers, links, changes, pushes, queues, the whole audit trail",
    ),
    Verb.CHECK_TRAIL: ("checks the audit trail", "the chain and the seals of the audit trail"),
    Verb.ASK: (
        "asks",
        "what-if, ask, take an offer, modify, extend, draw a flow label; for an NREN the NOC asks too",
    ),
    Verb.SAY: (
        "says something about a request",
        "ask back about a request, answer: the NREN that asks, and the NOC whichever role it has",
    ),
    Verb.END: ("ends what was asked for", "withdraw, end early, take a modification back"),
    Verb.ANSWER: ("answers for the NREN that receives", "agree to receive, or decline"),
    Verb.DECIDE: (
        "decides about requests",
        "admit, refuse, hold, end a hold: requests, series, modifications",
    ),
    Verb.APPROVE_LINES: ("approves lines", "approve the lines of a request before they are due"),
    Verb.TAKE_LINES_BACK: ("takes an approval of lines back", "take back what was approved ahead"),
    Verb.APPROVE: ("approves a change", "approve exactly what was planned"),
    Verb.RELEASE: ("pushes a change", "let an approved change be sent"),
    Verb.COURSE: ("says when a change goes out", "window, waves, how many at once, ticket"),
    Verb.CANCEL: ("cancels a change", "cancel what has not begun"),
    Verb.PAUSE: ("pauses a change or lets it go on", "hold a change between two routers, let it go on"),
    Verb.STOP: ("stops every push", "stop every push at once"),
    Verb.GO_ON: ("lets pushes go on", "let pushes go on after a stop, or after a backup was restored"),
    Verb.UNDO: ("undoes a change", "withdraw what a change put on; what follows is approved like any other"),
    Verb.PLAN: ("plans", "plan a baseline, a repair, what is left to do; have a request tried again"),
    Verb.REHEARSE: ("has a change rehearsed", "play a change on practice routers"),
    Verb.READ_ROUTER: ("has a router read", "verify, probe"),
    Verb.MEND: (
        "works on routers",
        "the next step after the end of a push, save, another chassis, practice routers",
    ),
    Verb.NETWORK: (
        "changes the network",
        "links, routers, NRENs (edit, retire), capacity, moves of paths, drift, import of a network, adoption",
    ),
    Verb.QUOTA: ("sets quotas", "the quota of an NREN, or of all"),
    Verb.NOTIFY: (
        "says who is told what",
        "mail addresses and webhooks, tests of them, messages given up and sent again; views of lists that are shared",
    ),
    Verb.ACKNOWLEDGE: ("acknowledges what was done alone", "acknowledge a break-glass of somebody else"),
    Verb.CREDENTIALS: ("changes credentials of routers", "store and rotate credentials"),
    Verb.TOKENS: ("issues or revokes a token", "issue and revoke API tokens"),
    Verb.PEOPLE: (
        "gives people their roles",
        "make a person, give roles, NRENs and a password, close an account, open it again",
    ),
}


def _read() -> dict[Verb, Row]:
    found = {}
    for line in _TABLE.strip().splitlines():
        name, *cells = line.split()
        *whose, itself, apart = cells
        verb = Verb(name)
        deed, means = _MEANS[verb]
        found[verb] = Row(
            verb, tuple(Whose(cell) for cell in whose), itself == "yes", apart == "yes", deed, means
        )
    return found


TABLE: Final[dict[Verb, Row]] = _read()


def may(roles: Iterable[Role], verb: Verb, *, sent: bool | None = None, received: bool | None = None) -> bool:
    """Return whether somebody of these roles may do it: at all, or (``sent``, ``received``: whether the NREN that sends, or
    receives, is one that they act for) to this.
    """
    cells = {TABLE[verb].of(role) for role in roles if role in ROLES} - {Whose.NONE}
    if sent is None and received is None:
        return bool(cells)
    return any(whose.covers(sent=bool(sent), received=bool(received)) for whose in cells)


def spoken(roles: Iterable[Role]) -> str:
    """Return the roles as people say them, in the order of the table; both of the NOC are `the NOC`."""
    held: list[Role] = [role for role in ROLES if role in set(roles)]
    if Role.OPERATOR in held and Role.APPROVER in held:
        held = [Role.NOC if role is Role.OPERATOR else role for role in held if role is not Role.APPROVER]
    names = [role.spoken for role in held] or ["nobody"]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} or {names[-1]}"
