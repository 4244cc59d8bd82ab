"""Who is told that reserved traffic is dropped: the NOC and the NREN that sends it, until it is seen to be over."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime, timedelta

from django.conf import settings

from inventory.models import AccessLink, Nren
from provisioning.models import Notification, Topic, UsageSeries
from provisioning.pipeline.units import rate_text
from provisioning.pipeline.usage.verdicts import percent, rounded
from provisioning.services.telling.noting import Note, note, over


def tell(rows: Collection[UsageSeries], again: Collection[UsageSeries]) -> None:
    """Note what those of `again` drop of reservations, at this look as at the one before; and what none of `rows` drops any
    longer. Inside the transaction that keeps the look.
    """
    over(Topic.DROPPED, [_subject(row) for row in rows if row.dropping_since is None])
    worth = settings.USAGE_TOLD_PERCENT / 100
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
    sent, reserved = rounded(row.sent_bps or 0), rate_text(row.reserved_bps)
    since = f" since {row.dropping_since:%Y-%m-%d %H:%M} UTC" if row.dropping_since else ""
    return Note(
        topic=Topic.DROPPED,
        subject=_subject(row),
        title=f"{nren.name} loses {percent(row.lost or 0)} of its reserved traffic on {row.link}",
        text=f"It sends {sent}, {reserved} are reserved; the policer drops {percent(row.lost or 0)} of its packets{since}.\n"
        "A shaper on the sender's side delays what the policer drops.",
        path=f"/requests/{row.requests[0]}/usage/",
        nren_id=nren.pk,
    )


def _subject(row: UsageSeries) -> str:
    return f"usage/{row.pk}"
