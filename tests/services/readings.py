"""Readings without a router: what a test says a router shows."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from django.utils import timezone

from provisioning.pipeline import ios
from provisioning.services.reading import Reading


def read_as(
    router: str, text: str, *, bandwidths: Mapping[str, int] | None = None, read_at: datetime | None = None
) -> Reading:
    """A reading of `router` that shows `text`, begun now or at `read_at`."""
    return Reading(
        router=router,
        text=text,
        config=ios.parse(text),
        bandwidths=dict(bandwidths or {}),
        enabled={},
        serial="",
        version="",
        host_key="",
        unsaved=(),
        read_at=read_at or timezone.now(),
    )
