"""``interface`` sections: bindings, PVCs, and what of an interface matters to QoS (ios-facts N29)."""

from __future__ import annotations

import re
from typing import ClassVar, Final

from provisioning.errors import ParseFailure
from provisioning.pipeline.ios.references import USERS, references_of
from provisioning.pipeline.ios.sections import ANYWHERE, Line, Section
from provisioning.pipeline.ios.words import Words, both, finder
from provisioning.pipeline.mqc import Binding, InterfaceState, Pvc, Reference
from provisioning.pipeline.mqc.interface_names import interface_named
from provisioning.pipeline.mqc.numbers import is_number

_NAME: Final = re.compile(r"[A-Za-z][A-Za-z-]*[A-Za-z0-9/.:_-]*\Z")
_OPENINGS: Final = (
    *("pvc", "pvc-in-range", "range", "bundle", "pvc-bundle", "vc-bundle", "svc", "fhrp", "xconnect", "cem"),
    *("atm pvp", "service instance", "frame-relay interface-dlci", r"vrrp \d+ address-family"),
    *("vlan-range", "tx-queue", "member vni", "ip rsvp policy", r"switchport \S+ {"),
)
SUB_MODE: Final = re.compile(rf"(?:{'|'.join(_OPENINGS)})(?!\S)")
_SUB_MODES: Final = frozenset(opening.split(" ")[0] for opening in _OPENINGS)
_ADDRESSED: Final = frozenset({"address", "unnumbered", "enable"})
_STATE: Final[Words] = {
    "shutdown": None,
    "no": frozenset({"shutdown"}),
    "description": None,
    "bandwidth": None,
    "ip": _ADDRESSED,
    "ipv6": _ADDRESSED,
}
HEEDED: Final = finder(
    both(both(_STATE, USERS), dict.fromkeys((_SUB_MODES - {"ip"}) | ANYWHERE) | {"ip": frozenset({"rsvp"})})
)
"""The lines that say something outside the sub-modes; inside, every line may."""
ADDRESS: Final = re.compile(rf"ip(?:v6)?\s+(?:{'|'.join(sorted(_ADDRESSED))})(?!\S)")
_SUBINTERFACE: Final = re.compile(r"\.[0-9]+\Z")
_PVC: Final = re.compile(r"(?:pvc|pvc-in-range)\s+(?:\S+\s+)??(?P<label>[0-9]+(?:/[0-9]+)?)(?:\s+\S+)*\Z")
_CATEGORIES: Final = frozenset({"ubr", "ubr+", "vbr-nrt", "vbr-rt", "abr", "cbr"})


def interface_name(header: str, number: int) -> str:
    """The name in an ``interface`` line, as IOS prints it: ``interface POS 1/0``, ``interface po1/0`` and ``interface
    ATM1/0.5 point-to-point`` included.

    Raises ParseFailure when there is none, and for ``interface range``, which names no interface.
    """
    words = header.split()[1:]
    if words[:1] == ["range"]:
        raise ParseFailure(
            f"`{header}` names no interface: routers take it and never show it; name each one", line=number
        )
    if not words:
        raise ParseFailure(f"`{header}` names no interface", line=number)
    name = words[0]
    if len(words) > 1 and words[1][0].isdigit() and not name[-1].isdigit():
        name += words[1]
    if not _NAME.match(name):
        raise ParseFailure(f"`{header}` names no interface", line=number)
    return interface_named(name)


def pvc_label(text: str) -> str | None:
    """The PVC, as "vpi/vci", of a line that opens one; None for any other line."""
    found = _PVC.match(text)
    if found is None:
        return None
    return found["label"] if "/" in found["label"] else f"0/{found['label']}"


def is_subinterface(name: str) -> bool:
    """Whether the name is one of a subinterface (``POS1/0.100``)."""
    return "." in name and _SUBINTERFACE.search(name) is not None


