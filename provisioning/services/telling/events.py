"""What happens once: a push that went wrong, a decision. Called in the transaction that moves the rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from django.db import models

from provisioning.models import PremiumRequest, RouterPush, Topic
from provisioning.pipeline.change import PushState, RequestState
from provisioning.services import pairs
from provisioning.services.telling.noting import Note, note, over

_OF_PUSH: Mapping[str, tuple[Topic, str]] = {
    PushState.FAILED: (Topic.PUSH_FAILED, "failed before its first line"),
    PushState.ROLLED_BACK: (Topic.PUSH_TAKEN_BACK, "was taken back"),
    PushState.UNKNOWN: (Topic.PUSH_UNKNOWN, "broke off: what the router holds is not known"),
}
_OF_REQUEST = {RequestState.ADMITTED: "admitted", RequestState.REFUSED: "refused"}


def moved(rows: Sequence[models.Model], was: Iterable[str]) -> None:
    """Note what somebody has to be told of rows that just reached one state; `was` are the states they came from."""
    if not rows:
        return
    if isinstance(rows[0], RouterPush):
        _pushes([row.pk for row in rows], str(rows[0].state), set(was))
    elif isinstance(rows[0], PremiumRequest) and rows[0].state in _OF_REQUEST:
        note(*(each for row in rows if isinstance(row, PremiumRequest) for each in _decision(row)))


def _pushes(keys: Sequence[int], state: str, was: set[str]) -> None:
    if PushState.UNKNOWN in was and state != PushState.UNKNOWN:
        over(Topic.PUSH_UNKNOWN, [f"push/{pk}" for pk in keys])
    if state in _OF_PUSH:
        found = RouterPush.objects.filter(pk__in=keys).select_related("router", "change").order_by("pk")
        note(*(_push(row) for row in found))


def _push(push: RouterPush) -> Note:
    topic, what = _OF_PUSH[push.state]
    return Note(
        topic=topic,
        subject=f"push/{push.pk}",
        title=f"{push.change.reference} on {push.router.name} {what}",
        text=push.error,
        path=f"/pushes/{push.pk}/",
    )


def _decision(request: PremiumRequest) -> list[Note]:
    """One for each NREN that may see it. The reason is on the page, for whom may read it there."""
    said = _OF_REQUEST[RequestState(request.state)]
    return [
        Note(
            topic=Topic.DECIDED,
            # Refused, offered something else, refused again: that is told again.
            subject=f"request/{request.pk}/{said}/{nren_id}/{request.state_changed_at.isoformat()}",
            title=f"{request.reference} was {said}",
            path=f"/requests/{request.pk}/",
            nren_id=nren_id,
        )
        for nren_id in sorted(set(pairs.concerned(request)))
    ]
