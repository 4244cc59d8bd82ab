"""Whose word a change has and whose it still needs, read from the rows (ADR 16)."""

from __future__ import annotations

from django.conf import settings

from provisioning.models import Change
from provisioning.pipeline.change import Parts, missing


def parts_of(change: Change) -> Parts:
    """What a change carries and who stands behind each part of it."""
    return Parts(
        requests={request.reference: request.submitted_by_id for request in change.requests.all()},
        planner=change.submitted_by_id,
        base_lines=change.base_lines,
        two=settings.TWO_PEOPLE,
    )


def missing_of(change: Change) -> tuple[str, ...]:
    """What keeps the approvals of a change from being enough, a sentence each."""
    return missing(parts_of(change), [each.user_id for each in change.approvals.all()])
