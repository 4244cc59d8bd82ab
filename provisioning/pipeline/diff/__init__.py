"""(running, intended) -> Remediation: what to send, in which order, and the way back."""

from provisioning.pipeline.diff.access_edits import settled
from provisioning.pipeline.diff.equal_today import EqualToday, as_intended, equal_today
from provisioning.pipeline.diff.lines import (
    Conflict,
    ConflictKind,
    Gap,
    Line,
    Step,
    Takeover,
    as_text,
    write_units,
)
from provisioning.pipeline.diff.not_compared import NotCompared, not_compared
from provisioning.pipeline.diff.ownership import NOTHING, Owned
from provisioning.pipeline.diff.remediation import Remediation, diff, diff_configs
from provisioning.pipeline.diff.store import ACCESS_LIST, CLASS_MAP, POLICY_MAP, Key, digest_of
from provisioning.pipeline.diff.transition import Transition, transition
from provisioning.pipeline.diff.unresolved import Unresolved, unresolved

__all__ = [
    "ACCESS_LIST",
    "CLASS_MAP",
    "NOTHING",
    "POLICY_MAP",
    "Conflict",
    "ConflictKind",
    "EqualToday",
    "Gap",
    "Key",
    "Line",
    "NotCompared",
    "Owned",
    "Remediation",
    "Step",
    "Takeover",
    "Transition",
    "Unresolved",
    "as_intended",
    "as_text",
    "diff",
    "diff_configs",
    "digest_of",
    "equal_today",
    "not_compared",
    "settled",
    "transition",
    "unresolved",
    "write_units",
]
