"""Who is acting: the value every service takes before it changes anything."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum


class Role(StrEnum):
    """What a person may do; stored as the name of a Django group."""

    NOC = "noc"
    AUDITOR = "auditor"
    NREN = "nren"


class Via(StrEnum):
    """The door an action came through; part of the audit record."""

    WEB = "web"
    API = "api"
    CLI = "cli"
    SYSTEM = "system"


@dataclass(frozen=True, slots=True)
class Actor:
    """A named user (or the service itself), with the roles and the NRENs it acts for.

    ``user_id`` is None only for the service's own clockwork, which may move states by rule but never decides.
    """

    label: str
    user_id: int | None
    roles: frozenset[Role] = frozenset()
    nren_ids: frozenset[int] = field(default_factory=frozenset)
    via: Via = Via.SYSTEM

    @property
    def is_noc(self) -> bool:
        return Role.NOC in self.roles

    @property
    def sees_everything(self) -> bool:
        return bool(self.roles & {Role.NOC, Role.AUDITOR})

    @property
    def is_system(self) -> bool:
        return self.user_id is None


SYSTEM = Actor(label="expedite", user_id=None)
