"""Signing in and out. The session is Django's; a new key at every sign-in, gone at sign-out."""

from __future__ import annotations

from typing import Any

from allauth.account.internal.flows.logout import logout
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.views import LoginView, redirect_to_login
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.shortcuts import redirect, resolve_url
from django.utils.decorators import method_decorator
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters

from provisioning.errors import NotPermitted
from provisioning.services import identity
from provisioning.web import failures, keeping
from provisioning.web.forms.session import SignInForm
from provisioning.web.identity.accounts import address_of, enter_by_password


@method_decorator([never_cache, sensitive_post_parameters("password")], name="dispatch")
class SignIn(LoginView):
    """The sign-in page; a page asked for before is opened afterwards if it is one of this site."""

    template_name = "web/sign_in.html"
    authentication_form = SignInForm
    redirect_authenticated_user = True
    next_page = "web:home"

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if not settings.PASSWORD_SIGN_IN:
            return failures.of(request, NotPermitted(f"Here one signs in by {settings.OIDC_NAME}."))
        return super().post(request, *args, **kwargs)

    def form_valid(self, form: AuthenticationForm) -> HttpResponse:
        return enter_by_password(self.request, form.get_user(), self.get_success_url())

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        context = super().get_context_data(**kwargs)
        context["next_page"] = context.get(self.redirect_field_name, "")
        context["by_password"] = settings.PASSWORD_SIGN_IN
        context["provider"] = settings.OIDC_NAME if settings.OIDC_ISSUER else ""
        return context


def sign_out(request: HttpRequest) -> HttpResponse:
    """End the session, or a sign-in that waits for its second factor; POST only, so that no image or link of another site can."""
    if request.method != "POST":
        return HttpResponseNotAllowed(["POST"])
    if request.user.is_authenticated:
        identity.signed_out(
            request.user, address=address_of(request), session=request.session.session_key or ""
        )
    logout(request, show_message=False)
    messages.info(request, "You are signed out.")
    answer = redirect("web:sign-in")
    keeping.forget(answer)
    return answer


def sign_in_for_administration(request: HttpRequest) -> HttpResponse:
    """Where Django's administration sends whoever may not enter: to the one sign-in page, that asks for second factors too."""
    if request.user.is_authenticated:
        return failures.of(request, NotPermitted("The administration pages are for staff accounts."))
    return redirect_to_login(
        request.GET.get("next") or resolve_url("admin:index"), resolve_url("web:sign-in")
    )
