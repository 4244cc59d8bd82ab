"""Resources of the deployment: changes, pushes, and the audit trail over everything."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from provisioning.api.permissions import SeesEverything
from provisioning.api.v1.audit_events import AuditEventView
from provisioning.api.v1.base import ApiView, ReadOnly
from provisioning.api.v1.filters import AuditFilters, ChangeFilters, PushFilters
from provisioning.api.v1.next_steps import TakesNextSteps
from provisioning.api.v1.planning import ApprovesChanges
from provisioning.api.v1.proofs import ProofView, proofs_of
from provisioning.api.v1.rehearsals import RehearsedPushes, RehearsesChanges
from provisioning.api.v1.representations import ChangeView, PushView, PushWithPlanView
from provisioning.api.v1.steering import SteersChanges, SteersPushes
from provisioning.models import AuditEvent, Change, RouterPush
from provisioning.selectors import audit, changes
from provisioning.selectors.since import with_what_came_since


class ChangeResource(ApprovesChanges, SteersChanges, RehearsesChanges, ReadOnly):
    """Changes: all for the NOC and auditors; for an NREN those that carry out its own requests."""

    queryset = Change.objects.none()
    serializer_class = ChangeView
    filterset_class = ChangeFilters

    def get_queryset(self) -> Any:
        """Return the changes the actor may see."""
        return changes.for_actor(self.actor).order_by("-pk")

    @extend_schema(responses=ProofView(many=True))
    @action(
        detail=True,
        methods=["get"],
        permission_classes=(*ApiView.permission_classes, SeesEverything),
        pagination_class=None,
        filterset_class=None,
    )
    def proof(self, _request: Request, **_id: str) -> Response:
        """Return the state of every interface after every line, there and on the way back, router by router; the
        NOC's and auditors' matter.
        """
        return Response(ProofView(proofs_of(self.get_object()), many=True).data)


class PushResource(TakesNextSteps, SteersPushes, RehearsedPushes, ReadOnly):
    """What each router receives: the NOC's and auditors' matter, as a plan speaks of every NREN on a
    router.
    """

    queryset = with_what_came_since(RouterPush.objects.select_related("router", "change")).order_by("-pk")
    serializer_class = PushView
    filterset_class = PushFilters
    permission_classes = (*ApiView.permission_classes, SeesEverything)

    def get_serializer_class(self) -> type[PushView]:
        """Return the view with the plan for one push, without it for a list: a plan is as long as its lines."""
        return PushWithPlanView if self.action == "retrieve" else PushView


class AuditEventResource(ReadOnly):
    """The audit trail by sequence number; an NREN sees what happened to requests it asked for or receives."""

    queryset = AuditEvent.objects.none()
    serializer_class = AuditEventView
    filterset_class = AuditFilters
    lookup_field = "sequence"

    def get_queryset(self) -> Any:
        """Return the events the actor may see."""
        return audit.for_actor(self.actor)
