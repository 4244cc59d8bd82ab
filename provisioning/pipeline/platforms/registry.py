"""Every platform there is, and which of them a word means. Whoever is outside asks a profile what it can do, never its name."""

from __future__ import annotations

import re
from typing import Final

from provisioning.errors import InvalidInput
from provisioning.pipeline.platforms import cisco_7200, cisco_12000, cisco_iosxe, linux
from provisioning.pipeline.platforms.definition import Platform
from provisioning.pipeline.platforms.profiles import Profile
from provisioning.pipeline.platforms.release import Release

PLATFORMS: Final[tuple[Platform, ...]] = (
    cisco_12000.PLATFORM,
    cisco_7200.PLATFORM,
    cisco_iosxe.PLATFORM,
    linux.PLATFORM,
)
TYPED_AT: Final = tuple(each for each in PLATFORMS if not each.has_shell)
"""Those at which policies are typed: what a pack and the advice of bursts can be made for."""
NAMES: Final = ", ".join(each.name for each in TYPED_AT[:-1]) + f" or {TYPED_AT[-1].name}"
"""Their names, as a sentence."""
KINDS: Final = tuple(kind for each in PLATFORMS for kind in each.kinds)
USUAL: Final = cisco_iosxe.PLATFORM
"""What an NREN's router is taken for when nobody says."""
SILENT: Final = cisco_7200.PLATFORM
"""What a router is taken for whose own text does not say: it has most of what the others refuse."""

_XR: Final = re.compile(r"(?:cisco-?)?(?:ios-?xr|xr|asr-?9(?:k|\d\d\d)|ncs|crs)")
_CHASSIS: Final = re.compile(r"-?CHASSIS.*", re.IGNORECASE)


def platform(word: str) -> Platform:
    """The platform of an inventory's word (``cisco-12400``, ``cisco-7200vxr``, ``asr1000``).

    Raises InvalidInput, for IOS-XR by name.
    """
    asked = word.strip().lower()
    for each in PLATFORMS:
        if each.means(asked):
            return each
    if _XR.match(asked):
        raise InvalidInput(f"{word} runs IOS-XR; only IOS, IOS-XE and Linux are supported", field="platform")
    known = ", ".join(each.name for each in PLATFORMS)
    raise InvalidInput(f"no platform profile for {word!r:.60}; there are {known}", field="platform")


def has_shell(word: str) -> bool:
    """Whether behind the SSH of this platform is a shell; not of a word that means none."""
    return any(each.has_shell and each.means(word.strip().lower()) for each in PLATFORMS)


def platform_name(word: str) -> str:
    """The name of the platform of an inventory's word. Raises InvalidInput, for IOS-XR by name."""
    return platform(word).name


def printed_as(chassis: str) -> Platform | None:
    """The platform of a chassis as a router prints it (``7206VXR``, ``GSR16``); None where nobody knows."""
    shown = _CHASSIS.sub("", chassis)
    for each in PLATFORMS:
        for pattern, instead in each.printed:
            shown = pattern.sub(instead, shown)
    try:
        return platform(shown) if shown else None
    except InvalidInput:
        return None


def profile(word: str, ios: str = "") -> Profile:
    """The profile of a platform with a release; without one, the release the platform is known by.

    Raises InvalidInput on an unknown platform or release and on one that does not run there.
    """
    found = platform(word)
    release = Release.parse(ios or found.usual_release)
    if not found.runs(release):
        raise InvalidInput(f"{ios} does not run on {word}", field="ios")
    return found.made(word, release)
