"""The end of a move: a person, or the time that was set, says that traffic takes the new path; the old one is free again."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction

from provisioning.errors import InvalidInput, StaleState
from provisioning.models import SYSTEM, Actor, PremiumRequest, Reservation, Verb
from provisioning.selectors.authority import permit
from provisioning.selectors.ledger import leaving
from provisioning.services import audit, clock, pairs
from provisioning.services.apart import apart
from provisioning.services.locking import locked
from provisioning.services.retrying import whole
from provisioning.services.topology.recharging import words
from provisioning.services.topology.staging import refuse_meanwhile
from provisioning.services.wording import reason_text

AT_ONCE = 1000
"""Moves that one tick ends; the rest are the next one's."""


def moving() -> list[PremiumRequest]:
    """The requests that are charged on an old path too, by key."""
    rows = leaving()
    return list(PremiumRequest.objects.filter(pk__in=rows.values("request")).order_by("pk"))


def path_moved(
    *, actor: Actor, request: PremiumRequest, reason: str, known_at: datetime | None = None
) -> PremiumRequest:
    """Say that the traffic of `request` has left its old path: what is charged there is free, the new path is its path.

    `known_at` is when that was seen: what it says of a path that began to move at that instant or later, nobody knows.
    Raises NotPermitted unless the actor is the NOC or the system, InvalidInput without a reason, StaleState when it is
    not moving, or moved (again) after that, and Busy while charges are brought to the paths of a version that is not made yet
    (`staging`): what it leaves then is the path of today.
    """
    permit(actor, Verb.NETWORK)
    why = reason_text(reason)
    with transaction.atomic():
        (row,) = locked(PremiumRequest.objects.filter(pk=request.pk))
        refuse_meanwhile(row.nren.domain_id)  # after the lock: its charges are brought over under it
        now = clock.now()
        left = leaving().filter(request=row)
        loads = list(left.values_list("link", "direction"))
        if not loads:
            raise StaleState(f"{row.reference} is not moving to another path")
        if known_at is not None and left.filter(moving_since__gte=known_at).exists():
            raise StaleState(f"the path of {row.reference} moved after that was seen")
        held = locked(Reservation.objects.filter(request=row)).first()
        left.update(released_at=now)  # first: they are found by what moves
        if held is not None and held.moving_to is not None:
            Reservation.objects.filter(pk=held.pk).update(path=held.moving_to, moving_to=None)
        audit.record(
            actor=actor,
            action="reservation.path-moved",
            obj=row,
            reason=why,
            before={"charged too": words(loads)},
            after={"path": None if held is None else held.moving_to},
            nren_ids=pairs.concerned(row),
        )
    request.refresh_from_db()
    return request


def paths_moved(
    *, actor: Actor, keys: Collection[int], reason: str, known_at: datetime | None = None
) -> list[int]:
    """Say it of several requests, all in one transaction; return the keys of those whose move that ended, in order.

    Raises InvalidInput for a key that is no request's; else as `path_moved`, but not for one that is not moving.
    """
    with transaction.atomic():
        rows = list(PremiumRequest.objects.filter(pk__in=keys).order_by("pk"))
        if missing := sorted(set(keys) - {row.pk for row in rows}):
            raise InvalidInput(f"there is no request {missing[0]}", field="requests")
        ended = []
        for row in rows:
            try:
                ended.append(path_moved(actor=actor, request=row, reason=reason, known_at=known_at).pk)
            except StaleState:
                continue
    return ended


def end_due(*, now: datetime) -> int:
    """End the moves that have lasted as long as PATH_MOVE_HOURS says; how many. None where it is 0: a person ends them."""
    if settings.PATH_MOVE_HOURS <= 0:
        return 0
    since = now - timedelta(hours=settings.PATH_MOVE_HOURS)
    rows = leaving()
    young = rows.filter(moving_since__gt=since).values("request")
    due = rows.filter(moving_since__lte=since).exclude(request__in=young).order_by("request")
    due = due.exclude(request__nren__domain__staged_version__isnull=False)
    keys = due.values_list("request", flat=True).distinct()[:AT_ONCE]
    ended, after = 0, since + timedelta(microseconds=1)
    for request in PremiumRequest.objects.filter(pk__in=list(keys)).order_by("pk"):
        with apart("the end of a move", request.pk):
            try:
                whole(lambda: path_moved(actor=SYSTEM, request=request, reason=REASON, known_at=after))  # noqa: B023
            except StaleState:
                continue
            ended += 1
    return ended


REASON = "the time that a path takes to move is over (PATH_MOVE_HOURS)"
