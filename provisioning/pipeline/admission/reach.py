"""Which links a request of a class is charged to, and whether it names the ends that its class asks for.

6NET promises between two access links (D4.4.2v2 section 2.4.1); GRNET also from a known source to anywhere and to the
outside (section 3.1); @IRS charges its assured service at the edge alone (section 2.2.2).
"""

from __future__ import annotations

from provisioning.errors import InvalidInput
from provisioning.pipeline.admission.values import Reason
from provisioning.pipeline.scheme import Scheme, ServiceClass
from provisioning.pipeline.sls import Sls
from provisioning.pipeline.topology import (
    Direction,
    LinkDirection,
    Network,
    NoPath,
    Path,
    path,
    paths_outside,
    paths_to_anywhere,
)


def reach(network: Network, scheme: Scheme, sls: Sls) -> Path | Reason:
    """The path of a request, or why its class cannot be promised between the ends it names.

    Raises InvalidInput for a link the network does not have.
    """
    try:
        service = scheme.service_class(sls.service_class)
    except InvalidInput as error:
        return unknown_class(error)
    ends = ends_reason(scheme, service, sls.destination_link)
    if ends is not None:
        return ends
    try:
        if service.ends == "source":
            return paths_to_anywhere(network, sls)
        return paths_outside(network, sls) if service.ends == "outside" else path(network, sls)
    except NoPath as error:
        code = "no-border" if service.ends == "outside" else "no-path"
        return Reason(code=code, link=sls.source_link, text=error.reason)


def unknown_class(error: InvalidInput) -> Reason:
    """The reason for a class the scheme does not have: the domain had another scheme when it was asked for."""
    return Reason(
        code="class-unknown",
        text=f"{error.reason}: it was asked for under another scheme, and nothing of it can be promised now",
    )


def charged(scheme: Scheme, sls: Sls, found: Path) -> tuple[LinkDirection, ...]:
    """The link directions of the path that count: all of them, or the first for a class admitted at the edge."""
    edge_only = scheme.service_class(sls.service_class).admission == "edge"
    return found.hops[:1] if edge_only else found.loads


def loaded(network: Network, scheme: Scheme, sls: Sls) -> tuple[LinkDirection, ...]:
    """What a request is charged to; only its source where it has no path. Raises InvalidInput as `reach` does."""
    found = reach(network, scheme, sls)
    return () if isinstance(found, Reason) else charged(scheme, sls, found)


def ends_reason(scheme: Scheme, service: ServiceClass, destination: str | None) -> Reason | None:
    """Why a class cannot be promised towards `destination` (None: none is named), or None when it can."""
    if service.ends == "both" and destination is None:
        text = f"{service.title} promises between two known access links; name the destination too"
        return Reason(code="destination-needed", text=text)
    if service.ends == "source" and destination is not None:
        two_ended = next(
            (each.title for each in scheme.classes if each.pool == service.pool and each.ends == "both"), ""
        )
        other = f"; {two_ended} is for two known ends" if two_ended else ""
        text = (
            f"{service.title} is promised from a known source to anywhere, and {destination} is not guaranteed: "
            f"ask without a destination{other}"
        )
        return Reason(code="destination-given", link=destination, text=text)
    if service.ends == "outside" and destination is not None:
        text = (
            f"{service.title} is for traffic that leaves the domain and is best effort from its border on; "
            f"{destination} is inside"
        )
        return Reason(code="ends-inside", link=destination, text=text)
    return None


def case_reasons(network: Network, scheme: Scheme, sls: Sls) -> list[Reason]:
    """A source whose input policy lets nothing of this class in cannot send it, whatever is free."""
    source = network.access_link(sls.source_link)
    name = scheme.service_class(sls.service_class).name
    if source is None or scheme.case_policy(source.case).carrying(name) is not None:
        return []
    text = f"{source.id} is {source.case}: whatever it sends is marked DSCP {scheme.rest_dscp} until it is onboarded"
    return [Reason(code="non-participant", link=source.id, direction=Direction.IN, text=text)]
