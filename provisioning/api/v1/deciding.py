"""What the NOC decides about: a request held, let go, admitted, refused; and each modification as a resource of its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.mixins import ListModelMixin
from rest_framework.request import Request
from rest_framework.response import Response

from provisioning.api.fields import Instant, Strict, Text
from provisioning.api.problems import details
from provisioning.api.v1.base import IDEMPOTENCY, Answered, ApiView, deed, read_body
from provisioning.api.v1.changing import ModificationView
from provisioning.api.v1.evidence import kept_shown
from provisioning.api.v1.filters import ModificationFilters
from provisioning.api.v1.premium_requests import ConsentGiven, RequestDetail, Withdrawal
from provisioning.api.v1.verdicts import Evidence
from provisioning.errors import StaleState
from provisioning.models import Modification, PremiumRequest
from provisioning.pipeline.admission import Refused, whole
from provisioning.pipeline.states import ModificationState
from provisioning.selectors import modifications as selecting
from provisioning.selectors import requests as requests_selecting
from provisioning.selectors.viewers import viewer_of
from provisioning.services import decisions, modifications


class Decided(Strict):
    """Why it is decided so; kept with the decision."""

    reason = Text(max_length=2000)


class Granted(Decided):
    """A grant; with a reason why the actor decides alone although somebody else of the NOC should."""

    break_glass = Text(
        max_length=2000,
        required=False,
        allow_blank=True,
        default="",
        help_text="Only where you stand behind it yourself: why you decide all the same. Everybody sees it.",
    )


class Held(Decided):
    """Until when the capacity is kept aside."""

    until = Instant(help_text="At most 30 days ahead.")


def does_not_fit(request: Request, verdict: Refused) -> Answered:
    """The answer to a grant that was on record as one that does not fit: where, when, by how much. The NOC's to read whole."""
    why = "; ".join(reason.text for reason in verdict.reasons[:2])
    shown = whole(verdict).to_json()
    return 409, details(409, "does-not-fit", why, request.path, evidence=shown)


class DecidesRequests(ApiView):
    """The NOC's deeds on a request; mixed into its resource."""

    def _detail(self, row: PremiumRequest) -> dict[str, Any]:
        raise NotImplementedError

    @extend_schema(request=Held, responses=RequestDetail, parameters=[IDEMPOTENCY])
    @action(detail=True, methods=["post"])
    def hold(self, request: Request, pk: str) -> Response:
        """Keep its capacity aside until an instant, at which the hold lapses by itself; the NOC's matter."""
        return self._decide(request, pk, Held, decisions.hold)

    @extend_schema(request=Decided, responses=RequestDetail, parameters=[IDEMPOTENCY])
    @action(detail=True, methods=["post"])
    def unhold(self, request: Request, pk: str) -> Response:
        """Let go of a hold before its time: the request is undecided again; the NOC's matter."""
        return self._decide(request, pk, Decided, decisions.unhold)

    @extend_schema(request=Granted, responses=RequestDetail, parameters=[IDEMPOTENCY])
    @action(detail=True, methods=["post"])
    def admit(self, request: Request, pk: str) -> Response:
        """Grant it, if it fits under the locks of its links; the NOC's matter. Lines ahead are approved on its page."""
        return self._decide(request, pk, Granted, decisions.admit)

    @extend_schema(request=Decided, responses=RequestDetail, parameters=[IDEMPOTENCY])
    @action(detail=True, methods=["post"])
    def refuse(self, request: Request, pk: str) -> Response:
        """Refuse it; the NREN reads the reason. The NOC's matter."""
        return self._decide(request, pk, Decided, decisions.refuse)

    def _decide(
        self, request: Request, pk: str, shape: type[Decided], act: Callable[..., object]
    ) -> Response:
        row = requests_selecting.visible(self.actor, int(pk))
        body = read_body(request, shape)

        def answer() -> Answered:
            found = act(actor=self.actor, request=row, **body.validated_data)
            if isinstance(found, Refused):
                return does_not_fit(request, found)
            return 200, self._detail(requests_selecting.visible(self.actor, row.pk))

        return deed(request, answer)


