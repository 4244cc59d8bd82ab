"""Flow labels: drawn for a request, or chosen by its sender; never one that is in use, or was 120 seconds ago.

D4.4.2v2 section 6 (RFC 3697): 20 bits, 0 is none; a label is not used again for the same pair of addresses within 120
seconds of the end of the flow, restarts included. We know prefixes, not addresses, so a label names one flow of an NREN,
wherever that goes: stricter than the RFC, with 1,048,575 labels to spend.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Final

from django.db import transaction
from django.db.models import Q

from inventory.models import AccessCase, AccessLink, Nren
from provisioning.errors import Conflict, InvalidInput, StaleState
from provisioning.models import Actor, FlowLabelUse, PremiumRequest, Verb
from provisioning.pipeline.sls import HIGHEST_FLOW_LABEL, Prefix
from provisioning.pipeline.states import RequestState
from provisioning.selectors import requests as reading
from provisioning.selectors.authority import permit_with
from provisioning.services import audit, clock, pairs
from provisioning.services.locking import locked

QUARANTINE: Final = timedelta(seconds=120)
_OPEN = (RequestState.SUBMITTED, RequestState.HELD)
_OVER = (
    RequestState.REFUSED,
    RequestState.WITHDRAWN,
    RequestState.EXPIRED,
    RequestState.COMPLETED,
    RequestState.NEVER_PROVIDED,
)

THEFT = (
    "a flow label can be set by anybody who can send from these addresses, and changed by any router on the way, IPsec or "
    "not: it tells flows apart and protects nothing (D4.4.2v2 section 6)"
)


def permitted(source: AccessLink, destinations: tuple[Prefix, ...], label: int | None) -> None:
    """Raise InvalidInput (field flow_label) where a request by label could not be kept to its sender.

    A label is matched together with source and destination; where the backbone marks by it, the interface must take
    none but its NREN's own source addresses.
    """
    if label is None:
        return
    if not destinations or any(prefix.prefixlen == 0 for prefix in destinations):
        raise InvalidInput(
            "a flow label is matched together with source and destination: name the destination's prefixes",
            field="flow_label",
        )
    if source.case == AccessCase.FILTERED and not source.source_filter:
        raise InvalidInput(
            f"{source.name} is not known to filter source addresses: anybody behind it could send with this label and be "
            "marked Premium (D4.4.2v2 section 6)",
            field="flow_label",
        )


def warnings(source: AccessLink, label: int | None) -> list[str]:
    """What to say of a request by label."""
    if label is None:
        return []
    found = []
    if source.case == AccessCase.TRUSTED:
        found.append(
            f"{source.name} is trusted: the NREN marks, so the flow label is recorded and not enforced"
        )
    return [*found, THEFT]


def take(*, request: PremiumRequest, label: int) -> FlowLabelUse:
    """Enter the label that a request carries; call it in the transaction that stores the request.

    Raises InvalidInput (field flow_label) when it is in use or was a moment ago.
    """
    _lock(request.nren_id)
    now = clock.now()
    _end_what_is_over(request.nren_id)
    if label in _taken(request.nren_id, now):
        raise InvalidInput(
            f"the flow label {label} is in use, or was within the last {QUARANTINE.seconds} seconds; take another or have "
            "one drawn",
            field="flow_label",
        )
    return FlowLabelUse.objects.create(nren_id=request.nren_id, request=request, label=label)


def wait_for_turn(nren_id: int) -> None:
    """Wait for whoever is taking a label of this NREN; before a request is locked (services/locking)."""
    _lock(nren_id)


def keep(*, request: PremiumRequest) -> None:
    """A request that was refused asks again: it keeps its label, unless another has it by now. As `take`."""
    assert request.flow_label is not None, "asked for requests by label only"
    if not FlowLabelUse.objects.filter(request=request, label=request.flow_label, ended_at=None).exists():
        take(request=request, label=request.flow_label)


def draw(
    *, actor: Actor, request: PremiumRequest, pick: Callable[[int], int] = secrets.randbelow
) -> PremiumRequest:
    """Give an undecided request a label nobody of its NREN uses, and return the request as it is now.

    Labels come in no order that could be guessed. Raises NotVisible, NotPermitted unless the actor acts for the NREN that
    asked or is the NOC, StaleState once it is decided, Conflict when it has a label or none is left, InvalidInput where
    a label cannot be (IPv4, no destination, a filtered link that does not filter sources).
    """
    reading.must_see(actor, request)
    permit_with(actor, Verb.ASK, request)
    with transaction.atomic():
        _lock(request.nren_id)
        row = next(found for found in pairs.locked(request) if found.pk == request.pk)
        if row.state not in _OPEN:
            raise StaleState(f"{row.reference} is {row.state}: it is decided", state=row.state)
        if row.flow_label is not None:
            raise Conflict(f"{row.reference} has the flow label {row.flow_label}")
        asked = reading.sls_of(row)
        if not all(prefix.version == 6 for prefix in asked.source_prefixes):
            raise InvalidInput("IPv4 has no flow label", field="flow_label")
        permitted(row.source_link, asked.destination_prefixes, 1)
        _end_what_is_over(row.nren_id)
        label = _free(_taken(row.nren_id, clock.now()), pick)
        FlowLabelUse.objects.create(nren_id=row.nren_id, request=row, label=label)
        said = [
            *row.warnings,
            *(text for text in warnings(row.source_link, label) if text not in row.warnings),
        ]
        PremiumRequest.objects.filter(pk=row.pk).update(flow_label=label, warnings=said)
        audit.record(
            actor=actor,
            action="request.flow-label",
            obj=row,
            reason="",
            before={"flow_label": None},
            after={"flow_label": label},
            nren_ids=pairs.concerned(row),
        )
    request.refresh_from_db()
    return request


def _lock(nren_id: int) -> None:
    """Whoever takes a label of this NREN waits for whoever is taking one."""
    locked(Nren.objects.all()).get(pk=nren_id)


def _end_what_is_over(nren_id: int) -> None:
    """Note when each flow ended: when its reservation was seen gone. A request that was never granted was no flow."""
    over = FlowLabelUse.objects.filter(nren_id=nren_id, ended_at=None, request__state__in=_OVER)
    over.filter(request__reservation=None).delete()
    gone = over.filter(request__reservation__released_at__isnull=False)
    for use in gone.select_related("request__reservation"):
        FlowLabelUse.objects.filter(pk=use.pk).update(ended_at=use.request.reservation.released_at)


def _taken(nren_id: int, now: datetime) -> set[int]:
    rows = FlowLabelUse.objects.filter(nren_id=nren_id)
    busy = rows.filter(Q(ended_at=None) | Q(ended_at__gt=now - QUARANTINE))
    return set(busy.values_list("label", flat=True))


def _free(taken: set[int], pick: Callable[[int], int]) -> int:
    """One of the labels that are not taken, each as likely as any other."""
    if len(taken) >= HIGHEST_FLOW_LABEL:
        raise Conflict("every flow label of this NREN is in use")
    while (label := 1 + pick(HIGHEST_FLOW_LABEL)) in taken:
        continue
    return label
