"""The plan that is approved and sent, its waves and its ends."""

from provisioning.pipeline.change.alternatives import Alternative, Place, Write, in_contexts, writes
from provisioning.pipeline.change.blocks import Block, clearing
from provisioning.pipeline.change.building import build_plans
from provisioning.pipeline.change.doubts import Doubt
from provisioning.pipeline.change.ends import ENDS, PARTIAL, End, end_of
from provisioning.pipeline.change.fingerprint import (
    Circumstances,
    Scope,
    content_digest,
    fingerprint,
    scope_digest,
)
from provisioning.pipeline.change.plan import ChangePlan, Phase
from provisioning.pipeline.change.verbs import DEEDS, Deed, Verb
from provisioning.pipeline.diff import Takeover, write_units

__all__ = [
    "DEEDS",
    "ENDS",
    "PARTIAL",
    "Alternative",
    "Block",
    "ChangePlan",
    "Circumstances",
    "Deed",
    "Doubt",
    "End",
    "Phase",
    "Place",
    "Scope",
    "Takeover",
    "Verb",
    "Write",
    "build_plans",
    "clearing",
    "content_digest",
    "end_of",
    "fingerprint",
    "in_contexts",
    "scope_digest",
    "write_units",
    "writes",
]
