"""An interpreter of configuration lines, independent of the planner: what every prefix of a plan leaves behind."""

from provisioning.pipeline.intent import Role
from provisioning.pipeline.safety.checking import check
from provisioning.pipeline.safety.edges import OpenEdge, open_edges
from provisioning.pipeline.safety.interfaces import ALLOWED_DSCPS, entering, interface_states
from provisioning.pipeline.safety.interpreter import Interpreter, LineNotAccepted, simulate
from provisioning.pipeline.safety.states import InterfaceQos, LineState, Marker

__all__ = [
    "ALLOWED_DSCPS",
    "Interpreter",
    "InterfaceQos",
    "LineNotAccepted",
    "LineState",
    "Marker",
    "OpenEdge",
    "Role",
    "check",
    "entering",
    "interface_states",
    "open_edges",
    "simulate",
]
