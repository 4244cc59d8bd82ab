"""Ends from which the way on is the same: whatever a service reads is alike, so that it is walked once and then counted.

Left out of what is compared is only what nothing is decided by: the sentences for people, transcripts, keys of rows that the case
made itself. Every so often the way from an end that is known is walked all the same, and has to be the known one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Hashable
from typing import Any

from django.db import models

from lab.device import Device
from provisioning.models import (
    BareInterface,
    Change,
    Job,
    LedgerEntry,
    Modification,
    Ownership,
    PremiumRequest,
    Reservation,
    RouterPush,
    RouterQueue,
    RouterSync,
)
from provisioning.services import clock
from provisioning.services.ownership import LEFT

READ: tuple[type[models.Model], ...] = (
    Change, RouterPush, PremiumRequest, Reservation, LedgerEntry, Modification, RouterQueue, RouterSync, Ownership,
    BareInterface,
)  # fmt: skip
SAID = {
    "error",
    "reason",
    "title",
    "waits_for",
    "verification",
    "counters",
    "health",
    "detail",
    "unsaved",
    "drift",
}
"""Fields of sentences and of evidence."""
EVERY = 15
"""Of the ends that are known each so-and-so-many-th is walked on from all the same."""
_VOLATILE = re.compile(r"^(!.*|ntp clock-period \d+|Current configuration.*)$\n?", re.M)


def alike(device: Device) -> Hashable:
    """What the way on from here depends on."""
    now = clock.now()
    rows = tuple(
        (
            model.__name__,
            tuple(
                tuple(_value(row, field, now) for field in _fields(model))
                for row in model._default_manager.order_by("pk")
            ),
        )
        for model in READ
    )
    live = Job.objects.filter(state__in=("QUEUED", "LEASED")).order_by("kind", "subject_id")
    tried = Job.objects.order_by("kind").values_list("kind").annotate(models.Count("pk"))
    return (
        rows,
        tuple(live.values_list("kind", "state")),
        tuple(tried),
        _VOLATILE.sub("", device.running_config()),
        _VOLATILE.sub("", device.startup or ""),
        device.pending is None,
    )


def _fields(model: type[models.Model]) -> list[models.Field[Any, Any]]:
    return [
        field for field in model._meta.concrete_fields if not field.primary_key and field.name not in SAID
    ]


def _value(row: models.Model, field: models.Field[Any, Any], now: Any) -> Hashable:
    value = field.value_from_object(row)
    if isinstance(field, models.DateTimeField):
        return None if value is None else value > now  # only whether it is over decides
    if isinstance(field, models.ForeignKey):
        related: Any = field.related_model
        return value if related._meta.app_label == "inventory" else value is not None
    if isinstance(row, RouterPush) and field.name == "verification":
        value = (value or {}).get(LEFT)  # what our own lines left there: a new plan puts that right
    if isinstance(row, RouterSync) and field.name == "unsaved":
        value = sorted(value or {})  # since when is evidence, whose lines the configurations say
    if isinstance(value, dict | list):
        return json.dumps(value, sort_keys=True, default=str)
    if isinstance(row, RouterPush) and field.name == "line":
        return None
    return str(value)


class Ways:
    """The ways that are known, by what they begin at."""

    def __init__(self) -> None:
        self._known: dict[Hashable, Any] = {}
        self._met = 0

    def of(self, begins: Hashable, walk: Callable[[], Any]) -> tuple[Any, bool]:
        """The way from here, and whether it was walked now or is that of an end like it; raises AssertionError where a known one
        was another.
        """
        known = self._known.get(begins)
        if known is None:
            known = self._known[begins] = walk()
            return known, True
        self._met += 1
        if self._met % EVERY:
            return known, False
        again = walk()
        assert again == known, f"from the same end: {again}, before that {known}"
        return known, True