class ModificationSummary(ModificationView):
    """What a request is, or was, to become, by itself."""

    request = serializers.PrimaryKeyRelatedField(read_only=True)
    nren = serializers.CharField(source="request.nren.name")
    twin = serializers.PrimaryKeyRelatedField(
        read_only=True, allow_null=True, help_text="The other way's; null of one way."
    )

    class Meta(ModificationView.Meta):
        fields = ["request", "nren", "twin", *ModificationView.Meta.fields]
        read_only_fields = fields


class ModificationDetail(ModificationSummary):
    """A modification with its evidence: of this moment while it is proposed, else as it stood at the decision."""

    evidence = serializers.SerializerMethodField()

    class Meta(ModificationSummary.Meta):
        fields = [*ModificationSummary.Meta.fields, "evidence"]
        read_only_fields = fields

    @extend_schema_field(Evidence(allow_null=True))
    def get_evidence(self, row: Modification) -> dict[str, Any] | None:
        """Return whether the difference fits, and why; None where nobody decided."""
        viewer = viewer_of(self.context["actor"], row.request.nren.domain)
        if row.state != ModificationState.PROPOSED:
            return kept_shown(row.evidence, viewer, asker=row.request.nren_id)
        try:
            return modifications.evidence(row, viewer).to_json()
        except StaleState:  # its window is over: nobody decides about it any more
            return None


class ModificationResource(ListModelMixin, ApiView):
    """Modifications of the requests one may see; the NOC decides, the receiver agrees, who asked withdraws."""

    queryset = Modification.objects.none()
    serializer_class = ModificationSummary
    filterset_class = ModificationFilters

    def get_queryset(self) -> QuerySet[Modification]:
        """Return the modifications the actor may see."""
        return selecting.for_actor(self.actor)

    @extend_schema(responses=ModificationDetail)
    def retrieve(self, _request: Request, pk: str) -> Response:
        """One modification with the evidence, decided on the difference."""
        return Response(self._detail(int(pk)))

    @extend_schema(request=Granted, responses=ModificationDetail, parameters=[IDEMPOTENCY])
    @action(detail=True, methods=["post"])
    def admit(self, request: Request, pk: str) -> Response:
        """Grant it, if the difference fits; in force at once, or when the routers were seen with it. The NOC's matter."""
        return self._done(request, pk, Granted, modifications.admit)

    @extend_schema(request=Decided, responses=ModificationDetail, parameters=[IDEMPOTENCY])
    @action(detail=True, methods=["post"])
    def refuse(self, request: Request, pk: str) -> Response:
        """Refuse it; what was granted stays. The NOC's matter."""
        return self._done(request, pk, Decided, modifications.refuse)

    @extend_schema(request=ConsentGiven, responses=ModificationDetail, parameters=[IDEMPOTENCY])
    @action(detail=True, methods=["post"])
    def consent(self, request: Request, pk: str) -> Response:
        """Agree to it, or decline with a reason; the receiving NREN's matter."""
        return self._done(request, pk, ConsentGiven, modifications.consent)

    @extend_schema(request=Withdrawal, responses=ModificationDetail, parameters=[IDEMPOTENCY])
    @action(detail=True, methods=["post"])
    def withdraw(self, request: Request, pk: str) -> Response:
        """Take it back; what was granted stays."""
        return self._done(request, pk, Withdrawal, modifications.withdraw)

    def _done(self, request: Request, pk: str, asked: type[Strict], act: Callable[..., object]) -> Response:
        row = selecting.visible(self.actor, int(pk))
        given = read_body(request, asked)

        def answer() -> Answered:
            found = act(actor=self.actor, modification=row, **given.validated_data)
            if isinstance(found, Refused):
                return does_not_fit(request, found)
            return 200, self._detail(row.pk)

        return deed(request, answer)

    def _detail(self, pk: int) -> dict[str, Any]:
        found = selecting.visible(self.actor, pk)
        return dict(ModificationDetail(found, context=self.get_serializer_context()).data)
