"""The network as values, and which links a request loads: ``path(network, sls)``."""

from provisioning.pipeline.topology.changes import changes
from provisioning.pipeline.topology.codec import network_from_json, network_to_json
from provisioning.pipeline.topology.evidence import Evidence, printed_at, read_evidence
from provisioning.pipeline.topology.failing import Detours, Ends, Failure, lost_links, single_failures
from provisioning.pipeline.topology.framing import (
    LONGEST,
    Framing,
    framing_of,
    framing_or_longest,
    layer2_bps,
    layer2_bytes,
    layer3_bps,
    layer3_bytes,
)
from provisioning.pipeline.topology.isis import LARGEST_TEXT, Pair, Seen, read_isis_database
from provisioning.pipeline.topology.paths import (
    NoPath,
    Path,
    distances,
    graph_of,
    path,
    paths_outside,
    paths_to_anywhere,
)
from provisioning.pipeline.topology.planned import (
    LinkCapacity,
    Planned,
    PoolShare,
    edges,
    in_force,
    still,
)
from provisioning.pipeline.topology.static_routes import (
    RouteNeeded,
    at_risk,
    in_place,
    routes_needed,
    static_routes,
)
from provisioning.pipeline.topology.tables import Prefix, Table, read_table
from provisioning.pipeline.topology.traces import Trace, read_trace
from provisioning.pipeline.topology.values import (
    AccessLinkValue,
    CoreLinkValue,
    Direction,
    LinkDirection,
    LinkValue,
    Network,
    PeeringValue,
    RouterValue,
    slot_of,
)

__all__ = [
    "read_trace",
    "read_table",
    "read_evidence",
    "printed_at",
    "Trace",
    "Table",
    "Prefix",
    "Evidence",
    "AccessLinkValue",
    "CoreLinkValue",
    "Detours",
    "Direction",
    "Ends",
    "Failure",
    "Framing",
    "LARGEST_TEXT",
    "LinkCapacity",
    "LinkDirection",
    "LinkValue",
    "Network",
    "NoPath",
    "Path",
    "Pair",
    "PeeringValue",
    "Planned",
    "PoolShare",
    "RouteNeeded",
    "RouterValue",
    "Seen",
    "at_risk",
    "changes",
    "in_place",
    "distances",
    "edges",
    "framing_of",
    "framing_or_longest",
    "layer2_bps",
    "layer2_bytes",
    "layer3_bps",
    "layer3_bytes",
    "LONGEST",
    "in_force",
    "still",
    "network_from_json",
    "network_to_json",
    "graph_of",
    "lost_links",
    "path",
    "read_isis_database",
    "paths_outside",
    "paths_to_anywhere",
    "routes_needed",
    "single_failures",
    "slot_of",
    "static_routes",
]
