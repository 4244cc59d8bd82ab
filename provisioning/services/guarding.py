"""Reservations that touch in time: nothing goes on while what it follows may still be on a router (ADR 16).

Admission lets one window begin at the instant at which another ends. On the routers the first is gone only when it was
seen gone. Until then what follows it waits wherever both together would be more than the share.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from typing import Any

from django.db.models import Q, QuerySet

from provisioning.models import Change, LedgerEntry, PremiumRequest, RouterQueue
from provisioning.pipeline.admission import Refused
from provisioning.selectors.queues import needs_person
from provisioning.services import decisions, intents, queues

_Key = tuple[Any, ...]


def waits(change: Change, now: datetime) -> bool:
    """Whether a due change must wait because something that is over was not yet seen gone; its queue says for what."""
    sentence = why(change, now)
    if sentence:
        for queue in RouterQueue.objects.filter(router__pushes__change=change).distinct():
            if not needs_person(queue):
                queues.say(queue, sentence)
    return bool(sentence)


def may_wait(changes: Collection[int], now: datetime) -> set[int]:
    """Those of the changes (their keys) that share a charged link with something that is over and not seen gone: only of
    these `waits` has to be asked. A bounded number of questions, however many there are.
    """
    rows = Change.requests.through.objects.filter(change__in=list(changes))
    members = list(rows.values_list("change_id", "premiumrequest_id", "change__takes_off"))
    mine: dict[int, set[_Key]] = {}
    charged = LedgerEntry.objects.filter(
        reservation__request__in={pk for _change, pk, off in members if pk not in off},
        released_at__isnull=True,
    )
    for request, *key in charged.values_list("reservation__request", "link", "direction", "pool"):
        mine.setdefault(request, set()).add(tuple(key))
    lingering: dict[_Key, set[int]] = {}
    for request, *key in _over(now).values_list("reservation__request", "link", "direction", "pool"):
        lingering.setdefault(tuple(key), set()).add(request)
    return {
        change
        for change, pk, off in members
        if any(lingering.get(key, set()) - {pk, *off} for key in mine.get(pk, ()))
    }


def why(change: Change, now: datetime) -> str:
    """For what a change must wait, as a sentence; empty when for nothing.

    What the change itself takes off does not keep it: it goes first (`pipeline/diff/ordering`).
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
    over = _over(now).filter(keys)
    found = over.exclude(reservation__request__in=change.takes_off).exclude(reservation__request=request)
    return sorted(set(found.values_list("reservation__request", flat=True)))


def _over(now: datetime) -> QuerySet[LedgerEntry]:
    """The charges of reservations that are over and were not seen gone."""
    held = LedgerEntry.objects.filter(released_at__isnull=True, reservation__isnull=False)
    return held.filter(Q(end__lte=now) | Q(reservation__request__state__in=intents.OVER))
