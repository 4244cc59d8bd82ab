"""How a router stands against what is intended: as it was last read, and read now."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from inventory.models import Router
from provisioning.api.v1.base import ApiView, read_body
from provisioning.api.v1.reasons import Nothing
from provisioning.errors import NotVisible
from provisioning.models import RouterSync, SyncState, Verb
from provisioning.selectors.authority import permit
from provisioning.services import verifying


class OpenEdgeView(serializers.Serializer[dict[str, str]]):
    """An interface on which unauthorised EF can enter; of a router that could not be read, `every interface`."""

    router = serializers.CharField()
    interface = serializers.CharField()
    reason = serializers.CharField(help_text="What lets it in, in words.")


class StandingView(serializers.ModelSerializer[RouterSync]):
    """What one reading showed. `detail` names what differs, object by object, or why it could not be read."""

    router = serializers.CharField(source="router.name")
    state = serializers.ChoiceField(choices=SyncState.choices)
    detail = serializers.JSONField()
    open_edges = OpenEdgeView(many=True, help_text="Edges on which nothing keeps strangers out of the class.")
    unsaved = serializers.JSONField(help_text="What startup-config lacks: ours, others', since when.")

    class Meta:
        model = RouterSync
        fields = ["router", "state", "checked_at", "detail", "open_edges", "core_live", "unsaved"]


class VerifiesRouters(ApiView):
    """The actions about how a router stands; mixed into its resource."""

    @extend_schema(responses=StandingView)
    @action(detail=True, pagination_class=None, filterset_class=None)
    def standing(self, _request: Request, **_id: str) -> Response:
        """How it stood when it was last read; 404 where it was never read."""
        router: Router = self.get_object()
        row = RouterSync.objects.select_related("router").filter(router=router).first()
        if row is None:
            raise NotVisible(f"{router.name} was never read.")
        return Response(StandingView(row).data)

    @extend_schema(request=Nothing, responses=StandingView)
    @action(detail=True, methods=["post"], pagination_class=None, filterset_class=None)
    def verify(self, request: Request, **_id: str) -> Response:
        """Read it now over SSH and compare it with what is intended. Sent twice, it is read twice.

        The NOC's matter. One that cannot be read is `unknown`, and `detail` says why: that is an answer and no error.
        """
        permit(self.actor, Verb.READ_ROUTER)
        read_body(request, Nothing)
        return Response(StandingView(verifying.verify_router(router=self.get_object())).data)
