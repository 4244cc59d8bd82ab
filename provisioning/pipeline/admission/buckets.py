"""How deep a request's token bucket may be, as far as the scheme says.

At least the largest packet in the frame it enters with: D4.4.2v2 section 2.2 chooses a depth "larger than one MTU", and a
router counts the frame. Of a real-time class at most what its scheme lets a full bucket delay: section 2.2 again, "high
priority services usually have smaller bucket size in order to minimize jitter".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

from provisioning.pipeline.admission.convergence import entry_cap_bps
from provisioning.pipeline.admission.values import Reason
from provisioning.pipeline.scheme import BucketDelay, ClassTemplate, Scheme, TooShallow, Word
from provisioning.pipeline.sls import LARGEST_BUCKET_BYTES, Sls
from provisioning.pipeline.topology import (
    AccessLinkValue,
    Direction,
    Network,
    Path,
    framing_of,
    framing_or_longest,
)
from provisioning.pipeline.units import TimeWindow, rate_text

LEAST_OWN_MS = 4
"""The bucket that a router takes by itself as the manuals have it, of the policer's rate (ios-facts 1.3)."""

LARGEST_OWN_MS = 250
"""The deepest bucket that a router was seen to take by itself, of the policer's rate: rate/32 (ios-facts 1.3)."""


@dataclass(frozen=True)
class SharedBucket:
    """The bucket of another promise, bytes, that enters over an access link while ``window`` lasts."""

    source_link: str
    service_class: str
    bucket_bytes: int
    window: TimeWindow

    @classmethod
    def of(cls, sls: Sls) -> SharedBucket:
        return cls(sls.source_link, sls.service_class, sls.bucket_bytes, sls.window)


@dataclass(frozen=True)
class Judged:
    """What is said of a bucket: ``reasons`` refuse, ``doubts`` are warnings."""

    reasons: tuple[Reason, ...]
    doubts: tuple[str, ...]


def judge_bucket(
    network: Network, scheme: Scheme, sls: Sls, path: Path, sharing: Iterable[SharedBucket] = ()
) -> Judged:
    """What the scheme says of the bucket of `sls` alone, and beside those of `sharing` that its policer is shared with."""
    source = network.access_link(sls.source_link)
    if source is None:
        return Judged((), ())
    found = [*_too_shallow(scheme, sls, source), *_too_deep(network, scheme, sls, path)]
    reasons = tuple(
        Reason(code="bucket", text=text, link=source.id, direction=Direction.IN)
        for word, text in found
        if word == "refuse"
    )
    doubts = [text for word, text in found if word == "warn"]
    doubts += _together(network, scheme, sls, path, source, tuple(sharing))
    return Judged(reasons, tuple(doubts))


def _too_shallow(scheme: Scheme, sls: Sls, source: AccessLinkValue) -> Iterator[tuple[Word, str]]:
    framing = framing_of(source.interface)
    header = 0 if framing is None else framing.header_bytes
    frame = sls.max_packet_bytes + header
    if framing is None or sls.bucket_bytes >= frame:
        return
    rule = scheme.buckets.too_shallow
    yield (
        rule.then,
        f"a bucket of {_bytes(sls.bucket_bytes)} passes no packet of {sls.max_packet_bytes} bytes on {source.id}: its router "
        f"counts the frame, {header} bytes more ({framing.name}); at least {_bytes(frame)} are needed ({_from(rule)})",
    )


def _too_deep(network: Network, scheme: Scheme, sls: Sls, path: Path) -> Iterator[tuple[Word, str]]:
    rule = scheme.buckets.delay
    slowest = _slowest(network, path) if scheme.service_class(sls.service_class).real_time else None
    if slowest is None:
        return
    name, bps = slowest
    word, limit = _over(scheme, sls.bucket_bytes, bps)
    if word == "admit":
        return
    most = limit * bps // 8000
    yield (
        word,
        f"a full bucket of {_bytes(sls.bucket_bytes)} keeps {name} ({rate_text(bps)}, the slowest link of the path) busy for "
        f"{_ms(sls.bucket_bytes, bps)} ms, which {scheme.service_class(sls.service_class).title} may for {limit} ms: at most "
        f"{_bytes(most)} ({_from(rule)})",
    )


