"""Canonical JSON of MQC objects, and their digest: equal objects have equal digests, on every machine, for
ever.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Iterable, Mapping
from decimal import Decimal
from functools import cache
from typing import Any, Final

from provisioning.pipeline.mqc import access, actions, classes, police, policies, rates

TAGS: Final[dict[type, str]] = {
    rates.Bps: "bps",
    rates.Percent: "percent",
    rates.BurstBytes: "bytes",
    rates.BurstBits: "bits",
    rates.BurstMs: "ms",
    police.Police: "police",
    actions.SetField: "set",
    actions.Priority: "priority",
    actions.Bandwidth: "bandwidth",
    actions.Shape: "shape",
    actions.RandomDetect: "random-detect",
    actions.QueueLimit: "queue-limit",
    actions.FairQueue: "fair-queue",
    actions.ChildPolicy: "service-policy",
    actions.OpaqueAction: "opaque",
}
"""Members of a union carry their tag: ``{"police": {...}}``, ``{"percent": "5"}``; other objects are plain.
"""

KINDS: Final[dict[type, str]] = {
    access.AccessList: "access-list",
    classes.ClassMap: "class-map",
    policies.PolicyMap: "policy-map",
    policies.Binding: "service-policy",
}


_text: Final = json.JSONEncoder(sort_keys=True, ensure_ascii=True, separators=(",", ":")).encode


@cache
def _fields(kind: type, compared_only: bool) -> tuple[str, ...] | None:
    """The names of a dataclass's fields, None for any other type."""
    if not dataclasses.is_dataclass(kind):
        return None
    return tuple(field.name for field in dataclasses.fields(kind) if field.compare or not compared_only)


def _encode(value: Any, compared_only: bool) -> Any:
    if value is None or isinstance(value, (bool, int, str)):
        return value
    kind: type = type(value)
    fields = _fields(kind, compared_only)
    if fields is not None:
        tag = TAGS.get(kind)
        if tag is not None and len(fields) == 1:
            return {tag: _encode(getattr(value, fields[0]), compared_only)}
        plain = {name: _encode(getattr(value, name), compared_only) for name in fields}
        return plain if tag is None else {tag: plain}
    if isinstance(value, Mapping):
        return {str(key): _encode(value[key], compared_only) for key in sorted(value)}
    if isinstance(value, (frozenset, set)):
        members = [_encode(member, compared_only) for member in value]
        return sorted(members, key=_text) if len(members) > 1 else members
    if isinstance(value, (list, tuple)):
        return [_encode(member, compared_only) for member in value]
    if isinstance(value, Decimal):
        return format(value.normalize(), "f")
    raise TypeError(f"{type(value).__name__} has no canonical form")


def to_json(value: Any) -> Any:
    """The value as JSON data (dicts, lists, text, numbers): deterministic, sets sorted, decimals as text."""
    return _encode(value, compared_only=False)


def canonical_json(value: Any) -> str:
    """``to_json`` as one text, indented, keys sorted, ending in a line end."""
    return json.dumps(to_json(value), sort_keys=True, indent=2, ensure_ascii=False) + "\n"


def digest(objects: Any) -> str:
    """SHA-256 (hex) of what the object, or the collection of objects in any order, means.

    What is not compared (sequence numbers of access lists) is not digested: equal objects have equal
    digests.
    """
    collection = (
        objects if isinstance(objects, Iterable) and not isinstance(objects, (str, Mapping)) else [objects]
    )
    encoded = sorted(
        _text([KINDS.get(type(each), ""), _encode(each, compared_only=True)]) for each in collection
    )
    return hashlib.sha256("\n".join(encoded).encode("ascii")).hexdigest()
