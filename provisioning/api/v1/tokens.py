"""The resource ``tokens``: those one sees, and issuing, rotating and revoking them; a text is answered once and never again."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.contrib.auth.models import User
from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from provisioning.api.choices import TOKEN_SCOPES, TOKEN_STATES
from provisioning.api.fields import Instant, Strict, Text, Whole
from provisioning.api.v1.base import IDEMPOTENCY, Answered, ReadOnly, create, deed, find_nren, read_body
from provisioning.api.v1.filters import TokenFilters
from provisioning.api.v1.reasons import Why
from provisioning.errors import InvalidInput, NotPermitted
from provisioning.models import ApiToken, Verb
from provisioning.selectors import tokens as selecting
from provisioning.services import clock, tokens

_SECRET = ("text",)
_HOURS = tokens.LONGEST_OVERLAP // timedelta(hours=1)


class TokenAsked(Strict):
    """A token to be issued. What is left out is as it is of the token that asks; none of it can be wider."""

    name = Text(max_length=100, help_text="What it is called, such as what uses it.")
    user = Text(
        max_length=150,
        required=False,
        help_text="Whose it is; of somebody else where an administrator asks.",
    )
    nren = Whole(
        required=False, allow_null=True, help_text="The NREN it speaks for alone; null: all that its user is."
    )
    scopes = serializers.ListField(
        child=serializers.ChoiceField(choices=TOKEN_SCOPES), required=False, min_length=1, max_length=2
    )
    expires_at = Instant(required=False, allow_null=True, help_text="null: it does not expire.")
    allowed_networks = serializers.ListField(
        child=Text(max_length=50),
        required=False,
        max_length=50,
        help_text="In CIDR form; empty: from anywhere.",
    )


class TokenRotated(Why):
    """Why it gets another secret, and for how many hours the old one still works."""

    overlap_hours = Whole(required=False, default=0, min_value=0, max_value=_HOURS)
    lost = Whole(
        required=False,
        allow_null=True,
        default=None,
        min_value=1,
        max_value=10**15,
        help_text="Where it was rotated before and the text never arrived: the id of what took its place, which is revoked.",
    )


class TokenView(serializers.ModelSerializer[ApiToken]):
    """One token without its text. ``prefix`` is the public part, `exp_PREFIX_...`."""

    user = serializers.CharField(source="user.username")
    nren = serializers.IntegerField(source="nren_id", allow_null=True)
    issued_by = serializers.CharField(
        source="issued_by.username", default=None, allow_null=True, help_text="null: nobody who gave a name."
    )
    state = serializers.SerializerMethodField()
    scopes = serializers.ListField(child=serializers.ChoiceField(choices=TOKEN_SCOPES))
    allowed_networks = serializers.ListField(child=serializers.CharField())
    replaces = serializers.IntegerField(
        source="replaces_id", allow_null=True, help_text="The token that was rotated when this one was made."
    )
    issued_with = serializers.IntegerField(
        source="issued_with_id", allow_null=True, help_text="The token that issued it, and that it ends with."
    )

    class Meta:
        model = ApiToken
        fields = [
            "id", "prefix", "name", "user", "nren", "issued_by", "state", "scopes", "allowed_networks", "created_at",
            "expires_at", "revoked_at", "last_used_at", "replaces", "issued_with",
        ]  # fmt: skip
        read_only_fields = fields

    @extend_schema_field(serializers.ChoiceField(choices=TOKEN_STATES))
    def get_state(self, row: ApiToken) -> str:
        """Return how it stands at this moment."""
        return selecting.state_of(row, self.context["now"]).value


class TokenIssued(TokenView):
    """A token and its text: this once. Under a repeated Idempotency-Key the text is null: it is not kept."""

    text = serializers.CharField(allow_null=True, default=None)

    class Meta(TokenView.Meta):
        fields = [*TokenView.Meta.fields, "text"]
        read_only_fields = fields


class TokenResource(ReadOnly):
    """Tokens of one's own; of everybody for an administrator."""

    queryset = ApiToken.objects.none()
    serializer_class = TokenView
    filterset_class: Any = TokenFilters

    @property
    def using(self) -> ApiToken:
        """Return the token that asks."""
        assert isinstance(self.request.auth, ApiToken), "views let only tokens in"
        return self.request.auth

    def get_queryset(self) -> QuerySet[ApiToken]:
        """Return those the token may see, the newest first."""
        return selecting.for_actor(self.actor, self.using)

    def get_serializer_context(self) -> dict[str, Any]:
        """Return the context with the moment of the answer: the database's clock is asked once, not for each row."""
        return super().get_serializer_context() | {"now": clock.now()}

    @extend_schema(request=TokenAsked, responses={201: TokenIssued}, parameters=[IDEMPOTENCY])
    def create(self, request: Request) -> Response:
        """Issue a token no wider than the one that asks; its text is in this answer only."""
        said = read_body(request, TokenAsked).validated_data

        def act() -> dict[str, Any]:
            return self._issued(
                *tokens.issue(
                    actor=self.actor,
                    user=self._user(said.get("user")),
                    nren=find_nren(said["nren"]) if "nren" in said else self.using.nren,
                    name=said["name"],
                    scopes=said.get("scopes", self.using.scopes),
                    expires_at=said["expires_at"] if "expires_at" in said else tokens.end_like(self.using),
                    allowed_networks=said.get("allowed_networks", self.using.allowed_networks),
                    using=self.using,
                )
            )

        return create(request, "tokens", act, secret=_SECRET)

    @extend_schema(request=TokenRotated, responses={201: TokenIssued}, parameters=[IDEMPOTENCY])
    @action(detail=True, methods=["post"], pagination_class=None, filterset_class=None)
    def rotate(self, request: Request, **_id: str) -> Response:
        """Put a new token in the place of the one that asks, its text in this answer only; the old one ends.

        Where that answer never arrived and the old one still works, rotate it again and name as `lost` what took its place.
        """
        row = self.get_object()
        said = read_body(request, TokenRotated).validated_data

        def act() -> dict[str, Any]:
            return self._issued(
                *tokens.rotate(
                    actor=self.actor,
                    token=row,
                    reason=said["reason"],
                    overlap=timedelta(hours=said["overlap_hours"]),
                    lost=said["lost"],
                    using=self.using,
                )
            )

        return create(request, "tokens", act, secret=_SECRET)

    @extend_schema(request=Why, responses=TokenView, parameters=[IDEMPOTENCY])
    @action(detail=True, methods=["post"], pagination_class=None, filterset_class=None)
    def revoke(self, request: Request, **_id: str) -> Response:
        """End a token now, with all that it issued. One that is revoked already stays so."""
        row = self.get_object()
        said = read_body(request, Why).validated_data

        def act() -> Answered:
            tokens.revoke(actor=self.actor, token=row, using=self.using, **said)
            shown = TokenView(self.get_queryset().get(pk=row.pk), context=self.get_serializer_context())
            return 200, dict(shown.data)

        return deed(request, act)

    def _issued(self, token: ApiToken, text: str) -> dict[str, Any]:
        row = selecting.visible(self.actor, token.pk)
        return dict(TokenIssued(row, context=self.get_serializer_context()).data) | {"text": text}

    def _user(self, username: str | None) -> User:
        """The one named; who may not issue for others is told so whether or not there is such a user."""
        if username is None or username == self.using.user.get_username():
            return self.using.user
        if not selecting.of_everybody(self.actor):
            raise NotPermitted(Verb.TOKENS.row.refusal_with)
        found = User.objects.filter(username=username).first()
        if found is None:
            raise InvalidInput("there is no such user", field="user")
        return found
