"""The plan that is approved and sent."""

from provisioning.pipeline.change.alternatives import Alternative, Place, Write, in_contexts, writes
from provisioning.pipeline.change.blocks import Block, clearing
from provisioning.pipeline.change.building import build_plans
from provisioning.pipeline.change.doubts import Doubt
from provisioning.pipeline.change.fingerprint import (
    Circumstances,
    Scope,
    content_digest,
    fingerprint,
    scope_digest,
)
from provisioning.pipeline.change.plan import ChangePlan, Phase
from provisioning.pipeline.diff import Takeover, write_units

__all__ = [
    "Alternative",
    "Block",
    "ChangePlan",
    "Circumstances",
    "Doubt",
    "Phase",
    "Place",
    "Scope",
    "Takeover",
    "Write",
    "build_plans",
    "clearing",
    "content_digest",
    "fingerprint",
    "in_contexts",
    "scope_digest",
    "write_units",
    "writes",
]
