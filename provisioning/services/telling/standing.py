"""What lasts until it is seen to be over: a bare interface, lines that are not saved, another router that answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from inventory.models import Router
from provisioning.errors import WrongRouter
from provisioning.models import BareInterface, RouterPush, SyncState, Topic
from provisioning.pipeline.units import how_many
from provisioning.selectors.turns import UNSURE
from provisioning.services.telling.noting import Note, note, over


def bare(row: BareInterface) -> None:
    """An interface of a router is without a policy, or it is feared."""
    known = "has no policy" if row.seen else "has perhaps no policy: the session was lost over a swap"
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


def read(router: Router, fields: Mapping[str, Any]) -> None:
    """What the newest reading of a router says of its unsaved lines and of who answered; `fields` are those of its RouterSync.

    Inside the transaction that stores it. One that could not be read says nothing of what was there before.
    """
    subject = f"router/{router.pk}"
    detail = fields["detail"]
    if fields["state"] == SyncState.UNKNOWN:
        if detail.get("code") == WrongRouter.code:
            note(
                Note(
                    topic=Topic.WRONG_ROUTER,
                    subject=subject,
                    title=f"{router.name}: another router answers",
                    text=str(detail.get("reason", "")),
                    path=f"/routers/{router.name}/",
                )
            )
        return
    unsaved = fields["unsaved"]
    lasts_no_longer = [Topic.WRONG_ROUTER] if unsaved.get("ours") else [Topic.WRONG_ROUTER, Topic.NOT_SAVED]
    over(lasts_no_longer, [subject])
    if not unsaved.get("ours"):
        return
    if not RouterPush.objects.filter(router=router, state__in=UNSURE, started_at__isnull=False).exists():
        # What a push left half way is not verified, and saved only when it is.
        note(_not_saved(router, subject, unsaved))


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
