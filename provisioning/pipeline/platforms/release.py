"""IOS releases as values: ``12.0(28)S``, ``12.2(15)T2``, ``15.2(4)M3``, IOS-XE ``17.9.1`` (ios-facts 2.1)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from provisioning.errors import InvalidInput

_IOS: Final = re.compile(
    r"(?P<major>[0-9]{1,2})\.(?P<minor>[0-9]{1,2})(?:\((?P<build>[0-9]{1,3})[a-z]?\))?"
    r"(?P<train>[A-Z]{0,3})(?P<rebuild>[0-9]{0,3})[a-z]?\Z"
)
_XE: Final = re.compile(
    r"(?P<major>[0-9]{1,2})\.(?P<minor>[0-9]{1,2})\.(?P<build>[0-9]{1,2})[a-z]?(?:\.?S[A-Z]*[0-9]*)?\Z"
)


@dataclass(frozen=True, slots=True)
class Release:
    """One release. ``train`` is the letters (``S``, ``T``, ``M``, "" for a mainline), ``XE`` for IOS-XE's
    own numbers.

    Two trains are not in one line of descent, so releases have no order; ``reached`` compares with a gate
    per train.
    """

    major: int
    minor: int
    build: int = 0
    train: str = ""
    rebuild: int = 0

    @classmethod
    def parse(cls, text: str) -> Release:
        """The release of a text such as ``12.0(32)SY6c``; ``12.4`` alone is its mainline. Raises
        InvalidInput.
        """
        word = text.strip()
        found = _IOS.match(word)
        if found is not None:
            return cls(
                int(found["major"]),
                int(found["minor"]),
                int(found["build"] or 0),
                "XE" if int(found["major"]) >= 16 else found["train"],
                int(found["rebuild"] or 0),
            )
        found = _XE.match(word)
        if found is not None and (int(found["major"]) >= 16 or int(found["major"]) == 3):
            return cls(int(found["major"]), int(found["minor"]), int(found["build"]), "XE")
        raise InvalidInput(f"{text!r} is not an IOS release such as 12.0(28)S or 17.9.1", field="ios")

    @property
    def number(self) -> tuple[int, int]:
        """Major and minor: ``(12, 4)``."""
        return self.major, self.minor

    @property
    def family(self) -> str:
        """The line of descent: ``XE``, ``S`` (12.0S, 12.2S and their kin), ``E``, or ``T`` (mainlines, T,
        M).
        """
        if self.train == "XE":
            return "XE"
        if self.number >= (15, 0) and self.train != "S":
            return "T"
        return self.train[:1] if self.train[:1] in ("S", "E") else "T"

    def reached(self, **gates: str) -> bool:
        """Whether the release has what came with these first releases, one per family (``T="12.2(13)T"``).

        A train inherits from every earlier number of its family: 12.3 has what 12.2(13)T brought; 12.2
        mainline has not, since a T train leaves its mainline. IOS-XE has everything of T unless ``XE``
        names a gate of its own.
        """
        if self.family == "XE" and "XE" not in gates:
            return "T" in gates
        gate_text = gates.get(self.family)
        if gate_text is None:
            return False
        gate = Release.parse(gate_text)
        if self.number != gate.number:
            return self.number > gate.number
        if gate.train and not self.train:
            return False
        return (self.build, self.rebuild) >= (gate.build, gate.rebuild)

    def __str__(self) -> str:
        if self.train == "XE":
            return f"{self.major}.{self.minor}.{self.build}"
        build = f"({self.build})" if self.build else ""
        return f"{self.major}.{self.minor}{build}{self.train}{self.rebuild or ''}"
