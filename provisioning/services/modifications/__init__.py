"""Changing what was promised: proposed, agreed to, decided on the difference, in force when the routers hold it (ADR 28)."""

from provisioning.services.modifications.answering import consent
from provisioning.services.modifications.asking import UNCHANGED, Modify
from provisioning.services.modifications.deciding import admit, evidence, refuse
from provisioning.services.modifications.ending import end_early, withdraw
from provisioning.services.modifications.proposing import consent_asked, extend, modify, what_if
from provisioning.services.modifications.ranging import range_of

__all__ = [
    "UNCHANGED",
    "Modify",
    "admit",
    "consent",
    "consent_asked",
    "end_early",
    "evidence",
    "extend",
    "modify",
    "range_of",
    "refuse",
    "what_if",
    "withdraw",
]
