"""What one platform and release can do and how it spells it, as data (ios-facts section 2)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from provisioning.errors import InvalidInput
from provisioning.pipeline.platforms.gates import GATES
from provisioning.pipeline.platforms.limits import GSR_KIND, HQF, PRE_HQF, XE
from provisioning.pipeline.platforms.release import Release

GSR: Final = "cisco-12000"
C7200: Final = "cisco-7200"
IOS_XE: Final = "cisco-iosxe"

_PLATFORMS: Final = (
    (re.compile(r"(?:cisco-?)?(?:12[04]\d\d|gsr)"), GSR),
    (re.compile(r"(?:cisco-?)?(?:c?72\d\d(?:vxr)?|c?75\d\d)"), C7200),
    (
        re.compile(
            r"(?:cisco-?)?(?:ios-?xe|asr-?(?:1k|1\d\d\d|9\d\d)|isr-?(?:4k|4\d\d\d)|csr-?(?:1k|1\d\d\d)v?|cat-?8(?:k|\d\d\d)?v?"
            r"|c8\d\d\dv?)(?:-[a-z0-9-]+)?(?:/k9)?"
        ),
        IOS_XE,
    ),
)
_MODELS: Final = (
    (re.compile(r"asr-?1(?:k|\d\d\d)"), "asr1000"),
    (re.compile(r"asr-?920"), "asr920"),
    (re.compile(r"asr-?9\d\d"), "asr900"),
    (re.compile(r"isr-?4"), "isr4000"),
    (re.compile(r"csr-?1|c(?:at-?)?8(?:k|\d\d\d)v"), "csr1000v"),
    (re.compile(r"c(?:at-?)?8"), "c8000"),
)
_XR: Final = re.compile(r"(?:cisco-?)?(?:ios-?xr|xr|asr-?9(?:k|\d\d\d)|ncs|crs)")
_DEFAULT_RELEASE: Final = {GSR: "12.0(28)S", C7200: "12.3(14)T", IOS_XE: "17.9.1"}


@dataclass(frozen=True, slots=True)
class Profile:
    """One platform with one release; every field says what it holds for, and where that is known from.

    ``hqf``: the queueing engine of 12.4(20)T and later, without the 75 % rule (2.1, 2.3).
    ``police_percent``: ``police cir percent`` is taken (2.1). ``police_submode``: ``police`` leaves one in
    a mode of its own (3.2). ``bare_priority``: ``priority`` without a rate is taken (2.2; refused by the
    7200, 2.3). ``default_queue``: the lines by which class-default gets WRED by DSCP (2.3, 2.6).
    ``fair_queue``: the platform knows the command (never the 12000, 2.2). ``section_filter``: ``show
    running-config | section`` exists. ``archive``, ``configure_replace``, ``revert_timer``: on-box
    configuration archive, replace and confirmed commit (2.1, 3.8). ``named_dscp``: the running-config
    prints names for DSCPs (N3, N3b). ``leading_blank``: class-map and policy-map begin one blank in (N27).
    ``expands_bursts``: default bursts are printed (N15). ``shared_percent``: largest sum of bandwidth and
    priority in percent. ``single_line_police``: shape B (1.2). ``ipv6_sequences``/``ipv4_sequences``:
    access lists print their numbers (N32, N33). ``model`` is the family of the chassis where rules go by it
    (``asr1000``, ``asr920``, ``isr4000``, ``csr1000v``, ``c8000``), empty elsewhere. ``marker_statistics``: what is
    marked is counted without being asked to (2.4).
    """

    name: str
    release: Release
    hqf: bool
    police_percent: bool
    police_submode: bool
    bare_priority: bool
    default_queue: tuple[str, ...]
    fair_queue: bool
    section_filter: bool
    archive: bool
    configure_replace: bool
    revert_timer: bool
    named_dscp: bool
    leading_blank: bool
    expands_bursts: bool
    shared_percent: int
    single_line_police: bool
    ipv6_sequences: bool
    ipv4_sequences: bool
    model: str = ""
    marker_statistics: bool = True
    class_map_default_mode: str = "match-all"

    @property
    def train(self) -> str:
        """The letters of the release's train."""
        return self.release.train

    @property
    def refuses_late(self) -> bool:
        """Whether a binding may be refused after the prompt, by whoever forwards: a line card (ios-facts 2.2), or the data
        plane of an IOS-XE. The processor of a 7200 forwards itself.
        """
        return self.name != C7200

    @property
    def kind(self) -> str:
        """Which column of the tables of limits and rules holds here (``limits.KINDS``)."""
        if self.name == C7200:
            return HQF if self.hqf else PRE_HQF
        return XE if self.name == IOS_XE else GSR_KIND

    def __str__(self) -> str:
        return f"{self.model or self.name} with {self.release}"


def platform_name(platform: str) -> str:
    """The profile's name for an inventory's platform (``cisco-12400``, ``cisco-7200vxr``, ``asr1000``).

    Raises InvalidInput, for IOS-XR by name.
    """
    word = platform.strip().lower()
    for pattern, name in _PLATFORMS:
        if word == name or pattern.fullmatch(word):
            return name
    if _XR.match(word):
        raise InvalidInput(f"{platform} runs IOS-XR; only IOS and IOS-XE are supported", field="platform")
    known = ", ".join(name for _, name in _PLATFORMS)
    raise InvalidInput(f"no platform profile for {platform!r:.60}; there are {known}", field="platform")


def profile(platform: str, ios: str = "") -> Profile:
    """The profile of a platform with a release; without one, the release the platform is known by.

    Raises InvalidInput on an unknown platform or release and on one that does not run there.
    """
    name = platform_name(platform)
    release = Release.parse(ios or _DEFAULT_RELEASE[name])
    if (release.train == "XE") != (name == IOS_XE) and not (name == IOS_XE and release.major == 15):
        raise InvalidInput(f"{ios} does not run on {platform}", field="ios")
    xe, gsr = name == IOS_XE, name == GSR
    hqf = xe or (not gsr and GATES["HQF"].passed(release) is True)
    return Profile(
        name=name,
        release=release,
        hqf=hqf,
        police_percent=GATES["police cir percent"].passed(release) is not False,
        police_submode=not gsr,
        bare_priority=gsr or xe,
        default_queue=("random-detect dscp-based",)
        if gsr or hqf
        else ("fair-queue", "random-detect dscp-based"),
        fair_queue=not gsr,
        section_filter=not gsr and release.reached(T="12.3(2)T", S="12.2(25)S"),
        archive=not gsr and release.reached(T="12.3(4)T", S="12.2(25)S"),
        configure_replace=not gsr and release.reached(T="12.3(7)T", S="12.2(25)S"),
        revert_timer=not gsr and release.reached(T="12.4(20)T", S="12.2(33)S"),
        named_dscp=release.reached(T="12.2(13)T", S="12.2(14)S"),
        leading_blank=release.number == (12, 2) and release.train.startswith("T"),
        expands_bursts=gsr or (not xe and release.number <= (12, 2)),
        shared_percent=100 if hqf or gsr else 75,
        single_line_police=xe,
        ipv6_sequences=xe,
        ipv4_sequences=xe and release.reached(XE="16.12.1"),
        model=next((model for pattern, model in _MODELS if xe and pattern.search(platform.lower())), ""),
        marker_statistics=not xe,
    )
