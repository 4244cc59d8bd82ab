"""Reservations over time: everybody's, an NREN's, a link's, a router's; as bars, as a file."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from http import HTTPStatus

from django.http import HttpRequest, QueryDict
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone

from provisioning.errors import InvalidInput
from provisioning.models import PremiumRequest, Verb
from provisioning.pipeline.states import RequestState
from provisioning.pipeline.units import TimeWindow
from provisioning.selectors.calendar import STANDING, between
from provisioning.web.access import actor_of, page
from provisioning.web.forms.calendar import CalendarForm
from provisioning.web.forms.when import window_of, window_text
from provisioning.web.sheets import FORMATS, answer
from provisioning.web.spelling import sentence
from provisioning.web.tables.sheets import AFFECTED
from provisioning.web.time_bars import Bar, scale_of

SHOWN = 100
"""Reservations drawn; how many more there are is counted up to `COUNTED`, and the file has them all."""
COUNTED = 1000


@dataclass(frozen=True)
class Row:
    """A reservation and its bar."""

    request: PremiumRequest
    bar: Bar


@page(Verb.SEE_REQUESTS)
def of_requests(request: HttpRequest) -> HttpResponseBase:
    """Who has a reservation between two moments, by when it begins; with ``format`` all of them as a file."""
    actor, now = actor_of(request), timezone.now()
    form = CalendarForm(request.GET, now, everything=actor.may(Verb.SEE_BACKBONE))
    wrong = [*form.unknown(), *_errors(form)]
    wanted = request.GET.get("format", "")
    if wanted and wanted not in FORMATS:
        wrong.append(f"“{wanted[:60]}” is no file of this calendar; there are: {', '.join(FORMATS)}.")
    rows = PremiumRequest.objects.none()
    window = window_of("this week", now)
    if not wrong:
        asked = form.cleaned_data
        window = asked["window"]
        states = (RequestState(asked["state"]),) if asked["state"] else STANDING
        nren = asked.get("nren")
        try:
            rows = between(
                actor,
                window,
                nren="" if nren is None else nren.name,
                link=asked.get("link", ""),
                router=asked.get("router", ""),
                states=states,
            )
        except InvalidInput as error:
            wrong = [sentence(error.reason)]
    if wrong:
        context = {"form": form, "refused": wrong, "crumbs": [("Calendar", None)]}
        return render(request, "web/calendar.html", context, status=HTTPStatus.BAD_REQUEST)
    if wanted:
        return answer(AFFECTED, wanted, rows)
    scale = scale_of(window, now)
    keys = list(rows.values_list("pk", flat=True)[:SHOWN])
    found = {row.pk: row for row in rows.model.objects.select_related(*_SHOWN_OF).filter(pk__in=keys)}
    shown = [Row(found[key], scale.bar(found[key].start, found[key].end, found[key].state)) for key in keys]
    count = len(keys) if len(keys) < SHOWN else rows[: COUNTED + 1].count()
    context = {
        "form": form,
        "scale": scale,
        "rows": shown,
        "more": count - len(shown),
        "many": count > COUNTED,
        "counted": COUNTED - SHOWN,
        "window": window_text(window),
        "steps": _steps(request.GET, window, now),
        "files": [(name.upper(), _address(request.GET, format=name)) for name in FORMATS],
        "feed": _feed(request, form),
        "crumbs": [("Calendar", None)],
    }
    return render(request, "web/calendar.html", context)


_SHOWN_OF = ("nren", "receiving_nren", "source_link", "destination_link")


def _errors(form: CalendarForm) -> list[str]:
    return [
        f"{form[name].label if name in form.fields else 'The calendar'}: {error}"
        for name, errors in form.errors.items()
        for error in errors
    ]


def _address(asked: QueryDict, **said: str) -> str:
    """The address of this page with something else in it."""
    kept = asked.copy()
    for name, value in said.items():
        kept[name.rstrip("_")] = value
    return f"?{kept.urlencode()}"


def _steps(asked: QueryDict, window: TimeWindow, now: datetime) -> list[tuple[str, str]]:
    """Ways to other stretches of time: as long before and after, and the week and the month of today."""

    def at(start: datetime, end: datetime) -> str:
        return _address(asked, from_=f"{start:%Y-%m-%d %H:%M}", to=f"{end:%Y-%m-%d %H:%M}")

    assert window.end is not None, "a calendar ends"
    found = []
    for text, named in (("This week", "this week"), ("This month", "this month")):
        span = window_of(named, now)
        assert span.end is not None, "a week and a month end"
        found.append((text, at(span.start, span.end)))
    length = window.end - window.start
    try:
        steps = [
            ("Before", at(window.start - length, window.start)),
            ("After", at(window.end, window.end + length)),
        ]
    except OverflowError:
        return found
    return [steps[0], *found, steps[1]]


def _feed(request: HttpRequest, form: CalendarForm) -> str:
    """The address of the feed of what is asked for, without its window: a feed goes with the time."""
    asked = QueryDict(mutable=True)
    nren = form.cleaned_data.get("nren")
    if nren is not None:
        asked["nren"] = nren.name
    for name in ("link", "router"):
        if form.cleaned_data.get(name):
            asked[name] = form.cleaned_data[name]
    address = request.build_absolute_uri(reverse("web:calendar-feed"))
    return f"{address}?{asked.urlencode()}" if asked else address
