"""Views of lists, kept under a name: made, edited over what was read and over nothing else, deleted, and chosen."""

from __future__ import annotations

from typing import Final

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction

from provisioning.errors import Conflict, InvalidInput, NotAsRead, NotVisible
from provisioning.models import Actor, ChosenView, SavedView, Verb
from provisioning.pipeline.units import instant_text
from provisioning.selectors.authority import permit_named
from provisioning.selectors.saved_views import may_edit, visible
from provisioning.services import clock
from provisioning.services.locking import locked
from provisioning.services.wording import one_line

LONGEST_NAME: Final = 60
LONGEST_QUERY: Final = 4000
MOST: Final = 50
"""Views of a list that one person keeps."""


class ViewChanged(NotAsRead):
    """Somebody else edited a view since it was read: ``edition`` is what there is now."""


def keep(*, actor: Actor, page: str, name: str, query: str, shared: bool = False) -> SavedView:
    """Keep what a list shows under a name.

    Raises NotPermitted where it is to be shared by who may not, InvalidInput for a name or an address that is too long,
    Conflict where the name is taken or there are too many already.
    """
    owner = _owner(actor)
    if shared:
        permit_named(actor, Verb.NOTIFY)
    name = one_line(name, field="name", longest=LONGEST_NAME)
    with transaction.atomic():
        _meet(owner)
        if SavedView.objects.filter(owner=owner, page=page).count() >= MOST:
            raise Conflict(f"You keep {MOST} views of this list: delete one first.")
        return _written(
            SavedView(owner_id=owner, page=page, name=name, query=_query(query), shared=shared), owner
        )


def edit(
    *, actor: Actor, view: int, edition: int, name: str, shared: bool, query: str | None = None
) -> SavedView:
    """Give a view another name, another address (None: the same), or let others see it or no more.

    Raises NotVisible for one that is not there, NotPermitted for what is another's, ViewChanged where it is another
    ``edition`` by now, and as `keep` does.
    """
    person = _owner(actor)
    name = one_line(name, field="name", longest=LONGEST_NAME)
    with transaction.atomic():
        row = _read(actor, view, edition)
        if shared or row.shared:
            permit_named(actor, Verb.NOTIFY)
        row.name, row.shared, row.edition = name, shared, row.edition + 1
        if query is not None:
            row.query = _query(query)
        _written(row, person)
        if not shared:  # nobody else's list opens with what they cannot see
            ChosenView.objects.filter(view=row).exclude(user=row.owner_id).delete()
    return row


def remove(*, actor: Actor, view: int, edition: int) -> None:
    """Delete a view; lists that opened with it show everything. Raises as `edit` does."""
    with transaction.atomic():
        _read(actor, view, edition).delete()


def choose(*, actor: Actor, page: str, view: int | None) -> None:
    """Let a list open with a view for this person; with all of it where None. Raises NotVisible for one that is not there."""
    person = _owner(actor)
    with transaction.atomic():
        _meet(person)
        ChosenView.objects.filter(user=person, page=page).delete()
        if view is None:
            return
        row = locked(visible(actor).filter(pk=view, page=page)).first()
        if row is None:
            raise NotVisible("There is no such view.")
        ChosenView.objects.create(user_id=person, page=page, view=row)


def _owner(actor: Actor) -> int:
    if actor.user_id is None:
        raise InvalidInput("a view is kept by somebody who signs in", field="owner")
    return actor.user_id


def _meet(person: int) -> None:
    """Whoever keeps or chooses in two windows at once does so one after the other."""
    list(locked(User.objects.filter(pk=person)))


def _read(actor: Actor, view: int, edition: int) -> SavedView:
    row = locked(visible(actor).filter(pk=view)).first()
    if row is None:
        raise NotVisible("There is no such view; somebody may have deleted it.")
    if not may_edit(actor, row):
        permit_named(actor, Verb.NOTIFY)
        raise NotVisible("There is no such view.")
    if row.edition != edition:
        raise ViewChanged(
            f"“{row.name}” is not what you read any more: {row.edited_by or 'somebody'} edited it at "
            f"{instant_text(row.edited_at)}.",
            edition=row.edition,
        )
    return row


def _query(text: str) -> str:
    if len(text) > LONGEST_QUERY:
        raise InvalidInput(f"at most {LONGEST_QUERY} characters of address are kept", field="query")
    return text


def _written(row: SavedView, by: int) -> SavedView:
    row.edited_by_id, row.edited_at = by, clock.now()
    try:
        with transaction.atomic():
            row.save()
    except IntegrityError as error:
        whose = "shared view of this list" if row.shared else "view of yours of this list"
        raise Conflict(f"Another {whose} is called “{row.name}”: choose another name.") from error
    return row
