"""What was done alone by break-glass: what stands, and who may acknowledge it."""

from __future__ import annotations

from django.db.models import Q, QuerySet

from provisioning.errors import NotVisible
from provisioning.models import Actor, BreakGlass, Verb
from provisioning.selectors.authority import people_of


def rows() -> QuerySet[BreakGlass]:
    """All of them, the newest first, with what they are about."""
    return BreakGlass.objects.select_related("user", "acknowledged_by", "request", "series", "change")


def standing() -> QuerySet[BreakGlass]:
    """Those that nobody has acknowledged yet."""
    return rows().filter(acknowledged_at=None)


def for_actor(actor: Actor) -> QuerySet[BreakGlass]:
    """Those the actor may see: of an NREN's, about what it sends or receives, and about changes that carry its requests."""
    if actor.sees_everything:
        return rows()
    ours = Q()
    for path in ("request", "series", "change__requests"):
        ours |= Q(**{f"{path}__nren__in": actor.nren_ids}) | Q(
            **{f"{path}__receiving_nren__in": actor.nren_ids}
        )
    return rows().filter(ours).distinct()


def visible(actor: Actor, pk: int) -> BreakGlass:
    """The one with that key; raises NotVisible alike for "there is none" and "it is not yours to see"."""
    found = for_actor(actor).filter(pk=pk).first()
    if found is None:
        raise NotVisible("There is no such break-glass, or it is not yours to see.")
    return found


def may_acknowledge(actor: Actor, row: BreakGlass) -> bool:
    """Whether this person may acknowledge it: somebody else of the NOC, while it stands."""
    return actor.may(Verb.ACKNOWLEDGE) and row.acknowledged_at is None and row.user_id not in people_of(actor)
