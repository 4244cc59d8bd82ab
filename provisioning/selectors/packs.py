"""The pack for a request: rows to values, the edge it enters at, the templates handed in."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from jinja2 import Environment

from inventory.models import AccessCase
from provisioning.errors import Conflict, InvalidInput
from provisioning.models import PremiumRequest
from provisioning.pipeline.advice import Traffic, advise
from provisioning.pipeline.packs import Edge, Kind, Pack, PackOrder, edge_of, ios_pack, linux_pack
from provisioning.pipeline.platforms import TYPED_AT, USUAL, Profile, profile
from provisioning.pipeline.rendering import Renderer
from provisioning.pipeline.scheme import Scheme
from provisioning.pipeline.sls import Sls
from provisioning.pipeline.states import RequestState
from provisioning.selectors.network import load_network
from provisioning.selectors.requests import sls_of
from provisioning.selectors.schemes import scheme_of
from provisioning.selectors.templates import ios_environment, shared_ios_environment

OVER = frozenset(
    {
        RequestState.REFUSED,
        RequestState.WITHDRAWN,
        RequestState.EXPIRED,
        RequestState.COMPLETED,
        RequestState.NEVER_PROVIDED,
    }
)
"""The promise is over, or was never given: what is sent for it is dropped, or somebody else's."""

PACK_TEMPLATES = Path(__file__).resolve().parents[2] / "templates" / "packs"


def pack_for(
    request: PremiumRequest,
    kind: str,
    *,
    traffic: str = Traffic.REAL_TIME,
    platform: str = "",
    ios: str = "",
    uplink: str = "",
) -> Pack:
    """The configuration of the sender's own side.

    `platform` and `ios` are the NREN's router (IOS-XE when not said), for an IOS pack only; `uplink` its interface
    towards the backbone, empty when it is not known. Raises InvalidInput naming ``for``, ``traffic``, ``platform``,
    ``ios``, ``uplink`` or ``interface``; Conflict for a request that is over, and for a class that the domain's scheme no
    longer has.
    """
    wanted = Kind.parse(kind)
    if request.state in OVER:
        raise Conflict(
            f"{request.reference} is {request.state}: nothing is let in for it any more, so there is no pack. "
            "What an earlier pack put on is taken off with its own `down` or undo."
        )
    sls = sls_of(request)
    spelled = _typed_at(platform or USUAL.name, ios) if wanted is Kind.IOS else None
    advice = advise(sls.rate, Traffic.parse(traffic), sls.max_packet_bytes, profile=spelled)
    link = request.source_link
    scheme = scheme_of(link.nren.domain)
    try:
        dscp, edge = scheme.service_class(sls.service_class).dscp, _edge(request, scheme, sls)
    except InvalidInput as error:
        raise Conflict(f"{error.reason}: there is nothing left to mark {request.reference} as") from error
    order = PackOrder(
        number=request.pk,
        sls=sls,
        dscp=dscp,
        marks=link.case != AccessCase.FILTERED,
        advice=advice,
        edge=edge,
    )
    if spelled is None:
        return linux_pack(order, _templates(), uplink=uplink or None)
    printer = Renderer(shared_ios_environment(), spelled)
    return ios_pack(order, spelled, printer, _templates(), uplink=uplink or None)


def _typed_at(platform: str, ios: str) -> Profile:
    """The profile of a router at which lines are typed. Raises InvalidInput, for any other too."""
    found = profile(platform, ios)
    if not any(each.means(platform.strip().lower()) for each in TYPED_AT):
        raise InvalidInput(
            f"lines of IOS are no use on {platform:.60}: ask for a pack of its own kind", field="platform"
        )
    return found


def _edge(request: PremiumRequest, scheme: Scheme, sls: Sls) -> Edge:
    link = request.source_link
    network = load_network(link.nren.domain, routers=[link.interface.router.name])
    value = network.access_link(link.name)
    assert value is not None, "a request's own link is on its own router"
    return edge_of(scheme, value, sls)


@cache
def _templates() -> Environment:
    return ios_environment(PACK_TEMPLATES)
