"""How much would fit: what the most is that could be asked for in a window, by the answers that asking would get."""

from __future__ import annotations

from dataclasses import dataclass, replace

from inventory.models import AccessLink
from provisioning.errors import InvalidInput
from provisioning.models import Actor
from provisioning.pipeline.topology.framing import Framing, framing_or_longest, layer2_bps
from provisioning.services.requests.asking import SubmitRequest
from provisioning.services.requests.trying import Tried, try_out


@dataclass(frozen=True)
class Room:
    """Whether what is asked fits (``tried``), and how much would.

    ``most_bps`` is the highest rate that fits for the whole window on every link of the path and at every instant, at layer 3; 0
    where none does, None where it cannot be said. ``frames_bps`` is the rate asked with the headers of ``framing``, in packets of
    ``packet_bytes``: what the policer counts on the link where it enters.
    """

    tried: Tried
    most_bps: int | None
    frames_bps: int
    framing: Framing
    packet_bytes: int


def room(*, actor: Actor, data: SubmitRequest) -> Room:
    """Try what is asked for, and find the most that would fit in its place.

    It is found by asking for all that the link carries and reading what is offered instead: so it says nothing that an answer to
    a request does not, rounded as that is (ADR 46). Raises what `try_out` raises.
    """
    tried = try_out(actor=actor, data=data)
    asked = tried.asked[0]
    link = AccessLink.objects.select_related("interface").get(name=data.source_link)
    packet = data.min_packet_bytes or data.max_packet_bytes
    framing = framing_or_longest(link.interface.name)
    frames = layer2_bps(asked.rate.bps, packet, framing.header_bytes)
    return Room(tried, _most(actor, data, tried, link), frames, framing, packet)


def _most(actor: Actor, data: SubmitRequest, tried: Tried, link: AccessLink) -> int | None:
    found = tried
    if found.seen.fits:
        whole = link.interface.bw_bps - link.interface.bw_bps % 1_000_000
        if tried.asked[0].rate.bps >= whole:
            return tried.asked[0].rate.bps
        try:
            found = try_out(actor=actor, data=replace(data, rate=whole))
        except InvalidInput:  # such a rate cannot even be asked for, for instance in its bucket
            return None
        if found.seen.fits:
            return whole
    rates = [offer.rate_bps for offer in found.seen.counter_offers if offer.kind == "lower-rate"]
    if rates:
        return max(rates)
    return None if tried.seen.fits else 0
