"""What a request could become, told before somebody asks for it."""

from __future__ import annotations

from provisioning.models import Actor, PremiumRequest
from provisioning.pipeline.admission import AllowedRange, Reason, allowed_range
from provisioning.pipeline.units import TimeWindow
from provisioning.selectors import topology
from provisioning.selectors.ledger import commitments
from provisioning.selectors.requests import sls_of
from provisioning.selectors.schemes import scheme_of
from provisioning.services import clock, pairs
from provisioning.services.decisions.capacity import further, loaded_links
from provisioning.services.requests.replacing import may_change


def range_of(*, actor: Actor, request: PremiumRequest) -> AllowedRange | Reason:
    """How far rate, end and start of a request (and its twin) could change at this moment, each alone, beside everybody
    else; a Reason where the network has no path for it. Nothing is locked: a decision may find it taken.

    Raises NotVisible, NotPermitted (neither the NREN that asked nor the NOC), InvalidInput where the scheme cannot be read.
    """
    may_change(actor, request)
    rows, now = pairs.read(request), clock.now()
    slss = [sls_of(row) for row in rows]
    known = topology.current(rows[0].nren.domain)
    scheme = scheme_of(known.domain)
    links, own = loaded_links(known.network, scheme, slss), [row.pk for row in rows]
    asked = slss[0].window
    # What was read ends somewhere: a latest end within it is one, else everything after is read.
    for window in (*(further(asked) if asked.end is not None else ()), TimeWindow(min(asked.start, now))):
        read = TimeWindow(min(window.start, now), window.end)
        beside = commitments(now=now, links=links, except_requests=own, within=read)
        found = allowed_range(known.network, scheme, slss, beside, now=now)
        if isinstance(found, Reason) or window.end is None:
            break
        if found.latest_end is not None and found.latest_end <= window.end:
            break
    return found
