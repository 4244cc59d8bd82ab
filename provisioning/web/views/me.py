"""One's own account: who the site takes one for, second factors, sessions."""

from __future__ import annotations

from allauth.mfa.models import Authenticator
from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from provisioning.selectors import identity as reading
from provisioning.services import clock, identity
from provisioning.web.access import actor_of, page
from provisioning.web.identity.accounts import methods_of
from provisioning.web.identity.required import lacks_second_factor


@page(None)
def page_of(request: HttpRequest) -> HttpResponse:
    """Name, roles, how one signed in, second factors, sessions."""
    actor = actor_of(request)
    factors = reading.factors_of(request.user.pk)
    keys = [factor for factor in factors if factor.type == Authenticator.Type.WEBAUTHN]
    codes = [factor for factor in factors if factor.type == Authenticator.Type.RECOVERY_CODES]
    context = {
        "methods": methods_of(request, request.user),
        "roles": sorted(role.value for role in actor.roles),
        "nrens": request.user.memberships.order_by("nren__name").values_list("nren__name", flat=True),
        "app": next((factor for factor in factors if factor.type == Authenticator.Type.TOTP), None),
        "keys": [{"row": key, "name": key.data.get("name", "")} for key in keys],
        "codes": codes[0] if codes else None,
        "codes_left": len(codes[0].wrap().get_unused_codes()) if codes else 0,
        "lacks": lacks_second_factor(request),
        "sessions": reading.live_sessions(
            request.user.pk, clock.now(), here=request.session.session_key or ""
        ),
        "linked": reading.linked_with(request.user.pk),
        "provider": settings.OIDC_NAME,
        "has_password": request.user.has_usable_password() and settings.PASSWORD_SIGN_IN,
    }
    return render(request, "web/me.html", context)


@page(None, ("POST",))
def end_session(request: HttpRequest, pk: int) -> HttpResponse:
    """End one of one's sessions."""
    session = reading.session_of(request.user.pk, pk)
    identity.end_session(actor=actor_of(request), session=session)
    messages.success(request, f"The session from {session.ip} has ended.")
    return redirect(reverse("web:me") + "#sessions")


@page(None, ("POST",))
def end_other_sessions(request: HttpRequest) -> HttpResponse:
    """End every session but this one."""
    here = request.session.session_key or ""
    ended = identity.end_sessions(actor=actor_of(request), user=request.user, but=here)
    messages.success(request, f"{ended} other session{'s have' if ended != 1 else ' has'} ended.")
    return redirect(reverse("web:me") + "#sessions")
