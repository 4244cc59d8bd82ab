"""ETag, If-Match and If-None-Match of one row of a resource (RFC 9110 sections 8.8.3 and 13.1).

A tag has two parts: the version of the object, by what happened to it, and a digest of what was answered. If-None-Match looks at
both. If-Match looks at the first: what is worked out when a row is read (what it waits for, whether it would fit at this moment)
moves by itself, and a deed that depended on it would hardly ever be done.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any, Final, TypeVar

from django.utils.http import parse_etags
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.viewsets import GenericViewSet

from provisioning.errors import ChangedSince
from provisioning.services import idempotency, preconditions

Done = TypeVar("Done")
_ANY: Final = "*"


def row_of(view: GenericViewSet[Any]) -> preconditions.Row:
    """Return the row that the address of a request names, whether or not there is one."""
    assert view.queryset is not None, "a resource says of what it is"
    key = view.kwargs[view.lookup_url_kwarg or view.lookup_field]
    return view.queryset.model._meta.object_name or "", int(key)


def tag_answer(response: Response, version: str, asked: str) -> None:
    """Give the answer its ETag once it is written; 304 without a body where `asked` (If-None-Match) has it already."""

    def finish(answer: Response) -> Response:
        tag = f'"{version}-{hashlib.sha256(answer.content).hexdigest()[:16]}"'
        answer["ETag"] = tag
        known = [each.removeprefix("W/") for each in parse_etags(asked)]
        if tag in known or known == [_ANY]:
            answer.status_code = 304
            answer.content = b""
            del answer["Content-Type"]
        return answer

    response.add_post_render_callback(finish)


def check_early(view: GenericViewSet[Any], request: Request) -> None:
    """Raise ChangedSince where If-Match does not hold already, unless it was done under its key before."""
    versions = expected(request)
    if versions is None:
        return
    key = request.headers.get("Idempotency-Key")
    if key is not None and idempotency.was_used(request.auth, key):
        return
    if not view.detail:
        raise ChangedSince("If-Match is about one object, and this address is of none.")
    model, row = row_of(view)
    if view.get_queryset().filter(**{view.lookup_field: row}).exists():
        preconditions.check((model, row), versions)
    # Else the deed says so: what one may not see is not there.


def only_if_unchanged(request: Request, act: Callable[[], Done]) -> Callable[[], Done]:
    """Return `act`, done only while If-Match holds, in one transaction with finding that."""
    versions = expected(request)
    if versions is None:
        return act
    row = row_of(request.parser_context["view"])
    return lambda: preconditions.if_unchanged(row, versions, act)


def expected(request: Request) -> set[str] | None:
    """Return the versions in the tags of If-Match, of which a weak one never matches; None where any version will do."""
    said = request.headers.get("If-Match")
    if said is None:
        return None
    tags = parse_etags(said)
    if tags == [_ANY]:
        return None
    return {tag.strip('"').partition("-")[0] for tag in tags if not tag.startswith("W/")}
