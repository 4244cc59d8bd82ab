"""The resource ``subscribers``: who is told what happens, by mail or webhook. Read by the NOC and auditors, set by the NOC."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from provisioning.api.choices import CHANNELS, TOPICS
from provisioning.api.fields import Strict, Text, Whole
from provisioning.api.permissions import SeesEverything
from provisioning.api.v1.base import (
    IDEMPOTENCY,
    Answered,
    ApiView,
    ReadOnly,
    create,
    deed,
    find_nren,
    read_body,
)
from provisioning.api.v1.messages import RepeatsMessages
from provisioning.api.v1.reasons import Nothing
from provisioning.models import Channel, Subscriber
from provisioning.selectors import telling as reading
from provisioning.services.telling import subscribing

_OF = {Channel.MAIL: {"address"}, Channel.WEBHOOK: {"url", "secret"}}


def _topics(**more: Any) -> serializers.ListField:
    return serializers.ListField(
        child=serializers.ChoiceField(choices=TOPICS),
        max_length=len(TOPICS),
        help_text="Empty: everything but decisions on requests.",
        **more,
    )


class SubscriberAsked(Strict):
    """A mail address (`address`), or a webhook (`url` and the `secret` that its messages are signed with)."""

    channel = serializers.ChoiceField(choices=CHANNELS)
    address = Text(max_length=254, required=False, help_text="Of a mail.")
    url = Text(
        max_length=2000, required=False, write_only=True, help_text="Of a webhook, https only; never shown."
    )
    secret = Text(
        max_length=200, required=False, write_only=True, help_text="Of a webhook; chosen by you, never shown."
    )
    topics = _topics(required=False, default=list)
    nren = Whole(
        required=False, allow_null=True, default=None, help_text="Only decisions on requests of this NREN."
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Return them; refuse what belongs to the other channel, and what is missing of this one."""
        mine = _OF[Channel(attrs["channel"])]
        other = {"address", "url", "secret"} - mine
        wrong = dict.fromkeys(other & set(attrs), f"It does not belong to a {attrs['channel']}.")
        wrong |= dict.fromkeys(mine - set(attrs), "It is missing.")
        if wrong:
            raise serializers.ValidationError(wrong)
        return attrs


class SubscriberChanged(Strict):
    """What becomes otherwise; what is not given stays. `url` and `secret` are of webhooks."""

    topics = _topics(required=False)
    url = Text(max_length=2000, required=False, write_only=True)
    secret = Text(max_length=200, required=False, write_only=True)


class SubscriberView(serializers.ModelSerializer[Subscriber]):
    """Who is told, of what, and how its messages stand; of a webhook the host alone is shown."""

    channel = serializers.ChoiceField(choices=CHANNELS)
    nren = serializers.IntegerField(source="nren_id", allow_null=True)
    sent_at = serializers.DateTimeField(allow_null=True, help_text="When it last took a message.")
    waiting = serializers.IntegerField(help_text="Messages that it has not taken yet.")
    given_up = serializers.IntegerField(
        help_text="Messages that nobody tries any more, and nobody has decided about."
    )
    error = serializers.SerializerMethodField(help_text="Why the oldest of those that wait was not taken.")

    class Meta:
        model = Subscriber
        fields = [
            "id", "channel", "address", "topics", "nren", "created_at", "sent_at", "waiting", "given_up", "error",
        ]  # fmt: skip
        read_only_fields = fields

    def get_error(self, row: Subscriber) -> str:
        """Return it; empty where nothing failed."""
        return getattr(row, "error", None) or ""


class TestView(serializers.Serializer[Any]):
    """The message that was made; whether it was taken stands in the subscriber's `sent_at`, `waiting` and `error`."""

    message = serializers.IntegerField()


class SubscriberResource(RepeatsMessages, ReadOnly):
    """Who is told what happens: mail addresses and webhooks."""

    permission_classes = (*ApiView.permission_classes, SeesEverything)
    queryset = Subscriber.objects.none()
    serializer_class = SubscriberView
    filterset_class: Any = None

    def get_queryset(self) -> QuerySet[Subscriber]:
        """Return those who are told now."""
        return reading.subscribers()

    @extend_schema(request=SubscriberAsked, responses={201: SubscriberView}, parameters=[IDEMPOTENCY])
    def create(self, request: Request) -> Response:
        """Tell a mail address or call a webhook from now on. 409 where the address is told already."""
        said = read_body(request, SubscriberAsked).validated_data
        return create(request, "subscribers", lambda: self._shown(self._added(said)))

    @extend_schema(request=SubscriberChanged, responses=SubscriberView, parameters=[IDEMPOTENCY])
    @action(detail=True, methods=["post"], pagination_class=None, filterset_class=None)
    def change(self, request: Request, **_id: str) -> Response:
        """Tell it of other topics, or call the webhook elsewhere or under another secret, from the next try on."""
        row = self.get_object()
        said = read_body(request, SubscriberChanged).validated_data

        def act() -> Answered:
            return 200, self._shown(subscribing.change(actor=self.actor, subscriber=row, **said))

        return deed(request, act)

    @extend_schema(request=Nothing, responses=TestView, parameters=[IDEMPOTENCY])
    @action(detail=True, methods=["post"], pagination_class=None, filterset_class=None)
    def test(self, request: Request, **_id: str) -> Response:
        """Send it a message that says nothing but that it is a test."""
        row = self.get_object()
        read_body(request, Nothing)
        return deed(
            request, lambda: (200, {"message": subscribing.test(actor=self.actor, subscriber=row).pk})
        )

    @extend_schema(request=Nothing, responses=SubscriberView, parameters=[IDEMPOTENCY])
    @action(detail=True, methods=["post"], pagination_class=None, filterset_class=None)
    def end(self, request: Request, **_id: str) -> Response:
        """Tell it no more; what waits for it is dropped, and it is not found afterwards."""
        read_body(request, Nothing)

        def act() -> Answered:
            # Inside: one that is ended is not found, and an answer that was given is given again all the same.
            row = self.get_object()
            shown = self._shown(row)
            subscribing.end(actor=self.actor, subscriber=row)
            return 200, shown | {"waiting": 0}

        return deed(request, act)

    def _added(self, said: dict[str, Any]) -> Subscriber:
        what = {"topics": said["topics"], "nren": find_nren(said["nren"])}
        if said["channel"] == Channel.MAIL:
            return subscribing.add_mail(actor=self.actor, address=said["address"], **what)
        made, _secret = subscribing.add_webhook(
            actor=self.actor, url=said["url"], secret=said["secret"], **what
        )
        return made

    def _shown(self, row: Subscriber) -> dict[str, Any]:
        return dict(SubscriberView(self.get_queryset().get(pk=row.pk)).data)
