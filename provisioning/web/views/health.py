"""Whether the service lives and whether it is ready: for load balancers, containers and whoever watches."""

from __future__ import annotations

import time

from django.http import HttpRequest, HttpResponseNotAllowed, JsonResponse
from django.http.response import HttpResponseBase

from provisioning.selectors import health

# Open to everybody: however often it is asked, the parts are asked once in so many seconds by each process.
KEPT_SECONDS = 1.0
_kept: dict[str, tuple[float, dict[str, health.Part]]] = {}


def livez(request: HttpRequest) -> HttpResponseBase:
    """Return 200 while this process answers at all; asks nothing of anybody."""
    if request.method not in {"GET", "HEAD"}:
        return HttpResponseNotAllowed(["GET", "HEAD"])
    return JsonResponse({"status": "ok"})


def readyz(request: HttpRequest) -> HttpResponseBase:
    """Return 200 when every part is as it must be, else 503; the body has each part by name."""
    if request.method not in {"GET", "HEAD"}:
        return HttpResponseNotAllowed(["GET", "HEAD"])
    parts = _parts()
    ready = all(part.ok for part in parts.values())
    body = {
        "status": "ok" if ready else "not ready",
        "parts": {name: part.as_json() for name, part in parts.items()},
    }
    answer = JsonResponse(body, status=200 if ready else 503)
    answer["Cache-Control"] = "no-store"
    return answer


def _parts() -> dict[str, health.Part]:
    now = time.monotonic()
    asked, parts = _kept.get("last", (-KEPT_SECONDS, {}))
    if not parts or now - asked >= KEPT_SECONDS:
        parts = health.readiness()
        _kept["last"] = (now, parts)
    return parts
