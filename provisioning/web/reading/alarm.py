"""One thing that must not be overlooked."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Alarm:
    """One alarm: weight (bad, warn, info), a sentence, the particulars and where to act."""

    kind: str
    title: str
    particulars: tuple[str, ...]
    url: str
    action: str
