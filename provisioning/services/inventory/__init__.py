"""Writing the inventory: a network file becomes rows, once or a hundred times with the same outcome; a row is edited, or ends."""

from provisioning.services.inventory.dependents import (
    Obstacle,
    StillNeeded,
    obstacles_of_links,
    obstacles_to_retiring,
)
from provisioning.services.inventory.editable import BY_SLUG, KINDS, Kind, kind_of, spelled, values_of
from provisioning.services.inventory.editing import RowChanged, edit
from provisioning.services.inventory.importing import import_network
from provisioning.services.inventory.onboarding import NewLink, network_with
from provisioning.services.inventory.report import FieldChange, ImportReport, RowReport
from provisioning.services.inventory.retiring import Leaves, retire
from provisioning.services.inventory.rewriting import Rewritten
from provisioning.services.inventory.stranding import ReservationsStranded
from provisioning.services.inventory.tabled import entries_of, network_with_rows

__all__ = [
    "BY_SLUG",
    "KINDS",
    "FieldChange",
    "ImportReport",
    "Kind",
    "Leaves",
    "NewLink",
    "Obstacle",
    "ReservationsStranded",
    "Rewritten",
    "RowChanged",
    "RowReport",
    "StillNeeded",
    "edit",
    "entries_of",
    "import_network",
    "kind_of",
    "network_with",
    "network_with_rows",
    "obstacles_of_links",
    "obstacles_to_retiring",
    "retire",
    "spelled",
    "values_of",
]
