"""Requests as a person may see them: the rule is the selector's, the same as the API's."""

from __future__ import annotations

from provisioning.selectors.requests import for_actor as requests
from provisioning.selectors.requests import visible as request_of

__all__ = ["request_of", "requests"]
