"""Linux with nftables and tc: what a kernel does of MQC and what it lacks, as data with its evidence.

Such a router keeps its policies as text, and `pipeline.linux` works out what nftables and tc must hold for them; a shell is
spoken to instead of a vty (decision 52).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from provisioning.pipeline.platforms.definition import Platform
from provisioning.pipeline.platforms.findings import Evidence, Tag
from provisioning.pipeline.platforms.kinds import Bursts, Kind
from provisioning.pipeline.platforms.linux.ranges import LIMITS, RANGES
from provisioning.pipeline.platforms.linux.refusals import VERDICTS
from provisioning.pipeline.platforms.profiles import Profile
from provisioning.pipeline.platforms.release import Release

__all__ = ["LACKS", "NAME", "PLATFORM", "RANGES", "RATE_STEP_BPS", "TICK_NS"]

NAME: Final = "linux"

_MEASURED: Final = "measured: kernel 6.18, iproute2 6.1, nft 1.0.6"
LACKS: Final[Mapping[str, Evidence]] = {
    "random-detect": Evidence(Tag.CERTAIN, f"no RED: the queue drops at its tail (sch_red, {_MEASURED})"),
    "fair-queue": Evidence(Tag.CERTAIN, f"no fair queueing: one queue for all flows (sch_sfq, {_MEASURED})"),
}  # fmt: skip
"""Actions that are left out, each with what happens instead: they decide who waits, not who may enter."""

RATE_STEP_BPS: Final = 8
"""tc keeps rates in bytes a second."""
TICK_NS: Final = 1000
"""tc reckons a bucket as a time in whole microseconds, the kernel in ticks of 64 ns: what is read may be some bytes off."""

_KIND: Final = Kind(
    "linux",
    LIMITS,
    VERDICTS,
    Bursts(
        observed=True,
        certain=True,
        evidence="our own: rate/32 as on IOS, one frame at least (`pipeline.linux`)",
        least_shape_ms=None,
        shape_evidence="it shapes nothing",
    ),
)


def _profile(_: str, release: Release) -> Profile:
    return Profile(
        name=NAME,
        release=release,
        kind=_KIND,
        hqf=True,
        police_percent=True,
        police_submode=False,
        bare_priority=True,
        default_queue=("random-detect dscp-based",),
        fair_queue=False,
        section_filter=False,
        archive=False,
        configure_replace=False,
        revert_timer=False,
        named_dscp=False,
        leading_blank=False,
        expands_bursts=False,
        shared_percent=100,
        single_line_police=False,
        ipv6_sequences=False,
        ipv4_sequences=False,
        refuses_late=False,
        gated=False,
        left_out=LACKS,
    )


PLATFORM: Final = Platform(
    name=NAME,
    title="Linux (nftables and tc)",
    assumed=NAME,
    called=re.compile(r"linux(?:-[a-z0-9.-]+)?|nftables"),
    usual_release="6.1",
    kinds=(_KIND,),
    runs=lambda release: not release.train and release.number >= (5, 10),
    made=_profile,
    has_shell=True,
)
