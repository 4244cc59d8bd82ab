"""Whether the link a request leaves by takes part in its class; the scheme says what becomes of one that does not.

D4.4.2v2 section 2.4.1 promises traffic that "enters and exits from two specific 6NET access routers"; of an access link that
takes no part (section 2.6) it says what becomes of what it sends, and nothing of what it receives.
"""

from __future__ import annotations

from provisioning.pipeline.admission.values import Reason
from provisioning.pipeline.scheme import NON_PARTICIPANT, Scheme, ServiceClass
from provisioning.pipeline.sls import Sls
from provisioning.pipeline.topology import AccessLinkValue, Direction, Network


def receiver_reasons(network: Network, scheme: Scheme, sls: Sls) -> tuple[Reason, ...]:
    """Why the destination cannot take the class, where the scheme refuses such a request."""
    said = _said(network, scheme, sls) if scheme.receivers.without_the_class == "refuse" else ""
    if not said:
        return ()
    return (Reason("receiver-without-class", said, link=sls.destination_link, direction=Direction.OUT),)


def receiver_doubts(network: Network, scheme: Scheme, sls: Sls) -> tuple[str, ...]:
    """The same as a warning, where the scheme admits such a request with one."""
    said = _said(network, scheme, sls) if scheme.receivers.without_the_class == "warn" else ""
    return (said,) if said else ()


def _said(network: Network, scheme: Scheme, sls: Sls) -> str:
    link = None if sls.destination_link is None else network.access_link(sls.destination_link)
    why = "" if link is None else _why_not(scheme, scheme.service_class(sls.service_class), link)
    choice = "our choice: " if scheme.receivers.is_choice else ""
    return f"{why} ({choice}{scheme.receivers.provenance})" if why else ""


def _why_not(scheme: Scheme, service: ServiceClass, link: AccessLinkValue) -> str:
    """Why the link takes no part in the class, or an empty text."""
    if link.dscp_map and not {ours for ours, _ in link.dscp_map} & set(service.dscps):
        return (
            f"{link.id} receives, and its agreement says nothing of DSCP {service.dscp}: {service.title} is promised to the "
            "border and not beyond"
        )
    if scheme.case_policy(link.case).carrying(service.name) is not None:
        return ""
    if link.case == NON_PARTICIPANT:
        return (
            f"{link.id} receives and is non-participant: {service.title} is promised up to it, and {link.nren} takes no "
            "part in it"
        )
    return f"{link.id} receives, and as {link.case} takes no part in {service.title}"
