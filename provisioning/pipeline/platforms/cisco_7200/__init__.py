"""The Cisco 7200 and 7500: IOS whose processor forwards itself; of two kinds, before and with HQF (12.4(20)T)."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from provisioning.pipeline.platforms.cisco_7200 import ranges, refusals
from provisioning.pipeline.platforms.definition import Platform
from provisioning.pipeline.platforms.gates import GATES
from provisioning.pipeline.platforms.kinds import Bursts, Kind
from provisioning.pipeline.platforms.profiles import HQF_SHAPES, Profile
from provisioning.pipeline.platforms.release import Release

_NAME: Final = "cisco-7200"
_WITH_HQF: Final = Bursts(
    observed=True,
    certain=True,
    evidence="a 7200 with 15.x shows rate/32, that is 250 ms, against the manual's 4 ms (ios-facts 1.3)",
    least_shape_ms=4,
    shape_evidence=HQF_SHAPES,
)
_BEFORE_HQF: Final = replace(
    _WITH_HQF,
    certain=False,
    evidence=f"{_WITH_HQF.evidence}; older trains print rate/32 too (ios-facts N15)",
    least_shape_ms=10,
    shape_evidence="Cisco IOS in a Nutshell, shape (policy-map): bursts of 10 to 2000 ms",
)
_PRE: Final = Kind("7200 before HQF", ranges.BEFORE_HQF, refusals.BEFORE_HQF, _BEFORE_HQF)
_HQF: Final = Kind("7200 with HQF", ranges.WITH_HQF, refusals.WITH_HQF, _WITH_HQF)


def _profile(_: str, release: Release) -> Profile:
    hqf = GATES["HQF"].passed(release) is True
    return Profile(
        name=_NAME,
        release=release,
        kind=_HQF if hqf else _PRE,
        hqf=hqf,
        police_percent=GATES["police cir percent"].passed(release) is not False,
        police_submode=True,
        bare_priority=False,
        default_queue=("random-detect dscp-based",) if hqf else ("fair-queue", "random-detect dscp-based"),
        fair_queue=True,
        section_filter=release.reached(T="12.3(2)T", S="12.2(25)S"),
        archive=release.reached(T="12.3(4)T", S="12.2(25)S"),
        configure_replace=release.reached(T="12.3(7)T", S="12.2(25)S"),
        revert_timer=release.reached(T="12.4(20)T", S="12.2(33)S"),
        named_dscp=release.reached(T="12.2(13)T", S="12.2(14)S"),
        leading_blank=release.number == (12, 2) and release.train.startswith("T"),
        expands_bursts=release.number <= (12, 2),
        shared_percent=100 if hqf else 75,
        single_line_police=False,
        ipv6_sequences=False,
        ipv4_sequences=False,
        refuses_late=False,
    )


PLATFORM: Final = Platform(
    name=_NAME,
    title="Cisco 7200",
    assumed="cisco-7200vxr",
    called=re.compile(r"(?:cisco-?)?(?:c?72\d\d(?:vxr)?|c?75\d\d)"),
    usual_release="12.3(14)T",
    kinds=(_PRE, _HQF),
    runs=lambda release: release.train != "XE",
    made=_profile,
    printed=((re.compile(r"(?<=\A72\d\d)VXR", re.IGNORECASE), ""),),
)
