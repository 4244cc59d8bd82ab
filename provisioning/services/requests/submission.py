"""``submit``: everything a request says is checked before a row exists; both ways are two rows joined as
twins.
"""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from inventory.models import AccessLink
from provisioning.errors import InvalidFields, InvalidInput
from provisioning.models import Actor, Consent, PremiumRequest
from provisioning.pipeline import sls as sls_values
from provisioning.pipeline.sls import Sls
from provisioning.services import audit, clock, flow_labels, pairs, quotas
from provisioning.services.locking import meet
from provisioning.services.requests.asking import SubmitRequest
from provisioning.services.requests.checking import Checked, check


def submit(*, actor: Actor, data: SubmitRequest) -> tuple[PremiumRequest, ...]:
    """Store the request and return its row, or its two rows when it asks for both ways, the way out first.

    Raises InvalidFields with every field that is wrong, and NotPermitted when ``actor`` neither acts for the
    source link's NREN nor is the NOC.
    """
    checked = check(data, actor, clock.now())
    with transaction.atomic():
        stand_on(checked)
        quotas.take_open(checked.source.nren, more=1 if checked.back is None else 2)
        out = _store(actor, checked, checked.out)
        if checked.back is None:
            rows: tuple[PremiumRequest, ...] = (out,)
        else:
            back = _store(actor, checked, checked.back)
            PremiumRequest.objects.filter(pk=out.pk).update(twin=back)
            PremiumRequest.objects.filter(pk=back.pk).update(twin=out)
            out.refresh_from_db()
            back.refresh_from_db()
            rows = (out, back)
        for row in rows:
            audit.record(
                actor=actor,
                action="request.submit",
                obj=row,
                reason=row.reason,
                after=said(row),
                nren_ids=pairs.concerned(row),
            )
    return rows


def stand_on(checked: Checked) -> None:
    """Meet whoever retires one of the links, first in the transaction: either the request is there when that looks for requests,
    or it is refused here. Raises InvalidFields.
    """
    ends = {"source_link": checked.source, "destination_link": checked.destination}
    named = {field: link for field, link in ends.items() if link is not None}
    meet(link.pk for link in named.values())
    standing = set(
        AccessLink.objects.filter(pk__in=[link.pk for link in named.values()]).values_list("pk", flat=True)
    )
    gone = [
        InvalidInput(f"there is no access link {link.name!r} any more", field=field)
        for field, link in named.items()
        if link.pk not in standing
    ]
    if gone:
        raise InvalidFields(gone)


def _consent(source: AccessLink, destination: AccessLink | None) -> Consent:
    """Nobody agrees to receive what has no known far end (GRNET section 3.1: nothing is promised there)."""
    if destination is None or source.nren_id == destination.nren_id:
        return Consent.NOT_NEEDED
    return Consent.STANDING if destination.standing_consent else Consent.PENDING


def _store(actor: Actor, checked: Checked, sls: Sls) -> PremiumRequest:
    row = row_of(actor, checked, sls, at=clock.now())
    row.save(force_insert=True)
    if sls.flow_label is not None:
        flow_labels.take(request=row, label=sls.flow_label)
    return row


def row_of(actor: Actor, checked: Checked, sls: Sls, *, at: datetime) -> PremiumRequest:
    """One row, not stored yet. Both rows of a pair belong to the NREN that asks and await the same other NREN's answer.

    ``sls`` is one of ``checked``'s, or the same in another window; ``at`` when it is asked for.
    """
    assert actor.user_id is not None, "check() lets only named people ask"
    way_out = sls.source_link == checked.source.name
    source = checked.source if way_out or checked.destination is None else checked.destination
    agreement = _consent(checked.source, checked.destination)
    notes = list(sls_values.warnings(sls))
    notes += flow_labels.warnings(source, sls.flow_label)
    return PremiumRequest(
        nren=checked.source.nren,
        receiving_nren=None if checked.destination is None else checked.destination.nren,
        source_link=source,
        destination_link=checked.destination if way_out else checked.source,
        service_class=sls.service_class,
        rate_bps=sls.rate.bps,
        bucket_bytes=sls.bucket_bytes,
        max_packet_bytes=sls.max_packet_bytes,
        min_packet_bytes=sls.min_packet_bytes,
        start=sls.window.start,
        end=sls.window.end,
        source_prefixes=[str(prefix) for prefix in sls.source_prefixes],
        destination_prefixes=[str(prefix) for prefix in sls.destination_prefixes],
        flow_label=sls.flow_label,
        contact=checked.contact,
        reason=checked.reason,
        warnings=notes,
        consent=agreement,
        consent_at=at if agreement == Consent.STANDING else None,
        submitted_by_id=actor.user_id,
        behind=actor.added_to([]),
    )


def said(row: PremiumRequest) -> dict[str, object]:
    """What the audit trail keeps of what was asked."""
    return {
        "state": row.state,
        "source_link": row.source_link.name,
        "destination_link": row.destination_link.name if row.destination_link else None,
        "service_class": row.service_class,
        "rate_bps": row.rate_bps,
        "bucket_bytes": row.bucket_bytes,
        "max_packet_bytes": row.max_packet_bytes,
        "min_packet_bytes": row.min_packet_bytes,
        "start": row.start,
        "end": row.end,
        "source_prefixes": row.source_prefixes,
        "destination_prefixes": row.destination_prefixes,
        "flow_label": row.flow_label,
        "contact": row.contact,
        "consent": row.consent,
        "twin": row.twin_id,
    }
