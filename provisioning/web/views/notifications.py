"""Who is told what happens, what was told, what nobody took, and what is sent again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from provisioning.errors import Conflict, InvalidInput
from provisioning.models import Verb
from provisioning.pipeline.units import how_many
from provisioning.selectors import telling as reading
from provisioning.services.telling import replaying, subscribing
from provisioning.services.telling.replaying import Replay
from provisioning.web.access import actor_of, page
from provisioning.web.forms.telling import MailForm, ReplayForm, WebhookForm
from provisioning.web.forms.translating import put_errors
from provisioning.web.listing import listed
from provisioning.web.spelling import sentence
from provisioning.web.tables.telling import MessageTable, NotificationTable

GIVEN_UP_SHOWN = 50


@page(Verb.SEE_BACKBONE)
def listing(request: HttpRequest) -> HttpResponse:
    """Everybody who is told, messages that were given up, and the notifications, newest first."""
    given_up = reading.given_up()
    return render(
        request,
        "web/notifications.html",
        {
            "subscribers": reading.subscribers(),
            "given_up": given_up[:GIVEN_UP_SHOWN],
            "given_up_count": given_up.count(),
            "table": listed(request, NotificationTable(reading.notifications())),
            "may_set": actor_of(request).may(Verb.NOTIFY),
            "mail_server": settings.EMAIL_HOST,
        },
    )


@page(Verb.SEE_BACKBONE)
def messages_of(request: HttpRequest, pk: int) -> HttpResponse:
    """What one was sent, newest first."""
    row = reading.subscriber_of(pk)
    table = listed(request, MessageTable(reading.messages_of(row)))
    table.topics = reading.topics_of([shown.record.pk for shown in table.paginated_rows])
    context = {
        "row": row,
        "table": table,
        "may_set": actor_of(request).may(Verb.NOTIFY) and row.ended_at is None,
        "crumbs": _crumbs(row.address),
    }
    return render(request, "web/notifications_sent.html", context)


@page(Verb.NOTIFY, ("GET", "POST"))
def replay(request: HttpRequest, pk: int) -> HttpResponse:
    """Send one again what it was sent: the first POST says how many messages that is, the second does it."""
    row = reading.subscriber_of(pk)
    form = ReplayForm(request.POST or None)
    found = None
    if request.method == "POST" and form.is_valid():
        said = {"subscriber": row, "since": form.cleaned_data["since"], "until": form.cleaned_data["until"]}
        try:
            found = replaying.foresee(**said)
            if found.messages and "do" in request.POST and form.cleaned_data["seen"] == found.messages:
                done = replaying.replay(actor=actor_of(request), **said)
                messages.success(request, f"{_counted(done)} again: {row}.")
                return redirect("web:notifications-sent", pk)
        except InvalidInput as error:
            put_errors(form, error)
        except Conflict as error:
            form.add_error(None, sentence(error.reason))
    context = {
        "row": row,
        "form": form,
        "found": found,
        "counted": found and _counted(found),
        "back": reverse("web:notifications-sent", args=[pk]),
        "crumbs": [*_crumbs(row.address, reverse("web:notifications-sent", args=[pk])), ("Send again", None)],
    }
    return render(request, "web/notifications_replay.html", context)


@page(Verb.NOTIFY, ("GET", "POST"))
def add_mail(request: HttpRequest) -> HttpResponse:
    """Tell a mail address."""
    form = MailForm(request.POST or None)

    def add(said: dict[str, Any]) -> HttpResponse:
        row = subscribing.add_mail(actor=actor_of(request), **said)
        messages.success(request, f"{row.address} is told from now on. Send it a test.")
        return redirect("web:notifications")

    return _add(request, form, add, "Add a mail address")


@page(Verb.NOTIFY, ("GET", "POST"))
def add_webhook(request: HttpRequest) -> HttpResponse:
    """Call a webhook; its secret is shown this once."""
    form = WebhookForm(request.POST or None)

    def add(said: dict[str, Any]) -> HttpResponse:
        row, secret = subscribing.add_webhook(actor=actor_of(request), **said)
        # In this answer only: a message would travel through a cookie.
        return render(
            request,
            "web/notifications_secret.html",
            {"row": row, "secret": secret, "crumbs": _crumbs("Secret")},
        )

    return _add(request, form, add, "Add a webhook")


@page(Verb.NOTIFY, ("POST",))
def test(request: HttpRequest, pk: int) -> HttpResponse:
    """Send a test to one."""
    row = reading.subscriber_of(pk)
    subscribing.test(actor=actor_of(request), subscriber=row)
    messages.success(request, f"A test is on its way: {row}.")
    return redirect("web:notifications")


@page(Verb.NOTIFY, ("POST",))
def end(request: HttpRequest, pk: int) -> HttpResponse:
    """Tell one no more."""
    row = reading.subscriber_of(pk)
    subscribing.end(actor=actor_of(request), subscriber=row)
    messages.success(request, f"No more {row}.")
    return redirect("web:notifications")


@page(Verb.NOTIFY, ("POST",))
def again(request: HttpRequest, pk: int) -> HttpResponse:
    """Send a message that was given up."""
    subscribing.try_again(actor=actor_of(request), message=reading.message_of(pk))
    messages.success(request, "It is tried again.")
    return redirect("web:notifications")


@page(Verb.NOTIFY, ("POST",))
def let_go(request: HttpRequest, pk: int) -> HttpResponse:
    """Nobody needs a message any more that was given up."""
    subscribing.let_go(actor=actor_of(request), message=reading.message_of(pk))
    messages.success(request, "It is not sent any more.")
    return redirect("web:notifications")


def _add(
    request: HttpRequest, form: Any, add: Callable[[dict[str, Any]], HttpResponse], title: str
) -> HttpResponse:
    if request.method == "POST" and form.is_valid():
        try:
            return add(form.cleaned_data)
        except InvalidInput as error:
            put_errors(form, error)
        except Conflict as error:
            form.add_error(None, sentence(error.reason))
    context = {
        "form": form,
        "title": title,
        "back": reverse("web:notifications"),
        "crumbs": _crumbs(title),
    }
    return render(request, "web/notifications_add.html", context)


def _counted(found: Replay) -> str:
    """How many go: "12 messages go"."""
    return f"{how_many(found.messages, 'message')} {'goes' if found.messages == 1 else 'go'}"


def _crumbs(title: str, link: str | None = None) -> list[tuple[str, str | None]]:
    return [("Notifications", reverse("web:notifications")), (title, link)]
