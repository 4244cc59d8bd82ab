"""A change played on practice routers before it is approved: asked for, and read line by line."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from provisioning.api.permissions import SeesEverything
from provisioning.api.v1.base import IDEMPOTENCY, ApiView, deed
from provisioning.errors import NotVisible
from provisioning.models import Change, RehearsalOutcome
from provisioning.selectors.rehearsals import Rehearsed, rehearsed, result_of
from provisioning.services import rehearsing
from provisioning.services.approval import fingerprint


class RehearsedPushView(serializers.Serializer[Any]):
    """What became of one push. `line` (of its plan, from 1) and `reply` are where it ended, if at a line."""

    push = serializers.IntegerField()
    router = serializers.CharField()
    phase = serializers.CharField()
    outcome = serializers.ChoiceField(choices=RehearsalOutcome.choices)
    said = serializers.CharField(help_text="What became of it, in a sentence.")
    line = serializers.IntegerField(allow_null=True)
    reply = serializers.CharField()
    seconds = serializers.FloatField()


class RehearsalView(serializers.Serializer[Any]):
    """The last rehearsal of a change. `current` is false when other lines were planned since: those are not rehearsed."""

    id = serializers.IntegerField()
    fingerprint = serializers.CharField()
    current = serializers.BooleanField()
    passed = serializers.BooleanField(help_text="Whether every router took every line and ended as planned.")
    summary = serializers.CharField()
    asked_at = serializers.DateTimeField()
    asked_by = serializers.CharField(allow_null=True)
    finished_at = serializers.DateTimeField(allow_null=True)
    error = serializers.CharField(
        help_text="Why it could not be played to its end; empty: it was, or is under way."
    )
    digest = serializers.CharField(
        help_text="Of its results, as the audit trail has it; empty while it is under way."
    )
    pushes = RehearsedPushView(many=True)


class RehearsedLinesView(RehearsedPushView):
    """One push, line by line, with the session word for word, secrets removed."""

    lines = serializers.JSONField(help_text="[number, text, reply] of every line of the plan that was sent.")
    differs = serializers.JSONField(
        help_text="What is not as planned: `object`, `expected`, `found`, `lines`."
    )
    unknown = serializers.JSONField(
        help_text="[number, line, reply] of the running-config that the practice router did not take."
    )
    transcript = serializers.JSONField(help_text="[seconds, > or <, text] of the session.")


_READING = {
    "pagination_class": None,
    "filterset_class": None,
    "permission_classes": (*ApiView.permission_classes, SeesEverything),
}


class RehearsesChanges(ApiView):
    """The actions of a rehearsal, mixed into the resource of changes."""

    @extend_schema(responses=RehearsalView)
    @action(detail=True, **_READING)
    def rehearsal(self, _request: Request, **_id: str) -> Response:
        """The last rehearsal of a change, router by router; 404 when there was none. The NOC's and auditors' matter."""
        return Response(_as_json(self.get_object()))

    @extend_schema(request=None, responses=RehearsalView, parameters=[IDEMPOTENCY])
    @action(detail=True, methods=["post"], pagination_class=None, filterset_class=None)
    def rehearse(self, request: Request, **_id: str) -> Response:
        """Have a change played on practice routers that hold what its routers showed; a worker does it. One that is under way is
        the answer. Nothing is sent to a router of the network. 409 when it is not planned, sends nothing, has begun or is over.
        """
        change = self.get_object()

        def done() -> tuple[int, dict[str, Any]]:
            rehearsing.ask(actor=self.actor, change=change)
            return 200, _as_json(change)

        return deed(request, done)


class RehearsedPushes(ApiView):
    """How a push went when it was rehearsed, mixed into the resource of pushes."""

    @extend_schema(responses=RehearsedLinesView)
    @action(detail=True, **_READING)
    def rehearsal(self, _request: Request, **_id: str) -> Response:
        """The push in the last rehearsal of its change, line by line with every reply; 404 when it was not played."""
        push = self.get_object()
        found = result_of(push.change, push.pk)
        row = {name: getattr(found, name) for name in ("lines", "differs", "unknown", "transcript")}
        return Response({**_push(found), **row})


def _as_json(change: Change) -> dict[str, Any]:
    found: Rehearsed | None = rehearsed(change, fingerprint(change))
    if found is None:
        raise NotVisible(f"{change.reference} was not rehearsed.")
    row = found.row
    said = {
        "id": row.pk,
        "fingerprint": row.fingerprint,
        "current": found.current,
        "passed": found.through,
        "summary": found.summary,
        "asked_at": row.asked_at,
        "asked_by": row.asked_by.get_username() if row.asked_by else None,
        "finished_at": row.finished_at,
        "error": row.error,
        "digest": row.digest,
        "pushes": [_push(each) for each in found.played],
    }
    return dict(RehearsalView(said).data)


def _push(each: Any) -> dict[str, Any]:
    return {
        "push": each.push_id,
        "router": each.push.router.name,
        "phase": each.push.phase,
        "outcome": each.outcome,
        "said": each.said,
        "line": each.line,
        "reply": each.reply,
        "seconds": each.seconds,
    }
