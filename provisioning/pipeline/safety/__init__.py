"""An interpreter of configuration lines, independent of the planner: what every prefix of a plan leaves behind."""

from provisioning.pipeline.intent import Role
from provisioning.pipeline.safety.checking import check
from provisioning.pipeline.safety.edges import OpenEdge, open_edges
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
from provisioning.pipeline.safety.interfaces import ALLOWED_DSCPS, entering, interface_states
from provisioning.pipeline.safety.interpreter import Interpreter, LineNotAccepted, simulate
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
