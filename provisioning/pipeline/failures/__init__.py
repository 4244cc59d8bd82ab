"""Any single link may fail: what the rest of the network carries then, and who is left without what was promised."""

from provisioning.pipeline.failures.book import Book
from provisioning.pipeline.failures.codec import held_from_json, held_to_json
from provisioning.pipeline.failures.judging import exposures
from provisioning.pipeline.failures.sweeping import Span, highest_everywhere
from provisioning.pipeline.failures.values import Cut, Effect, Exposure, Held, Overload, Piece, Row, Shift

__all__ = [
    "Book",
    "Cut",
    "Effect",
    "Exposure",
    "Held",
    "Overload",
    "Piece",
    "Row",
    "Shift",
    "Span",
    "exposures",
    "held_from_json",
    "held_to_json",
    "highest_everywhere",
]
