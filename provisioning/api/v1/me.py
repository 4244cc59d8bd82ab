"""The resource ``me``: who speaks with this token, and what it lets them do."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema, extend_schema_serializer
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from inventory.models import Nren
from provisioning.api.choices import ROLE_NAMES, VERB_NAMES
from provisioning.api.v1.base import ApiView, asked_in_the_query
from provisioning.api.v1.reasons import Nothing
from provisioning.api.v1.tokens import TokenView
from provisioning.models import ApiToken, Verb
from provisioning.pipeline.authority import ROLES
from provisioning.selectors import tokens
from provisioning.services import clock


class OwnNren(serializers.ModelSerializer[Nren]):
    """An NREN that the token speaks for."""

    class Meta:
        model = Nren
        fields = ["id", "name"]
        read_only_fields = fields


@extend_schema_serializer(many=False)  # one object at the place of a list
class MeView(serializers.Serializer[Any]):
    """Who speaks, for whom, in which roles, and with which token."""

    user = serializers.CharField()
    roles = serializers.ListField(child=serializers.ChoiceField(choices=ROLE_NAMES))
    nrens = OwnNren(many=True)
    verbs = serializers.ListField(
        child=serializers.ChoiceField(choices=VERB_NAMES),
        help_text="What the table of authority gives these roles; a token without the scope `write` only looks.",
    )
    token = TokenView()


class MeResource(ApiView):
    """Whoever asks, as the service knows them."""

    queryset = ApiToken.objects.none()
    serializer_class = MeView
    pagination_class = None

    @extend_schema(responses=MeView)
    def list(self, request: Request) -> Response:
        """Say who speaks with this token, for which NRENs, in which roles, and when it ends."""
        return Response(asked_in_the_query(request, Nothing, lambda _nothing: self._shown(request.auth)))

    def _shown(self, using: ApiToken) -> dict[str, Any]:
        actor = self.actor
        said = {
            "user": actor.label,
            "roles": [role for role in ROLES if role in actor.roles],
            "nrens": Nren.objects.filter(pk__in=actor.nren_ids).order_by("name"),
            "verbs": [verb for verb in Verb if actor.may(verb)],
            "token": tokens.visible(actor, using.pk, using),
        }
        return dict(MeView(said, context={**self.get_serializer_context(), "now": clock.now()}).data)
