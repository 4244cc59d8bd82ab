"""The tables of what was told, and of the messages in which one was told it."""

from __future__ import annotations

from collections.abc import Mapping

import django_tables2
from django.utils.html import format_html
from django.utils.safestring import SafeString

from provisioning.models import Message, MessageState, Notification, Topic
from provisioning.web.listing import Listing
from provisioning.web.tables.cells import NUMBER, AtColumn


class NotificationTable(Listing):
    """Notifications, newest first."""

    empty_title = "Nothing yet."
    empty_next = "What goes wrong with a push or on a router, and every decision, is noted here and told to who is listed above."
    empty_icon = "send"

    at = AtColumn(verbose_name="When (UTC)")
    topic = django_tables2.Column(verbose_name="What")
    title = django_tables2.Column(verbose_name="Notification", orderable=False)
    told = django_tables2.Column(verbose_name="Told to", attrs=NUMBER)

    class Meta(Listing.Meta):
        model = Notification
        fields = ("at", "topic", "title", "told")
        order_by = ("-at",)

    def render_title(self, value: str, record: Notification) -> SafeString:
        to = f" (for {record.nren.name})" if record.nren else ""
        # The path is an address of this site, made by ourselves.
        return (
            format_html('<a href="{}">{}</a>{}', record.path, value, to)
            if record.path
            else format_html("{}{}", value, to)
        )


_STATES = {
    MessageState.WAITING: "info",
    MessageState.SENT: "good",
    MessageState.GIVEN_UP: "bad",
    MessageState.DROPPED: "",
}


class MessageTable(Listing):
    """Messages to one subscriber, newest first; ``topics`` are those of the rows that are shown, by key."""

    empty_title = "Nothing yet."
    empty_next = "Send it a test, or wait until something happens."
    empty_icon = "send"

    created_at = AtColumn(verbose_name="Made (UTC)")
    state = django_tables2.Column(verbose_name="State", orderable=False)
    tells = django_tables2.Column(verbose_name="What it tells", empty_values=(), orderable=False)
    attempts = django_tables2.Column(verbose_name="Tries", attrs=NUMBER, orderable=False)
    finished_at = AtColumn(verbose_name="Ended (UTC)", orderable=False)
    error = django_tables2.Column(verbose_name="Why not", orderable=False)

    class Meta(Listing.Meta):
        model = Message
        fields = ("created_at", "state", "tells", "attempts", "finished_at", "error")
        order_by = ()

    topics: Mapping[int, Mapping[Topic, int]] = {}

    def render_state(self, record: Message) -> SafeString:
        again = ", again" if record.before_replay else ""
        return format_html(
            '<span class="tag {}">{}{}</span>',
            _STATES[MessageState(record.state)],
            record.get_state_display(),
            again,
        )

    def render_tells(self, record: Message) -> str:
        found = self.topics.get(record.pk, {})
        return ", ".join(f"{number} x {topic.label.lower()}" for topic, number in found.items()) or "-"
