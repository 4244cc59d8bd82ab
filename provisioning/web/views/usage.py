"""What a reservation and the classes of a link use, beside what is reserved."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import render
from django.utils import timezone

from provisioning.errors import InvalidInput, NotVisible
from provisioning.models import PremiumRequest, Span, Verb
from provisioning.pipeline.units import shown
from provisioning.selectors.usage import Usage, as_seen_by, usage_of_request
from provisioning.web.access import page
from provisioning.web.decision import may_with
from provisioning.web.sheets import Sheet, Value, answer
from provisioning.web.usage_chart import drawn
from provisioning.web.using import said_of_request
from provisioning.web.views.requests import frame

SPANS = ((Span.POLL, "1 day"), (Span.HOUR, "2 weeks"), (Span.DAY, "400 days"))
COLUMNS: dict[str, Value] = {
    "at": lambda point: point.at,
    "seconds": lambda point: point.seconds,
    "sent_bps": lambda point: point.verdict.sent_bps,
    "passed_bps": lambda point: point.verdict.passed_bps,
    "reserved_bps": lambda point: point.verdict.reserved_bps,
    "packets": lambda point: point.packets,
    "dropped_packets": lambda point: point.dropped_packets,
    "at_least": lambda point: point.verdict.is_at_least,
}
ROWS = 100
"""Rows of the table under the chart; all of them are in the file."""


@page(Verb.SEE_USAGE)
def of_request(request: HttpRequest, pk: int) -> HttpResponse:
    """What a request sends, as its router counts it: a chart, a sentence, a table. For who asked and the NOC."""
    context, span, usage, now = _found(request, pk)
    matches = sorted({match for point in usage.points for match in point.by_match}) if usage else []
    newest = list(reversed(usage.points))[:ROWS] if usage else []
    context |= {
        "said": said_of_request(context["asked"], usage, now),
        "usage": usage,
        "charts": [(look, chart) for look, chart in _charts(usage) if chart is not None],
        "points": [(point, [(match, point.by_match.get(match)) for match in matches]) for point in newest],
        "spans": [(text, each.value, each == span) for each, text in SPANS],
        "span": span,
        "sharing": _sharing(context["asked"], usage),
        "matches": matches,
    }
    return render(request, "web/request_usage.html", context)


@page(Verb.SEE_USAGE)
def as_file(request: HttpRequest, pk: int) -> StreamingHttpResponse:
    """The same as CSV: instants in UTC, rates in bit/s at layer 3, counts in packets; empty where it is not known."""
    context, span, usage, _ = _found(request, pk)
    sheet = Sheet(f"{context['asked'].reference}-usage-{span.value}", COLUMNS)
    return answer(sheet, "csv", usage.points if usage else ())


def _found(request: HttpRequest, pk: int) -> tuple[dict[str, Any], Span, Usage | None, datetime]:
    context = frame(request, pk, "request-usage")
    if not may_with(context["actor"], Verb.SEE_USAGE, context["asked"]):
        raise NotVisible("What a request uses is for who asked for it and the NOC.")
    wanted, now = request.GET.get("span", Span.HOUR.value), timezone.now()
    if wanted not in Span.values:
        raise InvalidInput(f"{shown(wanted)} is none of {', '.join(Span.values)}", field="span")
    span = Span(wanted)
    usage = usage_of_request(context["asked"], now=now, span=span)
    return context, span, as_seen_by(context["actor"], usage), now


def _charts(usage: Usage | None) -> list[tuple[str, Any]]:
    if usage is None:
        return []
    return [("wide", drawn(usage)), ("narrow", drawn(usage, narrow=True))]


def _sharing(asked: PremiumRequest, usage: Usage | None) -> list[PremiumRequest]:
    """The other requests whose traffic is counted by the same class."""
    if usage is None:
        return []
    others = [pk for pk in usage.shares if pk != asked.pk]
    return list(PremiumRequest.objects.filter(pk__in=others).order_by("pk")) if others else []
