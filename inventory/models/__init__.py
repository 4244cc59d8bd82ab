"""What exists: the network as rows. Rows are written by provisioning's services only."""

from inventory.models.domain import Domain, Nren, Prefix
from inventory.models.links import AccessCase, AccessLink, CoreLink, Peering
from inventory.models.routers import Interface, LineCard, Pop, Provenance, Router

__all__ = [
    "AccessCase",
    "AccessLink",
    "CoreLink",
    "Domain",
    "Interface",
    "LineCard",
    "Nren",
    "Peering",
    "Pop",
    "Prefix",
    "Provenance",
    "Router",
]
