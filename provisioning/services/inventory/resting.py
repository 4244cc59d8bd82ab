"""Which reservations rest on a link that an import changes: a person should know, the import goes on."""

from __future__ import annotations

from django.db.models import Count

from inventory.readers.entries import InterfaceEntry, NetworkFile
from provisioning.models import LedgerEntry
from provisioning.services.inventory.rows import RowBook

_LINK_FIELDS = frozenset({"case", "standing", "metric"})
_RATE_FIELDS = frozenset({"line_rate_bps", "bw_bps", "usable_bps", "pvc"})


def note_reservations(book: RowBook, network: NetworkFile) -> None:
    """Add a remark to each changed link that reservations in force (or held) are charged to."""
    links: list[tuple[str, str, tuple[InterfaceEntry, ...]]] = [
        ("access link", link.name, (link.interface,)) for link in network.access_links
    ]
    links += [("core link", link.name, (link.a, link.z)) for link in network.core_links]
    links += [("peering", peering.name, (peering.interface,)) for peering in network.peerings]
    found = []
    for kind, name, interfaces in links:
        changed = book.changed_fields(kind, name) & _LINK_FIELDS
        for interface in interfaces:
            changed |= book.changed_fields("interface", interface.label) & _RATE_FIELDS
        if changed:
            found.append((kind, name, ", ".join(sorted(changed))))
    rows = LedgerEntry.objects.filter(link__in=[name for _, name, _ in found], released_at__isnull=True)
    charges = dict(rows.order_by().values_list("link").annotate(Count("pk"))) if found else {}
    for kind, name, fields in found:
        if name in charges:
            book.remark(
                kind,
                name,
                f"{name} carries {charges[name]} charge(s) of reservations, which were admitted before this change "
                f"of {fields}: check them against the new capacity and plan its router again",
            )
