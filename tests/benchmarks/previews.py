"""What the NOC is shown before it edits, retires or imports a row: a form that is sent, and what would come of it."""

from __future__ import annotations

from django.test import Client

from inventory.models import AccessLink, CoreLink


def previews() -> dict[str, tuple[str, dict[str, object]]]:
    """Name, address and what is sent; nothing is written."""
    link = AccessLink.objects.select_related("interface").order_by("pk")[0]
    core = CoreLink.objects.order_by("pk")[0]
    why = {"reason": "A card is replaced"}
    new = {
        "nren": "NREN-NEW",
        "country": "nl",
        "prefixes": "2001:db9::/48",
        "router": "r0000",
        "interface": "GigabitEthernet9/0",
        "capacity_bps": "155 Mbit/s",
        "case": "trusted",
    }
    return {
        "preview, a link's filter": (
            f"/inventory/access-link/{link.pk}/edit/",
            {"source_filter": "uRPF", "case": link.case, **why},
        ),
        "preview, a core link's metric": (f"/inventory/core-link/{core.pk}/edit/", {"metric": 11, **why}),
        "preview, an interface's rate": (
            f"/inventory/interface/{link.interface_id}/edit/",
            {"bw_bps": "150 Mbit/s", "line_rate_bps": "155 Mbit/s", "usable_bps": "150 Mbit/s", **why},
        ),
        "preview, an NREN's country": (f"/inventory/nren/{link.nren_id}/edit/", {"country": "be", **why}),
        "preview, a new NREN": ("/nrens/new/", new),
    }


def sent(client: Client, address: str, said: dict[str, object]) -> dict[str, object]:
    """Return what is sent of a form as the page gave it, with this in place of what stood there."""
    form = client.get(address).context["form"]
    standing = {field.html_name: field.value() for field in form if field.html_name not in said}
    return {**{name: value for name, value in standing.items() if value not in (None, False)}, **said}
