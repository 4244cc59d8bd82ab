"""How long each kind of row is kept, and taking away what is older: never what is live, open or chained."""

from provisioning.services.retention.kinds import KEPT_FOR_EVER, KINDS, Kind
from provisioning.services.retention.pruning import Pruned, prune, said

__all__ = ["KEPT_FOR_EVER", "KINDS", "Kind", "Pruned", "prune", "said"]
