"""IOS-XE on an ASR, an ISR, a CSR 1000V or a Catalyst 8000."""

from __future__ import annotations

import re
from typing import Final

from provisioning.pipeline.platforms.cisco_iosxe.ranges import LIMITS
from provisioning.pipeline.platforms.cisco_iosxe.refusals import VERDICTS
from provisioning.pipeline.platforms.definition import Platform
from provisioning.pipeline.platforms.gates import GATES
from provisioning.pipeline.platforms.kinds import Bursts, Kind
from provisioning.pipeline.platforms.profiles import HQF_SHAPES, Profile
from provisioning.pipeline.platforms.release import Release

_NAME: Final = "cisco-iosxe"
_MODELS: Final = (
    (re.compile(r"asr-?1(?:k|\d\d\d)"), "asr1000"),
    (re.compile(r"asr-?920"), "asr920"),
    (re.compile(r"asr-?9\d\d"), "asr900"),
    (re.compile(r"isr-?4"), "isr4000"),
    (re.compile(r"csr-?1|c(?:at-?)?8(?:k|\d\d\d)v"), "csr1000v"),
    (re.compile(r"c(?:at-?)?8"), "c8000"),
)
_KIND: Final = Kind(
    "IOS-XE",
    LIMITS,
    VERDICTS,
    Bursts(
        observed=True,
        certain=False,
        evidence=(
            "a Catalyst 9000 shows rate/32 (250 ms); an ASR or ISR showed 83619 bytes at 445,500 bit/s, "
            "which is no such rule (ios-facts 1.3)"
        ),
        least_shape_ms=4,
        shape_evidence=HQF_SHAPES,
    ),
)


def _profile(word: str, release: Release) -> Profile:
    return Profile(
        name=_NAME,
        release=release,
        kind=_KIND,
        hqf=True,
        police_percent=GATES["police cir percent"].passed(release) is not False,
        police_submode=True,
        bare_priority=True,
        default_queue=("random-detect dscp-based",),
        fair_queue=True,
        section_filter=release.reached(T="12.3(2)T", S="12.2(25)S"),
        archive=release.reached(T="12.3(4)T", S="12.2(25)S"),
        configure_replace=release.reached(T="12.3(7)T", S="12.2(25)S"),
        revert_timer=release.reached(T="12.4(20)T", S="12.2(33)S"),
        named_dscp=release.reached(T="12.2(13)T", S="12.2(14)S"),
        leading_blank=False,
        expands_bursts=False,
        shared_percent=100,
        single_line_police=True,
        ipv6_sequences=True,
        ipv4_sequences=release.reached(XE="16.12.1"),
        model=next((model for pattern, model in _MODELS if pattern.search(word.lower())), ""),
        marker_statistics=False,
    )


PLATFORM: Final = Platform(
    name=_NAME,
    title="IOS-XE",
    assumed=_NAME,
    called=re.compile(
        r"(?:cisco-?)?(?:ios-?xe|asr-?(?:1k|1\d\d\d|9\d\d)|isr-?(?:4k|4\d\d\d)|csr-?(?:1k|1\d\d\d)v?|cat-?8(?:k|\d\d\d)?v?"
        r"|c8\d\d\dv?)(?:-[a-z0-9-]+)?(?:/k9)?"
    ),
    usual_release="17.9.1",
    kinds=(_KIND,),
    runs=lambda release: release.train == "XE" or release.major == 15,
    made=_profile,
)
