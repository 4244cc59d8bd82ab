"""The Cisco 12000 (GSR): IOS 12.0S, where the line cards' engines decide."""

from __future__ import annotations

import re
from typing import Final

from provisioning.pipeline.platforms.cisco_12000.input_shaping import why_not_shaped
from provisioning.pipeline.platforms.cisco_12000.ranges import LIMITS
from provisioning.pipeline.platforms.cisco_12000.refusals import VERDICTS
from provisioning.pipeline.platforms.definition import Platform
from provisioning.pipeline.platforms.gates import GATES
from provisioning.pipeline.platforms.kinds import Bursts, Kind
from provisioning.pipeline.platforms.profiles import Profile
from provisioning.pipeline.platforms.release import Release

_NAME: Final = "cisco-12000"
_KIND: Final = Kind(
    "12000",
    LIMITS,
    VERDICTS,
    Bursts(
        observed=False,
        certain=False,
        evidence="no 12000 was seen: its default is not known (ios-facts 1.3, U7); read it from the router",
        least_shape_ms=None,
        shape_evidence="not known for the 12000's line cards",
    ),
)


def _profile(_: str, release: Release) -> Profile:
    return Profile(
        name=_NAME,
        release=release,
        kind=_KIND,
        why_not_shaped=why_not_shaped,
        hqf=False,
        police_percent=GATES["police cir percent"].passed(release) is not False,
        police_submode=False,
        bare_priority=True,
        default_queue=("random-detect dscp-based",),
        fair_queue=False,
        section_filter=False,
        archive=False,
        configure_replace=False,
        revert_timer=False,
        named_dscp=release.reached(T="12.2(13)T", S="12.2(14)S"),
        leading_blank=release.number == (12, 2) and release.train.startswith("T"),
        expands_bursts=True,
        shared_percent=100,
        single_line_police=False,
        ipv6_sequences=False,
        ipv4_sequences=False,
        shaper_queues_output=False,
    )


PLATFORM: Final = Platform(
    name=_NAME,
    title="Cisco 12000",
    assumed="cisco-12400",
    called=re.compile(r"(?:cisco-?)?(?:12[04]\d\d|gsr)"),
    usual_release="12.0(28)S",
    kinds=(_KIND,),
    runs=lambda release: release.train != "XE",
    made=_profile,
    printed=((re.compile(r"\Agsr\d*\Z", re.IGNORECASE), "gsr"),),
    cards_decide=True,
)
