"""Under which subjects of the audit trail stands what happens to a row: its own, and others for what is recorded with them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from django.db import models

from inventory.models import CoreLink
from provisioning.models import CapacityChange, Modification, PremiumRequest, RouterPush

Subject = tuple[str, str]
"""The name of a model and the key of a row, as the trail has them."""


class _Others(NamedTuple):
    """The subjects of a kind whose keys stand in `column` of those rows of `model` whose `by` is the key of the row."""

    kind: str
    model: type[models.Model]
    by: str
    column: str


_OTHERS: Final[Mapping[str, _Others]] = {
    "Modification": _Others("PremiumRequest", Modification, "pk", "request"),
    "Series": _Others("PremiumRequest", PremiumRequest, "series", "pk"),
    "Change": _Others("RouterPush", RouterPush, "change", "pk"),
    "CoreLink": _Others("Domain", CoreLink, "pk", "domain"),
    "CapacityChange": _Others("Domain", CapacityChange, "pk", "domain"),
}


def subjects_of(kind: str, key: int) -> frozenset[Subject]:
    """Every subject under which a deed about this row is recorded; of a row that is not there its own alone."""
    own = frozenset({(kind, str(key))})
    others = _OTHERS.get(kind)
    if others is None:
        return own
    rows: Any = others.model._default_manager.filter(**{others.by: key}).order_by()
    return own | {(others.kind, str(found)) for found in rows.values_list(others.column, flat=True)}
