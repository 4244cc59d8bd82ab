"""Burst advice for people at a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from provisioning.pipeline.units import rate_text
from provisioning.selectors.advice import Advised


def advice_lines(advised: Advised) -> Iterator[str]:
    """The advice, line by line: what to type, then why, then what speaks against it."""
    advice = advised.advice
    policer, shaper = advice.policer, advice.shaper
    yield f"{rate_text(advice.rate.bps)} of {advice.traffic} traffic, packets of up to {advice.max_packet_bytes} bytes"
    yield f"  policer at the edge: {rate_text(policer.rate.bps)}, bucket {policer.bucket} ({policer.bucket_ms} ms)"
    yield f"    {advised.police_line}"
    yield (
        f"  shaper in front of it: {rate_text(shaper.rate.bps)}, burst {shaper.burst_bits} bits "
        f"(between {shaper.least_bits} and {shaper.most_bits}), queue of {shaper.queue_packets} packets"
    )
    yield f"    {advised.shape_line}"
    yield "Why"
    for found in advice.findings:
        yield f"  {found.about}: {found.formula}"
        yield f"    {found.worked}"
        yield f"    {found.reason}"
        yield f"    {found.provenance}: {found.source}"
    if advice.platform is not None:
        platform = advice.platform
        seen = "not known" if platform.observed_bytes is None else f"{platform.observed_bytes} bytes"
        yield f"What {platform.platform} {platform.release} does when no burst is typed"
        yield f"  manual: {platform.documented_bytes} bytes; router: {seen}{'' if platform.certain else ' (uncertain)'}"
        yield f"  {platform.evidence}"
    for text in advice.warnings:
        yield f"WARNING: {text}"
