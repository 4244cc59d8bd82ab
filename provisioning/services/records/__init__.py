"""What each decision rested on: kept with it, signed, and derived again on request."""

from provisioning.services.records.keeping import (
    Deed,
    Texts,
    keep_current,
    keep_network,
    keep_record,
    keep_records,
    keep_texts,
    record_of,
)
from provisioning.services.records.rechecking import how_many_to_recheck, recheck, recheck_all
from provisioning.services.records.values import Finding, Recheck

__all__ = [
    "Deed",
    "Finding",
    "Recheck",
    "Texts",
    "keep_current",
    "keep_network",
    "keep_record",
    "keep_records",
    "keep_texts",
    "how_many_to_recheck",
    "recheck",
    "recheck_all",
    "record_of",
]
