"""Who is told that reserved traffic is dropped: the NOC and the NREN that sends it, until it is seen to be over."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Final

from django.conf import settings

from inventory.models import AccessLink, Nren
from provisioning.models import Notification, Topic, UsageSeries
from provisioning.pipeline.advice import Traffic, advise
from provisioning.pipeline.units import BitRate, rate_text
from provisioning.pipeline.usage.verdicts import percent, rounded
from provisioning.services.telling.noting import Note, note, over

_FRAME: Final = 1500
"""Bytes of the largest packet that the advice of a notification is for; the pack asks the request."""


def tell(
    rows: Collection[UsageSeries], again: Collection[UsageSeries], drops_percent: Decimal | None
) -> None:
    """Note what those of `again` drop of reservations, at this look as at the one before, from `drops_percent` on (None: as the
    installation is set); and what none of `rows` drops any longer. Inside the transaction that keeps the look.
    """
    over(Topic.DROPPED, [_subject(row) for row in rows if row.dropping_since is None])
    worth = float(settings.USAGE_TOLD_PERCENT if drops_percent is None else drops_percent) / 100
    found = [row for row in again if row.requests and (row.lost or 0) >= worth]
    if found:
        links = AccessLink.objects.filter(name__in=[row.link for row in found]).select_related("nren")
        owners = {link.name: link.nren for link in links}
        note(*(_note(row, owners[row.link]) for row in found if row.link in owners))


def end_unseen(now: datetime) -> None:
    """End what is told of classes that nobody counts any more: of a router that is gone, or not read for three beats."""
    told = Notification.objects.filter(topic=Topic.DROPPED, over_at=None).values_list("subject", flat=True)
    subjects = {subject: int(subject.rpartition("/")[2]) for subject in told}
    if not subjects:
        return
    since = now - timedelta(seconds=3 * settings.USAGE_SECONDS)
    seen = set(
        UsageSeries.objects.filter(pk__in=subjects.values(), seen_at__gt=since).values_list("pk", flat=True)
    )
    over(Topic.DROPPED, [subject for subject, pk in subjects.items() if pk not in seen])


def _note(row: UsageSeries, nren: Nren) -> Note:
    # Both sides of the sentence as they were counted and asked: at layer 3.
    sent, reserved = rounded(row.sent_bps or 0), rate_text(row.reserved_bps)
    since = f" since {row.dropping_since:%Y-%m-%d %H:%M} UTC" if row.dropping_since else ""
    return Note(
        topic=Topic.DROPPED,
        subject=_subject(row),
        title=f"{nren.name} loses {percent(row.lost or 0)} of its reserved traffic on {row.link}",
        text=f"{nren.name} sends {sent} of {reserved}; {percent(row.lost or 0)} was dropped{since}.\n{_cure(row)}",
        path=f"/requests/{row.requests[0]}/usage/",
        nren_id=nren.pk,
    )


def _cure(row: UsageSeries) -> str:
    """The shaper that delays what the policer drops; where several requests enter by one class, each needs its own."""
    if len(row.requests) > 1:
        return f"A shaper for each of its {len(row.requests)} reservations cures that; the pack of each has the lines."
    shaper = advise(BitRate(row.reserved_bps), Traffic.REAL_TIME, _FRAME).shaper
    return (
        f"A shaper on its side cures that: {rate_text(shaper.rate.bps)} at layer 3, no more than {shaper.burst_bytes} bytes at "
        f"once. The lines are in the pack: /requests/{row.requests[0]}/pack/"
    )


def _subject(row: UsageSeries) -> str:
    return f"usage/{row.pk}"
