"""What one write of a dialogue brings, or how its session ended."""

from __future__ import annotations

from dataclasses import dataclass

from provisioning.drivers.replies import Replies


class DialogueError(Exception):
    """The session died or fell silent; ``replies`` is what had come, ``sending`` is False when nothing was
    on its way.

    Told as a typed error by the callers.
    """

    def __init__(self, reason: str, replies: Replies | None = None, *, sending: bool = True) -> None:
        super().__init__(reason)
        self.reason = reason
        self.replies = replies
        self.sending = sending


@dataclass(frozen=True, slots=True)
class Exchange:
    """What one write brought: replies, and the question the router asks instead of showing its prompt, if
    any. ``seconds`` from the write to the last prompt that was waited for, without the quiet time after it."""

    replies: Replies
    question: str | None
    seconds: float = 0.0
