"""Who is told that reserved traffic is dropped: the NOC and the NREN that sends it, until it is seen to be over."""

from __future__ import annotations

from collections.abc import Collection

from django.conf import settings

from inventory.models import AccessLink, Nren
from provisioning.models import Topic, UsageSeries
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


def _note(row: UsageSeries, nren: Nren) -> Note:
    sent, reserved = rounded(row.sent_bps or 0), rate_text(row.reserved_bps)
    since = f" since {row.dropping_since:%Y-%m-%d %H:%M} UTC" if row.dropping_since else ""
    return Note(
        topic=Topic.DROPPED,
        subject=_subject(row),
        title=f"{nren.name} loses {percent(row.lost or 0)} of its reserved traffic on {row.link}",
        text=f"It sends {sent}, {reserved} are reserved; the policer drops the rest{since}.\n"
        "A shaper on the sender's side delays what the policer drops.",
        path=f"/requests/{row.requests[0]}/usage/",
        nren_id=nren.pk,
    )


def _subject(row: UsageSeries) -> str:
    return f"usage/{row.pk}"
