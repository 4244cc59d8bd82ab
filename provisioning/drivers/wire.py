"""The two ends of a session's text: write, and wait for what comes, with a bound and a clear end."""

from __future__ import annotations

from typing import Protocol


class WireError(Exception):
    """The channel is gone; caught in this package and told as a typed error."""


class Wire(Protocol):
    """A duplex channel of text."""

    def write(self, text: str) -> None:
        """Send all of it in one write, or raise ``WireError``."""
        ...

    def read(self, seconds: float) -> str:
        """What has come, waiting at most ``seconds`` for the first of it; "" when nothing came;
        ``WireError``."""
        ...

    def close(self) -> None: ...
