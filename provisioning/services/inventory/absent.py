"""What a network file does not mention: reported, and kept."""

from __future__ import annotations

from inventory.models import (
    AccessLink,
    CoreLink,
    Domain,
    Interface,
    LineCard,
    Nren,
    Peering,
    Pop,
    Prefix,
    Router,
)
from provisioning.services.inventory.rows import RowBook


def report_absent(book: RowBook, domain: Domain) -> None:
    """Report every row of the domain that was not put."""
    book.absent("NREN", Nren.objects.filter(domain=domain))
    book.absent("prefix", Prefix.objects.filter(nren__domain=domain).select_related("nren"))
    book.absent("PoP", Pop.objects.filter(domain=domain))
    book.absent("router", Router.objects.filter(domain=domain))
    book.absent("line card", LineCard.objects.filter(router__domain=domain).select_related("router"))
    book.absent("interface", Interface.objects.filter(router__domain=domain).select_related("router"))
    book.absent("access link", AccessLink.objects.filter(nren__domain=domain))
    book.absent("core link", CoreLink.objects.filter(domain=domain))
    book.absent("peering", Peering.objects.filter(domain=domain))
