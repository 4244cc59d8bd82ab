"""``submit``: one series and a request for each of its windows (two for both ways), in one transaction."""

from __future__ import annotations

from dataclasses import replace

from django.db import transaction

from provisioning.errors import InvalidFields, InvalidInput
from provisioning.models import Actor, PremiumRequest, Series
from provisioning.services import audit, clock, pairs, quotas
from provisioning.services.requests.checking import check
from provisioning.services.requests.submission import row_of, said, stand_on
from provisioning.services.series import members
from provisioning.services.series.asking import SubmitSeries, windows_of

_AT_ONCE = 500


def submit(*, actor: Actor, data: SubmitSeries) -> Series:
    """Store the series with a request for each occurrence, and return it.

    Raises InvalidFields with every field that is wrong, those of the recurrence too, and NotPermitted as for a single
    request. A flow label names one flow, so that a series has none.
    """
    asked = data.asked
    if asked.flow_label is not None:
        text = "a flow label names one flow at a time: draw one for each occurrence afterwards"
        raise InvalidFields([InvalidInput(text, field="flow_label")])
    now = clock.now()
    checked = check(asked, actor, now)
    windows = windows_of(data, checked.out.window)
    assert actor.user_id is not None, "check() lets only named people ask"
    with transaction.atomic():
        stand_on(checked)
        quotas.take_open(checked.source.nren, more=1)
        series = Series.objects.create(
            nren=checked.source.nren,
            receiving_nren=None if checked.destination is None else checked.destination.nren,
            rule=data.rrule,
            time_zone=data.time_zone,
            left_out=sorted(day.isoformat() for day in data.left_out),
            only_whole=data.only_whole,
            occurrences=len(windows),
            submitted_by_id=actor.user_id,
            behind=actor.added_to([]),
        )
        ways = [sls for sls in (checked.out, checked.back) if sls is not None]
        rows = [
            row_of(actor, checked, replace(sls, window=window), at=now) for window in windows for sls in ways
        ]
        for row in rows:
            row.series = series
        PremiumRequest.objects.bulk_create(rows, batch_size=_AT_ONCE)
        if checked.back is not None:
            for out, back in zip(rows[::2], rows[1::2], strict=True):
                out.twin, back.twin = back, out
            PremiumRequest.objects.bulk_update(rows, ["twin"], batch_size=_AT_ONCE)
        deeds = [audit.Deed(row, after=said(row), nren_ids=pairs.concerned(row)) for row in rows]
        audit.record_all(actor=actor, action="request.submit", deeds=deeds, reason=checked.reason)
        audit.record(
            actor=actor,
            action="series.submit",
            obj=series,
            reason=checked.reason,
            after={
                "rule": series.rule,
                "time_zone": series.time_zone,
                "left_out": series.left_out,
                "only_whole": series.only_whole,
                "occurrences": [window.start for window in windows],
            },
            nren_ids=members.concerned(series),
        )
    return series
