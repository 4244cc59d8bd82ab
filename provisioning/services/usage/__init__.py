"""Counters read again and again, and what was used between two looks."""

from __future__ import annotations

from provisioning.services.usage.due import begin_counting, due
from provisioning.services.usage.polling import count_router
from provisioning.services.usage.telling import end_unseen

__all__ = ["begin_counting", "count_router", "due", "end_unseen"]
