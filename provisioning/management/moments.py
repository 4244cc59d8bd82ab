"""An instant on the command line: ISO 8601 with its offset from UTC; one without is refused, not guessed."""

from __future__ import annotations

from argparse import ArgumentTypeError
from datetime import UTC, datetime


def moment(text: str) -> datetime:
    """Return the instant in UTC; raises ArgumentTypeError."""
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        raise ArgumentTypeError(f"not an instant: {text!r:.60}; write 2026-12-24T18:00Z") from None
    if found.utcoffset() is None:
        raise ArgumentTypeError(f"{text!r:.60} needs its offset from UTC, as in 2026-12-24T18:00Z")
    try:
        return found.astimezone(UTC)
    except OverflowError:
        raise ArgumentTypeError(f"not an instant: {text!r:.60}") from None
