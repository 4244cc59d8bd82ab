"""What a template is given for each MQC object: plain words and numbers, checked, in the order they are printed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from provisioning.pipeline.mqc import (
    Action,
    Bandwidth,
    Bps,
    BurstBits,
    BurstBytes,
    BurstMs,
    ChildPolicy,
    FairQueue,
    Match,
    OpaqueAction,
    Percent,
    Police,
    Priority,
    QueueLimit,
    RandomDetect,
    Rate,
    SetField,
    Shape,
    WredThreshold,
    default_burst_bytes,
)
from provisioning.pipeline.platforms import LARGEST_BURST
from provisioning.pipeline.rendering import words

Burst = BurstBits | BurstBytes | BurstMs

# Inside a class: marking first and the policer last, so that no line has to climb just one level (ios-facts 2.6,
# 3.2); `fair-queue` before `random-detect`, which needs it on trains before HQF (ios-facts 2.3).
_ACTION_ORDER: tuple[type, ...] = (
    SetField,
    Priority,
    Bandwidth,
    Shape,
    FairQueue,
    RandomDetect,
    QueueLimit,
    OpaqueAction,
    ChildPolicy,
    Police,
)


def action_position(action: Action) -> tuple[int, str]:
    """The place of an action inside its class when printed; ties by its own words, so the text is deterministic."""
    return _ACTION_ORDER.index(type(action)), repr(action)


def match_view(match: Match) -> Mapping[str, Any]:
    """`words` is everything after `match [not]`; values ascending as IOS prints them (ios-facts N5)."""
    values = " ".join(words.one_line(str(value), field="match") for value in match.sorted_values)
    if match.kind == "opaque":
        text = values
    elif match.kind == "any":
        text = "any"
    elif match.kind == "access-group":
        named = any(isinstance(value, str) for value in match.values)
        text = f"access-group name {values}" if named else f"access-group {values}"
    else:
        text = f"{match.kind} {values}"
    return {"negated": match.negated, "words": text}


def action_view(action: Action, *, bare_police: bool = False) -> tuple[str, Mapping[str, Any]]:
    """Return the template's name and its values for one action of a class.

    ``bare_police`` is for trains that know `police BPS BURST BURST` only (12.0(27)S and before, ios-facts 2.1).
    """
    match action:
        case Police():
            by_place = action.excess_burst is not None and action.violate is None  # named it would count
            return "police", _police(action, (bare_police or by_place) and action.keyword == "cir")
        case SetField():
            return "set", {"field": action.field, "value": words.one_line(str(action.value), field="set")}
        case Priority():
            return "priority", {
                "kind": action.kind,
                "value": _number(action.value),
                "burst": action.burst,
                "level": action.level,
            }
        case Bandwidth():
            return "bandwidth", {"kind": action.kind, "value": _number(action.value)}
        case Shape():
            return "shape", {
                "kind": action.kind,
                "rate": _rate(action.rate),
                "burst": _burst(action.burst),
                "excess_burst": _burst(action.excess_burst),
            }
        case RandomDetect():
            return "random_detect", _random_detect(action)
        case QueueLimit():
            return "queue_limit", {
                "value": action.value,
                "unit": words.one_line(action.unit, field="queue-limit"),
            }
        case FairQueue():
            return "fair_queue", {"queues": action.queues}
        case ChildPolicy():
            return "child_policy", {"name": words.name(action.name, field="service-policy")}
        case OpaqueAction():
            return "opaque_action", {"lines": _lines_of(words.one_line(action.text, field="action"))}


_OF_ITS_OWN = re.compile(r" (?=(?:conform|exceed|violate)-action |conform-color )")


def _lines_of(text: str) -> list[str]:
    """A policer that heeds colours says which in the mode that `police` opens, never on the command's own line
    (color-aware policing, 12.2(28)SB and IOS-XE); every other line stands by itself.
    """
    aware = text.startswith("police ") and " conform-color " in text
    return _OF_ITS_OWN.split(text) if aware else [text]


def _police(police: Police, bare: bool) -> Mapping[str, Any]:
    rate = _rate(police.rate)
    if police.keyword == "rate" and isinstance(police.rate, Bps):
        rate = f"{rate} bps"
    peak = None if police.peak_rate is None else _rate(police.peak_rate)
    burst = police.burst
    if burst is None and peak is None and police.excess_burst is not None and isinstance(police.rate, Bps):
        # IOS takes a second bucket only after a first: its default, which means the same as none (ios-facts N15).
        default = default_burst_bytes(police.rate.value)
        burst = BurstBytes(default) if default <= LARGEST_BURST else None
    return {
        "keyword": "" if bare else police.keyword,
        "rate": rate,
        "burst": _burst(burst),
        "excess_burst": _burst(police.excess_burst),
        "peak_rate": peak,
        "colours": [
            {
                "keyword": keyword,
                "actions": [words.one_line(text, field=keyword) for text in actions],
            }
            for keyword, actions in (
                ("conform-action", police.conform),
                ("exceed-action", police.exceed),
                ("violate-action", police.violate or ()),
            )
            if actions
        ],
    }


def _random_detect(action: RandomDetect) -> Mapping[str, Any]:
    return {
        "mode": action.mode,
        "thresholds": [_threshold(entry) for entry in sorted(action.thresholds, key=_threshold_position)],
        "weight": action.weight,
        "ecn": action.ecn,
        "other_lines": [words.one_line(line, field="random-detect") for line in sorted(action.other_lines)],
    }


def _threshold_position(entry: WredThreshold) -> tuple[bool, int | str]:
    return isinstance(entry.value, str), entry.value


def _threshold(entry: WredThreshold) -> Mapping[str, Any]:
    unit = "" if entry.unit == "packets" else f" {words.one_line(entry.unit, field='random-detect')}"
    if entry.unit == "percent":
        # A share of the queue is announced once, before both numbers (Cisco-IOS-XE-policy, random-detect).
        return {
            "value": f"{entry.value} percent",
            "minimum": str(entry.minimum),
            "maximum": str(entry.maximum),
            "denominator": entry.denominator,
        }
    return {
        "value": entry.value,
        "minimum": f"{entry.minimum}{unit}",
        "maximum": f"{entry.maximum}{unit}",
        "denominator": entry.denominator,
    }


def _number(value: object) -> str | None:
    """Decimals without an exponent and without trailing zeros: `percent 5`, never `percent 5.0` or `1E+1`."""
    if value is None:
        return None
    text = format(value, "f") if not isinstance(value, str) else value
    return text.rstrip("0").rstrip(".") if "." in text else text


def _rate(rate: Rate) -> str:
    return f"percent {rate}" if isinstance(rate, Percent) else str(rate.value)


def _burst(burst: Burst | None) -> str | None:
    if burst is None:
        return None
    return f"{burst.value} ms" if isinstance(burst, BurstMs) else str(burst.value)
