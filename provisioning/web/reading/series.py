"""Series as a person may see them, and what stands for one where requests are listed."""

from __future__ import annotations

from django.db.models import Exists, OuterRef, Q, QuerySet

from provisioning.models import PremiumRequest
from provisioning.selectors.series import Occurrences, occurrences_of, one_row_each, standing_of
from provisioning.selectors.series import visible as series_of


def one_line_each(rows: QuerySet[PremiumRequest], alike: Q) -> QuerySet[PremiumRequest]:
    """Return `rows`, and of each series the first alone of those that are `alike`."""
    earlier = PremiumRequest.objects.filter(alike, series=OuterRef("series")).filter(
        Q(start__lt=OuterRef("start")) | Q(start=OuterRef("start"), pk__lt=OuterRef("pk"))
    )
    return rows.filter(Q(series=None) | ~Exists(earlier))


__all__ = ["Occurrences", "occurrences_of", "one_line_each", "one_row_each", "series_of", "standing_of"]
