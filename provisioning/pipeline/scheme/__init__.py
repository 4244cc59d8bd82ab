"""A QoS scheme as data: classes, shares, access cases and policies; ``from_mapping`` checks it whole."""

from provisioning.pipeline.scheme.loading import from_mapping
from provisioning.pipeline.scheme.values import (
    CLASS_DEFAULT,
    ClassMapTemplate,
    ClassTemplate,
    MatchTemplate,
    PoliceTemplate,
    PolicyTemplate,
    Pool,
    Scheme,
    ServiceClass,
    Share,
    StrictPriorityTemplate,
)

__all__ = [
    "CLASS_DEFAULT",
    "ClassMapTemplate",
    "ClassTemplate",
    "MatchTemplate",
    "PoliceTemplate",
    "PolicyTemplate",
    "Pool",
    "Scheme",
    "ServiceClass",
    "Share",
    "StrictPriorityTemplate",
    "from_mapping",
]
