"""What lasts until it is seen to be over: a bare interface, lines that are not saved, another router that answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from inventory.models import Router
from provisioning.errors import WrongRouter
from provisioning.models import BareInterface, Notification, RouterPush, RouterSync, SyncState, Topic
from provisioning.pipeline.units import how_many
from provisioning.selectors.differences import explaining
from provisioning.selectors.pushing import BEGUN
from provisioning.services.telling.noting import Note, note, over


def bare(row: BareInterface) -> None:
    """An interface of a router is without a policy, or it is feared."""
    known = (
        "has no policy" if row.seen else "has perhaps no policy: a swap was refused late, or its session lost"
    )
    note(
        Note(
            topic=Topic.BARE,
            subject=_place(row),
            title=f"{row.router.name} {row.where} {known}",
            text=f"Left so by {row.push.change.reference}. Until it has one, EF that nobody granted can enter there.",
            path=f"/pushes/{row.push_id}/",
        )
    )


def closed(row: BareInterface, lasted: float) -> None:
    """It was seen with a policy again, `lasted` seconds after it was known."""
    over(Topic.BARE, [_place(row)])
    note(
        Note(
            topic=Topic.CLOSED,
            subject=f"{_place(row)}/{row.pk}",
            title=f"{row.router.name} {row.where} is seen with a policy again",
            text=f"{lasted:.0f} s after it was known to have none.",
            path=f"/pushes/{row.push_id}/",
        )
    )


def bare_over(row: BareInterface) -> None:
    """No policy is to be there any more. Whether EF can enter there is said by the open edges of its router."""
    over(Topic.BARE, [_place(row)])


def gone(router: Router) -> None:
    """It was retired: nothing of it lasts."""
    over(_OF_A_READING, [f"router/{router.pk}"])
    lasting = Notification.objects.filter(topic=Topic.BARE, over_at=None)
    over(
        Topic.BARE,
        lasting.filter(subject__startswith=f"router/{router.pk}/").values_list("subject", flat=True),
    )


def read(router: Router, fields: Mapping[str, Any], *, checked: bool = False, heeded: bool = True) -> None:
    """What the newest reading of a router says of who answered, its edges and its lines; `fields` are those of its RouterSync.

    `checked`: it was read to see whether it is as intended, not for a plan or a push, which look before something changes.
    `heeded`: it differs in something that nobody ignores.
    Inside the transaction that stores it. One that could not be read says nothing of what was there before.
    """
    subject = f"router/{router.pk}"
    if fields["state"] == SyncState.UNKNOWN:
        if _wrong(fields):
            over(Topic.UNREAD, [subject])
        note(_not_read(router, subject, fields))
        return
    differs = heeded and fields["state"] == SyncState.DIFFERS
    notes = [
        *_open_edges(router, subject, fields),
        *_unsaved(router, subject, fields),
        *(_differs(router, subject) if checked and differs else ()),
    ]
    lasts = {each.topic for each in notes}
    # Lines that a push left half way are told by that push: whether they come to be saved is seen when it is over.
    if fields["unsaved"].get("ours"):
        lasts.add(Topic.NOT_SAVED)
    if differs:
        lasts.add(Topic.DIFFERS)
    over(_OF_A_READING - lasts, [subject])
    note(*notes)


_OF_A_READING = frozenset({Topic.WRONG_ROUTER, Topic.UNREAD, Topic.OPEN_EDGE, Topic.NOT_SAVED, Topic.DIFFERS})


def _wrong(fields: Mapping[str, Any]) -> bool:
    return bool(fields["detail"].get("code") == WrongRouter.code)


def _not_read(router: Router, subject: str, fields: Mapping[str, Any]) -> Note:
    wrong = _wrong(fields)
    return Note(
        topic=Topic.WRONG_ROUTER if wrong else Topic.UNREAD,
        subject=subject,
        title=f"{router.name}: another router answers" if wrong else f"{router.name} could not be read",
        text=str(fields["detail"].get("reason", "")),
        path=f"/routers/{router.name}/",
    )


def _open_edges(router: Router, subject: str, fields: Mapping[str, Any]) -> list[Note]:
    """Edges without a policy while a core queue is live somewhere: on this router as it was just read, or on another."""
    edges = fields.get("open_edges") or []
    if not edges or not (
        fields.get("core_live")
        or RouterSync.objects.filter(core_live=True, router__retired_at=None).exclude(router=router).exists()
    ):
        return []
    said = [f"{each.get('interface', '?')}: {each.get('reason', 'no reason recorded')}" for each in edges]
    return [
        Note(
            topic=Topic.OPEN_EDGE,
            subject=subject,
            title=f"{router.name}: {how_many(len(edges), 'open edge')} while core queues are live",
            text="\n".join([*said[:20], "EF that nobody granted can enter there."]),
            path=f"/routers/{router.name}/",
        )
    ]


def _unsaved(router: Router, subject: str, fields: Mapping[str, Any]) -> list[Note]:
    unsaved = fields["unsaved"]
    half_way = RouterPush.objects.filter(BEGUN, router=router)
    # What a push left half way is not verified, and saved only when it is.
    if not unsaved.get("ours") or half_way.exists():
        return []
    return [_not_saved(router, subject, unsaved)]


def _differs(router: Router, subject: str) -> list[Note]:
    """Nothing where a change that is planned, approved or under way there explains it."""
    if explaining(router.pk).exists():
        return []
    return [
        Note(
            topic=Topic.DIFFERS,
            subject=subject,
            title=f"{router.name}: what was read is not what is intended",
            text="If somebody edited it by hand, agree with them, then plan a repair.",
            path=f"/routers/{router.name}/",
        )
    ]


def _not_saved(router: Router, subject: str, unsaved: Mapping[str, Any]) -> Note:
    ours, foreign = len(unsaved["ours"]), len(unsaved.get("foreign", []))
    others = f", beside {how_many(foreign, 'line')} of other people" if foreign else ""
    return Note(
        topic=Topic.NOT_SAVED,
        subject=subject,
        title=f"{router.name}: verified, NOT saved",
        text=f"{how_many(ours, 'line')} of ours{others}. A reload would lose what startup-config lacks.",
        path=f"/routers/{router.name}/",
    )


def _place(row: BareInterface) -> str:
    return f"router/{row.router_id}/{row.interface}/{row.pvc}/{row.direction}"
