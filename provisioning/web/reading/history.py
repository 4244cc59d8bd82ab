"""The audit trail as a person may read it."""

from __future__ import annotations

from collections.abc import Iterable

from django.core.paginator import Page, Paginator
from django.db.models import Model, Q, QuerySet

from provisioning.errors import NotVisible
from provisioning.models import Actor, AuditEvent


def visible_events(actor: Actor) -> QuerySet[AuditEvent]:
    """Return all events for the NOC and auditors, none for others (they read the history of their own requests)."""
    return AuditEvent.objects.all() if actor.sees_everything else AuditEvent.objects.none()


def events_of(sequence: int, actor: Actor) -> AuditEvent:
    """Return one event by its number in the chain; raises NotVisible."""
    found = visible_events(actor).filter(sequence=sequence).first()
    if found is None:
        raise NotVisible("There is no such audit event.")
    return found


PER_PAGE = 100


def page_of_events(actor: Actor, number: str, *subjects: tuple[type[Model], object]) -> Page[AuditEvent]:
    """Return one page of `events_about`; a number that is none shows the first page, one that is too large the last."""
    return Paginator(_about(actor, subjects), PER_PAGE).get_page(number)


def events_about(actor: Actor, *subjects: tuple[type[Model], object]) -> list[AuditEvent]:
    """Return the events about rows given as (model, primary key), oldest first.

    The caller has checked that the rows are visible; people of an NREN still see only the events that name it.
    """
    return list(_about(actor, subjects))


def _about(
    actor: Actor, subjects: Iterable[tuple[type[Model], object]]
) -> QuerySet[AuditEvent] | list[AuditEvent]:
    named: dict[str, list[str]] = {}
    for model, pk in subjects:
        named.setdefault(str(model._meta.object_name), []).append(str(pk))
    chosen = Q(pk__in=[])
    for name, keys in named.items():
        chosen |= Q(object_type=name, object_id__in=keys)
    found = AuditEvent.objects.filter(chosen).order_by("sequence")
    if actor.sees_everything:
        return found
    return [event for event in found if actor.nren_ids & set(event.nren_ids)]
