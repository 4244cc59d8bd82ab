"""The NOC's decisions, and the two claims that only a reading of the routers may make (ACTIVE, COMPLETED)."""

from provisioning.services.decisions.deciding import admit, evidence, refuse
from provisioning.services.decisions.holding import hold, unhold
from provisioning.services.decisions.seen import activate, complete

__all__ = ["activate", "admit", "complete", "evidence", "hold", "refuse", "unhold"]
