"""Reservations that touch in time: nothing goes on while what it follows may still be on a router (ADR 16).

Admission lets one window begin at the instant at which another ends. On the routers the first is gone only when it was
seen gone. Until then what follows it waits wherever both together would be more than the share. In one plan what goes is off
before what comes is on, but for one case (`crowded`).
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from typing import Any

from django.db.models import Q, QuerySet

from provisioning.models import Change, LedgerEntry, PremiumRequest, RouterQueue
from provisioning.pipeline.admission import Refused
from provisioning.selectors.queues import SEEN_GONE, needs_person
from provisioning.services import decisions, intents, pairs, queues
from provisioning.services.decisions.capacity import judge

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

    What the change itself takes off does not keep it: it goes first (`crowded`: or they are not in one plan).
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


def crowded_now(change: Change, now: datetime) -> str:
    """`crowded` for a plan that is made: since then somebody may have been granted what was free."""
    off = [int(pk) for pk in change.takes_off]
    changed = {int(pk) for pk in change.modifies}
    if not off:
        return ""
    members = change.requests.values_list("pk", flat=True)
    return crowded([pk for pk in members if pk not in off and pk not in changed], off, now)


def crowded(on: Collection[int], off: Collection[int], at: datetime) -> str:
    """Why these requests (their keys) cannot go on in the plan that takes those off, as a sentence; empty when they can.

    A plan takes off first. But an access list in use is never without an entry (ios-facts 2.7): where nothing stays of what a
    list lets in, the last that goes is on until the first that comes is. Where the links have no room for both at this
    moment, they are two plans.
    """
    leaving: dict[int, list[int]] = {}
    filtered = PremiumRequest.objects.filter(source_link__case="filtered")
    for pk, link in filtered.filter(pk__in=list(off)).order_by("pk").values_list("pk", "source_link"):
        leaving.setdefault(link, []).append(pk)
    coming = filtered.filter(pk__in=list(on), source_link__in=leaving).order_by("pk")
    staying = filtered.filter(
        source_link__in=leaving, reservation__put_on_at__isnull=False, reservation__taken_off_at=None
    ).exclude(pk__in=[*on, *off])
    kept = set(staying.values_list("source_link", flat=True))
    for request in coming.exclude(source_link__in=kept).select_related("nren__domain"):
        both = leaving[request.source_link_id]
        rows = pairs.read(request)
        beside = judge(rows, now=at, beside=[pk for pk in off if pk not in both]).verdict
        if not isinstance(beside, Refused) or isinstance(judge(rows, now=at, beside=off).verdict, Refused):
            continue  # there is room for both; or there is none without those that go, which `why` says
        names = ", ".join(f"PIP-{pk}" for pk in both)
        return (
            f"{request.reference} waits until {names} is {SEEN_GONE}; in one plan their access list would for a moment let in "
            f"both: {beside.reasons[0].text}"
        )
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
