"""The page of what an audit event is about."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final
from urllib.parse import urlencode

from django.urls import reverse

from provisioning.models import AuditEvent
from provisioning.web.reading.found import all_of


def _keyed(view: str) -> Callable[[AuditEvent], str]:
    return lambda event: reverse(f"web:{view}", args=[int(event.object_id)])


def _list(view: str) -> Callable[[AuditEvent], str]:
    return lambda _event: reverse(f"web:{view}")


def _router(name: str) -> str:
    """Its page; what no address of a page can hold is searched for."""
    if "/" in name:
        return f"{reverse('web:search')}?{urlencode({'q': name})}"
    return reverse("web:router", args=[name])


_PAGES: Final[dict[str, Callable[[AuditEvent], str]]] = {
    "AccessLink": _keyed("link-access"),
    "ApiToken": _list("tokens"),
    "Change": _keyed("change"),
    "CoreLink": _keyed("link-core"),
    "Domain": _list("network"),
    "Nren": _keyed("nren"),
    "Peering": _keyed("link-peering"),
    "PremiumRequest": _keyed("request"),
    "Router": lambda event: _router(event.object_label),
    "RouterPush": _keyed("push"),
    "Series": _keyed("series"),
    "Subscriber": _list("notifications"),
    "User": lambda event: all_of("audit", actor=event.object_label),
}


def page_about(event: AuditEvent) -> str:
    """Return the address of the page of the object of an event; "" where it has none. A person's is what that person did."""
    page = _PAGES.get(event.object_type)
    # Keys and names of the trail are text that outlives what it names.
    if page is None or not event.object_id.isdecimal() or not event.object_label:
        return ""
    return page(event)