def _together(
    network: Network,
    scheme: Scheme,
    sls: Sls,
    path: Path,
    source: AccessLinkValue,
    sharing: tuple[SharedBucket, ...],
) -> Iterator[str]:
    """What the buckets that one policer holds are in sum: a delay, and more than a router's own where none is written."""
    entry = scheme.case_policy(source.case).carrying(scheme.service_class(sls.service_class).name)
    if entry is None or entry.police is None:
        return
    others = 0 if entry.per_flow else _most_beside(scheme, sls, entry, sharing)
    whole = others + sls.bucket_bytes
    if others and (slowest := _slowest(network, path)) and scheme.service_class(sls.service_class).real_time:
        name, bps = slowest
        word, limit = _over(scheme, whole, bps)
        if word != "admit" and _over(scheme, sls.bucket_bytes, bps)[0] == "admit":
            yield (
                f"{source.id}: the buckets that share its policer are {_bytes(whole)} in sum; full at once they keep {name} "
                f"({rate_text(bps)}) busy for {_ms(whole, bps)} ms, more than {limit} ms ({_from(scheme.buckets.delay)})"
            )
    if scheme.policer == "grants" or source.dscp_map:
        if whole > LARGEST_BUCKET_BYTES:
            yield (
                f"{source.id}: the buckets that share its policer are {_bytes(whole)} in sum, and no router's policer takes more "
                f"than {_bytes(LARGEST_BUCKET_BYTES)} (ios-facts 1.4)"
            )
        return
    written, cap = entry.police.burst_bytes, entry_cap_bps(scheme, entry, source)
    # Only where its scheme speaks of policers: what was decided under an older text follows from it, warnings included.
    if entry.police.exceed == "drop" and scheme.policers.cannot_keep != "admit":
        yield from _largest_packet(sls, source, written, cap)
    own = cap * LARGEST_OWN_MS // 8000 if written is None else written
    if whole > own and entry.police.exceed == "drop":
        yield (
            f"{source.id}: its policer is the cap, with a bucket of the router's own, at most {_bytes(own)} ({LARGEST_OWN_MS} "
            f"ms, ios-facts 1.3); the buckets that share it are {_bytes(whole)} in sum: what conforms may be dropped"
        )


def _largest_packet(sls: Sls, source: AccessLinkValue, written: int | None, cap_bps: int) -> Iterator[str]:
    """That a packet may be larger than the bucket of a cap, which passes none that is."""
    framing = framing_or_longest(source.interface)
    frame = sls.max_packet_bytes + framing.header_bytes
    least = cap_bps * LEAST_OWN_MS // 8000 if written is None else written
    if frame > least:
        where = (
            f"where nobody wrote it, {LEAST_OWN_MS} ms of its policer, {_bytes(least)}, by the manuals (ios-facts 1.3)"
            if written is None
            else f"{_bytes(least)}, as its scheme writes it"
        )
        yield (
            f"{source.id}: its largest packet is with its header {_bytes(frame)} ({framing.name}), and the bucket of the cap is "
            f"{where}: a packet that is larger than the bucket never passes"
        )


def _most_beside(scheme: Scheme, sls: Sls, entry: ClassTemplate, sharing: tuple[SharedBucket, ...]) -> int:
    """The most that the buckets of others at the same policer are in sum at any instant of the window, bytes."""
    classes = {scheme.service_class(name).name for name in entry.services}
    known = {
        name for each in scheme.classes if each.name in classes for name in (each.name, each.abbreviation)
    }
    changes: dict[datetime, int] = {}
    for other in sharing:
        if other.source_link != sls.source_link or other.service_class not in known:
            continue
        if not other.window.overlaps(sls.window):
            continue
        begins = max(other.window.start, sls.window.start)
        changes[begins] = changes.get(begins, 0) + other.bucket_bytes
        if other.window.end is not None:
            changes[other.window.end] = changes.get(other.window.end, 0) - other.bucket_bytes
    most = level = 0
    for instant in sorted(changes):
        if sls.window.end is not None and instant >= sls.window.end:
            break
        level += changes[instant]
        most = max(most, level)
    return most


def _slowest(network: Network, path: Path) -> tuple[str, int] | None:
    links = [link for load in path.loads if (link := network.link(load.link)) is not None and link.base_bps]
    slowest = min(links, key=lambda link: (link.base_bps, link.id), default=None)
    return None if slowest is None else (slowest.id, slowest.base_bps)


def _over(scheme: Scheme, size: int, bps: int) -> tuple[Word, int]:
    """The scheme's word about a bucket of this size on a link of this rate, and the limit that it passes, ms."""
    rule = scheme.buckets.delay
    if rule.refuse_above_ms is not None and size * 8000 > rule.refuse_above_ms * bps:
        return "refuse", rule.refuse_above_ms
    if rule.warn_above_ms is not None and size * 8000 > rule.warn_above_ms * bps:
        return "warn", rule.warn_above_ms
    return "admit", 0


def _ms(size: int, bps: int) -> str:
    """How long so many bytes take at this rate, in whole milliseconds, rounded up."""
    return f"{-(-size * 8000 // bps):,}"


def _bytes(size: int) -> str:
    return f"{size:,} bytes"


def _from(rule: TooShallow | BucketDelay) -> str:
    return f"our choice: {rule.provenance}" if rule.is_choice else rule.provenance
