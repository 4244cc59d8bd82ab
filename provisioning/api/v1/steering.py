"""Changes held, let go on and aborted; every push stopped and let go on. Each with a reason, and the NOC's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from provisioning.api.fields import Instant, Strict, Text, Whole
from provisioning.api.permissions import SeesEverything
from provisioning.api.v1.base import IDEMPOTENCY, ApiView, deed, read_body
from provisioning.api.v1.representations import ChangeView
from provisioning.models import Change
from provisioning.selectors.pushing import stop
from provisioning.services import changes, halting, steering, undoing


class Steer(Strict):
    """Why; kept in the audit trail."""

    reason = Text(max_length=2000)


class Course(Strict):
    """When routers of a change may be begun, how many first and at once. What is not given stays; null: no such rule."""

    canary = Whole(min_value=0, max_value=10_000, required=False, allow_null=True)
    wave_size = Whole(min_value=1, max_value=10_000, required=False, allow_null=True)
    at_once = Whole(min_value=1, max_value=10_000, required=False, allow_null=True)
    window_start = Instant(required=False, allow_null=True)
    window_end = Instant(required=False, allow_null=True)
    ticket = Text(max_length=80, required=False, allow_blank=True)
    reason = Text(max_length=2000)


class UndoneView(serializers.Serializer[Any]):
    """The ids of the requests that were withdrawn, and what a person has still to do, a sentence each."""

    withdrawn = serializers.ListField(child=serializers.IntegerField())
    left = serializers.ListField(child=serializers.CharField())


class StopView(serializers.Serializer[Any]):
    """Whether every push is held: by whom (empty: by a restore), since when and why."""

    stopped = serializers.BooleanField()
    by = serializers.CharField()
    since = serializers.DateTimeField(allow_null=True)
    reason = serializers.CharField()


class ShowsChanges(ApiView):
    """How a deed on a change is answered: with the change as it is then."""

    def _shown(self, change: Change) -> dict[str, Any]:
        row: Change = self.get_queryset().get(pk=change.pk)
        return dict(ChangeView(row, context=self.get_serializer_context()).data)

    def _answered(self, request: Request, act: Callable[[], Change]) -> Response:
        return deed(request, lambda: (200, self._shown(act())))


class SteersChanges(ShowsChanges):
    """The actions that hold a change, mixed into its resource."""

    @extend_schema(request=Steer, responses=ChangeView, parameters=[IDEMPOTENCY])
    @action(detail=True, methods=["post"], pagination_class=None, filterset_class=None)
    def pause(self, request: Request, **_id: str) -> Response:
        """Begin no further router of an approved change; one that was begun ends by itself. 409 when nothing is left to begin."""
        said = read_body(request, Steer).validated_data
        change = self.get_object()
        return self._answered(
            request, lambda: steering.pause(actor=self.actor, change=change, reason=said["reason"])
        )

    @extend_schema(request=Steer, responses=ChangeView, parameters=[IDEMPOTENCY])
    @action(detail=True, methods=["post"], pagination_class=None, filterset_class=None)
    def resume(self, request: Request, **_id: str) -> Response:
        """Let a paused change go on; all its routers are read again first. 409 when it is not paused."""
        said = read_body(request, Steer).validated_data
        change = self.get_object()
        return self._answered(
            request, lambda: steering.resume(actor=self.actor, change=change, reason=said["reason"])
        )

    @extend_schema(request=Steer, responses=ChangeView, parameters=[IDEMPOTENCY])
    @action(detail=True, methods=["post"], pagination_class=None, filterset_class=None)
    def abort(self, request: Request, **_id: str) -> Response:
        """Cancel what has not begun; a router that was begun ends by itself, what is done stays. 409 when nothing is left."""
        said = read_body(request, Steer).validated_data
        change = self.get_object()
        return self._answered(
            request, lambda: changes.cancel(actor=self.actor, change=change, reason=said["reason"])
        )

    @extend_schema(request=Course, responses=ChangeView, parameters=[IDEMPOTENCY])
    @action(detail=True, methods=["post"], pagination_class=None, filterset_class=None)
    def rollout(self, request: Request, **_id: str) -> Response:
        """Say in which maintenance window, canary and waves its routers are begun, and under which ticket.

        The canary is how many go first; also how many go at once. 409 when the change is over.
        """
        said = read_body(request, Course).validated_data
        change = self.get_object()
        return self._answered(request, lambda: steering.set_course(actor=self.actor, change=change, **said))

    @extend_schema(request=Steer, responses=UndoneView, parameters=[IDEMPOTENCY])
    @action(detail=True, methods=["post"], pagination_class=None, filterset_class=None)
    def undo(self, request: Request, **_id: str) -> Response:
        """Withdraw, all or none, what a change put on that is over; taking it off is planned next and approved like any change.
        `left` names what that does not undo. 409 while the change is not over, or when nothing is undone by it.
        """
        said = read_body(request, Steer).validated_data
        change = self.get_object()

        def done() -> tuple[int, dict[str, Any]]:
            undone = undoing.undo(actor=self.actor, change=change, reason=said["reason"])
            left = [step.text for step in undone.left]
            row = {"withdrawn": [one.pk for one in undone.withdrawn], "left": left}
            return 200, dict(UndoneView(row).data)

        return deed(request, done)


class SteersPushes(ApiView):
    """The actions that hold every push, mixed into the resource of pushes."""

    @extend_schema(responses=StopView)
    @action(
        detail=False,
        url_path="stopped",
        pagination_class=None,
        filterset_class=None,
        permission_classes=(*ApiView.permission_classes, SeesEverything),
    )
    def stopped(self, _request: Request) -> Response:
        """Whether every push is held, by whom and why."""
        return Response(_stop_as_json())

    @extend_schema(request=Steer, responses=StopView, parameters=[IDEMPOTENCY])
    @action(detail=False, methods=["post"], pagination_class=None, filterset_class=None)
    def stop(self, request: Request) -> Response:
        """Stop every push: no router is begun, and what is being sent stops before its next line that touches traffic. 409 when
        they are held already.
        """
        said = read_body(request, Steer).validated_data

        def done() -> tuple[int, dict[str, Any]]:
            halting.stop_all(actor=self.actor, reason=said["reason"])
            return 200, _stop_as_json()

        return deed(request, done)

    @extend_schema(request=Steer, responses=StopView, parameters=[IDEMPOTENCY])
    @action(detail=False, methods=["post"], url_path="go-on", pagination_class=None, filterset_class=None)
    def go_on(self, request: Request) -> Response:
        """Let pushes go on that somebody stopped; a router that was half way is read first. 409 when nobody stopped them."""
        said = read_body(request, Steer).validated_data

        def done() -> tuple[int, dict[str, Any]]:
            halting.go_on(actor=self.actor, reason=said["reason"])
            return 200, _stop_as_json()

        return deed(request, done)


def _stop_as_json() -> dict[str, Any]:
    held = stop()
    if held is None:
        return dict(StopView({"stopped": False, "by": "", "since": None, "reason": ""}).data)
    row = {"stopped": True, "by": held.held_by, "since": held.held_at, "reason": held.push_held}
    return dict(StopView(row).data)
