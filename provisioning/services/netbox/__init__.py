"""A NetBox is read by its REST API: what the rules take of it, as a bundle (`inventory.readers.netbox`)."""

from provisioning.services.netbox.asking import NetBox, NetBoxFailed
from provisioning.services.netbox.collecting import collect

__all__ = ["NetBox", "NetBoxFailed", "collect"]
