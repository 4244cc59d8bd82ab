"""What traffic meets on a link direction: the policy that lets it in, queues it or marks it, or that nothing does.

It says what the intent puts on the router (`pipeline.intent`), by the same rules of the scheme.
"""

from __future__ import annotations

from provisioning.pipeline.scheme import NEIGHBOUR_IN, NEIGHBOUR_OUT, PolicyTemplate, Scheme
from provisioning.pipeline.topology import (
    AccessLinkValue,
    CoreLinkValue,
    Direction,
    LinkDirection,
    LinkValue,
    Network,
    PeeringValue,
)


def served(network: Network, scheme: Scheme, service: str, link: LinkValue, load: LinkDirection) -> str:
    """One clause about traffic of the class `service` on this link direction, at the interface that sends it, or lets it in."""
    if isinstance(link, AccessLinkValue) and load.direction is Direction.IN:
        return f"let in by {NEIGHBOUR_IN if link.dscp_map else scheme.case_policy(link.case).name}"
    if isinstance(link, PeeringValue):
        return _at_border(scheme, service)
    if isinstance(link, CoreLinkValue) and load.direction is Direction.Z_A:
        router, interface = link.z_router, link.z_interface
    elif isinstance(link, CoreLinkValue):
        router, interface = link.a_router, link.a_interface
    else:
        router, interface = link.router, link.interface
    output: PolicyTemplate | None = scheme.core_policy
    if isinstance(link, AccessLinkValue):
        output = scheme.access_output(interface)
    if output is None and not (isinstance(link, AccessLinkValue) and link.dscp_map):
        return "nothing queues it outbound"
    engine = network.engine_at(router, interface)
    if not scheme.outputs.stand_on(engine):
        return f"nothing queues it first: {router} {interface} is on a card of Engine {engine}, which takes no output policy"
    if isinstance(link, AccessLinkValue) and link.dscp_map:
        return f"marked as agreed by {NEIGHBOUR_OUT}, {'nothing queues it' if output is None else 'and queued'} outbound"
    return "" if output is None else f"queued by {output.name}"


def _at_border(scheme: Scheme, service: str) -> str:
    output = scheme.border_output
    entry = None if output is None else output.carrying(service)
    if output is None or entry is None:
        return "nothing queues it outbound"
    if entry.set_dscp is not None:
        return f"marked DSCP {entry.set_dscp} by {output.name}, and nothing queues it"
    return f"queued by {output.name}" if entry.queues else f"let out by {output.name}, and nothing queues it"
