"""The actions of a class, line by line (ios-facts N11-N13, N20-N24, N30). What is not known stays whole and
opaque.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Final

from provisioning.errors import InvalidInput
from provisioning.pipeline.ios.words import OtherFormError, decimal, number
from provisioning.pipeline.mqc import (
    Action,
    Bandwidth,
    Bps,
    BurstBits,
    BurstMs,
    ChildPolicy,
    FairQueue,
    OpaqueAction,
    Percent,
    Priority,
    QueueLimit,
    SetField,
    Shape,
)
from provisioning.pipeline.mqc.actions import SET_FIELDS

_LONGEST_FIELD: Final = 3


def read_action(first: str, text: str, *, strict: bool) -> tuple[object, Action]:
    """The action of one line and the key under which a later line of the class replaces it.

    A line of an unknown form is an OpaqueAction of its whole text; it replaces only itself. A known form
    with a value that IOS has not (``set dscp 99``) is one too, except where ``strict``: then it raises
    InvalidInput.
    """
    reader = _READERS.get(first)
    if reader is not None:
        try:
            return reader(text.split()[1:])
        except (OtherFormError, IndexError):
            return _opaque(text)
        except InvalidInput:
            if strict:
                raise
    return _opaque(text)


def _opaque(text: str) -> tuple[object, Action]:
    opaque = OpaqueAction(text)
    return opaque, opaque


def _set(words: list[str]) -> tuple[object, Action]:
    for length in range(min(_LONGEST_FIELD, len(words)), 0, -1):
        field = " ".join(words[:length])
        if field in SET_FIELDS:
            try:
                return ("set", field), SetField(field, " ".join(words[length:]))
            except InvalidInput:
                if not words[length:]:
                    raise OtherFormError from None
                raise
    raise OtherFormError


def _priority(words: list[str]) -> tuple[object, Action]:
    level: int | None = None
    if words and words[0] == "level":
        level, words = number(words[1]), words[2:]
        if not words:
            return "priority", Priority("level", level)
    if not words:
        return "priority", Priority()
    if words[0] == "percent":
        kind, value, words = "percent", decimal(words[1]), words[2:]
    else:
        kind, value, words = "kbps", Decimal(number(words[0])), words[1:]
    burst = number(words[0]) if words else None
    if len(words) > 1:
        raise OtherFormError
    return "priority", Priority(kind, value if kind == "percent" else int(value), burst, level)


def _bandwidth(words: list[str]) -> tuple[object, Action]:
    kinds = {("remaining", "percent"): 2, ("remaining", "ratio"): 2, ("percent",): 1}
    for kind, length in kinds.items():
        if tuple(words[:length]) == kind and len(words) == length + 1:
            name = " ".join(kind)
            value = decimal(words[length]) if name.endswith("percent") else number(words[length])
            return "bandwidth", Bandwidth(name, value)
    if len(words) != 1:
        raise OtherFormError
    return "bandwidth", Bandwidth("kbps", number(words[0]))


def _shape(words: list[str]) -> tuple[object, Action]:
    kind, words = words[0], words[1:]
    if kind not in ("average", "peak"):
        raise OtherFormError
    if words[0] == "percent":
        rate: Bps | Percent = Percent(decimal(words[1]))
        words = words[2:]
    else:
        rate, words = Bps(number(words[0])), words[1:]
    buckets: list[BurstBits | BurstMs] = []
    while words:
        value, words = number(words[0]), words[1:]
        if words and words[0] == "ms":
            buckets.append(BurstMs(value))
            words = words[1:]
        else:
            buckets.append(BurstBits(value))
    if len(buckets) > 2:
        raise OtherFormError
    return "shape", Shape(kind, rate, *buckets)


def _queue_limit(words: list[str]) -> tuple[object, Action]:
    if len(words) > 2 or (len(words) == 2 and words[1] not in ("packets", "bytes", "ms", "us")):
        raise OtherFormError
    return "queue-limit", QueueLimit(number(words[0]), words[1] if len(words) == 2 else "packets")


def _fair_queue(words: list[str]) -> tuple[object, Action]:
    if len(words) > 1:
        raise OtherFormError
    return "fair-queue", FairQueue(number(words[0]) if words else None)


def _service_policy(words: list[str]) -> tuple[object, Action]:
    if len(words) != 1:
        raise OtherFormError
    return "service-policy", ChildPolicy(words[0])


_READERS: Final[dict[str, Callable[[list[str]], tuple[object, Action]]]] = {
    "set": _set,
    "priority": _priority,
    "bandwidth": _bandwidth,
    "shape": _shape,
    "queue-limit": _queue_limit,
    "fair-queue": _fair_queue,
    "service-policy": _service_policy,
}
