"""Signing in and out. The session is Django's; a new key at every sign-in, gone at sign-out."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.views import LoginView
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.shortcuts import redirect
from django.utils.decorators import method_decorator
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters

from provisioning.web.forms.session import SignInForm


@method_decorator([never_cache, sensitive_post_parameters("password")], name="dispatch")
class SignIn(LoginView):
    """The sign-in page; a page asked for before is opened afterwards if it is one of this site."""

    template_name = "web/sign_in.html"
    authentication_form = SignInForm
    redirect_authenticated_user = True
    next_page = "web:home"

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        context = super().get_context_data(**kwargs)
        context["next_page"] = context.get(self.redirect_field_name, "")
        return context


def sign_out(request: HttpRequest) -> HttpResponse:
    """End the session; POST only, so that no image or link of another site can do it."""
    if request.method != "POST":
        return HttpResponseNotAllowed(["POST"])
    logout(request)
    messages.info(request, "You are signed out.")
    return redirect("web:sign-in")
