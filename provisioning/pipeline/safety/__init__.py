"""An interpreter of configuration lines, independent of the planner: what every prefix of a plan leaves behind.

`check(running, lines, roles, gap_lines=..., bandwidths=..., profile=...)` is the proof: a `LineState` for the state
before and one after every line. Each holds the `InterfaceQos` of the interfaces that changed with the line (the first:
of all of them) and what is violated, in words; empty everywhere is what makes a plan approvable. A line that a router
would refuse ends the proof and is its last violation. Rates are text with their unit ("percent 5", "2000000 bps",
"unlimited", "none"), since a percentage is no rate until a bandwidth is known; bandwidths are bit/s.

`tell(proof, bandwidths)` says it in one line per interface (`Told`, `ToldLine`, `Standing`; `in_full` and
`what_changed` for a single state): who marks, who polices and at what rate, what is open. `tell_lines` proves and
tells lines without a proof of their own. `simulate` gives the whole config after every line; `open_edges` the places
of one router where EF can enter unasked. All values are frozen and survive `to_json` / `from_json`.
"""

from provisioning.pipeline.intent import Role
from provisioning.pipeline.safety.checking import check
from provisioning.pipeline.safety.edges import OpenEdge, open_edges
from provisioning.pipeline.safety.entering import ALLOWED_DSCPS, entering
from provisioning.pipeline.safety.explanation import (
    GapMark,
    Standing,
    Together,
    Told,
    ToldLine,
    roles_of,
    tell,
    tell_lines,
    together,
)
from provisioning.pipeline.safety.holdings import LineNotAccepted
from provisioning.pipeline.safety.interfaces import interface_states
from provisioning.pipeline.safety.interpreter import Interpreter, simulate
from provisioning.pipeline.safety.states import InterfaceQos, LineState, Marker
from provisioning.pipeline.safety.words import dangerous, in_full, what_changed

__all__ = [
    "ALLOWED_DSCPS",
    "GapMark",
    "InterfaceQos",
    "Interpreter",
    "LineNotAccepted",
    "LineState",
    "Marker",
    "OpenEdge",
    "Role",
    "Standing",
    "Together",
    "Told",
    "ToldLine",
    "check",
    "dangerous",
    "entering",
    "in_full",
    "interface_states",
    "open_edges",
    "roles_of",
    "simulate",
    "tell",
    "tell_lines",
    "together",
    "what_changed",
]
