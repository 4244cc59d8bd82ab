"""The record of a session: what was sent and received, when, with secrets removed before anything is kept."""

from __future__ import annotations

import time
from collections.abc import Callable

from provisioning.drivers.base import Direction, TranscriptLine
from provisioning.drivers.redaction import without_secrets


class Transcript:
    """Grows with the session. Nothing enters it unredacted, so nothing has to be removed from it later."""

    def __init__(self, secrets: tuple[str, ...], clock: Callable[[], float] = time.monotonic) -> None:
        self._secrets = secrets
        self._clock = clock
        self._began = clock()
        self._lines: list[TranscriptLine] = []

    def sent(self, text: str) -> None:
        """Record a command as sent."""
        self._record(">", text)

    def received(self, text: str) -> None:
        """Record a whole reply. (Whole, because a secret cut in two by a packet would not be recognised.)"""
        self._record("<", text)

    def note(self, text: str) -> None:
        """Record something about the session rather than of it, in brackets."""
        self._record("<", f"[{text}]")

    @property
    def lines(self) -> tuple[TranscriptLine, ...]:
        """Everything recorded so far."""
        return tuple(self._lines)

    def _record(self, direction: Direction, text: str) -> None:
        offset = round(self._clock() - self._began, 3)
        for line in without_secrets(text, self._secrets).split("\n"):
            if line.strip():
                self._lines.append(TranscriptLine(offset, direction, line.rstrip()))
