"""What looks mean under the inventory there is."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from provisioning.pipeline.adoption import RouterAdoption, adopt
from provisioning.pipeline.rendering import Renderer
from provisioning.selectors.requests import sls_of
from provisioning.selectors.templates import shared_ios_environment
from provisioning.services import intents
from provisioning.services.adopting.looking import Look


@dataclass(frozen=True)
class Recognised:
    """One look with what it means."""

    look: Look
    adoption: RouterAdoption


def recognise(looks: Iterable[Look]) -> tuple[list[Recognised], list[str]]:
    """Recognise every look whose router is in the inventory; and why the others were not.

    Raises Conflict when there is no inventory.
    """
    wanted = intents.wanted()
    reservations = [sls_of(request) for request in wanted.requests]
    renderer = Renderer(shared_ios_environment())
    found, strangers = [], []
    for look in looks:
        if look.router not in wanted.routers:
            strangers.append(f"{look.router}: not in the inventory; propose it with --into first")
            continue
        if look.router in wanted.unbuildable:
            strangers.append(
                f"{look.router}: what it is to hold cannot be worked out: {wanted.unbuildable[look.router]}"
            )
            continue
        adoption = adopt(
            look.config,
            wanted.network,
            wanted.scheme,
            look.router,
            wanted.profiles[look.router],
            renderer,
            reservations=reservations,
            bandwidths=look.bandwidths,
            exempt=wanted.exempt[look.router],
            suffixes=wanted.suffixes,
        )
        found.append(Recognised(look, adoption))
    return found, strangers
