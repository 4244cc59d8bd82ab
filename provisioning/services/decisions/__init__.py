"""The NOC's decisions, and the claims that only a reading of the routers may make (ACTIVE, COMPLETED, NEVER_PROVIDED)."""

from provisioning.services.decisions.deciding import admit, evidence, fit_together, refuse
from provisioning.services.decisions.each import Occurrence
from provisioning.services.decisions.holding import hold, unhold
from provisioning.services.decisions.seen import activate, complete, never_provide

__all__ = [
    "Occurrence",
    "activate",
    "admit",
    "complete",
    "evidence",
    "fit_together",
    "hold",
    "never_provide",
    "refuse",
    "unhold",
]
