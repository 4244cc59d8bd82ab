"""Line cards that cannot do IPv6 Premium, anywhere on a path.

GRNET's tests (QoS experiences in native IPv6 networks, section 4.3.1): "the IPv6 traffic class field in the
IPv6 header is ignored in the Tango card and, thus IPv6 traffic fails to be enqueued in a queue other than the
normal Best Effort one".
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from provisioning.pipeline.admission.values import Reason
from provisioning.pipeline.sls import Sls
from provisioning.pipeline.topology import CoreLinkValue, Direction, LinkDirection, Network, Path

EngineRule = Callable[[str], str | None]
"""Takes an engine ("4+"), returns why IPv6 Premium must not pass it, or None when it may."""

_BLIND = frozenset({"4", "4+"})


def ignores_ipv6_class(engine: str) -> str | None:
    """Why IPv6 Premium must not pass this engine, or None: Engine 4 and 4+ ("Tango") ignore the IPv6
    traffic class.
    """
    return f"Engine {engine} ignores the IPv6 traffic class" if engine in _BLIND else None


def line_card_reasons(network: Network, sls: Sls, path: Path, rule: EngineRule) -> tuple[Reason, ...]:
    """One reason per unfit card that the IPv6 traffic of ``sls`` enters or leaves by, naming router and
    slot.
    """
    return tuple(
        Reason(
            code="line-card",
            link=load.link,
            direction=load.direction,
            text=f"{card}: {why}; IPv6 Premium would be queued as best effort",
        )
        for card, load, why in _cards(network, sls, path, rule)
    )


def no_doubt(_engine: str) -> str | None:
    """No engine is doubtful."""
    return None


def line_card_doubts(network: Network, sls: Sls, path: Path, doubt: EngineRule) -> tuple[str, ...]:
    """One warning per card on the way of which it is only probable that it cannot serve IPv6 Premium."""
    return tuple(
        f"{card}: {why}; whether it serves IPv6 Premium is doubtful, so measure it"
        for card, _, why in _cards(network, sls, path, doubt)
    )


def _cards(
    network: Network, sls: Sls, path: Path, rule: EngineRule
) -> Iterator[tuple[str, LinkDirection, str]]:
    """(card, where it is met first, what `rule` says of it) for each card the IPv6 traffic of `sls` crosses."""
    if not sls.is_ipv6:
        return
    told: set[tuple[str, int]] = set()
    for load in path.loads:
        for router_name, interface in _ends(network, load):
            router = network.router(router_name)
            card = router.engine_of(interface) if router is not None else None
            why = rule(card[1]) if card is not None else None
            if card is not None and why is not None and (router_name, card[0]) not in told:
                told.add((router_name, card[0]))
                yield f"{router_name} slot {card[0]} ({interface})", load, why


def _ends(network: Network, load: LinkDirection) -> Iterator[tuple[str, str]]:
    """(router, interface) at each end of a link that is ours."""
    link = network.link(load.link)
    if isinstance(link, CoreLinkValue):
        ends = [(link.a_router, link.a_interface), (link.z_router, link.z_interface)]
        yield from ends if load.direction is Direction.A_Z else reversed(ends)
    elif link is not None:
        yield link.router, link.interface
