"""Admission: does a request fit on every link it loads, at every instant of its window? The answer is a
value.
"""

from provisioning.pipeline.admission.basis import (
    Basis,
    Verdict,
    basis_from_json,
    basis_of,
    basis_to_json,
)
from provisioning.pipeline.admission.buckets import SharedBucket
from provisioning.pipeline.admission.codec import from_json, reason_row, to_json
from provisioning.pipeline.admission.convergence import (
    Convergence,
    cap_bps,
    convergence,
)
from provisioning.pipeline.admission.counter_offers import OFFERABLE, Offerable
from provisioning.pipeline.admission.deciding import admit, admit_all
from provisioning.pipeline.admission.failing import detour_links, doubtful_links
from provisioning.pipeline.admission.levels import as_commitments
from provisioning.pipeline.admission.line_cards import EngineRule, ignores_ipv6_class
from provisioning.pipeline.admission.overcommitment import Overcommitment, overcommitments
from provisioning.pipeline.admission.policers import Policer, policer_of, policers_of
from provisioning.pipeline.admission.ranges import AllowedRange, allowed_range
from provisioning.pipeline.admission.reach import charged, ends_reason, loaded, reach
from provisioning.pipeline.admission.standing_reasons import standing_reasons
from provisioning.pipeline.admission.values import (
    Admitted,
    Charge,
    CounterOffer,
    FailureEvidence,
    LinkEvidence,
    Reason,
    Refused,
    SeenLink,
)
from provisioning.pipeline.admission.viewing import (
    Seen,
    Viewer,
    as_seen,
    in_steps,
    kept_as_seen,
    seen_reason,
    whole,
    without_quota,
)
from provisioning.pipeline.allowance import Allowance, allowance, allowance_of

__all__ = [
    "Admitted",
    "Allowance",
    "Basis",
    "AllowedRange",
    "Charge",
    "Convergence",
    "CounterOffer",
    "EngineRule",
    "FailureEvidence",
    "LinkEvidence",
    "OFFERABLE",
    "Offerable",
    "Overcommitment",
    "Policer",
    "Reason",
    "Refused",
    "Seen",
    "SeenLink",
    "SharedBucket",
    "Verdict",
    "Viewer",
    "admit",
    "admit_all",
    "allowance",
    "allowance_of",
    "as_commitments",
    "as_seen",
    "basis_from_json",
    "basis_of",
    "basis_to_json",
    "allowed_range",
    "cap_bps",
    "charged",
    "convergence",
    "detour_links",
    "doubtful_links",
    "ends_reason",
    "from_json",
    "ignores_ipv6_class",
    "in_steps",
    "kept_as_seen",
    "loaded",
    "overcommitments",
    "policer_of",
    "policers_of",
    "reach",
    "reason_row",
    "seen_reason",
    "standing_reasons",
    "to_json",
    "whole",
    "without_quota",
]
