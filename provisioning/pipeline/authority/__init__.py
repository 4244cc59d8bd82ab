"""Who may do what: one table of roles, verbs and whose; separation of duties; nothing here knows a row or a page."""

from provisioning.pipeline.authority.duties import (
    Behind,
    Objection,
    Parts,
    Why,
    apart,
    missing,
    objections,
    objections_to_approving,
)
from provisioning.pipeline.authority.roles import (
    CONFLICTS,
    ROLES,
    STAFF_OF_THE_NOC,
    Role,
    conflicts,
    expand,
)
from provisioning.pipeline.authority.table import TABLE, Row, Verb, Whose, may, spoken

__all__ = [
    "CONFLICTS",
    "ROLES",
    "STAFF_OF_THE_NOC",
    "TABLE",
    "Behind",
    "Objection",
    "Parts",
    "Role",
    "Row",
    "Verb",
    "Whose",
    "Why",
    "apart",
    "conflicts",
    "expand",
    "may",
    "missing",
    "objections",
    "objections_to_approving",
    "spoken",
]
