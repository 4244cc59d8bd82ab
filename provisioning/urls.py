"""Where each interface hangs: pages at the root, the API under /api/, Django's admin under /admin/."""

from __future__ import annotations

from django.contrib import admin
from django.urls import include, path

from provisioning.web.views.session import sign_in_for_administration

handler400 = "provisioning.web.failures.bad_request"
handler403 = "provisioning.web.failures.forbidden"
handler404 = "provisioning.web.failures.not_found"
handler429 = "provisioning.web.failures.too_many"
handler500 = "provisioning.web.failures.server_error"

urlpatterns = [
    path("api/", include("provisioning.api.urls")),
    # Django's own page would let anybody guess at passwords without an end, and ask for no second factor.
    path("admin/login/", sign_in_for_administration),
    path("admin/", admin.site.urls),
    path("", include("provisioning.web.identity.urls")),
    path("", include("provisioning.web.urls")),
]
