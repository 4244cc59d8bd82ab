"""Plans asked for, approved and released: what the NOC does to a change before its first line is sent."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from provisioning.api.choices import PLAN_KINDS
from provisioning.api.fields import Flag, Strict, Text
from provisioning.api.permissions import SeesEverything
from provisioning.api.problems import details
from provisioning.api.v1.base import IDEMPOTENCY, Answered, ApiView, create, deed, read_body
from provisioning.api.v1.reasons import AsRead, Nothing
from provisioning.api.v1.representations import ChangeView
from provisioning.api.v1.steering import ShowsChanges
from provisioning.errors import StaleState
from provisioning.models import ChangeKind
from provisioning.selectors.changes import pushes_of
from provisioning.selectors.questions import open_questions, why_no_word
from provisioning.services import changes, planning
from provisioning.services.approval import fingerprint


class PlanAsked(Strict):
    """Which routers are planned. `baseline` brings them to what is intended; `repair` also takes back what somebody edited."""

    kind = serializers.ChoiceField(choices=PLAN_KINDS, default=ChangeKind.BASELINE.value)
    routers = serializers.ListField(
        child=Text(max_length=80),
        min_length=1,
        max_length=10_000,
        required=False,
        allow_null=True,
        default=None,
        help_text="Names of routers; all of the domain when not given.",
    )
    title = Text(max_length=200, allow_blank=True, default="")
    reason = Text(max_length=2000, allow_blank=True, default="")


class Approved(AsRead):
    """One person's approval of exactly the lines that have this fingerprint."""

    save_others_edits = Flag(
        default=False, help_text="Let `write memory` also save what other people typed (`unsaved`)."
    )
    break_glass = Text(
        max_length=2000,
        allow_blank=True,
        default="",
        help_text="Why you approve it alone although somebody else should. Everybody sees it.",
    )


class OnRouter(serializers.Serializer[Any]):
    """Something said about one router."""

    router = serializers.CharField()
    text = serializers.CharField()


class UnsavedOnRouter(serializers.Serializer[Any]):
    """Lines on one router that somebody else typed and nobody has saved."""

    router = serializers.CharField()
    lines = serializers.ListField(child=serializers.CharField())


class ApprovalView(serializers.Serializer[Any]):
    """What has to be read before a change is approved, and what the reader may do about it now."""

    change = serializers.IntegerField()
    fingerprint = serializers.CharField(
        help_text="sha256 (hex) over every line: what `seen` of an approval is."
    )
    may_approve = serializers.BooleanField(help_text="Whether the reader's own word is taken now.")
    why_not = serializers.ListField(
        child=serializers.CharField(), help_text="Why it is not, a sentence each."
    )
    alone = serializers.ListField(
        child=serializers.CharField(), help_text="What the reader would go against by break-glass."
    )
    approved_by = serializers.ListField(child=serializers.CharField())
    still_needed = serializers.ListField(child=serializers.CharField())
    may_push = serializers.BooleanField()
    lines = serializers.IntegerField()
    routers = serializers.IntegerField(help_text="How many routers receive lines.")
    gaps = OnRouter(many=True, help_text="While an interface has no policy: confirmed with `confirm_gaps`.")
    doubts = OnRouter(many=True, help_text="What a router would probably refuse: needs `override`.")
    unsaved = UnsavedOnRouter(many=True)
    conflicts = OnRouter(many=True, help_text="In the way: cleared on the router, never approved.")
    violations = OnRouter(many=True, help_text="Unsafe lines: never approved.")
    unread = OnRouter(many=True, help_text="Not read when it was planned: nothing is approved for these.")
    warnings = OnRouter(many=True)


class ApprovesChanges(ShowsChanges):
    """The actions between a wish for a plan and its first line, mixed into the resource of changes."""

    @extend_schema(request=PlanAsked, responses={201: ChangeView}, parameters=[IDEMPOTENCY])
    def create(self, request: Request) -> Response:
        """Have routers read and planned; nothing is sent. `planning` of the answer says how far it is: read the change again.

        The NOC's matter. 409 while one of the routers is being pushed to.
        """
        said = read_body(request, PlanAsked).validated_data
        return create(
            request, "changes", lambda: self._shown(planning.ask_for_plan(actor=self.actor, **said))
        )

    @extend_schema(responses=ApprovalView)
    @action(
        detail=True,
        permission_classes=(*ApiView.permission_classes, SeesEverything),
        pagination_class=None,
        filterset_class=None,
    )
    def approval(self, _request: Request, **_id: str) -> Response:
        """What has to be read before it is approved: gaps, doubts, edits of other people, and whose word is missing."""
        change = self.get_object()
        changes.look(actor=self.actor, change=change)
        found = open_questions(change, pushes_of(change), self.actor)
        on_router = ("gaps", "violations", "unread", "warnings")
        row = {
            **{name: getattr(found, name) for name in ("alone", "approved_by", "lines", "routers")},
            **{name: [_on(*each) for each in getattr(found, name)] for name in on_router},
            "change": change.pk,
            "fingerprint": fingerprint(change),
            "may_approve": found.approve,
            "why_not": why_no_word(change, found, self.actor),
            "may_push": found.push,
            "still_needed": found.still_needed,
            "doubts": [_on(router, doubt["text"]) for router, doubt in found.doubts],
            "conflicts": [_on(router, conflict["text"]) for router, conflict in found.conflicts],
            "unsaved": [{"router": router, "lines": lines} for router, lines in found.unsaved],
        }
        return Response(ApprovalView(row).data)

    @extend_schema(request=Approved, responses=ChangeView, parameters=[IDEMPOTENCY])
    @action(detail=True, methods=["post"], pagination_class=None, filterset_class=None)
    def approve(self, request: Request, **_id: str) -> Response:
        """Approve exactly the lines that were read; `still_needed` of the answer says whose word is missing after it.

        An approver's matter, who stands behind nothing of it. 409 where something is in the way, or the lines are others by now.
        """
        said = read_body(request, Approved).validated_data
        change = self.get_object()

        def act() -> Answered:
            try:
                return 200, self._shown(changes.approve(actor=self.actor, change=change, **said))
            except StaleState as error:
                if error.field != "intent":
                    raise
                # That it is stale is on record: an exception would undo it with the transaction of the key.
                return 409, details(409, error.code, error.reason, request.path)

        return deed(request, act)

    @extend_schema(request=Nothing, responses=ChangeView, parameters=[IDEMPOTENCY])
    @action(detail=True, methods=["post"], pagination_class=None, filterset_class=None)
    def push(self, request: Request, **_id: str) -> Response:
        """Release an approved change: workers read every router again and send it, edges first. Released twice is once.

        409 where nothing of it is approved, it is held, or pushing is switched off.
        """
        read_body(request, Nothing)
        change = self.get_object()
        return self._answered(request, lambda: changes.release(actor=self.actor, change=change))


def _on(router: str, text: str) -> dict[str, str]:
    return {"router": router, "text": text}
