"""What a plan says of the static routes that promises rest on, from the running-config that was just read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from provisioning.pipeline.admission import reach
from provisioning.pipeline.intent import RouterIntent
from provisioning.pipeline.topology import Path, at_risk, routes_needed, static_routes
from provisioning.selectors.requests import sls_of
from provisioning.services.intents import Wanted
from provisioning.services.reading import Reading


def with_route_warnings(wanted: Wanted, reading: Reading) -> RouterIntent:
    """The intent of the router that was read, with a sentence per static route that a reservation needs there."""
    intent = wanted.intents[reading.router]
    said = tuple(_said(wanted, reading))
    return replace(intent, warnings=(*intent.warnings, *said)) if said else intent


def _said(wanted: Wanted, reading: Reading) -> Iterator[str]:
    if not any(service.static_routes for service in wanted.scheme.classes):
        return
    held = static_routes(reading.text)
    for request in wanted.requests:
        sls = sls_of(request)
        found = reach(wanted.network, wanted.scheme, sls)
        if wanted.scheme.service_class(sls.service_class).static_routes and isinstance(found, Path):
            needed = routes_needed(wanted.network, sls, found)
            yield from at_risk((each for each in needed if each.router == reading.router), held)
