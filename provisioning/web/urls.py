"""Every address of the pages. A new one needs a row in tests/web/test_matrix.py."""

from __future__ import annotations

from django.urls import path

from provisioning.web.views import (
    advice,
    audit,
    changes,
    decisions,
    health,
    home,
    lines,
    links,
    metrics,
    nrens,
    packs,
    portal,
    pushes,
    requests,
    routers,
    search,
)
from provisioning.web.views.session import SignIn, sign_out

app_name = "web"

urlpatterns = [
    path("livez", health.livez, name="livez"),
    path("readyz", health.readyz, name="readyz"),
    path("metrics", metrics.metrics, name="metrics"),
    path("healthz", health.readyz, name="healthz"),
    path("sign-in/", SignIn.as_view(), name="sign-in"),
    path("sign-out/", sign_out, name="sign-out"),
    path("", home.home, name="home"),
    # The NOC's work
    path("queue/", home.queue, name="queue"),
    path("search/", search.search, name="search"),
    path("requests/", requests.listing, name="requests"),
    path("requests/<int:pk>/", requests.page_of, name="request"),
    path("requests/<int:pk>/history/", requests.history, name="request-history"),
    path("requests/<int:pk>/admit/", decisions.admit, name="request-admit"),
    path("requests/<int:pk>/admit/lines/", decisions.admit_with_lines, name="request-admit-lines"),
    path("requests/<int:pk>/lines/", lines.page_of, name="request-lines"),
    path("requests/<int:pk>/lines/revoke/", lines.revoke, name="request-lines-revoke"),
    path("requests/<int:pk>/refuse/", decisions.refuse, name="request-refuse"),
    path("requests/<int:pk>/hold/", decisions.hold, name="request-hold"),
    path("requests/<int:pk>/unhold/", decisions.unhold, name="request-unhold"),
    path("requests/<int:pk>/withdraw/", requests.withdraw, name="request-withdraw"),
    path("requests/<int:pk>/retry/", requests.retry, name="request-retry"),
    path("requests/<int:pk>/consent/", requests.consent, name="request-consent"),
    path("requests/<int:pk>/flow-label/", requests.flow_label, name="request-flow-label"),
    path("requests/<int:pk>/advice/", advice.of_request, name="request-advice"),
    path("requests/<int:pk>/pack/", packs.page_of, name="request-pack"),
    path("requests/<int:pk>/pack/file/", packs.download, name="request-pack-file"),
    path("advice/", advice.bursts, name="advice"),
    path("advice/beside/", advice.beside, name="advice-beside"),
    path("changes/", changes.listing, name="changes"),
    path("changes/new/", changes.new, name="change-new"),
    path("changes/<int:pk>/", changes.page_of, name="change"),
    path("changes/<int:pk>/planning/live/", changes.planning_live, name="change-planning-live"),
    path("changes/<int:pk>/compare/", changes.compare, name="change-compare"),
    path("changes/<int:pk>/raw/", changes.raw, name="change-raw"),
    path("changes/<int:pk>/history/", changes.history, name="change-history"),
    path("changes/<int:pk>/approve/", changes.approve, name="change-approve"),
    path("changes/<int:pk>/cancel/", changes.cancel, name="change-cancel"),
    path("changes/<int:pk>/push/", changes.push, name="change-push"),
    path("changes/<int:pk>/progress/", pushes.progress, name="change-progress"),
    path("changes/<int:pk>/progress/live/", pushes.live, name="change-progress-live"),
    path("pushes/<int:pk>/", pushes.page_of, name="push"),
    # The network
    path("routers/", routers.listing, name="routers"),
    path("routers/<str:name>/", routers.page_of, name="router"),
    path("routers/<str:name>/objects/", routers.objects, name="router-objects"),
    path("routers/<str:name>/config/", routers.configuration, name="router-config"),
    path("routers/<str:name>/changes/", routers.changes, name="router-changes"),
    path("routers/<str:name>/verify/", routers.verify, name="router-verify"),
    path("links/", links.listing, name="links"),
    path("links/access/<int:pk>/", links.access, name="link-access"),
    path("links/core/<int:pk>/", links.core, name="link-core"),
    path("links/peering/<int:pk>/", links.peering, name="link-peering"),
    path("nrens/", nrens.listing, name="nrens"),
    path("nrens/<int:pk>/", nrens.page_of, name="nren"),
    # The record
    path("audit/", audit.listing, name="audit"),
    path("audit/check/", audit.check, name="audit-check"),
    path("audit/<int:sequence>/", audit.page_of, name="audit-event"),
    # The portal of an NREN
    path("my/requests/", portal.listing, name="my-requests"),
    path("my/ask/", portal.ask, name="my-new"),
    path("my/ask/links/", portal.links, name="my-links"),
    path("my/inbox/", portal.inbox, name="my-inbox"),
]
