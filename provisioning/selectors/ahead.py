"""What was approved before it is due."""

from __future__ import annotations

from django.db.models import QuerySet

from provisioning.models import ApprovedLines, PremiumRequest


def approved_lines(request: PremiumRequest) -> QuerySet[ApprovedLines]:
    """The approvals given ahead for a request that count, oldest first; without the lines themselves."""
    rows = ApprovedLines.objects.filter(request=request, revoked_at__isnull=True).select_related(
        "user", "router"
    )
    return rows.defer("lines", "effect", "text").order_by("pk")
