"""Who makes a version of the network locks its domain, then its links: in the order in which everybody locks them."""

from __future__ import annotations

from inventory.models import AccessLink, CoreLink, Domain, Peering
from provisioning.services.locking import locked


def lock_domain(domain: str) -> None:
    """Lock the domain of this name alone, if there is one: whatever makes a version waits, and who decides does not."""
    list(locked(Domain.objects.filter(name=domain)).values_list("pk"))


def lock_links_of(domain: str) -> None:
    """Lock its links, after the domain: nobody decides."""
    for rows in (
        AccessLink.objects.filter(nren__domain__name=domain),
        CoreLink.objects.filter(domain__name=domain),
        Peering.objects.filter(domain__name=domain),
    ):
        list(locked(rows.order_by("pk")).values_list("pk"))
