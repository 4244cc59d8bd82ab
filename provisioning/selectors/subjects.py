"""Under which subjects of the audit trail stands what happens to a row: its own, and others for what is recorded with them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from inventory.models import CoreLink
from provisioning.models import CapacityChange, Modification, PremiumRequest, RouterPush

Subject = tuple[str, str]
"""The name of a model and the key of a row, as the trail has them."""


def subjects_of(kind: str, key: int) -> frozenset[Subject]:
    """Every subject under which a deed about this row is recorded; of a row that is not there its own alone."""
    others = _OTHERS[kind](key) if kind in _OTHERS else frozenset()
    return frozenset({(kind, str(key))}) | others


def _of_modification(key: int) -> frozenset[Subject]:
    rows = Modification.objects.filter(pk=key).values_list("request", flat=True)
    return frozenset(("PremiumRequest", str(request)) for request in rows)


def _of_series(key: int) -> frozenset[Subject]:
    rows = PremiumRequest.objects.filter(series=key).order_by().values_list("pk", flat=True)
    return frozenset(("PremiumRequest", str(request)) for request in rows)


def _of_change(key: int) -> frozenset[Subject]:
    rows = RouterPush.objects.filter(change=key).order_by().values_list("pk", flat=True)
    return frozenset(("RouterPush", str(push)) for push in rows)


def _of_core_link(key: int) -> frozenset[Subject]:
    rows = CoreLink.objects.filter(pk=key).values_list("domain", flat=True)
    return frozenset(("Domain", str(domain)) for domain in rows)


def _of_capacity(key: int) -> frozenset[Subject]:
    rows = CapacityChange.objects.filter(pk=key).values_list("domain", flat=True)
    return frozenset(("Domain", str(domain)) for domain in rows)


_OTHERS: Final[Mapping[str, Callable[[int], frozenset[Subject]]]] = {
    "Modification": _of_modification,
    "Series": _of_series,
    "Change": _of_change,
    "CoreLink": _of_core_link,
    "CapacityChange": _of_capacity,
}
