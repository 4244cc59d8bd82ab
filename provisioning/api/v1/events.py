"""The event log: what happened, in order, from where the reader stopped; a reader may wait for what comes."""

from __future__ import annotations

import time
from collections import Counter
from threading import BoundedSemaphore, Lock
from typing import Any, Final

from django.conf import settings
from drf_spectacular.utils import extend_schema, extend_schema_serializer
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from provisioning.api.fields import Strict
from provisioning.api.v1.audit_events import AuditEventView
from provisioning.api.v1.base import ApiView, asked_in_the_query
from provisioning.models import AuditEvent
from provisioning.selectors.event_log import Part, read_on

MOST_EVENTS: Final = 200
LONGEST_WAIT_SECONDS: Final = 25
"""Less than what proxies and browsers wait for an answer (30 s and more)."""
_LOOK_EVERY_SECONDS: Final = 0.5
MOST_WAITING: Final = settings.WEB_THREADS // 2
"""Who waits takes a thread: half of those of a process stay for everybody else, and of one alone nobody may wait. Whoever is one
too many is answered at once.
"""
MOST_WAITING_OF_ONE: Final = 2
"""One user, with however many tokens and sessions, leaves places to others."""
_WAITING: Final = BoundedSemaphore(MOST_WAITING)
_PLACES: Final = Counter[int | None]()
"""How many places each user has that has any, by its key."""
_COUNTING: Final = Lock()


class EventQuestion(Strict):
    """From where the log is read, how much of it, and how long the reader waits where there is nothing new."""

    after = serializers.IntegerField(
        min_value=0,
        max_value=10**15,
        default=0,
        help_text="The cursor: events behind it are answered. 0 is the beginning.",
    )
    limit = serializers.IntegerField(
        min_value=1, max_value=MOST_EVENTS, default=50, help_text="How many events at most."
    )
    wait = serializers.IntegerField(
        min_value=0,
        max_value=LONGEST_WAIT_SECONDS,
        default=0,
        help_text="Where there is nothing new, so many seconds pass before that is the answer.",
    )


class EventView(AuditEventView):
    """An event with its position in the log."""

    position = serializers.SerializerMethodField(help_text="Its place in the order of all; grows, with gaps.")

    class Meta(AuditEventView.Meta):
        fields = ["position", *AuditEventView.Meta.fields]

    def get_position(self, event: AuditEvent) -> int:
        """Return its position."""
        position: int = self.context["positions"][event.pk]
        return position


@extend_schema_serializer(many=False)  # the answer to a list, and none itself
class EventsView(serializers.Serializer[Any]):
    """A part of the log. Ask again with `after` = `next`; while `more`, at once."""

    events = EventView(many=True)
    next = serializers.IntegerField(help_text="The cursor: what `after` is next time.")
    more = serializers.BooleanField(help_text="Whether there are others already.")
    end = serializers.IntegerField(
        help_text="The cursor behind everything so far: who wants only what comes begins there."
    )


class EventResource(ApiView):
    """Everything that happens, as the reader may see it, in the order of the commits: nothing is missed or comes twice."""

    queryset = AuditEvent.objects.none()
    serializer_class = EventView
    pagination_class = None

    @extend_schema(parameters=[EventQuestion], responses=EventsView)
    def list(self, request: Request) -> Response:
        """What happened behind a cursor, the oldest first; with `wait` the answer comes as soon as something happens.

        Where many wait already, or two of the same user, the answer comes at once and may be empty: ask again a little later.
        """
        return Response(asked_in_the_query(request, EventQuestion, self._answer))

    def _answer(self, asked: dict[str, Any]) -> dict[str, Any]:
        found = self._read(asked)
        if not found.events and asked["wait"] and _take_a_place(self.actor.user_id):
            try:
                found = self._wait(asked, found)
            finally:
                _leave_a_place(self.actor.user_id)
        positions = {event.pk: position for position, event in found.events}
        shown = EventView(
            [event for _position, event in found.events],
            many=True,
            context={**self.get_serializer_context(), "positions": positions},
        )
        return {"events": shown.data, "next": found.next, "more": found.more, "end": found.end}

    def _wait(self, asked: dict[str, Any], found: Part) -> Part:
        until = time.monotonic() + asked["wait"]
        while True:
            time.sleep(_LOOK_EVERY_SECONDS)
            found = self._read({**asked, "after": found.next})  # what is another's was walked over already
            if found.events or time.monotonic() + _LOOK_EVERY_SECONDS > until:
                return found

    def _read(self, asked: dict[str, Any]) -> Part:
        return read_on(self.actor, after=asked["after"], most=asked["limit"])


def _take_a_place(user: int | None) -> bool:
    """Take one of the places of those who wait, if there is one for this user."""
    with _COUNTING:
        if _PLACES[user] >= MOST_WAITING_OF_ONE or not _WAITING.acquire(blocking=False):
            return False
        _PLACES[user] += 1
        return True


def _leave_a_place(user: int | None) -> None:
    """Give a place back."""
    with _COUNTING:
        _PLACES[user] -= 1
        if not _PLACES[user]:
            del _PLACES[user]
        _WAITING.release()
