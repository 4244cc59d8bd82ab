"""Deeds to several rows at once: differences that are ignored or heeded, requests that are refused."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone

from provisioning.errors import Conflict
from provisioning.models import Actor, PremiumRequest, RouterDifference, Verb
from provisioning.pipeline.states import RequestState
from provisioning.pipeline.units import instant_text
from provisioning.selectors import differences, requests
from provisioning.selectors.authority import to_deciding
from provisioning.selectors.terms import terms_of_request
from provisioning.services import decisions
from provisioning.services import differences as deciding
from provisioning.web.access import page
from provisioning.web.forms.reasons import IgnoreForm, ReasonForm
from provisioning.web.several import Deed, done_to_several

_OPEN: Final = (RequestState.SUBMITTED, RequestState.HELD)


def _ahead_ignore(_actor: Actor, row: RouterDifference) -> tuple[bool, str]:
    if row.gone_at is not None:
        return False, f"It was not seen any more at {instant_text(row.gone_at)}: nothing happens."
    if row.is_ignored(timezone.now()):
        assert row.ignored_until is not None
        return True, f"It is ignored until {instant_text(row.ignored_until)}; it is until the moment you say."
    return True, "Nobody is told of it until then. The router differs all the same."


def _ignore(actor: Actor, row: RouterDifference, said: dict[str, Any], _read: str) -> str:
    until, reason = said["until"], said["reason"]
    if row.is_ignored(timezone.now()) and row.ignored_until == until and row.ignored_reason == reason.strip():
        return f"It was ignored so already, until {instant_text(until)}; nothing was written."
    deciding.ignore(actor=actor, difference=row.pk, until=until, reason=reason)
    return f"Ignored until {instant_text(until)}."


def _ahead_heed(_actor: Actor, row: RouterDifference) -> tuple[bool, str]:
    if row.gone_at is not None:
        return False, f"It was not seen any more at {instant_text(row.gone_at)}: nothing happens."
    if not row.is_ignored(timezone.now()):
        return False, "It is not ignored: nothing happens."
    return True, "The next reading that shows it tells of it."


def _heed(actor: Actor, row: RouterDifference, said: dict[str, Any], _read: str) -> str:
    was = row.is_ignored(timezone.now())
    deciding.heed(actor=actor, difference=row.pk, reason=said["reason"])
    return "No longer ignored." if was else "It was not ignored; nothing was written."


OF_DIFFERENCES: Final = (
    Deed("ignore", "Ignore", "Ignore these", IgnoreForm, _ahead_ignore, _ignore),
    Deed("heed", "Ignore no longer", "Ignore these no longer", ReasonForm, _ahead_heed, _heed),
)


def _ahead_refuse(actor: Actor, row: PremiumRequest) -> tuple[bool, str]:
    if row.series_id is not None:
        return False, "It is one of a series, which is decided as one: open it and decide there."
    if row.state not in _OPEN:
        return False, "It is decided already: nothing happens."
    if against := to_deciding(actor, [row]):
        return False, against[0].text
    return True, f"It is refused; {row.nren.name} sees your reason, and the evidence of this moment is kept."


def _refuse(actor: Actor, row: PremiumRequest, said: dict[str, Any], read: str) -> str:
    if row.series_id is not None:
        raise Conflict("It is one of a series, which is decided as one: open it and decide there.")
    if row.state == RequestState.REFUSED and row.decision_reason == said["reason"].strip():
        return "It was refused so already; nothing was written."
    decisions.refuse(actor=actor, request=row, reason=said["reason"], terms=read or "-")
    return f"Refused; {row.nren.name} sees your reason."


OF_REQUESTS: Final = (
    Deed(
        "refuse",
        "Refuse",
        "Refuse these",
        ReasonForm,
        _ahead_refuse,
        _refuse,
        read=lambda row: terms_of_request(row.pk),
        danger=True,
    ),
)


@page(Verb.MEND, ("GET", "POST"))
def of_differences(request: HttpRequest) -> HttpResponse:
    """Ignore several differences, or ignore them no longer."""

    def rows(_actor: Actor, keys: list[int]) -> Sequence[RouterDifference]:
        return list(differences.differences().filter(pk__in=keys))

    return done_to_several(
        request,
        OF_DIFFERENCES,
        rows,
        lambda row: reverse("web:difference", args=[row.pk]),
        back=reverse("web:differences"),
        crumb="Drift",
    )


@page(Verb.DECIDE, ("GET", "POST"))
def of_requests(request: HttpRequest) -> HttpResponse:
    """Refuse several requests for one reason. To admit is decided one by one: each is judged beside those before it."""

    def rows(actor: Actor, keys: list[int]) -> Sequence[PremiumRequest]:
        return list(requests.for_actor(actor).filter(pk__in=keys).order_by("pk"))

    return done_to_several(
        request,
        OF_REQUESTS,
        rows,
        lambda row: reverse("web:request", args=[row.pk]),
        back=reverse("web:requests"),
        crumb="Requests",
    )
