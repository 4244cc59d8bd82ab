"""The Python client of Expedite."""

from __future__ import annotations

from expedite_client.asking import Ask, Recurrence, Terms
from expedite_client.client import Client
from expedite_client.errors import (
    BadCertificate,
    ClientError,
    FieldError,
    InvalidInput,
    NoSuch,
    NotUnderstood,
    Problem,
    Redirected,
    Unreachable,
)
from expedite_client.version import VERSION

__all__ = [
    "Ask",
    "BadCertificate",
    "Client",
    "ClientError",
    "FieldError",
    "InvalidInput",
    "NoSuch",
    "NotUnderstood",
    "Problem",
    "Recurrence",
    "Redirected",
    "Terms",
    "Unreachable",
    "VERSION",
]
__version__ = VERSION
