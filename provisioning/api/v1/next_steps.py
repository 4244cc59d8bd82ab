"""The next step after the end of a push: by the same table that the pages and the commands read."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from provisioning.api.choices import NEXT_STEPS
from provisioning.api.fields import Strict, Text
from provisioning.api.v1.base import IDEMPOTENCY, Answered, ApiView, deed, read_body
from provisioning.api.v1.reasons import Nothing
from provisioning.api.v1.representations import PushView
from provisioning.errors import Conflict, DeviceError, NotVisible
from provisioning.models import RouterPush
from provisioning.pipeline.ends import Verb
from provisioning.services import jobs, next_steps


class NextStep(Strict):
    """Which step of those that `next_step` of the push names, and why; for `save` the digest of the lines that were shown
    (`GET routers/ID/unsaved/`).
    """

    verb = serializers.ChoiceField(choices=NEXT_STEPS)
    reason = Text(max_length=2000, required=False, allow_blank=True, default="")
    seen = Text(max_length=64, required=False, allow_blank=True, default="")


class TakenView(serializers.Serializer[Any]):
    """What was done, in a sentence; `change` is the id of the one that is being planned now, where one is."""

    verb = serializers.ChoiceField(choices=NEXT_STEPS)
    said = serializers.CharField()
    change = serializers.IntegerField(allow_null=True)


class TakesNextSteps(ApiView):
    """The action that does the next step; mixed into the resource of pushes."""

    @extend_schema(request=NextStep, responses=TakenView, parameters=[IDEMPOTENCY])
    @action(detail=True, methods=["post"], url_path="next-step", pagination_class=None, filterset_class=None)
    def take_next_step(self, request: Request, pk: str) -> Response:
        """Do the next step of a push, or another that its end offers. 409 where it offers none of the kind, or nothing is to be
        done; a router that does not answer, or refuses to save, too.
        """
        said = read_body(request, NextStep).validated_data

        def act() -> Answered:
            push = RouterPush.objects.select_related("router", "change").filter(pk=int(pk)).first()
            if push is None:
                raise NotVisible("There is no such push.")
            try:
                done = next_steps.take(actor=self.actor, push=push, **said)
            except DeviceError as error:
                raise Conflict(f"not saved: {error.reason}", field="verb") from error
            change = None if done.change is None else done.change.pk
            return 200, {"verb": done.verb, "said": done.said, "change": change}

        if said["verb"] == Verb.SAVE:
            # It speaks to the router: nothing of that is done inside a transaction, and done twice it finds nothing to save.
            return Response(act()[1])
        return deed(request, act)

    @extend_schema(request=Nothing, responses=PushView, parameters=[IDEMPOTENCY])
    @action(detail=True, methods=["post"], url_path="try-now", pagination_class=None, filterset_class=None)
    def try_now(self, request: Request, **_id: str) -> Response:
        """Have the router of a push that broke off read as soon as a worker is free, not when its pause is over.

        The push is then finished or taken back, as approved. The NOC's matter; 409 where nothing waits to be tried.
        """
        read_body(request, Nothing)
        push = self.get_object()

        def act() -> Answered:
            jobs.try_now(actor=self.actor, push=push)
            push.refresh_from_db()
            return 200, dict(PushView(push, context=self.get_serializer_context()).data)

        return deed(request, act)
