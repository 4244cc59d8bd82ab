"""The states of a request and of its deployment, and the plan that is approved and sent."""

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
from provisioning.pipeline.change.stages import FINAL, Stage, stage_of
from provisioning.pipeline.change.states import (
    MODIFICATION_TRANSITIONS,
    OPEN_MODIFICATIONS,
    PUSH_TRANSITIONS,
    REQUEST_TRANSITIONS,
    ChangeState,
    ModificationState,
    PushState,
    RequestState,
    change_state,
)
from provisioning.pipeline.change.verbs import DEEDS, Deed, Verb
from provisioning.pipeline.diff import Takeover, write_units

__all__ = [
    "DEEDS",
    "ENDS",
    "FINAL",
    "MODIFICATION_TRANSITIONS",
    "OPEN_MODIFICATIONS",
    "PARTIAL",
    "PUSH_TRANSITIONS",
    "REQUEST_TRANSITIONS",
    "Alternative",
    "Block",
    "ChangePlan",
    "ChangeState",
    "Circumstances",
    "Deed",
    "Doubt",
    "End",
    "ModificationState",
    "Phase",
    "Place",
    "PushState",
    "RequestState",
    "Scope",
    "Stage",
    "Takeover",
    "Verb",
    "Write",
    "build_plans",
    "change_state",
    "clearing",
    "content_digest",
    "end_of",
    "fingerprint",
    "stage_of",
    "in_contexts",
    "scope_digest",
    "write_units",
    "writes",
]
