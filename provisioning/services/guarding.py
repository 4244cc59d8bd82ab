"""Reservations that touch in time: nothing goes on while what it follows may still be on a router (ADR 16).

Admission lets one window begin at the instant at which another ends. On the routers the first is gone only when it was
seen gone. Until then what follows it waits wherever both together would be more than the share.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from typing import Any

from django.db.models import Q, QuerySet

from provisioning.models import Change, LedgerEntry, PremiumRequest, RouterQueue
from provisioning.pipeline.admission import Refused
from provisioning.pipeline.queue import LOOKED_AT_AFTER, Member, Work
from provisioning.selectors.queues import needs_person
from provisioning.services import decisions, intents, queues

_Key = tuple[Any, ...]
_KEY = ("link", "direction", "pool")


def waits(change: Change, now: datetime) -> bool:
    """Whether a due change must wait because something that is over was not yet seen gone; its queue says for what, and is
    looked at soon: the rest is planned beside it.
    """
    sentence = why(change, now)
    if sentence:
        waiting = RouterQueue.objects.filter(router__pushes__change=change).distinct()
        for queue in waiting.select_related("router"):
            if not needs_person(queue):
                queues.say(queue, sentence)
                queues.look_again(queue.router, now + LOOKED_AT_AFTER)
    return bool(sentence)


def may_wait(changes: Collection[int], now: datetime) -> set[int]:
    """Those of the changes (their keys) that share a charged link with something that is over and not seen gone: only of
    these `waits` has to be asked. A bounded number of questions, however many there are.
    """
    if not changes:
        return set()
    rows = Change.requests.through.objects.filter(change__in=list(changes))
    members = list(rows.values_list("change_id", "premiumrequest_id", "change__takes_off"))
    mine = _keys_of({pk for _change, pk, off in members if pk not in off})
    if not mine:
        return set()
    lingering: dict[_Key, set[int]] = {}
    for request, *key in _over(now).values_list("reservation__request", *_KEY):
        lingering.setdefault(tuple(key), set()).add(request)
    return {
        change
        for change, pk, off in members
        if any(lingering.get(key, set()) - {pk, *off} for key in mine.get(pk, ()))
    }


def must_wait(together: Sequence[Work], now: datetime) -> set[Member]:
    """Which of the work that is planned together follows something that it does not take off, at the instant it is due, or
    now where that is over. Whoever comes is asked about only where it shares a charged link with something that is over.
    """
    at = max((now, *(each.due for each in together)))
    comes = {each.member.request: each.member for each in together if each.member.puts_on}
    off = [each.member.request for each in together if not each.member.puts_on]
    touching = _touching(comes, at, except_requests=off)
    rows = PremiumRequest.objects.select_related("nren__domain").in_bulk(list(touching))
    return {comes[request.pk] for request in _refused(sorted(rows.values(), key=_key), off, at)}


def _refused(
    requests: Sequence[PremiumRequest], beside: Collection[int], at: datetime
) -> list[PremiumRequest]:
    """Those of the requests for which there is no room beside everything that is charged. What fits together fits one by one,
    so where there is room for all, which is the rule, that is one judgement.
    """
    if len(requests) == 1:
        verdict = decisions.evidence(request=requests[0], beside=beside, at=at)
        return list(requests) if isinstance(verdict, Refused) else []
    if not requests or decisions.fit_together(requests, beside=beside, at=at):
        return []
    half = len(requests) // 2
    return _refused(requests[:half], beside, at) + _refused(requests[half:], beside, at)


def _key(request: PremiumRequest) -> int:
    return int(request.pk)


def why(change: Change, now: datetime) -> str:
    """For what a change must wait, as a sentence; empty when for nothing.

    What the change itself takes off does not keep it: it goes first (`pipeline/diff/ordering`).
    """
    off = [int(pk) for pk in change.takes_off]
    on = change.requests.exclude(pk__in=off).select_related("nren__domain").in_bulk()
    for pk, lingering in sorted(_touching(on, now, except_requests=off).items()):
        verdict = decisions.evidence(request=on[pk], beside=off)
        if isinstance(verdict, Refused):
            names = ", ".join(f"PIP-{each}" for each in sorted(lingering))
            reasons = "; ".join(reason.text for reason in verdict.reasons[:1])
            return f"{change.reference} waits until {names} is seen gone: {reasons}"
    return ""


def _touching(
    requests: Iterable[int], at: datetime, *, except_requests: Collection[int]
) -> dict[int, set[int]]:
    """Of the requests (their keys) each that shares a charged link with something that is over by then, still charged and not
    excepted, with what that is. Two questions, however many there are.

    Two, and not one that reads the ledger beside itself: while the database has no statistics yet of rows that came together
    (an import, a test), it took every charge with every other.
    """
    mine = _keys_of(requests)
    if not mine:
        return {}
    over = _over(at).filter(link__in={link for keys in mine.values() for link, _direction, _pool in keys})
    over = over.exclude(reservation__request__in=except_requests)
    lingering: dict[_Key, set[int]] = {}
    for request, *key in over.values_list("reservation__request", *_KEY):
        lingering.setdefault(tuple(key), set()).add(request)
    found = {pk: set().union(*(lingering.get(key, ()) for key in keys)) - {pk} for pk, keys in mine.items()}
    return {pk: others for pk, others in found.items() if others}


def _keys_of(requests: Iterable[int]) -> dict[int, set[_Key]]:
    """What each of the requests is charged on: link, direction and pool."""
    found: dict[int, set[_Key]] = {}
    keys = list(requests)
    if not keys:
        return found
    rows = LedgerEntry.objects.filter(reservation__request__in=keys, released_at__isnull=True)
    for request, *key in rows.values_list("reservation__request", *_KEY):
        found.setdefault(request, set()).add(tuple(key))
    return found


def _over(now: datetime) -> QuerySet[LedgerEntry]:
    """The charges of reservations that are over and were not seen gone."""
    held = LedgerEntry.objects.filter(released_at__isnull=True, reservation__isnull=False)
    return held.filter(Q(end__lte=now) | Q(reservation__request__state__in=intents.OVER))
