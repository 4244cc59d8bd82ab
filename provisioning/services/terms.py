"""The terms of a granted request, as rows: what it is charged while it becomes something else, and once it has (ADR 28).

Until the routers were seen with the new terms the larger of old and new is charged at every instant on every link: the
reservation's own charges stay, and what the new terms ask beyond them is charged beside, marked with the modification.
Every change is one transaction, so there is no moment without a charge for what may be on a router.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Q
from django.db.models.functions import Now

from inventory.models import Router
from provisioning.errors import StaleState
from provisioning.models import SYSTEM, Actor, Change, LedgerEntry, Modification, PremiumRequest, Reservation
from provisioning.pipeline import sls as sls_values
from provisioning.pipeline.admission import Admitted
from provisioning.pipeline.states import MODIFICATION_TRANSITIONS, OPEN_MODIFICATIONS, ModificationState
from provisioning.selectors.modifications import sls_after, terms_of
from provisioning.selectors.queues import ON
from provisioning.services import audit, clock, flow_labels, pairs
from provisioning.services.decisions.links import lock_links
from provisioning.services.locking import locked

KEPT = "kept"
"""Why a charge may exceed a share: it was granted before the share shrank, and asks for no more than that."""


def move(
    modification: Modification,
    to_state: ModificationState,
    *,
    actor: Actor,
    reason: str,
    action: str = "",
    **fields: Any,
) -> None:
    """Move a modification along its table, with an event about its request. Raises StaleState when it is elsewhere by now."""
    state = ModificationState(modification.state)
    if to_state not in MODIFICATION_TRANSITIONS[state]:
        raise StaleState(f"{modification.reference} is {state.value}", state=state.value)
    rows = Modification.objects.filter(pk=modification.pk, state=state)
    if rows.update(state=to_state, state_changed_at=Now(), **fields) != 1:
        raise StaleState(f"{modification.reference} is not {state.value} any more")
    request = modification.request
    audit.record(
        actor=actor,
        action=action or f"request.modification.{to_state.value.lower().replace('_', '-')}",
        obj=request,
        reason=reason,
        before={"modification": modification.pk, "state": state.value},
        after={"modification": modification.pk, "state": to_state.value, **_told(fields)},
        nren_ids=pairs.concerned(request),
    )
    modification.refresh_from_db()


def _told(fields: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if name not in ("decided_at", "in_force_at")}


def put_in_force(row: PremiumRequest, modification: Modification, admitted: Admitted, version: int) -> None:
    """Have a request that no router holds otherwise ask and be charged for the new terms, on the path that was admitted."""
    now = clock.now()
    LedgerEntry.objects.filter(request=row, hold=None, released_at=None).update(released_at=now)
    fits = {(found.link, found.direction): found.fits for found in admitted.evidence}
    reservation = Reservation.objects.get(request=row)
    LedgerEntry.objects.bulk_create(
        LedgerEntry(
            reservation=reservation,
            request=row,
            link=each.link_direction.link,
            direction=each.link_direction.direction.value,
            pool=each.pool,
            rate_bps=each.rate_bps,
            start=modification.start,
            end=modification.end,
            exempt="" if fits[each.link_direction.link, each.link_direction.direction] else KEPT,
        )
        for each in admitted.charges
    )
    Reservation.objects.filter(pk=reservation.pk).update(
        granted_bps=modification.rate_bps,
        path=[{"link": hop.link, "direction": hop.direction.value} for hop in admitted.path.hops],
        topology=version,
    )
    _say(row, modification)


def charge_beside(row: PremiumRequest, modification: Modification, admitted: Admitted) -> None:
    """Charge what the new terms ask beyond what the request is charged with: more than now, or longer."""
    now = clock.now()
    reservation = Reservation.objects.get(request=row)
    fits = {(found.link, found.direction): found.fits for found in admitted.evidence}
    added = []
    for each in admitted.charges:
        link, way = each.link_direction.link, each.link_direction.direction
        for start, end, rate_bps in _beyond(row, modification, now):
            added.append(
                LedgerEntry(
                    reservation=reservation, request=row, modification=modification, link=link, direction=way.value,
                    pool=each.pool, rate_bps=rate_bps, start=start, end=end, exempt="" if fits[link, way] else KEPT,
                )
            )  # fmt: skip
    LedgerEntry.objects.bulk_create(added)


def _beyond(
    row: PremiumRequest, after: Modification, now: datetime
) -> list[tuple[datetime, datetime | None, int]]:
    """(start, end, bit/s) of what the new terms ask beyond the old, from now on; both begin at the same instant."""
    start = max(row.start, now)
    found: list[tuple[datetime, datetime | None, int]] = []
    both = min((end for end in (row.end, after.end) if end is not None), default=None)
    if after.rate_bps > row.rate_bps and (both is None or both > start):
        found.append((start, both, after.rate_bps - row.rate_bps))
    if row.end is not None and (after.end is None or after.end > row.end):
        found.append((max(row.end, start), after.end, after.rate_bps))
    return found


def release_beside(modification: Modification) -> None:
    """Free what a modification was charged beside the reservation's own: nothing of it is, or may be, on a router."""
    LedgerEntry.objects.filter(modification=modification, released_at=None).update(released_at=clock.now())