class InterfaceSection(Section):
    """Reads one interface; entered a second time it continues the first."""

    words: ClassVar[frozenset[str]] = frozenset(
        {"service-policy", "pvc", "shutdown", "description", "bandwidth"}
    )
    alone: ClassVar[frozenset[str]] = ANYWHERE

    def __init__(self, number: int, indent: int, header: str) -> None:
        super().__init__(number, indent, header)
        self.name = interface_name(header, number)
        self.heeded = HEEDED
        self._shutdown = self._has_address = False
        self._description = ""
        self._bandwidth_kbit: int | None = None
        self.references: set[Reference] = set()
        self._bound: dict[tuple[str | None, str], Binding] = {}
        self._pvcs: dict[str, Pvc] = {}
        self._mode: tuple[int, str, str | None] | None = None

    def reopened(self, number: int, indent: int) -> None:
        """The same interface is entered again."""
        self.number, self.indent, self._mode, self.continued = number, indent, None, True
        self.heeded = HEEDED

    def takes(self, line: Line) -> bool:
        if line.indent > self.indent or line.first in self.words:
            return True
        if line.text == "exit" and self._mode is not None:
            return True
        return line.text.startswith(("no shutdown", "ip address ", "ipv6 address ", "no ip address"))

    def read(self, line: Line) -> None:
        number, indent, first, text = line
        if self._mode is not None:
            self._leave_mode(indent, text)
        if first == "service-policy":
            self._service_policy(number, text)
            return
        if first in ("ip", "ipv6") and self._mode is None and ADDRESS.match(text):
            self._has_address = True
            return
        if first in _SUB_MODES and SUB_MODE.match(text):
            self._enter_mode(indent, text)
        elif self._mode is not None:
            self._in_mode(first, text)
        elif first in _STATE:
            self._on_interface(first, text)
        if first in USERS and (found := references_of(f"interface {self.name}", first, text)):
            self.references.update(found)

    def bound_where(self, line: Line, direction: str) -> Binding | None:
        """What is bound already where this line would bind a policy in that direction; None in the mode of another feature."""
        if self._mode is not None:
            self._leave_mode(line.indent, line.text)
        if self._mode is not None and self._mode[2] is None:
            return None
        return self._bound.get((None if self._mode is None else self._mode[2], direction))

    def _leave_mode(self, indent: int, text: str) -> None:
        """A sub-mode ends at a line no deeper than its header; in a text without indentation, at ``exit``."""
        if self._mode is None:
            return
        flat = self._mode[0] <= self.indent
        if text == "exit" or (indent <= self._mode[0] and not flat):
            self._mode, self.heeded = None, HEEDED

    def _enter_mode(self, indent: int, text: str) -> None:
        label = pvc_label(text)
        if label is not None:
            self._pvcs.setdefault(label, Pvc(label))
        self._mode, self.heeded = (indent, text, label), None

    def _in_mode(self, first: str, text: str) -> None:
        label = self._mode[2] if self._mode is not None else None
        if label is None or first not in _CATEGORIES:
            return
        rates = [int(word) for word in text.split()[1:3] if is_number(word)]
        self._pvcs[label] = Pvc(label, first, *rates)

    def _service_policy(self, number: int, text: str) -> None:
        words = text.split()
        if "type" in words[1:3] or words[1:] == ["history"]:
            return  # another feature's policy (inspect, control, ...): not ours, untouched
        if len(words) < 3:
            raise ParseFailure(f"`{text}` binds no policy", line=number)
        in_other_mode = self._mode is not None and self._mode[2] is None
        if in_other_mode or len(words) > 3 or words[1] not in ("input", "output"):
            mode = [" ".join(self._mode[1].split())] if self._mode is not None else []
            place = " / ".join([f"interface {self.name}", *mode, " ".join(words)])
            name = words[2] if words[1] in ("input", "output") else words[-1]
            self.references.add(Reference("policy-map", name, place))
            return
        pvc = self._mode[2] if self._mode is not None else None
        self._bound[(pvc, words[1])] = Binding(self.name, pvc, words[1], words[2])

    def _on_interface(self, first: str, text: str) -> None:
        rest = text[len(first) :].strip()
        if first == "shutdown":
            self._shutdown = self._shutdown or not rest
        elif first == "no":
            self._shutdown = self._shutdown and rest != "shutdown"
        elif first == "description":
            self._description = rest
        elif first == "bandwidth":
            self._bandwidth_kbit = int(rest) if is_number(rest) else self._bandwidth_kbit

    @property
    def interface(self) -> InterfaceState:
        """The finished interface."""
        return InterfaceState(
            self.name,
            tuple(sorted(self._pvcs.values())) if self._pvcs else (),
            self._shutdown,
            self._description,
            self._bandwidth_kbit,
            self._has_address,
            is_subinterface(self.name),
        )

    @property
    def bindings(self) -> frozenset[Binding]:
        """The policies bound to it and to its PVCs."""
        return frozenset(self._bound.values())
