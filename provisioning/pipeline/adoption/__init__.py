"""A hand-configured router -> what it means in the scheme's terms, under its own names, with the proof (ADR 12).

Nothing is adopted by guess: what is ambiguous, nearly right or not understood is said, typed, and left.
"""

from provisioning.pipeline.adoption.adopting import Proof, RouterAdoption, adopt
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
    "Finding",
    "Found",
    "Grant",
    "Proof",
    "RouterAdoption",
    "Verdict",
    "Weight",
    "adopt",
]
