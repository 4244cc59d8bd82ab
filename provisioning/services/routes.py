"""What a plan, and every verification, says of the static routes that promises rest on, from the text just read.

A promise rests on the path it was admitted over: that is where it is charged, wherever routing would go today.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from provisioning.pipeline.intent import RouterIntent
from provisioning.pipeline.topology import (
    Direction,
    LinkDirection,
    RouteNeeded,
    at_risk,
    in_place,
    routes_needed,
    static_routes,
)
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
    pinned = {
        name
        for each in wanted.scheme.classes
        if each.static_routes
        for name in (each.name, each.abbreviation)
    }
    for request in wanted.concerning(router) if pinned else ():
        if request.service_class in pinned and (reservation := getattr(request, "reservation", None)):
            hops = [LinkDirection(hop["link"], Direction(hop["direction"])) for hop in reservation.path]
            found = routes_needed(wanted.network, sls_of(request), hops)
            yield from (each for each in found if each.router == router)
