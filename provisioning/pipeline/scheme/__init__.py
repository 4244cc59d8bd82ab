"""A QoS scheme as data: classes, shares, access cases and policies; ``from_mapping`` checks it whole."""

from provisioning.pipeline.scheme.checking import UNPOLICED, check
from provisioning.pipeline.scheme.loading import from_mapping
from provisioning.pipeline.scheme.rules import (
    BucketDelay,
    Buckets,
    Receivers,
    SingleFailures,
    TooShallow,
    Word,
)
from provisioning.pipeline.scheme.shares import LinkKind, PayloadRate, Pool, Share, Threshold
from provisioning.pipeline.scheme.templates import (
    CLASS_DEFAULT,
    BandwidthTemplate,
    ClassMapTemplate,
    ClassTemplate,
    DeclaredException,
    MatchTemplate,
    Outputs,
    PlatformWarning,
    PoliceTemplate,
    PolicyTemplate,
    QueueLimitTemplate,
    ShapeTemplate,
    StrictPriorityTemplate,
    WredProfile,
    WredTemplate,
)
from provisioning.pipeline.scheme.values import (
    NEIGHBOUR_IN,
    NEIGHBOUR_OUT,
    NON_PARTICIPANT,
    Scheme,
    ServiceClass,
)

__all__ = [
    "CLASS_DEFAULT",
    "NEIGHBOUR_IN",
    "NEIGHBOUR_OUT",
    "NON_PARTICIPANT",
    "UNPOLICED",
    "BandwidthTemplate",
    "ClassMapTemplate",
    "ClassTemplate",
    "DeclaredException",
    "LinkKind",
    "MatchTemplate",
    "Outputs",
    "PayloadRate",
    "PlatformWarning",
    "PoliceTemplate",
    "PolicyTemplate",
    "Pool",
    "QueueLimitTemplate",
    "Scheme",
    "ServiceClass",
    "ShapeTemplate",
    "SingleFailures",
    "Share",
    "StrictPriorityTemplate",
    "Threshold",
    "WredProfile",
    "WredTemplate",
    "BucketDelay",
    "Buckets",
    "Receivers",
    "TooShallow",
    "Word",
    "check",
    "from_mapping",
]
