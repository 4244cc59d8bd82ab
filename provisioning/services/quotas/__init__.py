"""Quotas: set by the NOC, and kept where requests are asked for, held, admitted and changed."""

from provisioning.services.quotas.setting import set_quota
from provisioning.services.quotas.taking import (
    OverRate,
    over_rate,
    refused_by_quota,
    take_holds,
    take_open,
    take_rate,
    wait_for_turn,
)

__all__ = [
    "OverRate",
    "over_rate",
    "refused_by_quota",
    "set_quota",
    "take_holds",
    "take_open",
    "take_rate",
    "wait_for_turn",
]
