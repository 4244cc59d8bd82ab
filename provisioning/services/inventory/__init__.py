"""Writing the inventory: a network file becomes rows, once or a hundred times with the same outcome."""

from provisioning.services.inventory.importing import import_network
from provisioning.services.inventory.report import FieldChange, ImportReport, RowReport
from provisioning.services.inventory.stranding import ReservationsStranded

__all__ = ["FieldChange", "ImportReport", "ReservationsStranded", "RowReport", "import_network"]
