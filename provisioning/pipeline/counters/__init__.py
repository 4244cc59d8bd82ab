"""Output of ``show policy-map interface`` -> typed counters (ios-facts section 4): what proves that a
policy works.
"""

from __future__ import annotations

from typing import Any

from provisioning.pipeline.counters.reading import parse
from provisioning.pipeline.counters.values import (
    ChildPolicyCounters,
    ClassCounters,
    Colour,
    InterfacePolicyCounters,
    Marking,
    MatchCounters,
    PoliceCounters,
    QueueCounters,
    WredRow,
)
from provisioning.pipeline.mqc import to_json as _to_json


def to_json(counters: tuple[InterfacePolicyCounters, ...]) -> Any:
    """The counters as JSON data; rates in bit/s, percentages as text."""
    return _to_json(counters)


__all__ = [
    "ChildPolicyCounters",
    "ClassCounters",
    "Colour",
    "InterfacePolicyCounters",
    "Marking",
    "MatchCounters",
    "PoliceCounters",
    "QueueCounters",
    "WredRow",
    "parse",
    "to_json",
]
