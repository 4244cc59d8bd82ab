"""How far counters grew between two looks, whatever happened to them meanwhile: what is said was sent, and never more.

A router's counters begin again when it is reloaded, when somebody clears them, and when a policy is bound again; some have 32
bits and wrap. What cannot be known is left out, and the answer says "at least".
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from provisioning.pipeline.usage.counting import NUMBERS, Count, Place, add

UPTIME_SLACK_S: Final = 90
"""IOS says its uptime in whole minutes; what differs by less is no difference."""
SHORTEST_S: Final = 1.0
"""Two looks nearer than this are one."""
_WRAP: Final = 2**32
_SMALLEST_PACKET, _LARGEST_PACKET = 20, 10_000
"""Bytes: an IP header alone, and more than any MTU of these routers (9,180 on POS, 9,216 on Ethernet)."""
_PAIRS: Final = (
    ("packets", "bytes"),
    ("passed_packets", "passed_bytes"),
    ("dropped_packets", "dropped_bytes"),
)
_REMEMBERED: Final = 500
"""Places that are not printed any more and may come back: so many of a router are remembered."""


@dataclass(frozen=True, slots=True)
class Look:
    """All counters of a router at one moment, by the database's clock; ``up_s`` is its uptime in seconds, None where it does not
    say it. ``missing`` are places that it does not show and that were there before: they may come back with what they had.
    """

    at: datetime
    up_s: int | None
    counts: Mapping[Place, Count]
    missing: frozenset[Place] = frozenset()


@dataclass(frozen=True, slots=True)
class Interval:
    """The time between two looks. ``seconds`` is None where no clock can be believed; then there is no rate. ``is_reloaded`` is
    sure, ``may_be_reloaded`` is not: then counters that are smaller say so.
    """

    seconds: float | None
    is_reloaded: bool = False
    is_clock_wrong: bool = False
    may_be_reloaded: bool = False


@dataclass(frozen=True, slots=True)
class Used:
    """What was counted at a place between two looks; ``is_at_least``: some of it is not known."""

    place: Place
    count: Count
    is_at_least: bool = False


def interval(before: Look, now: Look) -> Interval | None:
    """Return the time between two looks of one router, by our clock and by its uptime; None where they are too near to be two,
    or the second is older than the first. A clock that was set meanwhile is found by the other one.
    """
    elapsed = (now.at - before.at).total_seconds()
    ran = None if before.up_s is None or now.up_s is None else now.up_s - before.up_s
    if elapsed < SHORTEST_S:
        # The same moment, or a look that was kept late; unless the router says that it ran on and our clock was set back.
        later = ran is not None and ran > UPTIME_SLACK_S
        return Interval(float(ran or 0), is_clock_wrong=True) if later else None
    if ran is None:
        return Interval(elapsed)
    if ran < -UPTIME_SLACK_S:
        return Interval(elapsed, is_reloaded=True)
    # Up for longer than the time between the looks: it was not reloaded, so ours is the clock that is wrong.
    set_forward = ran + UPTIME_SLACK_S < elapsed < (now.up_s or 0) - UPTIME_SLACK_S
    if ran > elapsed + UPTIME_SLACK_S or set_forward:
        return Interval(float(ran) if ran > 0 else None, is_clock_wrong=True)
    return Interval(elapsed, may_be_reloaded=ran + UPTIME_SLACK_S < elapsed)


def used_between(
    before: Look, now: Look, *, line_rates: Mapping[str, int] | None = None
) -> tuple[Interval, tuple[Used, ...]] | None:
    """Return the interval and what was counted in it at every place of `now`; None where there is no time between them.

    ``line_rates`` in bit/s by interface: more than a line carries was not sent, and is left out.
    """
    between = interval(before, now)
    if between is None:
        return None
    bound = {_attachment(place) for place in before.counts}
    policies = {(*_attachment(place), place.policy) for place in before.counts}
    found = []
    for place, count in now.counts.items():
        earlier = before.counts.get(place)
        if between.is_reloaded:
            grown = Used(place, count, is_at_least=True)
        elif earlier is not None:
            grown = _growth(place, earlier, count)
        elif place in before.missing or (*_attachment(place), place.policy) in policies:
            # It was not shown, or its policy did not have it: its count may be of before.
            grown = Used(place, _none_of(count), is_at_least=True)
        else:
            # Bound since: it began to count then. What the policy before it counted last is not known.
            grown = Used(place, count, is_at_least=_attachment(place) in bound)
        if between.may_be_reloaded:
            grown = replace(grown, is_at_least=True)
        found.append(_possible(grown, between, (line_rates or {}).get(place.interface)))
    return between, tuple(found)


def with_missing(before: Look | None, now: Look) -> Look:
    """Return `now` with what it does not show and was there before, as it is to be compared with the next look."""
    if before is None or (between := interval(before, now)) is None or between.is_reloaded:
        return now
    missing = [place for place in (*before.counts, *sorted(before.missing)) if place not in now.counts]
    return replace(now, missing=frozenset(missing[:_REMEMBERED]))


def together(used: Iterable[Used]) -> Used:
    """The sum of what was counted for one series at several places; raises ValueError for nothing."""
    first, *others = used
    count, at_least = first.count, first.is_at_least
    for other in others:
        count, at_least = add(count, other.count), at_least or other.is_at_least
    return Used(first.place, count, at_least)


def _attachment(place: Place) -> tuple[str, str, str]:
    return place.interface, place.pvc, place.direction


def _growth(place: Place, before: Count, now: Count) -> Used:
    """What came to a class that was there at both looks. Each pair of counters is judged by itself: one may have begun again
    without the others, where somebody typed a line of the policer or the queue anew.
    """
    grown: dict[str, int | None] = {}
    partial = False
    for packets, size in _PAIRS:
        grown[packets], grown[size], short = _pair(before, now, packets, size)
        partial = partial or short
    grown["queue_drops"], short = _alone(_difference(before, now, "queue_drops"), now.queue_drops)
    matches = {}
    for match, later in now.by_match.items():
        more, fewer = _alone(later - before.by_match.get(match, later), later)
        matches[match], short = more or 0, short or fewer
    return Used(place, Count(**grown, by_match=matches), partial or short)


def _alone(grown: int | None, now: int | None) -> tuple[int | None, bool]:
    """The growth of one counter that has no partner; smaller than before it began again."""
    return (now, True) if grown is not None and grown < 0 else (grown, False)


def _pair(before: Count, now: Count, packets: str, size: str) -> tuple[int | None, int | None, bool]:
    """The growth of packets and of their bytes, and whether that is only a part.

    Where one of the two is smaller it has wrapped at 32 bits, or both began again. It wrapped where what both count now cannot
    be packets that came since, for they would have no possible size; where either may be, the smaller growth is said.
    """
    count, bytes_ = _difference(before, now, packets), _difference(before, now, size)
    all_packets, all_bytes = getattr(now, packets), getattr(now, size)
    if count is None or bytes_ is None:
        (more, fewer), (other, less) = _alone(count, all_packets), _alone(bytes_, all_bytes)
        return more, other, fewer or less
    if count >= 0 and bytes_ >= 0:
        # Bytes that wrapped more than once, or once and went beyond where they were, are too few for so many packets.
        return count, bytes_, bytes_ < count * _SMALLEST_PACKET
    wrapped = (count + _WRAP if count < 0 else count), (bytes_ + _WRAP if bytes_ < 0 else bytes_)
    one_wrapped = (count < 0) is not (bytes_ < 0)
    within = getattr(before, packets if count < 0 else size) < _WRAP
    if not (one_wrapped and within and _is_possible(*wrapped)):
        return all_packets, all_bytes, True
    if _is_possible(all_packets, all_bytes):
        return min(wrapped[0], all_packets), min(wrapped[1], all_bytes), True
    return *wrapped, False


def _difference(before: Count, now: Count, name: str) -> int | None:
    earlier, later = getattr(before, name), getattr(now, name)
    return None if earlier is None or later is None else later - earlier


def _is_possible(packets: int, size: int) -> bool:
    return packets * _SMALLEST_PACKET <= size <= packets * _LARGEST_PACKET


def _possible(used: Used, between: Interval, line_rate_bps: int | None) -> Used:
    """`used`, or nothing of it where the line could not have carried that in this time."""
    if line_rate_bps is None or between.seconds is None or used.count.bytes is None:
        return used
    most = line_rate_bps * (between.seconds + UPTIME_SLACK_S) / 8
    return used if used.count.bytes <= most else Used(used.place, _none_of(used.count), is_at_least=True)


def _none_of(count: Count) -> Count:
    """As many zeros as there are numbers."""
    zeros = {name: 0 for name in NUMBERS if getattr(count, name) is not None}
    return replace(count, **zeros, by_match=dict.fromkeys(count.by_match, 0))
