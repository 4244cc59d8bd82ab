"""What lives: the database, the broker, the tick and the workers, as rows and two connections tell it."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from django.conf import settings
from django.db import DatabaseError, connection

from provisioning.celery import app
from provisioning.models import Heartbeat
from provisioning.selectors.workers import ages, heard_lately, silent_after, unserved

# A check must end before whoever asks gives up (a container's health check waits five seconds).
BROKER_SECONDS = 2.0


@dataclass(frozen=True, slots=True)
class Part:
    """One part of the service: whether it is as it must be, and what is known of it."""

    ok: bool
    detail: str
    figures: dict[str, Any] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        return {"ok": self.ok, "detail": self.detail, **self.figures}


def readiness() -> dict[str, Part]:
    """Every part by its name; never raises. Says no name of a host: anybody may ask."""
    parts = {"database": _database(), "broker": broker()}
    unread = Part(False, "not read: the database is away")
    parts["tick"] = parts["workers"] = unread
    if parts["database"].ok:
        with suppress(DatabaseError):
            parts |= {"tick": _tick(), "workers": _workers()}
    return parts


def broker() -> Part:
    """Whether the broker answers, if one is configured."""
    if not settings.CELERY_BROKER_URL:
        return Part(True, "none is configured: `manage.py runjobs` needs none")
    quick = {"socket_timeout": BROKER_SECONDS, "socket_connect_timeout": BROKER_SECONDS}
    asked = app.connection_for_write(transport_options=quick)
    try:
        asked.connect()
    except (*asked.connection_errors, OSError):
        return Part(False, "does not answer; workers do what is due without it")
    finally:
        asked.release()
    return Part(True, "answers")


def _database() -> Part:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
            cursor.fetchone()
    except DatabaseError:
        return Part(False, "does not answer")
    return Part(True, "answers")


def _tick() -> Part:
    last = next(iter(ages(Heartbeat.TICK)), None)
    if last is None:
        return Part(False, "there was none yet", {"age_seconds": None})
    seconds = round(max(0.0, last.age.total_seconds()), 1)  # type: ignore[attr-defined]
    late = last.age > silent_after()  # type: ignore[attr-defined]
    return Part(not late, f"the last one was {seconds} s ago", {"age_seconds": seconds})


def _workers() -> Part:
    heard = heard_lately()
    missing = unserved(heard)
    if not heard:
        detail = f"none was heard from for {settings.SILENT_SECONDS} s"
    elif missing:
        detail = f"nobody serves {', '.join(missing)}"
    else:
        detail = "every queue is served"
    return Part(not missing, detail, {"heard": len(heard), "unserved_queues": missing})
