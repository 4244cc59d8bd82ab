"""That a message was not taken, in one value for every channel."""

from __future__ import annotations

from provisioning.errors import ExpediteError


class Undelivered(ExpediteError):
    """A message was not taken. ``refused``: it was turned down for its own sake; else nobody answered, or nobody could."""

    code = "undelivered"
    status = 502

    def __init__(self, reason: str, *, refused: bool = False) -> None:
        super().__init__(" ".join("".join(c if c.isprintable() else " " for c in reason).split())[:500])
        self.refused = refused
