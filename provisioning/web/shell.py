"""The frame around every page: the menu for the reader's role, with the counts that need somebody."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest
from django.urls import reverse

from provisioning.models import Actor, Role, Verb
from provisioning.pipeline.authority import STAFF_OF_THE_NOC
from provisioning.web import reading
from provisioning.web.access import actor_of


@dataclass(frozen=True)
class Item:
    """One line of the menu; ``count`` is how many things wait there, ``go`` the key that leads there after g."""

    title: str
    url: str
    icon: str
    current: bool
    count: int = 0
    hot: bool = False
    count_means: str = ""
    go: str = ""


@dataclass(frozen=True)
class Group:
    """A headed part of the menu."""

    title: str
    items: tuple[Item, ...]


def shell(request: HttpRequest) -> dict[str, Any]:
    """Template context: ``shell.menu``, ``shell.role`` and the domain's name; empty for the signed-out."""
    user = getattr(request, "user", None)
    if user is None or not user.is_authenticated:
        return {"shell": {"menu": (), "role": "", "domain": "", "finds": False, "tokens": False}}
    # A table renders with a context of its own: the frame is made once for both.
    if not hasattr(request, "_shell"):
        request._shell = _shell(request)  # type: ignore[attr-defined]
    return {"shell": request._shell}  # type: ignore[attr-defined]


def _shell(request: HttpRequest) -> dict[str, Any]:
    actor = actor_of(request)
    return {
        "menu": _menu(request, actor),
        "role": _role(actor),
        "domain": reading.domain_name(),
        "service": reading.service_offered(),
        "finds": actor.sees_everything,
        "tokens": actor.may(Verb.TOKENS),
    }


def _role(actor: Actor) -> str:
    names = reading.nren_names(actor.nren_ids)
    if actor.is_noc:
        one = {Role.OPERATOR: " (operator)", Role.APPROVER: " (approver)"}
        held = actor.roles & STAFF_OF_THE_NOC
        return "NOC" + ("" if len(held) == 2 else one[next(iter(held))]) + (f" and {names}" if names else "")
    if actor.sees_everything:
        return "Administrator" if Role.ADMINISTRATOR in actor.roles else "Auditor (read only)"
    if Role.READER in actor.roles:
        return f"Reader of {names}"
    return f"Engineer of {names}" if names else "No role yet"


_KEYS = {
    "queue": "q",
    "requests": "r",
    "changes": "c",
    "routers": "o",
    "links": "l",
    "map": "m",
    "calendar": "k",
    "network": "t",
    "nrens": "n",
    "audit": "a",
    "notifications": "s",
    "my-requests": "y",
    "my-new": "w",
    "my-inbox": "i",
}
"""What leads there after g, by the name of the page."""


def _menu(request: HttpRequest, actor: Actor) -> tuple[Group, ...]:
    def item(title: str, name: str, icon: str, **more: Any) -> Item:
        url = reverse(f"web:{name}")
        return Item(title, url, icon, current=request.path.startswith(url), go=_KEYS.get(name, ""), **more)

    groups: list[Group] = []
    if actor.sees_everything:
        waiting = reading.waiting(actor)
        groups += [
            Group(
                "Work",
                (
                    item(
                        "Queue", "queue", "inbox", count=waiting.decisions, count_means="wait for a decision"
                    ),
                    item("Requests", "requests", "clipboard-list"),
                    item(
                        "Changes",
                        "changes",
                        "git-pull-request",
                        count=waiting.approvals,
                        count_means="wait for approval",
                    ),
                ),
            ),
            Group(
                "Network",
                (
                    item(
                        "Routers",
                        "routers",
                        "router",
                        count=waiting.routers,
                        hot=True,
                        count_means="differ or are unknown",
                    ),
                    item("Drift", "differences", "git-compare"),
                    item("Links", "links", "plug-connected"),
                    item("Map", "map", "network"),
                    item("Calendar", "calendar", "clock"),
                    item("Topology", "network", "route"),
                    item("NRENs", "nrens", "building-community"),
                    *(() if actor.nren_ids else (item("Burst advice", "advice", "settings"),)),
                ),
            ),
            Group(
                "Record",
                (
                    item("Audit log", "audit", "history"),
                    item("Monthly report", "report", "file-text"),
                    item("Notifications", "notifications", "send"),
                    *((item("People", "people", "user"),) if actor.may(Verb.PEOPLE) else ()),
                ),
            ),
        ]
    if actor.nren_ids:
        groups.append(
            Group(
                "My NREN",
                (
                    item("My requests", "my-requests", "clipboard-list"),
                    *(
                        (item(f"Ask for {reading.service_offered()}", "my-new", "plus"),)
                        if actor.may(Verb.ASK)
                        else ()
                    ),
                    item(
                        "Consent inbox",
                        "my-inbox",
                        "inbox",
                        count=reading.consents_waiting(actor),
                        count_means="wait for your answer",
                    ),
                    *(
                        ()
                        if actor.sees_everything
                        else (
                            item("Calendar", "calendar", "clock"),
                            item("Monthly report", "report", "file-text"),
                        )
                    ),
                    item("Burst advice", "advice", "settings"),
                ),
            )
        )
    return tuple(groups)
