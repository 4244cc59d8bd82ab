"""What happens once: a push that went wrong, a decision. Called in the transaction that moves the rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from django.db import models

from provisioning.models import BreakGlass, Change, PremiumRequest, RouterPush, Topic
from provisioning.pipeline.states import UNSURE, PushState, RequestState
from provisioning.services import pairs
from provisioning.services.telling.noting import Note, note, over

OF_PUSH: Mapping[str, tuple[Topic, str]] = {
    PushState.FAILED: (Topic.PUSH_FAILED, "failed before its first line"),
    PushState.ROLLED_BACK: (Topic.PUSH_TAKEN_BACK, "was taken back"),
    PushState.UNKNOWN: (Topic.PUSH_UNKNOWN, "broke off: what the router holds is not known"),
    PushState.STALE: (Topic.PUSH_STALE, "went stale before its first line"),
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
    # A push that broke off and is taken up again is not known for that: it lasts until the push has ended.
    if was.intersection(UNSURE) and state not in UNSURE:
        over(Topic.PUSH_UNKNOWN, [f"push/{pk}" for pk in keys])
    if state in OF_PUSH:
        # Only here and below: a decision about a request tells of no push, and need not load how pushes end.
        from provisioning.selectors.ends import ASKED_BY_A_PERSON

        found = RouterPush.objects.filter(pk__in=keys).select_related("router", "change").order_by("pk")
        if state == PushState.STALE:
            # What requests asked for is planned again by itself; what a person asked for is left.
            found = found.filter(change__kind__in=ASKED_BY_A_PERSON).exclude(error_code="")
        note(*(_push(row) for row in found))


def _push(push: RouterPush) -> Note:
    from provisioning.selectors.ends import end_of_push

    topic, what = OF_PUSH[push.state]
    end = end_of_push(push)
    return Note(
        topic=topic,
        subject=f"push/{push.pk}",
        title=f"{push.change.reference} on {push.router.name} {what}",
        text="\n".join(filter(None, (push.error, f"Next: {end.do}" if end is not None else ""))),
        path=f"/pushes/{push.pk}/",
    )


def stopped(why: str, by: str) -> None:
    """Somebody stopped every push."""
    note(
        Note(
            topic=Topic.STOPPED,
            subject=_EVERY_PUSH,
            title=f"Every push is stopped by {by}",
            text=why,
            path="/pushes/go-on/",
        )
    )


def let_go_on() -> None:
    """Pushes go on."""
    over(Topic.STOPPED, [_EVERY_PUSH])


def paused(change: Change, by: str) -> None:
    """Somebody paused a change."""
    note(
        Note(
            topic=Topic.PAUSED,
            subject=f"change/{change.pk}",
            title=f"{change.reference} is paused by {by}",
            text=change.pause_reason,
            path=f"/changes/{change.pk}/progress/",
        )
    )


def resumed(change: Change) -> None:
    """A change goes on, or is over."""
    over(Topic.PAUSED, [f"change/{change.pk}"])


def done_alone(row: BreakGlass, by: str) -> None:
    """Somebody went against the separation of duties."""
    paths = {"request": row.request_id, "series": row.series_id, "change": row.change_id}
    path = next(f"/{_PATHS[name]}/{pk}/" for name, pk in paths.items() if pk is not None)
    note(
        Note(
            topic=Topic.ALONE,
            subject=f"break-glass/{row.pk}",
            title=f"{row.about}: {row.get_deed_display().lower()} by {by} alone, by break-glass",
            text="\n".join([row.reason, *row.objections]),
            path=path,
        )
    )


def acknowledged(row: BreakGlass) -> None:
    """A different member of the NOC has seen it."""
    over(Topic.ALONE, [f"break-glass/{row.pk}"])


_PATHS = {"request": "requests", "series": "series", "change": "changes"}
_EVERY_PUSH = "pushes"


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
