"""The roles that people have, what one name stands for, and which nobody has together."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import Final


class Role(StrEnum):
    """What a person may do; stored as the name of a Django group.

    NOC is a name for two of them where roles are given (`expand`): nobody's roles hold it.
    """

    READER = "nren-reader"
    NREN = "nren"
    OPERATOR = "noc-operator"
    APPROVER = "noc-approver"
    AUDITOR = "auditor"
    ADMINISTRATOR = "administrator"
    NOC = "noc"

    @property
    def spoken(self) -> str:
        """As it is called in a sentence."""
        return _SPOKEN[self]


_SPOKEN: Final = {
    Role.READER: "a reader of an NREN",
    Role.NREN: "an engineer of an NREN",
    Role.OPERATOR: "an operator of the NOC",
    Role.APPROVER: "an approver of the NOC",
    Role.AUDITOR: "an auditor",
    Role.ADMINISTRATOR: "an administrator",
    Role.NOC: "the NOC",
}
ROLES: Final[tuple[Role, ...]] = tuple(role for role in Role if role is not Role.NOC)
"""The roles that somebody has, in the order of the table's columns."""
STAFF_OF_THE_NOC: Final = frozenset({Role.OPERATOR, Role.APPROVER})

CONFLICTS: Final[tuple[tuple[Role, Role, str], ...]] = (
    (Role.AUDITOR, Role.OPERATOR, "whoever audits has done nothing that is audited"),
    (Role.AUDITOR, Role.APPROVER, "whoever audits has done nothing that is audited"),
    (Role.AUDITOR, Role.NREN, "whoever audits has asked for nothing that is audited"),
    (Role.AUDITOR, Role.ADMINISTRATOR, "whoever audits has given nobody what is audited"),
    (Role.ADMINISTRATOR, Role.APPROVER, "whoever gives people their roles decides nothing"),
    (Role.READER, Role.NREN, "of an NREN a person either only reads or also asks"),
)
"""Two roles that nobody has together, and why."""


def expand(roles: Iterable[Role]) -> frozenset[Role]:
    """Return the roles that these names stand for: `noc` is operator and approver."""
    named = {Role(role) for role in roles}
    return frozenset(named - {Role.NOC} | (STAFF_OF_THE_NOC if Role.NOC in named else set()))


def conflicts(roles: Iterable[Role]) -> tuple[str, ...]:
    """Return, a sentence each, which of these roles cannot be given together; empty when they can."""
    held = expand(roles)
    return tuple(
        f"the roles {one.value} and {other.value} are not given together: {why}"
        for one, other, why in CONFLICTS
        if one in held and other in held
    )
