"""`/metrics` for Prometheus: what the rows say, and how long this site's web processes took to answer."""

from __future__ import annotations

import hmac
from collections.abc import Iterator
from ipaddress import ip_address

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.http.response import HttpResponseBase
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from prometheus_client.metrics_core import CounterMetricFamily, GaugeMetricFamily, Metric

from provisioning.selectors.figures import figures
from provisioning.services import callers
from provisioning.web import timing

PREFIX = "expedite_"


class FromRows:
    """The figures as Prometheus' client wants them."""

    def collect(self) -> Iterator[Metric]:
        for figure in figures():
            family = CounterMetricFamily if figure.counts else GaugeMetricFamily
            made = family(PREFIX + figure.name, figure.text, labels=figure.labels)
            for labels, value in figure.samples:
                made.add_metric(labels, value)
            yield made


def metrics(request: HttpRequest) -> HttpResponseBase:
    """The text format. 404 unless the caller's network or token is allowed: then there is no such page."""
    if request.method not in {"GET", "HEAD"}:
        return HttpResponseNotAllowed(["GET", "HEAD"])
    if not _allowed(request):
        raise Http404
    registry = CollectorRegistry(auto_describe=False)
    registry.register(FromRows())  # type: ignore[arg-type]
    return HttpResponse(
        generate_latest(registry) + generate_latest(timing.registry()), content_type=CONTENT_TYPE_LATEST
    )


def _allowed(request: HttpRequest) -> bool:
    scheme, _, given = request.headers.get("Authorization", "").partition(" ")
    if settings.METRICS_TOKEN and scheme.casefold() == "bearer":
        return hmac.compare_digest(given.strip().encode(), settings.METRICS_TOKEN.encode())
    try:
        address = ip_address(callers.client_address(request.META))
    except ValueError:
        return False
    return any(address in network for network in settings.METRICS_NETWORKS)
