"""What a plan, and every verification, says of the static routes that promises rest on, from the text just read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from provisioning.pipeline.admission import reach
from provisioning.pipeline.intent import RouterIntent
from provisioning.pipeline.topology import Path, RouteNeeded, at_risk, in_place, routes_needed, static_routes
from provisioning.selectors.requests import sls_of
from provisioning.services.intents import Wanted
from provisioning.services.reading import Reading


def with_route_warnings(wanted: Wanted, reading: Reading) -> RouterIntent:
    """The intent of the router that was read, with a sentence per static route that a reservation needs there."""
    intent = wanted.intents[reading.router]
    held = static_routes(reading.text)
    needed = tuple(_needed(wanted, reading.router))
    said = (*at_risk(needed, held), *in_place(needed, held))
    return replace(intent, warnings=(*intent.warnings, *said)) if said else intent


def routes_at_risk(wanted: Wanted, reading: Reading) -> list[str]:
    """What every verification says: promises that are on and that the routes of this router do not hold."""
    return list(at_risk(_needed(wanted, reading.router), static_routes(reading.text)))


def _needed(wanted: Wanted, router: str) -> Iterator[RouteNeeded]:
    if not any(service.static_routes for service in wanted.scheme.classes):
        return
    for request in wanted.requests:
        sls = sls_of(request)
        found = reach(wanted.network, wanted.scheme, sls)
        # A class that the scheme no longer has is on no path; its router is unbuildable, and the others are judged.
        if isinstance(found, Path) and wanted.scheme.service_class(sls.service_class).static_routes:
            yield from (each for each in routes_needed(wanted.network, sls, found) if each.router == router)
