"""A link goes, its row stays: with an interface of its own, as it was then, so that what it was on is free."""

from __future__ import annotations

from datetime import datetime

from inventory.models import AccessLink, CoreLink, Interface, Peering
from provisioning.models import LinkObjectName

Link = AccessLink | CoreLink | Peering


def ends_of(link: Link) -> dict[str, Interface]:
    """The interfaces of a link by the name of its column."""
    names = ("a_interface", "z_interface") if isinstance(link, CoreLink) else ("interface",)
    return {name: getattr(link, name) for name in names}


def part(link: Link, now: datetime) -> None:
    """Retire a link; each of its interfaces stays in use as a row, and the link keeps a retired copy of it.

    In the caller's transaction, under the locks of a version (`versions.lock_all`).
    """
    for column, interface in ends_of(link).items():
        then = Interface.every.get(pk=interface.pk)
        then.pk, then.retired_at = None, now
        then.save(force_insert=True)
        setattr(link, column, then)
    link.retired_at = now
    link.save(update_fields=["retired_at", *ends_of(link)])


def free_number(link: Link) -> None:
    """Let another edge of the router have the number of a retired one's own objects: what of them is on the router yet is owned
    there by name (`Ownership`). After the version, as the order of locks has it.
    """
    if isinstance(link, AccessLink):
        LinkObjectName.objects.filter(link=link).delete()
    elif isinstance(link, Peering):
        LinkObjectName.objects.filter(peering=link).delete()
