"""An IOS release such as 12.0(28)S, 12.2(15)T2, 12.4(24)T, 15.2(4)M or 16.9.4, taken apart so that gates can be compared."""

from __future__ import annotations

import re
from dataclasses import dataclass

from lab.errors import SpecError

_CLASSIC = re.compile(r"^(\d+)\.(\d+)\((\d+)[a-z]?\)([A-Z]*)(\d*)[a-z]?$")
_XE = re.compile(r"^(1[67])\.(\d+)\.(\d+)[a-z]?$")
_XE_3 = re.compile(r"^0?(3)\.(\d+)\.(\d+)[a-z]?\.?S$")
# The IOS inside a release 3.nS of IOS-XE: 03.16.05.S is 15.5(3)S5.
_INSIDE = {7: (2, 4), 10: (3, 3), 13: (4, 3), 16: (5, 3), 17: (6, 1), 18: (6, 2)}


@dataclass(frozen=True, order=True)
class Release:
    """``major.minor(build)train``; for IOS-XE build is the third number and train is ``XE``."""

    major: int
    minor: int
    build: int
    train: str
    text: str

    @classmethod
    def parse(cls, text: str) -> Release:
        """Read a release; raises SpecError for a text that is none."""
        classic = _CLASSIC.match(text)
        if classic:
            major, minor, build, train, _rebuild = classic.groups()
            return cls(int(major), int(minor), int(build), train, text)
        xe = _XE.match(text) or _XE_3.match(text)
        if xe:
            major, minor, build = xe.groups()
            return cls(int(major), int(minor), int(build), "XE", text)
        raise SpecError("ios", f"{text!r} is not an IOS release such as 12.0(28)S, 12.3(14)T or 16.9.4")

    @property
    def is_xe(self) -> bool:
        """True for IOS-XE."""
        return self.train == "XE"

    @property
    def is_12_0s(self) -> bool:
        """True for the service-provider train 12.0S and its offspring (12.0ST, 12.0SY)."""
        return (self.major, self.minor) == (12, 0) and self.train.startswith("S")

    @property
    def version_line(self) -> str:
        """The ``version`` of a running-config: two numbers, those of the IOS inside a 3.nS."""
        if self.is_xe and self.major == 3:
            return f"15.{_INSIDE.get(self.minor, (5, 3))[0]}"
        return f"{self.major}.{self.minor}"

    @property
    def inner_build(self) -> int:
        """The number in brackets of the IOS inside a 3.nS: 3 for 15.5(3)S5."""
        return _INSIDE.get(self.minor, (5, 3))[1]

    def since_xe(self, major: int, minor: int) -> bool:
        """True from that release of IOS-XE on."""
        return self.is_xe and (self.major, self.minor) >= (major, minor)

    def since_s(self, build: int) -> bool:
        """True for 12.0(build)S and later 12.0S."""
        return self.is_12_0s and self.build >= build

    def since_22s(self, build: int) -> bool:
        """True for 12.2(build)S and later of 12.2S and its kin (SB, SRC, SXI), which are no T train."""
        return (self.major, self.minor) == (12, 2) and self.train.startswith("S") and self.build >= build

    def since_t(self, major: int, minor: int, build: int) -> bool:
        """True from major.minor(build)T on: the later mainlines carry it, the earlier mainlines and 12.0S do not."""
        if self.is_12_0s:
            return False
        if self.is_xe or (self.major, self.minor) > (major, minor):
            return True
        if (self.major, self.minor) < (major, minor):
            return False
        in_train = self.train.startswith("T") or self.major >= 15
        return in_train and self.build >= build
