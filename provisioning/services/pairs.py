"""A request and its twin: both ways of one wish, decided, answered and ended together."""

from __future__ import annotations

from django.db.models import QuerySet

from provisioning.models import PremiumRequest
from provisioning.services import locking


def read(request: PremiumRequest) -> list[PremiumRequest]:
    """The request, then its twin if it has one, read anew with their links and NRENs."""
    return _request_first(_rows(request), request)


def locked(request: PremiumRequest) -> list[PremiumRequest]:
    """As ``read``, the rows locked in key order until the transaction ends."""
    return _request_first(locking.locked(_rows(request)).order_by("pk"), request)


def concerned(request: PremiumRequest) -> list[int]:
    """The NRENs that may see what happens to a request: the one that asked and the one that receives."""
    return [nren for nren in (request.nren_id, request.receiving_nren_id) if nren is not None]


def _rows(request: PremiumRequest) -> QuerySet[PremiumRequest]:
    keys = [key for key in (request.pk, request.twin_id) if key is not None]
    return PremiumRequest.objects.filter(pk__in=keys).select_related(
        "source_link", "destination_link", "nren__domain", "receiving_nren"
    )


def _request_first(rows: QuerySet[PremiumRequest], request: PremiumRequest) -> list[PremiumRequest]:
    return sorted(rows, key=lambda row: row.pk != request.pk)
