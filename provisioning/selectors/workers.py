"""Whether anybody does the work that waits: signs of life as rows, and what to start where there is none."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta

from django.conf import settings
from django.db.models import DurationField, ExpressionWrapper, F
from django.db.models.functions import Now

from provisioning.models import Heartbeat

QUEUES = ("tick", "read", "push", "tell")
"""Those that some worker has to serve (`services.jobs.queues`)."""
SENDING = ("tick", "read", "push")
"""Those without which a change that was let go is not brought to its end; without `push` it is planned all the same."""
PLANNING = ("read",)


def ages(kind: str) -> list[Heartbeat]:
    """The rows of a kind, each with its `age` by the database's clock, those heard from last first."""
    age = ExpressionWrapper(Now() - F("heard_at"), output_field=DurationField())
    return list(Heartbeat.objects.filter(kind=kind).annotate(age=age).order_by("-heard_at")[:1000])


def silent_after() -> timedelta:
    return timedelta(seconds=settings.SILENT_SECONDS)


def heard_lately() -> list[Heartbeat]:
    """The workers that gave a sign of life before they count as gone."""
    return [row for row in ages(Heartbeat.WORKER) if row.age <= silent_after()]  # type: ignore[attr-defined]


def unserved(heard: Iterable[Heartbeat], queues: tuple[str, ...] = QUEUES) -> list[str]:
    """Those of these queues that none of these workers serves."""
    served = {queue for row in heard for queue in row.queues.split(",")}
    return [queue for queue in queues if queue not in served]


def no_work(queues: tuple[str, ...] = QUEUES) -> tuple[str, str] | None:
    """Why nothing goes on that these queues do, and what to start, a sentence each; None: somebody serves each of them.

    One query, whatever is asked.
    """
    heard = heard_lately()
    missing = unserved(heard, queues)
    if not missing:
        return None
    whom = f" of {', '.join(missing)}" if heard else ""
    return f"No worker{whom} was heard from for {settings.SILENT_SECONDS} s: nothing goes on.", _start(
        missing
    )


def why_no_work(queues: tuple[str, ...] = QUEUES) -> str:
    """As `no_work`, in one line; empty where somebody serves each of them."""
    return " ".join(no_work(queues) or ())


def _start(missing: list[str]) -> str:
    """What to start: where there is a broker a worker of Celery, else the one process that needs none."""
    if not settings.CELERY_BROKER_URL:
        return "Start one: manage.py runjobs (as a service: systemctl start expedite-runjobs)."
    return f"Start one: celery -A provisioning.celery worker --queues {','.join(missing)} (runjobs does its work, too)."
