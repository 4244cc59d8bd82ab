"""Adopting routers that somebody configured by hand: look, recognise, propose, and write what is proven (ADR 12)."""

from provisioning.services.adopting.looking import (
    Look,
    look_from_snapshot,
    looks_from_routers,
    looks_from_texts,
)
from provisioning.services.adopting.proposing import Proposal, propose_network
from provisioning.services.adopting.recognising import Recognised, recognise
from provisioning.services.adopting.writing import apply, forget

__all__ = [
    "Look",
    "Proposal",
    "Recognised",
    "apply",
    "forget",
    "look_from_snapshot",
    "looks_from_routers",
    "looks_from_texts",
    "propose_network",
    "recognise",
]
