"""What two readings of a router's counters say was sent between them, and what was reserved for it meanwhile."""

from __future__ import annotations

from provisioning.pipeline.usage.classes import Known, UsedClass, class_at, series_of, used_classes
from provisioning.pipeline.usage.counting import NUMBERS, Count, Place, counts_of
from provisioning.pipeline.usage.growth import (
    Interval,
    Look,
    Used,
    interval,
    together,
    used_between,
    with_missing,
)
from provisioning.pipeline.usage.verdicts import Verdict, judge

__all__ = [
    "NUMBERS",
    "Count",
    "Interval",
    "Known",
    "Look",
    "Place",
    "Used",
    "UsedClass",
    "Verdict",
    "class_at",
    "counts_of",
    "interval",
    "judge",
    "series_of",
    "together",
    "used_between",
    "used_classes",
    "with_missing",
]
