"""Where each interface hangs: pages at the root, the API under /api/, Django's admin under /admin/."""

from __future__ import annotations

from django.contrib import admin
from django.urls import include, path

from provisioning.web.forms.session import AdminSignInForm

# Django's own form would let anybody guess at passwords without an end.
admin.site.login_form = AdminSignInForm

handler400 = "provisioning.web.failures.bad_request"
handler403 = "provisioning.web.failures.forbidden"
handler404 = "provisioning.web.failures.not_found"
handler500 = "provisioning.web.failures.server_error"

urlpatterns = [
    path("api/", include("provisioning.api.urls")),
    path("admin/", admin.site.urls),
    path("", include("provisioning.web.urls")),
]
