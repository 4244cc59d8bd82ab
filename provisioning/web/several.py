"""One deed to several rows of a list: what would happen to each, then what came of each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from provisioning.errors import ExpediteError
from provisioning.models import Actor
from provisioning.web.access import actor_of
from provisioning.web.spelling import sentence

MOST = 100
"""Rows at once: each is looked at by itself."""


@dataclass(frozen=True)
class Deed:
    """A deed that a list offers for several rows.

    ``ahead`` says of a row, as it is now, whether the deed would be done and what that means; ``read`` what of it was read, which
    comes back with the confirmation; ``act`` does it, in a transaction of its own, and says what came of it. It raises an
    ExpediteError where it is refused, and writes nothing where it was done already.
    """

    name: str
    title: str
    button: str
    form: type[forms.Form]
    ahead: Callable[[Actor, Any], tuple[bool, str]]
    act: Callable[[Actor, Any, dict[str, Any], str], str]
    read: Callable[[Any], str] = lambda _row: ""
    danger: bool = False


@dataclass(frozen=True)
class Fate:
    """What would happen to a row, or what came of it. ``read`` is what its confirmation carries."""

    row: Any
    url: str
    good: bool
    said: str
    read: str = ""


@dataclass(frozen=True)
class Offered:
    """A deed as a list offers it: address and text of its button."""

    url: str
    name: str
    title: str


def offered(page: str, deeds: Sequence[Deed]) -> tuple[Offered, ...]:
    """Return the deeds for several rows that the view ``page`` asks for."""
    return tuple(Offered(reverse(f"web:{page}"), deed.name, deed.title) for deed in deeds)


def done_to_several(
    request: HttpRequest,
    deeds: Sequence[Deed],
    rows_of: Callable[[Actor, list[int]], Sequence[Any]],
    url_of: Callable[[Any], str],
    *,
    back: str,
    crumb: str,
) -> HttpResponse:
    """Ask before a deed to the rows that an address names, do it to each when that is confirmed, and say what came of each.

    One that is refused keeps none of the others back; what is sent twice is done once.
    """
    actor, said = actor_of(request), request.POST if request.method == "POST" else request.GET
    deed = next((each for each in deeds if each.name == said.get("deed")), None)
    texts = list(dict.fromkeys(said.getlist("row")))
    keys = [int(text) for text in texts if text.isascii() and text.isdecimal() and len(text) < 18]
    wrong = ""
    if deed is None:
        wrong = f"There is no such deed; there are: {', '.join(each.name for each in deeds)}."
    elif not keys:
        wrong = "No row is chosen: tick the boxes in front of those that are meant."
    elif len(keys) > MOST or len(keys) < len(texts):
        wrong = f"At most {MOST} rows at once, by their numbers."
    context: dict[str, Any] = {
        "wrong": wrong,
        "deed": deed,
        "back": back,
        "crumbs": [(crumb, back), ("Several", None)],
    }
    if wrong or deed is None:
        return render(request, "web/several.html", context, status=400)
    rows = list(rows_of(actor, keys))
    found = {row.pk for row in rows}
    context["missing"] = len([key for key in keys if key not in found])
    form = deed.form(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        fates = [
            _done(deed, actor, row, url_of(row), form.cleaned_data, said.get(f"read-{row.pk}", ""))
            for row in rows
        ]
        context |= {"fates": fates, "over": True, "good": sum(each.good for each in fates)}
        return render(request, "web/several.html", context)
    fates = [Fate(row, url_of(row), *deed.ahead(actor, row), deed.read(row)) for row in rows]
    context |= {"fates": fates, "form": form, "good": sum(each.good for each in fates)}
    return render(request, "web/several.html", context)


def _done(deed: Deed, actor: Actor, row: Any, url: str, said: dict[str, Any], read: str) -> Fate:
    try:
        return Fate(row, url, True, deed.act(actor, row, said, read))
    except ExpediteError as error:
        return Fate(row, url, False, sentence(error.reason))