def clip(row: PremiumRequest, end: datetime) -> None:
    """Have a granted request, what it is charged and what it was to become end then at the latest."""
    now = clock.now()
    Modification.objects.filter(
        Q(end=None) | Q(end__gt=end), request=row, state__in=OPEN_MODIFICATIONS, start__lt=end
    ).update(end=end)
    mine = LedgerEntry.objects.filter(request=row, hold=None, released_at=None)
    mine.filter(start__gte=end).update(released_at=now)
    mine.filter(Q(end=None) | Q(end__gt=end), start__lt=end).update(end=end)
    PremiumRequest.objects.filter(pk=row.pk).update(end=end)


def lock_for(modifies: Collection[int]) -> None:
    """Lock what putting these modifications in force touches, before anything later in the order: the links that their
    requests are charged on, the requests, the modifications, the reservations, their charges.
    """
    if not modifies:
        return
    requests = list(Modification.objects.filter(pk__in=modifies).values_list("request_id", flat=True))
    charged = LedgerEntry.objects.filter(request__in=requests, released_at=None)
    lock_links(set(charged.values_list("link", flat=True)))
    list(locked(PremiumRequest.objects.filter(pk__in=requests).order_by("pk")).values_list("pk"))
    list(locked(Modification.objects.filter(pk__in=modifies).order_by("pk")).values_list("pk"))
    list(locked(Reservation.objects.filter(request__in=requests).order_by("pk")).values_list("pk"))
    list(locked(charged.order_by("pk")).values_list("pk"))


def seen(change: Change, router: Router) -> None:
    """The router was seen as this change has it: what it changes there is in force. After `lock_for`, in the transaction
    that says VERIFIED.
    """
    if not change.modifies:
        return
    rows = (
        Modification.objects.filter(
            pk__in=list(change.modifies.values()),
            state=ModificationState.ADMITTED,
            request__state__in=ON,
            request__source_link__interface__router=router,
        )
        .select_related("request__source_link")
        .order_by("pk")
    )
    for modification in rows:
        row = modification.request
        _settle(row, modification)
        Reservation.objects.filter(request=row).update(
            granted_bps=modification.rate_bps, waits_for="", held_cause="", alone=False
        )
        _say(row, modification)
        move(
            modification,
            ModificationState.IN_FORCE,
            actor=SYSTEM,
            reason=f"seen on {router.name}",
            in_force_at=clock.now(),
        )


def _settle(row: PremiumRequest, modification: Modification) -> None:
    """One charge by the new terms on each link that is charged, in place of what was there: never more at any instant."""
    now = clock.now()
    standing = LedgerEntry.objects.filter(request=row, hold=None, released_at=None).order_by("pk")
    found: dict[tuple[str, str, str, datetime | None], LedgerEntry] = {}
    for entry in standing:
        found.setdefault((entry.link, entry.direction, entry.pool, entry.moving_since), entry)
    standing.update(released_at=now)
    for (link, way, pool, moving), like in found.items():
        fresh = LedgerEntry(
            reservation_id=like.reservation_id, request=row, link=link, direction=way, pool=pool,
            rate_bps=modification.rate_bps, start=modification.start, end=modification.end, exempt=like.exempt,
            moving_since=moving,
        )  # fmt: skip
        try:
            with transaction.atomic():
                fresh.save(force_insert=True)
        except IntegrityError:
            # The share shrank since: what was granted stays, and is named (selectors.fitting).
            fresh.pk, fresh.exempt = None, KEPT
            fresh.save(force_insert=True)


def _say(row: PremiumRequest, modification: Modification) -> None:
    """The request says the new terms; the event that follows binds them."""
    sls = sls_after(row, modification)
    notes = [*sls_values.warnings(sls), *flow_labels.warnings(row.source_link, row.flow_label)]
    PremiumRequest.objects.filter(pk=row.pk).update(**terms_of(modification), warnings=notes)
    for name, value in terms_of(modification).items():
        setattr(row, name, value)


def lapse(requests: Iterable[int], *, actor: Actor) -> None:
    """What was proposed for requests that end comes to nothing. What is charged beside stays until they are seen gone."""
    rows = Modification.objects.filter(request__in=list(requests), state__in=OPEN_MODIFICATIONS)
    for modification in locked(rows.select_related("request").order_by("pk")):
        move(modification, ModificationState.LAPSED, actor=actor, reason="its request ended first")


__all__ = [
    "charge_beside",
    "clip",
    "lapse",
    "lock_for",
    "move",
    "put_in_force",
    "release_beside",
    "seen",
]
