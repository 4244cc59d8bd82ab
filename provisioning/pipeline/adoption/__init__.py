"""A hand-configured router -> what it means in the scheme's terms, under its own names, with the proof (ADR 12).

Nothing is adopted by guess: what is ambiguous, nearly right or not understood is said, typed, and left.
"""

from provisioning.pipeline.adoption.adopting import adopt
from provisioning.pipeline.adoption.leaving_out import leave_out
from provisioning.pipeline.adoption.network_file import DomainProposal, network_file
from provisioning.pipeline.adoption.outcome import Proof, RouterAdoption
from provisioning.pipeline.adoption.proposing import NetworkProposal, propose
from provisioning.pipeline.adoption.text import RouterText, read_text
from provisioning.pipeline.adoption.values import (
    CORE,
    ClassFound,
    Finding,
    Found,
    Grant,
    Verdict,
    Weight,
)

__all__ = [
    "CORE",
    "ClassFound",
    "DomainProposal",
    "Finding",
    "Found",
    "Grant",
    "NetworkProposal",
    "Proof",
    "RouterAdoption",
    "RouterText",
    "Verdict",
    "Weight",
    "adopt",
    "leave_out",
    "network_file",
    "propose",
    "read_text",
]
