"""Noting that something has to be told: a row in the transaction of what happened, and nothing else."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from django.db import connection
from django.db.models.functions import Now

from provisioning.models import Notification, Topic

LONGEST_TITLE = 300
LONGEST_TEXT = 2000


@dataclass(frozen=True, slots=True)
class Note:
    """One thing to be told. ``subject`` tells it from others of its topic, ``path`` is where a person looks at it."""

    topic: Topic
    subject: str
    title: str
    text: str = ""
    path: str = ""
    nren_id: int | None = None


def note(*notes: Note) -> None:
    """Have these told. What is noted already and not over is told once; in one statement, inside a transaction."""
    if not connection.in_atomic_block:
        raise RuntimeError("what is to be told belongs to the transaction of what happened")
    if notes:
        Notification.objects.bulk_create([_row(each) for each in notes], ignore_conflicts=True)


def over(topics: Topic | Collection[Topic], subjects: Collection[str]) -> None:
    """Say that this lasts no longer: when it comes again it is told again."""
    chosen = [topics] if isinstance(topics, Topic) else list(topics)
    ended = Notification.objects.filter(topic__in=chosen, subject__in=list(subjects), over_at=None)
    ended.update(over_at=Now())


def _row(each: Note) -> Notification:
    return Notification(
        topic=each.topic,
        subject=each.subject[:200],
        at=Now(),
        title=plain_line(each.title)[:LONGEST_TITLE],
        text="\n".join(_lines(each.text))[:LONGEST_TEXT],
        path=each.path,
        nren_id=each.nren_id,
    )


def plain_line(text: str) -> str:
    """The text on one line, without what nobody sees: it may become the subject of a mail."""
    return " ".join("".join(each if each.isprintable() else " " for each in text).split())


def _lines(text: str) -> Iterable[str]:
    """What a router said may hold anything: each line as people see it."""
    return (plain_line(line) for line in text.splitlines())
