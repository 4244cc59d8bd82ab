"""What a router can do, as it said itself; the NOC has it asked."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from provisioning.api.v1.base import ApiView
from provisioning.errors import Conflict, DeviceError
from provisioning.services import capabilities, probing


class CapabilityView(serializers.Serializer[Any]):
    """One capability: ``can`` is null where the answer proves neither."""

    capability = serializers.CharField()
    can = serializers.BooleanField(allow_null=True)
    asked = serializers.CharField(help_text="The question, as it was typed.")
    said = serializers.CharField(help_text="What the router said to it.")
    ios = serializers.CharField(help_text="The release it said it runs.")
    at = serializers.DateTimeField()


class ProbesRouters(ApiView):
    """The actions about what routers can do; mixed into their resource."""

    @extend_schema(responses=CapabilityView(many=True))
    @action(detail=True, pagination_class=None, filterset_class=None)
    def capabilities(self, _request: Request, **_id: str) -> Response:
        """What it said it can do when it was asked last."""
        return Response(_shown(capabilities.known(self.get_object())))

    @extend_schema(request=None, responses=CapabilityView(many=True))
    @action(detail=True, methods=["post"], pagination_class=None, filterset_class=None)
    def probe(self, _request: Request, **_id: str) -> Response:
        """Ask it now, by questions that change nothing. Sent twice, it is asked twice; 409 while a push is at work on it, or when
        it does not answer.
        """
        try:
            return Response(_shown(probing.probe(actor=self.actor, router=self.get_object())))
        except DeviceError as error:
            raise Conflict(f"not asked: {error.reason}", field="router") from error


def _shown(answers: tuple[capabilities.Answer, ...]) -> list[dict[str, Any]]:
    return [{"capability": each.capability, **each.to_json()} for each in answers]
