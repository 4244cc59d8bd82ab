"""What somebody wants a request to become: checked like a new one, against its own rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import Enum
from typing import Final, Literal

from provisioning.errors import InvalidInput
from provisioning.models import Actor, PremiumRequest
from provisioning.pipeline.sls import Sls
from provisioning.pipeline.units import TimeWindow, instant_text
from provisioning.selectors.queues import ON
from provisioning.selectors.requests import sls_of
from provisioning.services.modifications.judging import may_be_on
from provisioning.services.requests import SubmitRequest
from provisioning.services.requests.checking import check


class _Unchanged(Enum):
    UNCHANGED = "unchanged"


UNCHANGED: Final = _Unchanged.UNCHANGED
"""Of an end: as it is, because None means until further notice."""


@dataclass(frozen=True)
class Modify:
    """What is to become of a request; what is None, or UNCHANGED, stays. ``rate`` in bit/s or as text, at layer 3.

    ``longer``: it is to last longer, so that an end which is no later than the standing one is refused.
    """

    rate: int | str | None = None
    start: datetime | None = None
    end: datetime | Literal[_Unchanged.UNCHANGED] | None = UNCHANGED
    source_prefixes: tuple[str, ...] | None = None
    destination_prefixes: tuple[str, ...] | None = None
    longer: bool = False


def out_and_back(rows: Sequence[PremiumRequest]) -> list[PremiumRequest]:
    """A request and its twin, the way out first: that which enters on a link of the NREN that asked."""
    return sorted(rows, key=lambda row: (row.source_link.nren_id != row.nren_id, row.pk))


def checked(
    actor: Actor, rows: Sequence[PremiumRequest], wanted: Modify, now: datetime
) -> list[tuple[PremiumRequest, Sls, Sls]]:
    """Each row with what it asks now and what it is to ask, in the order of ``rows``; prefixes are those of the first.

    Raises InvalidFields as `submit` does, InvalidInput for a start that has passed already, for an end that is no later where
    it is to last longer, and when nothing would change.
    """
    ordered = out_and_back(rows)
    if wanted.longer:
        for row in ordered:
            _ends_later(row, wanted.end)
    out = ordered[0]
    if out.pk != rows[0].pk:  # what is said is said of the way that was named
        wanted = replace(
            wanted,
            source_prefixes=wanted.destination_prefixes,
            destination_prefixes=wanted.source_prefixes,
        )
    begun = out.start <= now
    if wanted.start is not None and wanted.start != out.start:
        if begun:
            raise InvalidInput(f"it has begun ({instant_text(out.start)}): its start stays", field="start")
        keep_start(ordered)
    start = out.start if wanted.start is None else wanted.start
    end = out.end if wanted.end is UNCHANGED else wanted.end
    found = check(
        SubmitRequest(
            source_link=out.source_link.name,
            destination_link=None if out.destination_link is None else out.destination_link.name,
            rate=out.rate_bps if wanted.rate is None else wanted.rate,
            bucket_bytes=out.bucket_bytes,
            max_packet_bytes=out.max_packet_bytes,
            min_packet_bytes=out.min_packet_bytes,
            source_prefixes=_or(wanted.source_prefixes, out.source_prefixes),
            destination_prefixes=_or(wanted.destination_prefixes, out.destination_prefixes),
            contact=out.contact,
            start=None if begun else start,
            end=end,
            direction="both" if len(ordered) == 2 else "one-way",
            flow_label=out.flow_label,
            service_class=out.service_class,
        ),
        actor,
        now,
        standing_bps=out.rate_bps,
    )
    asked = [found.out] if found.back is None else [found.out, found.back]
    window = TimeWindow(out.start if begun else asked[0].window.start, end)
    new = {
        row.pk: replace(sls, id=row.reference, window=window, flow_label=row.flow_label)
        for row, sls in zip(ordered, asked, strict=True)
    }
    changed = [(row, sls_of(row), new[row.pk]) for row in rows]
    if all(before == after for _row, before, after in changed):
        raise InvalidInput("nothing would change", field=None)
    return changed


def keep_start(rows: Sequence[PremiumRequest]) -> None:
    """Raise InvalidInput (field start) where a router holds lines of one of the rows by now, or may: they let its traffic in
    whatever its window is to be, so it stays charged from the start that it has.
    """
    for row in rows:
        if row.state in ON and may_be_on(row):
            raise InvalidInput("a router holds lines of it by now: its start stays", field="start")


def _ends_later(row: PremiumRequest, end: datetime | Literal[_Unchanged.UNCHANGED] | None) -> None:
    if row.end is not None and (end is None or (end is not UNCHANGED and end > row.end)):
        return
    standing = "until further notice" if row.end is None else f"until {instant_text(row.end)}"
    raise InvalidInput(
        f"it lasts {standing}, and an extension ends later: to have it end sooner use End early, "
        "or Change while it is undecided",
        field="end",
    )


def _or(given: tuple[str, ...] | None, standing: list[str]) -> tuple[str, ...]:
    return tuple(standing) if given is None else given
