"""Who is acting: the value every service takes before it changes anything."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from provisioning.pipeline.authority import STAFF_OF_THE_NOC, Role, Verb, may


class Via(StrEnum):
    """The door an action came through; part of the audit record."""

    WEB = "web"
    API = "api"
    CLI = "cli"
    SYSTEM = "system"


@dataclass(frozen=True, slots=True)
class Actor:
    """A named user (or the service itself), with the roles and the NRENs it belongs to.

    ``user_id`` is None only for the service's own clockwork, which may move states by rule but never decides. ``issuer_id`` is
    who issued the token it acts with; ``account`` the account of the operating system that typed a command.
    """

    label: str
    user_id: int | None
    roles: frozenset[Role] = frozenset()
    nren_ids: frozenset[int] = field(default_factory=frozenset)
    via: Via = Via.SYSTEM
    issuer_id: int | None = None
    account: str = ""

    def may(self, verb: Verb) -> bool:
        """Return whether the table gives one of its roles this at all, whosever it is done to."""
        return may(self.roles, verb)

    def may_with(self, verb: Verb, nren_id: int | None, receiving_nren_id: int | None = None) -> bool:
        """Return whether the table gives it this with what one NREN sends and another receives."""
        sent = nren_id is not None and nren_id in self.nren_ids
        received = receiving_nren_id is not None and receiving_nren_id in self.nren_ids
        return may(self.roles, verb, sent=sent, received=received)

    def added_to(self, behind: list[list[int | None]]) -> list[list[int | None]]:
        """Return who stands behind something, as its row keeps it, with this actor as well."""
        mine = [self.user_id, self.issuer_id]
        return behind if mine in behind else [*behind, mine]

    @property
    def is_noc(self) -> bool:
        """Whether it is of the NOC, in whichever role: for what is shown; what it may do is `may`."""
        return bool(self.roles & STAFF_OF_THE_NOC)

    @property
    def sees_everything(self) -> bool:
        return self.may(Verb.SEE_BACKBONE)

    @property
    def is_system(self) -> bool:
        return self.user_id is None


SYSTEM = Actor(label="expedite", user_id=None)
