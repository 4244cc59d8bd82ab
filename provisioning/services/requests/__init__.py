"""Asking for IP Premium, agreeing to receive it, giving it back, and what time does to it."""

from provisioning.services.requests.answering import consent
from provisioning.services.requests.asking import SubmitRequest
from provisioning.services.requests.ending import Expired, expire_due, withdraw
from provisioning.services.requests.submission import submit

__all__ = ["Expired", "SubmitRequest", "consent", "expire_due", "submit", "withdraw"]
