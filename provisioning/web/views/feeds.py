"""The calendar as a feed: reservations in iCalendar, for whoever holds a token that may read them."""

from __future__ import annotations

import base64
import hashlib
from http import HTTPStatus
from typing import Final

from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.urls import reverse
from django.utils.cache import get_conditional_response
from django.utils.http import quote_etag

from provisioning.errors import InvalidInput, NotPermitted
from provisioning.models import Actor, Verb
from provisioning.pipeline.states import RequestState
from provisioning.pipeline.units import TimeWindow
from provisioning.selectors import calendar
from provisioning.services import attempts, callers, clock, rates, tokens
from provisioning.web import reading
from provisioning.web.feeds import AFTER, BEFORE, MOST, events
from provisioning.web.ics import calendar as written
from provisioning.web.spelling import sentence

CHALLENGE = 'Basic realm="expedite", charset="UTF-8"'
PER_TOKEN: Final = 30
"""Readings in a minute with one token: programs look every quarter of an hour, and again when somebody asks them to."""
PER_ADDRESS: Final = 120
"""And from one address, whatever is shown there: many people may share one."""
FAILURES_OF_ADDRESS: Final = 100
"""Failures in five minutes from one address, whichever tokens were tried: more than the forgotten calendars of a whole site."""
_KNOWN = frozenset({"nren", "link", "router"})


class _TooMany(Exception):
    """Too many readings or failures; until when, in seconds."""

    def __init__(self, reason: str, retry_after: int) -> None:
        super().__init__(reason)
        self.reason, self.retry_after = reason, retry_after


def calendar_feed(request: HttpRequest) -> HttpResponse:
    """The reservations that a token may read, a month back and a year ahead: all, or of an NREN, a link or a router.

    Programs that subscribe to a calendar have no session: the token stands in the header Authorization, as a bearer token or as
    the password of Basic, whatever the user's name is (RFC 7617). In an address it would stand in logs, and is not taken there.
    429 where there are too many readings or failures, with the seconds to wait.
    """
    if request.method not in {"GET", "HEAD"}:
        return HttpResponseNotAllowed(["GET", "HEAD"])
    try:
        actor = _actor(request)
    except NotPermitted as error:
        answer = _said(HTTPStatus.UNAUTHORIZED, error.reason)
        answer["WWW-Authenticate"] = CHALLENGE
        return answer
    except _TooMany as error:
        answer = _said(HTTPStatus.TOO_MANY_REQUESTS, error.reason)
        answer["Retry-After"] = str(error.retry_after)
        return answer
    if not actor.may(Verb.SEE_REQUESTS):
        return _refused(request, actor, Verb.SEE_REQUESTS)
    asked = {name: request.GET.get(name, "") for name in _KNOWN}
    if ("link" in request.GET or "router" in request.GET) and not actor.may(Verb.SEE_BACKBONE):
        return _refused(request, actor, Verb.SEE_BACKBONE)
    try:
        return _answer(request, actor, asked)
    except InvalidInput as error:
        return _said(HTTPStatus.BAD_REQUEST, sentence(error.reason))


def _answer(request: HttpRequest, actor: Actor, asked: dict[str, str]) -> HttpResponse:
    if unknown := [name[:60] for name in request.GET if name not in _KNOWN]:
        raise InvalidInput(f"there is no choice “{unknown[0]}” here; there are: link, nren, router")
    if not all(text.isprintable() for text in asked.values()):
        raise InvalidInput("there is no such link, NREN or router")
    now = clock.now()
    today = calendar.shown_from(now)
    rows = calendar.between(
        actor,
        TimeWindow(today - BEFORE, today + AFTER),
        nren=asked["nren"],
        link=asked["link"],
        router=asked["router"],
        states=tuple(RequestState),
    )
    rows = rows.select_related(None).select_related(
        "nren", "receiving_nren", "source_link", "destination_link"
    )
    found = list(calendar.with_last_change(rows)[: MOST + 1])
    said = f"Reservations until {today + AFTER:%Y-%m-%d}."
    if len(found) > MOST:
        said += f" There are more than {MOST}: those that begin first."
    domain = reading.domain_name()
    title = " ".join([f"{domain or 'Expedite'} reservations", *(each for each in asked.values() if each)])

    def url(pk: int) -> str:
        return request.build_absolute_uri(reverse("web:request", args=[pk]))

    text = "".join(
        written(title, events(found[:MOST], domain=domain, now=now, url=url), description=said)
    ).encode()
    answer = HttpResponse(text, content_type="text/calendar; charset=utf-8")
    etag = quote_etag(hashlib.sha256(text).hexdigest())
    answer["ETag"] = etag
    answer["Cache-Control"] = "private, no-cache"
    return get_conditional_response(request, etag=etag, response=answer)  # type: ignore[return-value]


def _actor(request: HttpRequest) -> Actor:
    """Whoever the token speaks for. Raises NotPermitted where there is none that may read, _TooMany where too much was asked."""
    address = callers.client_address(request.META)
    _bound("feed-address", address, PER_ADDRESS, "Too many readings from your address.")
    text = _token(request.headers.get("Authorization", ""))
    if not text.isprintable():
        raise NotPermitted("The header Authorization cannot be read.")
    tried = ("token", address, "_".join(text.split("_", 2)[:2])[:40])
    any_of_them = ("feed", address, "")
    if attempts.is_blocked(*tried):
        raise _TooMany("Too many failures with this token from your address.", attempts.REST_SECONDS)
    if attempts.is_blocked(*any_of_them, most=FAILURES_OF_ADDRESS):
        raise _TooMany("Too many failures from your address.", attempts.REST_SECONDS)
    try:
        token = tokens.authenticate(text=text, address=address)
    except NotPermitted:
        attempts.failed(*tried)
        attempts.count(*any_of_them)
        raise
    _bound("feed-token", str(token.pk), PER_TOKEN, "Too many readings with this token.")
    if "read" not in token.scopes:
        reason = "This token does not carry the scope that is needed."
        _note(request, token.user.get_username(), reason)
        raise NotPermitted(reason)
    return tokens.actor_of(token)


def _bound(kind: str, who: str, most: int, reason: str) -> None:
    """Raise _TooMany where somebody read more often than that in this minute."""
    if wait := rates.seconds_to_wait(kind, who, most=most, now=clock.now()):
        raise _TooMany(reason, wait)


def _refused(request: HttpRequest, actor: Actor, verb: Verb) -> HttpResponse:
    _note(request, actor.label, verb.row.refusal)
    return _said(HTTPStatus.FORBIDDEN, verb.row.refusal)


def _note(request: HttpRequest, who: str, reason: str) -> None:
    callers.log_refusal(
        who=who, meta=request.META, method=str(request.method), path=request.path, reason=reason
    )


def _token(said: str) -> str:
    scheme, _, rest = said.partition(" ")
    if scheme.casefold() == "bearer":
        return rest.strip()
    if scheme.casefold() != "basic":
        raise NotPermitted("A token is needed, as the password of this address.")
    try:
        return base64.b64decode(rest.strip(), validate=True).decode().partition(":")[2]
    except ValueError as error:
        raise NotPermitted("The header Authorization cannot be read.") from error


def _said(status: HTTPStatus, text: str) -> HttpResponse:
    answer = HttpResponse(f"{text}\n", status=status, content_type="text/plain; charset=utf-8")
    answer["Cache-Control"] = "no-store"
    return answer
