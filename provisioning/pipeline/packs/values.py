"""What a pack is made from, what it is, and which words may stand in one.

A pack is text that somebody else runs as root: nothing of it comes from free text. Prefixes, rates, DSCP and label are
values that were parsed; names are cut down to harmless letters, and interface names are refused when they are none.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from provisioning.errors import InvalidInput
from provisioning.pipeline.advice import Advice
from provisioning.pipeline.packs.edges import Edge, Excess
from provisioning.pipeline.sls import Sls
from provisioning.pipeline.units import rate_text, shown

_NOT_PLAIN: Final = re.compile(r"[^A-Za-z0-9@:/._+ -]")
_LINUX_INTERFACE: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,14}\Z")
_HIGHEST_DSCP: Final = 63


class Kind(StrEnum):
    """For which kind of router."""

    IOS = "ios"
    LINUX = "linux"

    @classmethod
    def parse(cls, text: object) -> Kind:
        """The kind of that name; raises InvalidInput naming ``for``."""
        try:
            return cls(str(text))
        except ValueError:
            names = " or ".join(kind.value for kind in cls)
            raise InvalidInput(f"a pack is for {names}, not {shown(text)}", field="for") from None


@dataclass(frozen=True)
class PackOrder:
    """One request as its sender has to carry it out.

    ``number`` is the request's own. ``dscp`` is what its class is marked with; ``marks`` says whether the NREN marks (a
    trusted link) or the backbone does. ``edge`` is what stands behind the pack; ``advice`` says for which kind of traffic
    the shaper waits, and how many packets. Raises InvalidInput for a number or a DSCP that cannot be one.
    """

    number: int
    sls: Sls
    dscp: int
    marks: bool
    advice: Advice
    edge: Edge

    def __post_init__(self) -> None:
        if isinstance(self.number, bool) or not isinstance(self.number, int) or self.number < 1:
            raise InvalidInput(f"not the number of a request: {shown(self.number)}", field="request")
        if isinstance(self.dscp, bool) or not 0 <= self.dscp <= _HIGHEST_DSCP:
            raise InvalidInput(f"not a DSCP: {shown(self.dscp)}", field="dscp")

    @property
    def name(self) -> str:
        """What its objects are called: ``PIP-12``."""
        return f"PIP-{self.number}"

    @property
    def sets_dscp(self) -> bool:
        """Whether the pack marks: what carries colours already is left as it is."""
        return self.marks and not self.edge.coloured

    @property
    def heading(self) -> str:
        """From where to where, how much; harmless in any comment."""
        to = self.sls.destination_link or "any destination"
        rate = rate_text(self.sls.rate.bps)
        return plain(f"{self.name} {self.sls.source_link} to {to} {self.sls.service_class} {rate}")


@dataclass(frozen=True)
class Pack:
    """Text to run, how it is undone, and what its reader has to know. ``text`` already holds both."""

    kind: Kind
    filename: str
    text: str
    undo: tuple[str, ...]
    notes: tuple[str, ...]


def plain(text: str) -> str:
    """`text` with everything but letters, digits and ``@:/._+ -`` taken out: it can end no comment and no line."""
    return _NOT_PLAIN.sub("_", text)[:200]


def linux_interface(text: str) -> str:
    """`text` when Linux could call an interface so; raises InvalidInput naming ``uplink``."""
    if not _LINUX_INTERFACE.match(text):
        raise InvalidInput(f"{shown(text)} is no name of a Linux interface", field="uplink")
    return text


def notes(order: PackOrder) -> tuple[str, ...]:
    """What holds on every kind of router, of marks and of packets."""
    found = []
    if order.sets_dscp:
        found.append(f"Your side marks: what this pack matches leaves with DSCP {order.dscp}.")
        found.append(
            f"Whatever else you send with DSCP {order.dscp} is taken for Premium too and shares the policer: mark "
            "nothing else so."
        )
    elif not order.marks:
        found.append("The backbone marks what its access list authorises; this pack leaves marks alone.")
    found.append(_sizes(order.sls))
    if order.edge.excess is Excess.DROPPED and not order.edge.written:
        found.append(
            "The backbone's policer is the cap of your whole link, and nobody has written how deep its bucket is: reckoned with "
            f"the {order.edge.bucket_bytes} bytes that the manuals name; routers were seen to take more."
        )
    if (
        order.edge.excess is Excess.DROPPED
        and order.edge.passes_at_once(order.sls) < order.sls.max_packet_bytes
    ):
        found.append(
            f"Such a bucket passes no packet of {order.sls.max_packet_bytes} bytes at all: ask the NOC to write a deeper one "
            "before you rely on it."
        )
    if order.sls.flow_label is not None:
        found.append(
            f"Only packets with the flow label {order.sls.flow_label} are meant. Anybody who can send from these "
            "addresses, and any router on the way, can set it: it identifies, it does not protect (D4.4.2v2 section 6)."
        )
    return tuple(found)


def _sizes(sls: Sls) -> str:
    """For packets of which sizes the rate is kept."""
    if sls.min_packet_bytes is None:
        return (
            f"The rate is kept for packets of {sls.max_packet_bytes} bytes, the only size that the request names: smaller ones "
            "carry more headers than the backbone's policer was given room for. Name the smallest when you ask."
        )
    return (
        f"The rate is kept for packets of {sls.min_packet_bytes} to {sls.max_packet_bytes} bytes of layer 3."
    )
