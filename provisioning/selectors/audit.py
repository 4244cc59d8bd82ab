"""The audit trail as people may see it."""

from __future__ import annotations

from django.db.models import CharField, QuerySet
from django.db.models.functions import Cast

from provisioning.models import Actor, AuditEvent
from provisioning.selectors import requests


def for_actor(actor: Actor) -> QuerySet[AuditEvent]:
    """Return the events `actor` may see, newest first: all of them, or those about requests it may see.

    Both NRENs of a request see what happened to it; nothing else of the trail is an NREN's.
    """
    events = AuditEvent.objects.order_by("-sequence")
    if actor.sees_everything:
        return events
    seen = requests.for_actor(actor).order_by().select_related(None)
    keys = seen.annotate(key=Cast("pk", CharField())).values("key")
    return events.filter(object_type="PremiumRequest", object_id__in=keys)
