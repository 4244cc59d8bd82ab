"""Which card of a 12000 might shape what enters: @IRS section 2.2.3.1 shapes GS at the edge's input, and none is proven to do
it for a flow told apart by its label.
"""

from __future__ import annotations

from provisioning.pipeline.platforms.findings import Evidence, Tag

_ISE_GUIDE = "the ATM ISE guide 12.0(27)S, page 89, has `shape average` in an input policy"


def why_not_shaped(engine: str | None, interface: str) -> Evidence:
    """Why no shaper is written into an input policy on `interface`, whose card is of `engine` (None: not known)."""
    if engine is None:
        return Evidence(Tag.UNKNOWN, "the inventory does not say which engine its card has")
    if engine != "3":
        return Evidence(Tag.UNKNOWN, f"nothing says that a card of Engine {engine} shapes on input")
    if not interface.startswith("ATM"):
        return Evidence(Tag.UNKNOWN, f"{_ISE_GUIDE} of an ATM card, and nothing says it of this one")
    return Evidence(
        Tag.UNKNOWN, f"{_ISE_GUIDE}, but not beside an IPv6 access list by flow label nor a policer"
    )
