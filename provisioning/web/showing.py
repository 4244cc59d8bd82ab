"""What a list shows beside its rows: which of its columns, and the saved views of whoever reads it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from urllib.parse import urlencode

from django.http import HttpRequest, QueryDict
from django.urls import reverse

from provisioning.models import SavedView, Verb
from provisioning.selectors.saved_views import Tab, may_edit, tabs
from provisioning.web.access import actor_of

EVERYTHING = "all"
"""The word for no saved view, where a list opens with one."""
_PASSING = frozenset({"page", "format", "view", "row"})
"""What of an address is not kept: where one was, not what one looked for."""


def kept(asked: QueryDict) -> str:
    """Return what of an address is kept in a view: filters, order, size and columns; nothing that is empty."""
    return urlencode(
        [(name, text) for name, texts in asked.lists() if name not in _PASSING for text in texts if text]
    )


@dataclass(frozen=True)
class Views:
    """The views of a list for one reader. ``view`` is the one that the address names; ``changed``: the list shows something
    else by now; ``lost``: it names one that is not there.
    """

    page: str = ""
    query: str = ""
    tabs: Sequence[Tab] = field(default=())
    view: SavedView | None = None
    lost: str = ""
    may_share: bool = False
    may_edit: bool = False

    @property
    def changed(self) -> bool:
        """Whether the list shows something else than the view that its address names."""
        return self.view is not None and self.view.query != self.query

    @property
    def opens(self) -> SavedView | None:
        """The view with which the list opens for this reader."""
        return next((each.view for each in self.tabs if each.opens), None)

    @property
    def everything(self) -> str:
        """What to ask for all rows: an address without a word would open with a view."""
        return f"?view={EVERYTHING}" if self.opens else ""


def views_of(request: HttpRequest) -> Views:
    """Return the views of the list at this address. One query."""
    match = request.resolver_match
    actor = actor_of(request)
    if match is None or not match.url_name or actor.user_id is None:
        return Views()
    found = tabs(actor, match.url_name)
    named = request.GET.get("view", "")
    view = next((each.view for each in found if str(each.view.pk) == named), None)
    return Views(
        match.url_name,
        kept(request.GET),
        found,
        view,
        named[:20] if named and view is None and named != EVERYTHING else "",
        actor.may(Verb.NOTIFY),
        view is not None and may_edit(actor, view),
    )


def opening(request: HttpRequest, views: Views) -> str:
    """Return the address to go to: of the view with which the list opens, or that is named and nothing else; "" to stay."""
    if getattr(request, "htmx", False):
        return ""
    view = None
    if not request.GET:
        view = views.opens
    elif set(request.GET) == {"view"}:
        view = views.view
    return address_of(view) if view is not None and (view.query or not request.GET) else ""


def address_of(view: SavedView) -> str:
    """Return where a view is shown."""
    behind = f"{view.query}&view={view.pk}" if view.query else f"view={view.pk}"
    return f"{reverse(f'web:{view.page}')}?{behind}"


@dataclass(frozen=True)
class Choice:
    """A column of a list: its name, its heading, and whether it is shown."""

    name: str
    title: str
    shown: bool


def columns_of(offered: Sequence[tuple[str, str]], spare: Collection[str], asked: QueryDict) -> list[Choice]:
    """Return the columns that a list offers, (name, heading) each; without a word those that are not ``spare`` are shown."""
    wanted = asked.getlist("columns")
    return [Choice(name, title, name in wanted if wanted else name not in spare) for name, title in offered]
