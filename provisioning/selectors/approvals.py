"""Whose word a change has and whose it still needs, read from the rows (ADR 16)."""

from __future__ import annotations

from django.conf import settings

from provisioning.models import Approval, Change
from provisioning.pipeline.change import Parts, missing


def parts_of(change: Change) -> Parts:
    """What a change carries and who stands behind each part of it."""
    return Parts(
        requests={request.reference: request.submitted_by_id for request in change.requests.all()},
        planner=change.submitted_by_id,
        base_lines=change.base_lines,
        two=settings.TWO_PEOPLE,
    )


def given_to(change: Change) -> list[Approval]:
    """The approvals of a change with who gave them and from which change they came over, oldest first."""
    return list(change.approvals.all())


def missing_of(change: Change, *, besides: int | None = None) -> tuple[str, ...]:
    """What keeps the approvals of a change from being enough, a sentence each; `besides` as if this user had approved."""
    given = [each.user_id for each in change.approvals.all()]
    return missing(parts_of(change), given if besides is None else [*given, besides])
