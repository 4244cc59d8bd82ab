"""A chassis that was replaced: the NOC takes the serial that answered."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from inventory.models import Router
from provisioning.api.fields import Strict, Text
from provisioning.api.v1.base import IDEMPOTENCY, Answered, ApiView, deed, read_body
from provisioning.api.v1.representations import RouterView
from provisioning.errors import NotVisible
from provisioning.services import chassis


class NewChassis(Strict):
    """The serial of the new chassis, as who has seen it gives it, and why it is there."""

    serial = Text(max_length=64)
    reason = Text(max_length=2000)


class HasChassis(ApiView):
    """The action about the chassis of a router; mixed into its resource."""

    @extend_schema(request=NewChassis, responses=RouterView, parameters=[IDEMPOTENCY])
    @action(detail=True, methods=["post"], url_path="chassis", pagination_class=None, filterset_class=None)
    def chassis_replaced(self, request: Request, pk: str) -> Response:
        """Its chassis was replaced: take the serial that answered (`said_otherwise`). 409 when none did, 400 for another one."""
        given = read_body(request, NewChassis)

        def act() -> Answered:
            router = Router.objects.filter(pk=int(pk)).first()
            if router is None:
                raise NotVisible("There is no such router.")
            chassis.accept(actor=self.actor, router=router, **given.validated_data)
            return 200, dict(RouterView(Router.objects.select_related("pop", "sync").get(pk=router.pk)).data)

        return deed(request, act)
