"""What the frame around every page says: whose domain this is and how much waits where."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from django.utils import timezone

from inventory.models import Domain, Nren, Router
from provisioning.models import Actor, Change, Consent, PremiumRequest, SyncState
from provisioning.pipeline.change import PushState, RequestState
from provisioning.web.reading.queue import group


@dataclass(frozen=True)
class Waiting:
    """How many requests wait for a decision, changes for approval, and routers for somebody to look."""

    decisions: int
    approvals: int
    routers: int


def domain_name() -> str:
    """Return the name of the DiffServ domain, or an empty text before anything is imported."""
    return Domain.objects.values_list("name", flat=True).first() or ""


def nren_names(ids: Iterable[int]) -> str:
    """Return the names of NRENs, joined for a sentence."""
    return ", ".join(Nren.objects.filter(pk__in=list(ids)).values_list("name", flat=True))


def waiting(actor: Actor) -> Waiting:
    """Return the counts beside the menu."""
    return Waiting(
        decisions=group(actor, "decision", timezone.now()).count(),
        approvals=Change.objects.filter(pushes__state=PushState.PLANNED, approved_at=None).distinct().count(),
        routers=Router.objects.exclude(sync__state=SyncState.IN_SYNC).count(),
    )


def consents_waiting(actor: Actor) -> int:
    """Return how many requests wait for this person's NREN to agree to receive them."""
    return PremiumRequest.objects.filter(
        receiving_nren_id__in=actor.nren_ids,
        consent=Consent.PENDING,
        state__in=[RequestState.SUBMITTED, RequestState.HELD],
    ).count()
