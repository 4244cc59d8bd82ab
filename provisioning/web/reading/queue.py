"""The queue of the NOC: requests grouped by what they wait for."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from django.db.models import Q, QuerySet

from provisioning.models import Actor, Change, Consent, PremiumRequest
from provisioning.pipeline.states import PushState, RequestState
from provisioning.selectors.changes import all_changes
from provisioning.selectors.queues import OVER
from provisioning.web.reading.requests import requests
from provisioning.web.reading.series import one_line_each

_OPEN = Q(state__in=[RequestState.SUBMITTED, RequestState.HELD])

GROUPS: Mapping[str, tuple[str, str, str]] = {
    # key: (title, what it means, what to do when it is empty)
    "decision": (
        "Waiting for a decision",
        "The receiving NREN agrees, or has answered: read the evidence and decide.",
        "Nobody waits for you. New requests appear here as soon as the receiving NREN agrees.",
    ),
    "consent": (
        "Needs consent",
        "The receiving NREN has not answered yet. They see it in their consent inbox.",
        "No request waits for a receiving NREN.",
    ),
    "overdue": (
        "Overdue",
        "Its window has begun and it has not been seen on the routers, or it has ended and has not been seen gone.",
        "Everything that was promised by now is seen on the routers.",
    ),
    "admitted": (
        "Admitted",
        "Granted and charged, its window lies ahead. It goes on by itself when it falls due.",
        "No granted request lies ahead.",
    ),
    "active": ("Active", "Seen on every router concerned.", "No reservation is on the routers now."),
}


_AS_ONE = frozenset({"decision", "consent", "admitted"})
"""Groups in which a series is one line: of what is under way each occurrence is looked at by itself."""


def _parts(key: str, now: datetime) -> list[Q]:
    """What a group consists of: no request is in two of its parts, and each has its index, while "or" reads every request."""
    return {
        "decision": [_OPEN & ~Q(consent=Consent.PENDING)],
        "consent": [_OPEN & Q(consent=Consent.PENDING)],
        "overdue": [
            Q(state=RequestState.ADMITTED, start__lte=now),
            # What was never granted was never on a router: nothing of it can be seen gone.
            Q(state__in=OVER, reservation__isnull=False, reservation__released_at=None),
        ],
        "admitted": [Q(state=RequestState.ADMITTED, start__gt=now)],
        "active": [Q(state=RequestState.ACTIVE)],
    }[key]


def group(actor: Actor, key: str, now: datetime) -> QuerySet[PremiumRequest]:
    """Return the requests of one group, the one whose window begins first on top; of a series that waits as one the first.

    ``key`` is one of GROUPS.
    """
    first, *more = _parts(key, now)
    if more:
        keys = [PremiumRequest.objects.filter(part).order_by().values("pk") for part in (first, *more)]
        first = Q(pk__in=keys[0].union(*keys[1:], all=True))
    found = requests(actor).filter(first)
    return (one_line_each(found, first) if key in _AS_ONE else found).order_by("start", "pk")


def changes_waiting() -> QuerySet[Change]:
    """Return the changes that wait for a person: to be approved, or approved and not released; oldest first."""
    return (
        all_changes()
        .filter(finished_at=None, released_at=None, pushes__state__in=[PushState.PLANNED, PushState.APPROVED])
        .distinct()
        .order_by("pk")
    )


def group_counts(actor: Actor, now: datetime) -> dict[str, int]:
    """Return how many lines each group holds: requests, and series that wait as one."""
    return {
        key: group(actor, key, now).order_by().count()
        if key in _AS_ONE
        else sum(requests(actor).filter(part).count() for part in _parts(key, now))
        for key in GROUPS
    }
