"""What is not in startup-config of a router, by whose lines they are, and saving it with a reason."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from provisioning.api.fields import Strict, Text
from provisioning.api.v1.base import ApiView, read_body
from provisioning.errors import Conflict, DeviceError
from provisioning.models import RouterSync
from provisioning.services import saving


class UnsavedView(serializers.Serializer[Any]):
    """What startup-config lacks as last read: ``+`` is missing there, ``-`` is there and no longer runs.

    ``digest`` stands for exactly these lines.
    """

    ours = serializers.ListField(child=serializers.CharField())
    foreign = serializers.ListField(child=serializers.CharField())
    since = serializers.DictField(
        child=serializers.DateTimeField(), help_text="When each line of other people was first seen unsaved."
    )
    digest = serializers.CharField()
    read_at = serializers.DateTimeField(allow_null=True)


class Save(Strict):
    """Which lines were shown (their digest), and why they are saved."""

    seen = Text(max_length=64)
    reason = Text(max_length=2000)


class SavedView(serializers.Serializer[Any]):
    """What was saved; ``saved`` is false where there was nothing; ``meanwhile`` was typed between look and saving."""

    router = serializers.CharField()
    ours = serializers.ListField(child=serializers.CharField())
    foreign = serializers.ListField(child=serializers.CharField())
    digest = serializers.CharField()
    saved = serializers.BooleanField()
    meanwhile = serializers.ListField(child=serializers.CharField())


class SavesRouters(ApiView):
    """The actions about unsaved lines; mixed into the resource of routers."""

    @extend_schema(responses=UnsavedView)
    @action(detail=True, pagination_class=None, filterset_class=None)
    def unsaved(self, _request: Request, **_id: str) -> Response:
        """What startup-config lacks as last read, by whose lines they are."""
        sync = RouterSync.objects.filter(router=self.get_object()).first()
        kept = sync.unsaved if sync is not None else {}
        ours, foreign = kept.get("ours", []), kept.get("foreign", [])
        return Response(
            {
                "ours": ours,
                "foreign": foreign,
                "since": kept.get("since", {}),
                "digest": saving.digest_of(ours, foreign),
                "read_at": sync.checked_at if sync is not None else None,
            }
        )

    @extend_schema(request=Save, responses=SavedView)
    @action(detail=True, methods=["post"], pagination_class=None, filterset_class=None)
    def save(self, request: Request, **_id: str) -> Response:
        """Save exactly the lines that were shown, after reading the router again. Sent twice, the second finds nothing to
        save; 409 when other lines are unsaved by now, a push is at work on the router, or the router does not answer or refuses.
        """
        said = read_body(request, Save)
        try:
            done = saving.save_router(actor=self.actor, router=self.get_object(), **said.validated_data)
        except DeviceError as error:
            raise Conflict(f"not saved: {error.reason}", field="router") from error
        return Response(done.to_json())
