"""Reservations that touch in time: nothing goes on while what it follows may still be on a router (ADR 16).

Admission lets one window begin at the instant at which another ends. On the routers the first is gone only when it was
seen gone. Until then what follows it waits wherever both together would be more than the share.
"""

from __future__ import annotations

from datetime import datetime

from django.db.models import Q

from provisioning.models import Change, LedgerEntry, PremiumRequest, RouterQueue
from provisioning.pipeline.admission import Refused
from provisioning.selectors.queues import needs_person
from provisioning.services import decisions, intents, queues


def waits(change: Change, now: datetime) -> bool:
    """Whether a due change must wait because something that is over was not yet seen gone; its queue says for what."""
    sentence = why(change, now)
    if sentence:
        for queue in RouterQueue.objects.filter(router__pushes__change=change).distinct():
            if not needs_person(queue):
                queues.say(queue, sentence)
    return bool(sentence)


def why(change: Change, now: datetime) -> str:
    """For what a change must wait, as a sentence; empty when for nothing.

    What the change itself takes off does not keep it: its own lines are proven safe one by one.
    """
    on = change.requests.exclude(pk__in=[int(pk) for pk in change.takes_off])
    for request in on.select_related("nren__domain"):
        lingering = _lingering(request, change, now)
        if not lingering:
            continue
        verdict = decisions.evidence(request=request, beside=[int(pk) for pk in change.takes_off])
        if isinstance(verdict, Refused):
            names = ", ".join(f"PIP-{pk}" for pk in lingering)
            reasons = "; ".join(reason.text for reason in verdict.reasons[:1])
            return f"{change.reference} waits until {names} is seen gone: {reasons}"
    return ""


def _lingering(request: PremiumRequest, change: Change, now: datetime) -> list[int]:
    """The requests that are over, still charged, and share a link with this one."""
    keys = Q()
    for link, direction, pool in LedgerEntry.objects.filter(
        reservation__request=request, released_at__isnull=True
    ).values_list("link", "direction", "pool"):
        keys |= Q(link=link, direction=direction, pool=pool)
    if not keys:
        return []
    over = LedgerEntry.objects.filter(keys, released_at__isnull=True, reservation__isnull=False).filter(
        Q(end__lte=now) | Q(reservation__request__state__in=intents.OVER)
    )
    found = over.exclude(reservation__request__in=change.takes_off).exclude(reservation__request=request)
    return sorted(set(found.values_list("reservation__request", flat=True)))
