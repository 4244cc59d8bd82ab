"""Where a request comes from, and that whoever made it was refused."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import structlog
from django.conf import settings

log = structlog.get_logger(__name__)


def client_address(meta: Mapping[str, Any]) -> str:
    """The address a request (its ``META``) comes from; what a client claims in X-Forwarded-For counts for nothing.

    Behind NUM_PROXIES proxies, each of which appends whom it heard, it is the entry the outermost of them wrote.
    """
    direct = str(meta.get("REMOTE_ADDR", ""))
    heard = [part.strip() for part in str(meta.get("HTTP_X_FORWARDED_FOR", "")).split(",") if part.strip()]
    if settings.NUM_PROXIES < 1 or not heard:
        return direct
    return str(heard[-min(settings.NUM_PROXIES, len(heard))])


def log_refusal(*, who: str, meta: Mapping[str, Any], method: str, path: str, reason: str) -> None:
    """Log that somebody who is in was refused what they may not do (ASVS 5.0, 16.3.2)."""
    log.warning(
        "refused", who=who, address=client_address(meta), method=method, path=path, reason=reason[:300]
    )
