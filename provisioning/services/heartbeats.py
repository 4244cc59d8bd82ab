"""A sign of life, as a row: what `/readyz` and `/metrics` know of the processes that are not asked themselves.

One row for each process and one for the tick; a process that ends in order takes its row away, what was killed leaves
one that is removed a day later. So there are no more rows than processes were started in a day.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import F
from django.db.models.functions import Now

from provisioning.models import Heartbeat
from provisioning.services.leases import from_now

FORGOTTEN_AFTER = timedelta(days=1)
_SENDING = "push"


def interval() -> float:
    """Seconds between two signs of life: several fit into the time after which a process counts as gone."""
    return float(settings.SILENT_SECONDS) / 6


def ticked() -> None:
    """A tick is through, of a process that sends or of one that does not (PUSH_ENABLED)."""
    _heard(Heartbeat.TICK, "", _SENDING if settings.PUSH_ENABLED else "")


def ticked_within(seconds: float) -> bool:
    """Whether a tick of any process went through so lately that did all that one of this process would do."""
    lately = Heartbeat.objects.filter(kind=Heartbeat.TICK, heard_at__gt=from_now(-seconds))
    return (lately.filter(queues=_SENDING) if settings.PUSH_ENABLED else lately).exists()


def heard(name: str, queues: Iterable[str]) -> None:
    """A worker of these queues lives and takes work."""
    _heard(Heartbeat.WORKER, name, ",".join(queues))


def ended(name: str) -> None:
    """A worker ends in order: it is not missed."""
    Heartbeat.objects.filter(kind=Heartbeat.WORKER, name=name[:120]).delete()


def _heard(kind: str, name: str, queues: str) -> None:
    known = Heartbeat.objects.filter(kind=kind, name=name[:120])
    if known.update(heard_at=Now(), beats=F("beats") + 1, queues=queues[:80]):
        return
    with transaction.atomic():
        Heartbeat.objects.filter(heard_at__lt=from_now(-FORGOTTEN_AFTER.total_seconds())).delete()
        Heartbeat.objects.bulk_create(
            [
                Heartbeat(
                    kind=kind, name=name[:120], queues=queues[:80], started_at=Now(), heard_at=Now(), beats=1
                )
            ],
            ignore_conflicts=True,
        )
