"""The boxes a practice router can be: what they call themselves, and which of the three kinds of IOS they run."""

from __future__ import annotations

import re
from dataclasses import dataclass

from lab.errors import SpecError
from lab.release import Release

GSR, C7200, IOS_XE = "cisco-12400", "cisco-7200vxr", "cisco-iosxe"


@dataclass(frozen=True)
class Chassis:
    """``kind`` is one of the three platforms; ``software`` and ``features`` are what ``show version`` prints of the
    image, ``processor`` how it describes the box, ``image`` the file it booted (before the release).
    """

    kind: str
    model: str
    software: str
    features: str
    processor: str
    image: str


_LINUX = "X86_64_LINUX_IOSD-UNIVERSALK9-M"
_ASR1002 = Chassis(
    IOS_XE,
    "ASR1002",
    "ASR1000 Software",
    "PPC_LINUX_IOSD-ADVENTERPRISEK9-M",
    "cisco ASR1002 (2RU) processor with 1707225K/6147K bytes of memory.",
    "asr1000rp1-adventerprisek9",
)
_ASR1001X = Chassis(
    IOS_XE,
    "ASR1001-X",
    "ASR1000 Software",
    _LINUX,
    "cisco ASR1001-X (1NG) processor (revision 1NG) with 3753592K/6147K bytes of memory.",
    "asr1001x-universalk9",
)
_ISR = Chassis(
    IOS_XE,
    "ISR4331/K9",
    "ISR Software",
    _LINUX,
    "cisco ISR4331/K9 (1RU) processor with 1795979K/3071K bytes of memory.",
    "isr4300-universalk9",
)
_CSR = Chassis(
    IOS_XE,
    "CSR1000V",
    "Virtual XE Software",
    "X86_64_LINUX_IOSD-UNIVERSALK9-M",
    "cisco CSR1000V (VXE) processor (revision VXE) with 2392579K/3075K bytes of memory.",
    "csr1000v-universalk9",
)
_C8300 = Chassis(
    IOS_XE,
    "C8300-1N1S-6T",
    "c8000be Software",
    _LINUX,
    "cisco C8300-1N1S-6T (1RU) processor with 3763047K/6147K bytes of memory.",
    "c8000be-universalk9",
)
_GSR = Chassis(
    GSR,
    "GSR16/320",
    "GS Software",
    "C12KPRP-K4P-M",
    "cisco 12416/PRP (MPC7450) processor (revision 0x00) with 524288K bytes of memory.",
    "c12kprp-k4p-mz",
)
_7200 = Chassis(
    C7200,
    "CISCO7206VXR",
    "7200 Software",
    "C7200-K9P-M",
    "cisco 7206VXR (NPE-G1) processor (revision B) with 491520K/32768K bytes of memory.",
    "c7200-k9p-mz",
)

# Names a specification may use; the first that fits counts.
_NAMES: tuple[tuple[str, Chassis], ...] = (
    (r"(cisco-)?(12[04]\d\d|gsr)", _GSR),
    (r"(cisco-)?c?7[25]\d\d(vxr)?", _7200),
    (r"(cisco-)?asr-?(1k|1\d\d\d)(-.*)?", _ASR1001X),
    (r"(cisco-)?isr-?4.*", _ISR),
    (r"(cisco-)?(csr-?1.*|c(at-?)?8(k|000)v)", _CSR),
    (r"(cisco-)?c(at-?)?8.*", _C8300),
    (r"(cisco-)?ios-?xe", _ASR1002),
)

# The name of a major release of IOS-XE, which the image carries (Cisco IOS Software [Fuji], ...).
_TITLES = {(16, 3): "Denali", (16, 6): "Everest", (16, 9): "Fuji", (16, 12): "Gibraltar", (17, 3): "Amsterdam",
           (17, 6): "Bengaluru", (17, 9): "Cupertino", (17, 12): "Dublin"}  # fmt: skip


def chassis(platform: str) -> Chassis:
    """The box of that name; raises SpecError for one that does not exist."""
    word = platform.strip().lower()
    for pattern, found in _NAMES:
        if re.fullmatch(pattern, word):
            return found
    raise SpecError("platform", f"{platform!r} is none of cisco-12400, cisco-7200vxr, cisco-iosxe, asr1000, isr4000, "
                                "csr1000v, c8300")  # fmt: skip


def software_lines(box: Chassis, release: Release) -> tuple[str, str]:
    """What ``show version`` of IOS-XE begins with: the release of the system, then that of the IOS in it."""
    if release.major == 3:
        inner = f"{release.version_line}({release.inner_build})S{release.build or ''}"
        padded = f"{release.major:02d}.{release.minor:02d}.{release.build:02d}.S"
        return (
            f"Cisco IOS XE Software, Version {padded} - Extended Support Release",
            f"Cisco IOS Software, {box.software} ({box.features}), Version {inner}, RELEASE SOFTWARE (fc2)",
        )
    padded = f"{release.major}.{release.minor:02d}.{release.build:02d}"
    title = _TITLES.get((release.major, release.minor), "Fuji")
    return (
        f"Cisco IOS XE Software, Version {padded}",
        f"Cisco IOS Software [{title}], {box.software} ({box.features}), Version "
        f"{release.major}.{release.minor}.{release.build}, RELEASE SOFTWARE (fc2)",
    )
