"""Network, scheme, reservations -> RouterIntent: what one router must hold.

The values are there at once; what builds them is loaded when it is asked for, since a difference of two files needs none of
it and begins in no time (`manage.py mqc`).
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from provisioning.pipeline.intent.values import (
    ManagedInterface,
    Markings,
    Role,
    RouterIntent,
    interface_key,
    removal,
)

if TYPE_CHECKING:
    from provisioning.pipeline.intent.adopted import AdoptedObject, names_for, under_adopted_names
    from provisioning.pipeline.intent.building import build, effective_case
    from provisioning.pipeline.intent.names import LinkNames, link_names
    from provisioning.pipeline.intent.policer_rates import PolicerRate, carried_entries, policer_rates

__all__ = [
    "AdoptedObject",
    "LinkNames",
    "ManagedInterface",
    "Markings",
    "PolicerRate",
    "Role",
    "RouterIntent",
    "build",
    "carried_entries",
    "effective_case",
    "interface_key",
    "link_names",
    "names_for",
    "policer_rates",
    "removal",
    "under_adopted_names",
]

_LOADED_WHEN_ASKED = {
    "AdoptedObject": "adopted",
    "names_for": "adopted",
    "under_adopted_names": "adopted",
    "build": "building",
    "effective_case": "building",
    "LinkNames": "names",
    "link_names": "names",
    "PolicerRate": "policer_rates",
    "carried_entries": "policer_rates",
    "policer_rates": "policer_rates",
}


def __getattr__(name: str) -> Any:
    """A name of those that are loaded when they are asked for (PEP 562)."""
    module = _LOADED_WHEN_ASKED.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    loaded = import_module(f"{__name__}.{module}")
    # All of a module at once: importing it also leaves the module here under its own name, which one of its functions has.
    globals().update(
        {each: getattr(loaded, each) for each, home in _LOADED_WHEN_ASKED.items() if home == module}
    )
    return globals()[name]
