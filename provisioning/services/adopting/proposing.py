"""A network proposed from running-configs, and what its routers mean under that proposal."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass

from inventory.models import Domain
from inventory.readers.entries import NetworkFile
from inventory.readers.errors import NetworkFileError
from inventory.readers.network_yaml import read_network_text
from provisioning.errors import InvalidInput
from provisioning.pipeline.adoption import (
    DomainProposal,
    NetworkProposal,
    RouterAdoption,
    adopt,
    leave_out,
    network_file,
    propose,
)
from provisioning.pipeline.platforms import profile
from provisioning.pipeline.rendering import Renderer
from provisioning.pipeline.scheme import Scheme
from provisioning.pipeline.topology import AccessLinkValue, CoreLinkValue, Network, PeeringValue, RouterValue
from provisioning.selectors.schemes import load_scheme, scheme_of
from provisioning.selectors.templates import shared_ios_environment
from provisioning.services.adopting.looking import Look
from provisioning.services.adopting.recognising import Recognised

_PRIVATE_ASN = 64512  # the first of RFC 6996: to be filled in
_DOCUMENTATION_PREFIX = "2001:db8::/32"
_LEFT_OUT = 50
"""Of so many entries that the file cannot hold a proposal is freed; the file is read once for each."""


@dataclass(frozen=True)
class Proposal:
    """`text` is a network file that `import_inventory` reads; `recognised` what the routers mean under it."""

    text: str
    network: NetworkProposal
    recognised: tuple[Recognised, ...]


def propose_network(looks: Sequence[Look], *, scheme: str) -> Proposal:
    """Propose a network file from what the routers show, and recognise them under it; changes no row.

    The domain there is gives name, prefix, AS number and scheme; without one they are to be filled in. Raises
    InvalidInput when a platform or release is not known, or the proposal contradicts itself as a whole: then the reason
    names the entry. An entry that a network file cannot hold is left out and said (`network.unknown`).
    """
    row = Domain.objects.order_by("pk").first()
    rules = scheme_of(row) if row is not None else load_scheme(scheme)
    renderer = Renderer(shared_ios_environment())
    strangers = {
        look.router: _adoption(
            look,
            Network((RouterValue(look.router, look.shown.platform, look.shown.release),), (), ()),
            rules,
            renderer,
        )
        for look in looks
    }
    found = {name: adoption.places for name, adoption in strangers.items()}
    proposed = propose([look.shown for look in looks], found)
    domain = (
        DomainProposal(row.name, row.asn, str(row.prefix), known=True)
        if row is not None
        else DomainProposal("backbone", _PRIVATE_ASN, _DOCUMENTATION_PREFIX, known=False)
    )
    proposed, text, network = _holding(proposed, rules, domain)
    recognised, unbuildable = [], []
    for look in looks:
        if network.router(look.router) is None:
            continue  # left out, and said
        try:
            recognised.append(Recognised(look, _adoption(look, network, rules, renderer)))
        except InvalidInput as error:
            unbuildable.append(f"{look.router}: what it is to hold cannot be worked out: {error}")
    proposed = dataclasses.replace(proposed, unknown=(*proposed.unknown, *unbuildable))
    return Proposal(text, proposed, tuple(recognised))


def _adoption(look: Look, network: Network, rules: Scheme, renderer: Renderer) -> RouterAdoption:
    return adopt(
        look.config,
        network,
        rules,
        look.router,
        profile(look.shown.platform, look.shown.release),
        renderer,
        bandwidths=look.bandwidths,
    )


def _holding(
    proposed: NetworkProposal, rules: Scheme, domain: DomainProposal
) -> tuple[NetworkProposal, str, Network]:
    """The proposal without the entries that a network file cannot hold, its text, and what that is read as."""
    for left in reversed(range(_LEFT_OUT + 1)):
        text = network_file(proposed, rules, domain)
        try:
            return proposed, text, _as_network(text)
        except NetworkFileError as error:
            less = leave_out(proposed, error.path, error.reason) if left else None
            if less is None:
                raise InvalidInput(f"the proposal does not hold together: {error}", field="into") from error
            proposed = less
    raise AssertionError


def _as_network(text: str) -> Network:
    """The proposed file as it will be read back, as pipeline values; raises NetworkFileError."""
    read = read_network_text(text.encode(), source="proposal")
    return Network(
        routers=tuple(
            RouterValue(each.name, each.platform, each.ios, dict(each.engines)) for each in read.routers
        ),
        access_links=tuple(
            AccessLinkValue(
                each.name,
                each.nren,
                each.interface.router,
                each.interface.name,
                each.interface.pvc or None,
                each.interface.line_rate_bps,
                each.interface.bw_bps,
                each.interface.usable_bps,
                each.case,
                each.standing,
            )
            for each in read.access_links
        ),
        core_links=_core_links(read),
        peerings=tuple(
            PeeringValue(
                each.name,
                each.peer,
                each.interface.router,
                each.interface.name,
                each.interface.pvc or None,
                each.interface.line_rate_bps,
                each.interface.bw_bps,
                each.interface.usable_bps,
            )
            for each in read.peerings
        ),
    )


def _core_links(read: NetworkFile) -> tuple[CoreLinkValue, ...]:
    return tuple(
        CoreLinkValue(
            each.name,
            each.a.router,
            each.a.name,
            each.z.router,
            each.z.name,
            each.metric,
            min(each.a.line_rate_bps, each.z.line_rate_bps),
            min(each.a.bw_bps, each.z.bw_bps),
            min(each.a.usable_bps, each.z.usable_bps),
        )
        for each in read.core_links
    )
