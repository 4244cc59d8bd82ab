"""The audit trail as people may see it."""

from __future__ import annotations

from django.db import connection
from django.db.models import CharField, Q, QuerySet
from django.db.models.functions import Cast

from provisioning.models import Actor, AuditEvent
from provisioning.selectors import remarks, requests


def for_actor(actor: Actor) -> QuerySet[AuditEvent]:
    """Return the events `actor` may see, newest first: all of them, or those about requests it may see.

    Both NRENs of a request see what happened to it, the one that sends what was said about it, too; nothing else of the trail is
    an NREN's.
    """
    events = AuditEvent.objects.order_by("-sequence")
    if actor.sees_everything:
        return events
    seen = requests.for_actor(actor).order_by().select_related(None).annotate(key=Cast("pk", CharField()))
    own = seen.filter(nren_id__in=actor.nren_ids)
    said = Q(action__in=remarks.ACTIONS)
    return events.filter(
        ~said | Q(object_id__in=own.values("key")),
        object_type="PremiumRequest",
        object_id__in=seen.values("key"),
    )


def kinds_of_subjects() -> list[str]:
    """Return the kinds of things that events are about, sorted; one look into an index for each and none at the events."""
    with connection.cursor() as cursor:
        cursor.execute(
            """
            WITH RECURSIVE kinds(name) AS (
                SELECT min(object_type) FROM provisioning_auditevent
                UNION ALL
                SELECT (SELECT min(object_type) FROM provisioning_auditevent WHERE object_type > kinds.name)
                FROM kinds WHERE kinds.name IS NOT NULL
            )
            SELECT name FROM kinds WHERE name IS NOT NULL
            """
        )
        return [name for (name,) in cursor.fetchall()]
