"""The typed, canonical model of Cisco's Modular QoS CLI.

Objects are canonical when made: two spellings of one meaning are equal objects, two meanings never are
(ios-facts section 1). Everything here is frozen and knows nothing of files, routers or rows.
"""

from provisioning.pipeline.mqc.access import (
    DENIES_THE_REST,
    LAST_PLACE,
    AccessEntry,
    AccessList,
    closes,
    permits,
)
from provisioning.pipeline.mqc.aces import canonical_ace
from provisioning.pipeline.mqc.actions import (
    Action,
    Bandwidth,
    ChildPolicy,
    FairQueue,
    OpaqueAction,
    Priority,
    QueueLimit,
    RandomDetect,
    SetField,
    Shape,
    WredThreshold,
)
from provisioning.pipeline.mqc.canonical import canonical_json, digest, to_json
from provisioning.pipeline.mqc.classes import ClassMap, Match
from provisioning.pipeline.mqc.codepoints import dscp, precedence
from provisioning.pipeline.mqc.coverage import beyond, covers
from provisioning.pipeline.mqc.names import base_name, versioned_name
from provisioning.pipeline.mqc.overlap import common, share, sharing
from provisioning.pipeline.mqc.police import Police
from provisioning.pipeline.mqc.policies import CLASS_DEFAULT, Binding, PolicyClass, PolicyMap
from provisioning.pipeline.mqc.rates import (
    Bps,
    BurstBits,
    BurstBytes,
    BurstMs,
    Percent,
    Rate,
    default_burst_bytes,
    in_bps,
)
from provisioning.pipeline.mqc.running import InterfaceState, Pvc, Reference, RunningConfig

__all__ = [
    "DENIES_THE_REST",
    "LAST_PLACE",
    "closes",
    "CLASS_DEFAULT",
    "AccessEntry",
    "AccessList",
    "Action",
    "Bandwidth",
    "Binding",
    "Bps",
    "BurstBits",
    "BurstBytes",
    "BurstMs",
    "ChildPolicy",
    "ClassMap",
    "FairQueue",
    "InterfaceState",
    "Match",
    "OpaqueAction",
    "Percent",
    "Police",
    "PolicyClass",
    "PolicyMap",
    "Priority",
    "Pvc",
    "QueueLimit",
    "RandomDetect",
    "Rate",
    "Reference",
    "RunningConfig",
    "SetField",
    "Shape",
    "WredThreshold",
    "base_name",
    "beyond",
    "canonical_ace",
    "canonical_json",
    "common",
    "covers",
    "default_burst_bytes",
    "digest",
    "dscp",
    "in_bps",
    "permits",
    "precedence",
    "share",
    "sharing",
    "to_json",
    "versioned_name",
]
