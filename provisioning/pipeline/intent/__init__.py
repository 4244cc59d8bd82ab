"""Network, scheme, reservations -> RouterIntent: what one router must hold."""

from provisioning.pipeline.intent.adopted import AdoptedObject, names_for, under_adopted_names
from provisioning.pipeline.intent.building import build, effective_case
from provisioning.pipeline.intent.names import LinkNames, link_names
from provisioning.pipeline.intent.policer_rates import PolicerRate, policer_rates
from provisioning.pipeline.intent.values import (
    ManagedInterface,
    Markings,
    Role,
    RouterIntent,
    interface_key,
    removal,
)

__all__ = [
    "AdoptedObject",
    "LinkNames",
    "ManagedInterface",
    "Markings",
    "PolicerRate",
    "Role",
    "RouterIntent",
    "build",
    "effective_case",
    "interface_key",
    "link_names",
    "names_for",
    "policer_rates",
    "removal",
    "under_adopted_names",
]
