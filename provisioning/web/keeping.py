"""A session that ends in the middle of a form loses nothing typed: it is kept on the server, and given back after signing in.

Who wrote it is known from a signed cookie that names who signed in last in this browser. It signs nobody in; whoever signs in as
somebody else gets nothing of it, and signing out takes it away.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.models import User
from django.db import transaction
from django.http import HttpRequest, HttpResponse, QueryDict
from django.utils.crypto import constant_time_compare, salted_hmac

from provisioning.services import kept_forms

_SALT: Final = "who-signed-in-last"
_LASTS_S: Final = 24 * 3600
_OURS: Final = frozenset({"csrfmiddlewaretoken", "do", "use", "try"})
"""Fields that nobody typed: a form that comes back does nothing by itself."""


def remember(response: HttpResponse, user: User) -> None:
    """Have the browser say for a day who signed in last: until then a session of a shift and the night after it are over."""
    response.set_signed_cookie(
        settings.LAST_PERSON_COOKIE_NAME,
        f"{user.pk} {_mark(user)}",
        salt=_SALT,
        max_age=_LASTS_S,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )


def _mark(user: User) -> str:
    """What is another as soon as they have another password: who is left at that browser then writes nothing in their name."""
    return salted_hmac(_SALT, user.get_session_auth_hash()).hexdigest()[:16]


def _last_person(request: HttpRequest) -> User | None:
    """Who signed in last in this browser, within a day and with the password that they have now."""
    said = request.get_signed_cookie(
        settings.LAST_PERSON_COOKIE_NAME, default="", salt=_SALT, max_age=_LASTS_S
    )
    key, _, mark = (said or "").partition(" ")
    user = User.objects.filter(pk=int(key), is_active=True).first() if key.isdecimal() else None
    return user if user is not None and constant_time_compare(mark, _mark(user)) else None


def forget(response: HttpResponse) -> None:
    """Have the browser say it no more."""
    response.delete_cookie(settings.LAST_PERSON_COOKIE_NAME, samesite="Lax")


def sign_in_page(request: HttpRequest, answer: HttpResponse) -> HttpResponse:
    """Return the way to the sign-in page, with the form kept that a browser sent whose session has ended: where that browser says
    who signed in there last.
    """
    last = _last_person(request)
    said = [(name, values) for name, values in request.POST.lists() if name not in _OURS]
    if last and kept_forms.keep(user_id=last.pk, address=request.get_full_path(), fields=said):
        messages.info(request, "Your session has ended. What you wrote is kept: sign in, and send it again.")
        # Where this is not said nobody is asked: nearly every page is opened with nothing kept.
        answer.set_cookie(
            settings.KEPT_COOKIE_NAME,
            "1",
            max_age=int(kept_forms.LASTS.total_seconds()),
            secure=settings.SESSION_COOKIE_SECURE,
            httponly=True,
            samesite="Lax",
        )
    return answer


def filled_in(request: HttpRequest, view: Callable[[], HttpResponse]) -> HttpResponse:
    """Return the page that was asked for; with what its reader wrote there when their session ended, if they did.

    Forms are bound to what was posted, and views act on a POST alone: what is kept stands as posted on a GET, so that the
    page shows it with whatever is wrong with it. Whatever such a page would write is taken back.
    """
    user_id, address = request.user.pk, request.get_full_path()
    if settings.KEPT_COOKIE_NAME not in request.COOKIES or user_id is None:
        return view()
    if request.method == "POST":
        answer = view()
        kept_forms.let_go(user_id=user_id, address=address)
        answer.delete_cookie(settings.KEPT_COOKIE_NAME, samesite="Lax")
        return answer
    said = kept_forms.give_back(user_id=user_id, address=address)
    if not said:
        return view()
    posted = QueryDict(mutable=True)
    for name, values in said:
        posted.setlist(name, values)
    request.POST = posted  # type: ignore[assignment]
    messages.warning(
        request,
        "Your session had ended when you sent this form: nothing was done. Below stands what you wrote; send it again. "
        "A file has to be chosen again.",
    )
    with transaction.atomic():
        answer = view()
        transaction.set_rollback(True)
    return answer
