"""What routers were seen to hold that is not intended: what stands, what is ignored, and what a change explains."""

from __future__ import annotations

from datetime import datetime

from django.db.models import Exists, OuterRef, Q, QuerySet

from provisioning.models import RouterDifference, RouterPush, SyncState
from provisioning.pipeline.states import UNSURE, PushState

NOT_FOUND = "there is no such difference"
STATES = ("standing", "heeded", "ignored", "gone")


def differences() -> QuerySet[RouterDifference]:
    """All of them, with what their pages show."""
    return RouterDifference.objects.select_related("router__sync", "ignored_by")


def standing_on(router: int) -> QuerySet[RouterDifference]:
    """Those that the newest reading of this router (its key) showed."""
    return differences().filter(router=router, gone_at=None)


def ignored(at: datetime) -> Q:
    """Of differences: what somebody leaves as it is at that moment."""
    return Q(gone_at=None, ignored_until__gt=at)


def heeded(at: datetime) -> Q:
    """Of differences: what stands and nobody leaves as it is."""
    return Q(gone_at=None) & (Q(ignored_until=None) | Q(ignored_until__lte=at))


def of_state(state: str, at: datetime) -> Q:
    """Of differences: those of one of `STATES` at that moment."""
    return {
        "standing": Q(gone_at=None),
        "heeded": heeded(at),
        "ignored": ignored(at),
        "gone": Q(gone_at__isnull=False),
    }[state]


def how(row: RouterDifference) -> str:
    """In a word what is wrong: it is absent, not intended, or says something else."""
    if not row.found:
        return "absent"
    return "other content" if row.expected else "not intended"


def all_ignored(at: datetime) -> set[int]:
    """The keys of routers that differ in nothing but what is ignored at that moment."""
    of_router = RouterDifference.objects.filter(router=OuterRef("router"))
    rows = RouterDifference.objects.filter(ignored(at), router__sync__state=SyncState.DIFFERS).filter(
        ~Exists(of_router.filter(heeded(at)))
    )
    return set(rows.order_by().values_list("router_id", flat=True).distinct())


def explaining(router: int) -> QuerySet[RouterPush]:
    """The lines that are planned, approved or under way for this router (its key): until they are through it differs."""
    return RouterPush.objects.filter(
        router=router,
        state__in=(PushState.PLANNED, PushState.APPROVED, *UNSURE),
        lines__gt=0,
        change__finished_at=None,
    )
