"""The saved views of a list that somebody sees: their own, and those that are shared."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Exists, OuterRef, Q, QuerySet

from provisioning.models import Actor, ChosenView, SavedView, Verb


@dataclass(frozen=True)
class Tab:
    """A view as the list shows it; ``opens``: the list opens with it for this person."""

    view: SavedView
    opens: bool


def visible(actor: Actor) -> QuerySet[SavedView]:
    """Return what this person may open: whoever has no account of their own sees none."""
    if actor.user_id is None:
        return SavedView.objects.none()
    return SavedView.objects.filter(Q(owner=actor.user_id) | Q(shared=True))


def tabs(actor: Actor, page: str) -> list[Tab]:
    """Return the views of a list by name, their own before what is shared. One query."""
    chosen = ChosenView.objects.filter(user=actor.user_id, view=OuterRef("pk"))
    rows = visible(actor).filter(page=page).annotate(opens=Exists(chosen))
    return [Tab(row, row.opens) for row in rows.order_by("shared", "name", "pk")]


def may_edit(actor: Actor, view: SavedView) -> bool:
    """Whether this person may edit or delete a view: their own; what is shared whoever may say what others are shown."""
    return actor.may(Verb.NOTIFY) if view.shared else view.owner_id == actor.user_id
