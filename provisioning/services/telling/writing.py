"""What a message says: the same at every try, for its rows do not change any more."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.db.models import Case, IntegerField, Value, When

from provisioning.models import Message, Notification, Topic
from provisioning.pipeline.units import instant_text

LISTED = 100
"""So many notifications are written out in one message, the most urgent first; the rest are counted."""


@dataclass(frozen=True, slots=True)
class Letter:
    """What is told at once: the notifications that are written out, and how many there are of each topic."""

    shown: tuple[Notification, ...]
    counted: tuple[tuple[Topic, int], ...]

    @property
    def count(self) -> int:
        return sum(number for _topic, number in self.counted)

    @property
    def left_out(self) -> int:
        return self.count - len(self.shown)


def letter_of(message: Message) -> Letter:
    """What a message tells, the most urgent topic first, then in the order in which it happened."""
    rows = Notification.objects.filter(tellings__message=message)
    urgency = Case(
        *(When(topic=topic, then=Value(rank)) for rank, topic in enumerate(Topic)),
        output_field=IntegerField(),
    )
    found = Counter(rows.order_by().values_list("topic", flat=True))
    return Letter(
        shown=tuple(rows.order_by(urgency, "pk")[:LISTED]),
        counted=tuple((topic, found[topic]) for topic in Topic if found[topic]),
    )


def subject_of(letter: Letter) -> str:
    """One line: the title where there is one thing, else how many of what."""
    if letter.count == 1:
        return f"[Expedite] {letter.shown[0].title}"
    counted = ", ".join(f"{number} x {topic.label.lower()}" for topic, number in letter.counted)
    return f"[Expedite] {letter.count} notifications: {counted}"


def text_of(letter: Letter) -> str:
    """The body of a mail."""
    parts = [_paragraph(each) for each in letter.shown]
    if letter.left_out:
        parts.append(
            f"And {letter.left_out} more: {url_of('/notifications/') or 'see the page Notifications'}"
        )
    parts.append("-- \nSent by Expedite. It may come twice; the Message-ID is the same then.")
    return "\n\n".join(parts) + "\n"


def json_of(message: Message, letter: Letter) -> bytes:
    """The body of a POST."""
    said = {
        "id": str(message.number),
        "made_at": message.created_at.isoformat(),
        "count": letter.count,
        "left_out": letter.left_out,
        "notifications": [_as_json(each) for each in letter.shown],
    }
    return json.dumps(said, ensure_ascii=False, separators=(",", ":")).encode()


def url_of(path: str) -> str:
    """The address of a page for people; empty where SITE_URL does not say where the site is."""
    return f"{settings.SITE_URL.rstrip('/')}{path}" if settings.SITE_URL and path else ""


def _paragraph(each: Notification) -> str:
    lines: Sequence[str] = [
        f"{instant_text(each.at)}  {each.title}",
        *(f"    {line}" for line in each.text.splitlines()),
        *([f"    {url_of(each.path)}"] if url_of(each.path) else []),
    ]
    return "\n".join(lines)


def _as_json(each: Notification) -> dict[str, Any]:
    return {
        "id": each.pk,
        "topic": each.topic,
        "subject": each.subject,
        "at": each.at.isoformat(),
        "title": each.title,
        "text": each.text,
        "url": url_of(each.path),
    }
