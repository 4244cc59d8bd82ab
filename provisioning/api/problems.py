"""Every error as problem details (RFC 9457): type, title, status, detail, instance, code and, where fields
are wrong, one entry for each with a pointer (or the query parameter) and the reason.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from http import HTTPStatus
from typing import Any

import structlog
from django.core.exceptions import PermissionDenied, RequestDataTooBig
from django.http import Http404
from rest_framework import exceptions
from rest_framework.response import Response
from rest_framework.views import set_rollback

from provisioning.errors import (
    Busy,
    ExpediteError,
    InvalidFields,
    InvalidInput,
    OffGrid,
    QuotaChanged,
    QuotaExceeded,
)
from provisioning.services import callers
from provisioning.services.inventory.dependents import StillNeeded
from provisioning.services.retrying import unavailable

MEDIA_TYPE = "application/problem+json"
MOST_ERRORS = 100
"""So many wrong fields are listed: a body of 256 kB can hold tens of thousands, and its answer would be five times that."""

log = structlog.get_logger(__name__)

# DRF's own errors, by the code that clients see; a test holds each to a description in `problem_types`.
_CODES: dict[type[Exception], str] = {
    exceptions.ParseError: "unreadable-body",
    exceptions.AuthenticationFailed: "not-authenticated",
    exceptions.NotAuthenticated: "not-authenticated",
    exceptions.PermissionDenied: "not-permitted",
    exceptions.NotFound: "not-found",
    exceptions.MethodNotAllowed: "method-not-allowed",
    exceptions.NotAcceptable: "not-acceptable",
    exceptions.UnsupportedMediaType: "unsupported-media-type",
    exceptions.Throttled: "too-many-requests",
}


class BodyTooLarge(exceptions.APIException):
    """The body is larger than the API reads."""

    status_code = HTTPStatus.REQUEST_ENTITY_TOO_LARGE
    default_detail = "The request body is too large."
    default_code = "body-too-large"


class BadQuery(exceptions.ValidationError):
    """Query parameters that are unknown or cannot be meant; each is named."""


def handle(error: Exception, context: Mapping[str, Any]) -> Response:
    """Return the problem for `error`; what nobody anticipated is logged and becomes a 500 without its
    details.
    """
    set_rollback()
    request = context.get("request")
    path = getattr(request, "path", "")
    error = unavailable(error) or error
    answer = _answer(error, path)
    if request is not None and answer.status_code == HTTPStatus.FORBIDDEN:
        who = str(request.user) if request.auth else "nobody"
        reason = str(answer.data["detail"])
        callers.log_refusal(who=who, meta=request.META, method=request.method, path=path, reason=reason)
    return answer


def _answer(error: Exception, path: str) -> Response:
    if isinstance(error, ExpediteError):
        return _of_ours(error, path)
    if isinstance(error, Http404):
        error = exceptions.NotFound()
    elif isinstance(error, PermissionDenied):
        error = exceptions.PermissionDenied()
    elif isinstance(error, RequestDataTooBig):
        error = BodyTooLarge()
    if isinstance(error, exceptions.ValidationError):
        return _of_fields(error, path)
    if isinstance(error, exceptions.APIException):
        code = _CODES.get(type(error), str(error.default_code))
        response = problem(error.status_code, code, str(error.detail), path)
        if (challenge := getattr(error, "auth_header", None)) is not None:
            response["WWW-Authenticate"] = challenge
        if (wait := getattr(error, "wait", None)) is not None:
            response["Retry-After"] = f"{wait:.0f}"
        return response
    log.exception("unanticipated error in the API", path=path, error=type(error).__name__)
    return problem(500, "error", "Something went wrong on our side; it has been logged.", path)


def problem(
    status: int,
    code: str,
    detail: str,
    instance: str,
    errors: list[dict[str, str]] | None = None,
    **more: Any,
) -> Response:
    """Return a response with the problem details."""
    body = details(status, code, detail, instance, errors, **more)
    return Response(body, status=status, content_type=MEDIA_TYPE)


def details(
    status: int,
    code: str,
    detail: str,
    instance: str,
    errors: list[dict[str, str]] | None = None,
    **more: Any,
) -> dict[str, Any]:
    """Return the problem details as they are sent."""
    if errors and len(errors) > MOST_ERRORS:
        detail = f"{detail} The first {MOST_ERRORS} of {len(errors)} are listed."
    body: dict[str, Any] = {
        "type": f"/api/problems/{code}/",
        "title": HTTPStatus(status).phrase,
        "status": int(status),
        "detail": _text(detail),
        "instance": _text(instance),
        "code": code,
        **more,
    }
    if errors:
        body["errors"] = [{key: _text(said) for key, said in one.items()} for one in errors[:MOST_ERRORS]]
    return body


def _text(said: str) -> str:
    """What can be sent: a client's own half of a surrogate pair, quoted back to it, cannot."""
    return said.encode("utf-8", "replace").decode()


_SENT_AS = {"rate": "rate_bps"}
"""What services call otherwise than the bodies do."""


def _of_ours(error: ExpediteError, path: str) -> Response:
    if isinstance(error, Busy):
        log.warning("busy", path=path, reason=error.reason)
    elif error.status >= 500:
        log.error("device error in the API", path=path, code=error.code)
    listed = error.errors if isinstance(error, InvalidFields) else [error]
    entries = [
        {"pointer": pointer(_SENT_AS.get(one.field, one.field)), "reason": one.reason}
        for one in listed
        if isinstance(one, InvalidInput) and one.field
    ]
    detail = "One or more fields are wrong." if isinstance(error, InvalidFields) else error.reason
    more = error.details if isinstance(error, QuotaExceeded | QuotaChanged | StillNeeded) else {}
    # Where nothing else is wrong it is that one kind of error.
    named = listed[0] if {type(one) for one in listed} == {OffGrid} else error
    response = problem(named.status, named.code, detail, path, entries, **more)
    if isinstance(error, Busy):
        response["Retry-After"] = str(error.retry_after)
    return response


def _of_fields(error: exceptions.ValidationError, path: str) -> Response:
    key = "parameter" if isinstance(error, BadQuery) else "pointer"
    entries = []
    for where, reason in _leaves(error.detail, ()):
        names = [name for name in where if name != "non_field_errors"]
        place = (
            ".".join(names) if key == "parameter" else "#" + "".join(f"/{_escaped(name)}" for name in names)
        )
        entries.append({key: place, "reason": reason})
    what = "query parameters" if key == "parameter" else "fields"
    return problem(400, "invalid-fields", f"One or more {what} are wrong.", path, entries)


def pointer(field: str) -> str:
    """Return a dotted field name as a JSON pointer in a fragment (RFC 6901 section 6)."""
    return "#" + "".join(f"/{_escaped(part)}" for part in field.split("."))


def _escaped(part: str) -> str:
    return part.replace("~", "~0").replace("/", "~1")


def _leaves(detail: Any, where: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], str]]:
    if isinstance(detail, Mapping):
        for name, inner in detail.items():
            yield from _leaves(inner, (*where, str(name)))
    elif isinstance(detail, list) and any(isinstance(inner, Mapping) for inner in detail):
        for index, inner in enumerate(detail):
            yield from _leaves(inner, (*where, str(index)))
    elif isinstance(detail, list):
        for inner in detail:
            yield from _leaves(inner, where)
    else:
        yield where, str(detail)
