"""The pages of what went wrong: what happened, in words, and what the reader can do about it."""

from __future__ import annotations

import sys
from http import HTTPStatus
from typing import Any

from django.core.exceptions import DisallowedHost
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.utils.http import url_has_allowed_host_and_scheme

from provisioning.errors import Busy, ExpediteError, InvalidFields
from provisioning.services import callers
from provisioning.services.retrying import unavailable
from provisioning.web import spelling

_PAGES: dict[int, tuple[str, str, tuple[str, ...]]] = {
    400: (
        "That cannot be meant",
        "What was sent could not be understood, and nothing was changed.",
        ("Go back, mend what is named above and send it again.",),
    ),
    403: (
        "Not for you",
        "You are signed in, but your role may not do this. Nothing was changed.",
        (
            "If this is your work, ask the NOC for the role: an administrator gives it with `manage.py person NAME --role ROLE`.",
            "If you have several accounts, sign out and sign in with the other one.",
        ),
    ),
    404: (
        "No such page",
        "There is nothing here, or nothing that you may see.",
        ("Check the address.", "Look for it in the lists: the start page has the menu."),
    ),
    409: (
        "Somebody or something was faster",
        "The object is no longer in the state in which you saw it. Nothing was changed by you.",
        ("Open the page again and read what it says now.", "Its history tells who did what, when and why."),
    ),
    429: (
        "Too often",
        "There were too many tries from you in a short time. Nothing was changed.",
        ("Wait five minutes, then try again.",),
    ),
    500: (
        "That went wrong here",
        "The fault is on this side and has been recorded. A push that runs on the server is not affected by it.",
        (
            "Try once more.",
            "If it stays, tell whoever runs the installation what you did and the time (UTC).",
        ),
    ),
    503: (
        "Busy at this moment",
        "Too many people change the same things at once, or the database restarts.",
        (
            "Wait a moment, look whether it was done, and else do it again.",
            "If it stays, tell whoever runs the installation.",
        ),
    ),
    502: (
        "The router did not answer as expected",
        "A router could not be read. What it holds now is not known.",
        ("Check the router and the management network.", "Then verify the router on its page."),
    ),
}


def _page(request: HttpRequest, status: int, reason: str = "") -> HttpResponse:
    title, text, steps = _PAGES.get(status, _PAGES[500])
    context: dict[str, Any] = {
        "problem_status": status,
        "problem_title": title,
        "problem_text": text,
        "problem_reason": reason,
        "problem_steps": steps,
        "problem_back": _came_from(request),
    }
    if status in (500, 503):
        # The menu and the count of what waits are read from the database, which may be what is wrong.
        answer = HttpResponse(render_to_string("web/problem.html", context), status=status)
    else:
        answer = render(request, "web/problem.html", context, status=status)
    answer["Cache-Control"] = "private, no-store"
    return answer


def _came_from(request: HttpRequest) -> str:
    """The page of this site that led here; empty where there is none, or where the host's name is not ours."""
    came_from = request.headers.get("Referer", "")
    try:
        host, here = request.get_host(), request.build_absolute_uri()
    except DisallowedHost:
        return ""
    # A browser sends a whole address. A piece of one would lead from wherever this page is shown.
    whole = came_from.startswith(("http://", "https://"))
    safe = whole and url_has_allowed_host_and_scheme(came_from, {host}, require_https=request.is_secure())
    return came_from if safe and came_from != here else ""


def of(request: HttpRequest, error: ExpediteError) -> HttpResponse:
    """Return the page for a typed error, with the status the error carries and its own words."""
    several = error.errors if isinstance(error, InvalidFields) else [error]
    if error.status == HTTPStatus.FORBIDDEN:
        who = request.user.get_username() or "nobody"
        callers.log_refusal(
            who=who, meta=request.META, method=str(request.method), path=request.path, reason=error.reason
        )
    answer = _page(request, error.status, " ".join(spelling.sentence(one.reason) for one in several))
    if isinstance(error, Busy):
        answer["Retry-After"] = str(error.retry_after)
    return answer


def bad_request(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:  # noqa: ARG001
    """Django's handler400; the exception's text may be the sender's own and is not repeated."""
    return _page(request, 400)


def forbidden(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:  # noqa: ARG001
    """Django's handler403."""
    return _page(request, 403)


def not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:  # noqa: ARG001
    """Django's handler404."""
    return _page(request, 404)


def server_error(request: HttpRequest) -> HttpResponse:
    """Django's handler500: must not touch the database, so it shows no menu. A database that is away is a 503."""
    error = sys.exc_info()[1]
    busy = None if error is None else unavailable(error)
    if busy is not None:
        return of(request, busy)
    return _page(request, 500)


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """A form whose token is missing or old; ``reason`` is Django's and says which."""
    return _page(
        request,
        403,
        f"The form was not sent from a page of this site that is still valid. Load it again. ({reason})",
    )
