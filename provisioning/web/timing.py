"""How long the site took to answer, by view: names from the table of addresses, so that nobody can make up series."""

from __future__ import annotations

import os
import time
from collections.abc import Callable

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from prometheus_client import REGISTRY, CollectorRegistry, Histogram
from prometheus_client.multiprocess import MultiProcessCollector

MULTIPLE = "PROMETHEUS_MULTIPROC_DIR"
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})

_own = CollectorRegistry() if MULTIPLE not in os.environ else REGISTRY
ANSWERED = Histogram(
    "expedite_http_request_duration_seconds",
    "Time to answer, by method, view and status",
    ("method", "view", "status"),
    buckets=(0.01, 0.025, 0.05, 0.1, 0.2, 0.3, 0.5, 1, 2.5, 5, 10, 30, 120),
    registry=_own,
)


def registry() -> CollectorRegistry:
    """What all web processes of this site measured; without a directory that they share, this one alone."""
    if MULTIPLE not in os.environ:
        return _own
    all_of_them = CollectorRegistry()
    MultiProcessCollector(all_of_them)  # type: ignore[no-untyped-call]
    return all_of_them


class Timing:
    """Middleware: outermost, so that it sees what every other one answers."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        began = time.perf_counter()
        answer = self._get_response(request)
        match = request.resolver_match
        ANSWERED.labels(
            request.method if request.method in METHODS else "other",
            (match.view_name or "unnamed") if match else "none",
            str(answer.status_code),
        ).observe(time.perf_counter() - began)
        return answer
