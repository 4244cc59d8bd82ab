"""What the frame around every page says: whose domain this is and how much waits where."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import Q
from django.utils import timezone

from inventory.models import Domain, Nren, Router
from provisioning.errors import InvalidInput
from provisioning.models import Actor, Change, Consent, PremiumRequest, SyncState
from provisioning.pipeline.states import PushState, RequestState
from provisioning.selectors.schemes import scheme_of
from provisioning.web.reading.queue import group
from provisioning.web.reading.series import one_line_each


@dataclass(frozen=True)
class Waiting:
    """How many requests wait for a decision, changes for approval, and routers for somebody to look."""

    decisions: int
    approvals: int
    routers: int


def domain_name() -> str:
    """Return the name of the DiffServ domain, or an empty text before anything is imported."""
    return Domain.objects.values_list("name", flat=True).first() or ""


def service_titles() -> dict[str, str]:
    """Return what the domain's classes are called, by their names; empty before anything is imported."""
    domain = Domain.objects.first()
    try:
        return {} if domain is None else {each.name: each.title for each in scheme_of(domain).classes}
    except InvalidInput:
        return {}


def service_offered() -> str:
    """Return what is asked for here: the only class a request can name, or that there is a choice."""
    domain = Domain.objects.first()
    try:
        offered = (
            [] if domain is None else [each for each in scheme_of(domain).classes if each.pool is not None]
        )
    except InvalidInput:
        offered = []
    if not offered:
        return "IP Premium"
    return offered[0].title if len(offered) == 1 else "a service"


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
    """Return how many requests, or series as one, wait for this person's NREN to agree to receive them."""
    asked = Q(consent=Consent.PENDING, state__in=[RequestState.SUBMITTED, RequestState.HELD])
    waiting = PremiumRequest.objects.filter(asked, receiving_nren_id__in=actor.nren_ids)
    return one_line_each(waiting, asked).count()
