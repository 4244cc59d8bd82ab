"""What a subscriber was sent, and having it sent again; mixed into the resource ``subscribers``."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from provisioning.api.choices import MESSAGE_STATES, TOPICS_SENT
from provisioning.api.fields import Instant, Strict
from provisioning.api.v1.base import IDEMPOTENCY, Answered, ApiView, deed, read_body
from provisioning.api.v1.filters import MessageFilters
from provisioning.models import Message, Topic
from provisioning.selectors import telling as reading
from provisioning.services.telling import replaying


class MessageView(serializers.ModelSerializer[Message]):
    """One mail or POST, how it went, and what it tells of."""

    state = serializers.ChoiceField(choices=MESSAGE_STATES)
    made_at = serializers.DateTimeField(source="created_at")
    finished_at = serializers.DateTimeField(
        allow_null=True,
        help_text="When it was taken, given up or dropped last; null where it never was.",
    )
    error = serializers.CharField(help_text="Why the last try failed; empty where it did not.")
    sent_again = serializers.SerializerMethodField(
        help_text="It waits because somebody has it sent again, after those before it."
    )
    notifications = serializers.SerializerMethodField(help_text="How many things it tells of.")
    topics = serializers.SerializerMethodField(help_text="What they are about, the most urgent first.")

    class Meta:
        model = Message
        fields = [
            "id", "number", "state", "attempts", "made_at", "finished_at", "error", "sent_again", "notifications", "topics",
        ]  # fmt: skip
        read_only_fields = fields

    def get_sent_again(self, row: Message) -> bool:
        """Return whether it waits for that."""
        return bool(row.before_replay)

    def get_notifications(self, row: Message) -> int:
        """Return how many."""
        return sum(self._topics(row).values())

    @extend_schema_field(serializers.ListField(child=serializers.ChoiceField(choices=TOPICS_SENT)))
    def get_topics(self, row: Message) -> list[str]:
        """Return them."""
        return [topic.value for topic in self._topics(row)]

    def _topics(self, row: Message) -> dict[Topic, int]:
        found: dict[Topic, int] = self.context["topics"][row.pk]
        return found


class ReplayAsked(Strict):
    """Which messages: those that were made from `since` on, before `until`."""

    since = Instant()
    until = Instant(required=False, allow_null=True, default=None, help_text="Null: until now.")


class ReplayView(serializers.Serializer[Any]):
    """How many messages are sent again, and how many of that time wait anyhow and are left to that."""

    messages = serializers.IntegerField()
    waiting = serializers.IntegerField()


class RepeatsMessages(ApiView):
    """The actions about messages of a subscriber."""

    @extend_schema(responses=MessageView(many=True))
    @action(detail=True, filterset_class=MessageFilters)
    def messages(self, _request: Request, **_id: str) -> Response:
        """What it was sent, the newest first: each message with its state and what it tells of."""
        page = self.page_of(reading.messages_of(self.get_object()))
        context = self.get_serializer_context() | {"topics": reading.topics_of([row.pk for row in page])}
        return self.get_paginated_response(MessageView(page, many=True, context=context).data)

    @extend_schema(request=ReplayAsked, responses=ReplayView, parameters=[IDEMPOTENCY])
    @action(detail=True, methods=["post"], pagination_class=None, filterset_class=None)
    def replay(self, request: Request, **_id: str) -> Response:
        """Send it again what it was sent in that time: the same messages under the same `id`, signed anew, the oldest first.

        What waits is left as it is. More than 1,000 are refused (400): ask for them in parts.
        """
        row = self.get_object()
        said = read_body(request, ReplayAsked).validated_data

        def act() -> Answered:
            return 200, asdict(replaying.replay(actor=self.actor, subscriber=row, **said))

        return deed(request, act)
