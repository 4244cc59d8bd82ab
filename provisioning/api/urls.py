"""The paths of the API."""

from __future__ import annotations

from django.urls import path, re_path
from rest_framework.routers import SimpleRouter

from provisioning.api.documents import NothingHere, ProblemType, SchemaPage, SchemaView
from provisioning.api.v1.advice import AdviceResource
from provisioning.api.v1.broken_glass import BreakGlassResource
from provisioning.api.v1.capacity import CapacityResource
from provisioning.api.v1.deciding import ModificationResource
from provisioning.api.v1.deployment import AuditEventResource, ChangeResource, PushResource
from provisioning.api.v1.differing import DifferenceResource
from provisioning.api.v1.drifting import DriftResource
from provisioning.api.v1.events import EventResource
from provisioning.api.v1.me import MeResource
from provisioning.api.v1.moving import MoveResource
from provisioning.api.v1.network import (
    AccessLinkResource,
    CoreLinkResource,
    InterfaceResource,
    LineCardResource,
    NrenResource,
    PeeringResource,
    RouterResource,
)
from provisioning.api.v1.network_files import NetworkFileResource
from provisioning.api.v1.requesting import PremiumRequestResource
from provisioning.api.v1.series_resource import SeriesResource
from provisioning.api.v1.subscribers import SubscriberResource
from provisioning.api.v1.tokens import TokenResource

app_name = "api"

router = SimpleRouter()
router.register("v1/nrens", NrenResource, basename="nrens")
router.register("v1/routers", RouterResource, basename="routers")
router.register("v1/access-links", AccessLinkResource, basename="access-links")
router.register("v1/core-links", CoreLinkResource, basename="core-links")
router.register("v1/interfaces", InterfaceResource, basename="interfaces")
router.register("v1/line-cards", LineCardResource, basename="line-cards")
router.register("v1/peerings", PeeringResource, basename="peerings")
router.register("v1/network-files", NetworkFileResource, basename="network-files")
router.register("v1/capacity-changes", CapacityResource, basename="capacity-changes")
router.register("v1/differences", DifferenceResource, basename="differences")
router.register("v1/path-drift", DriftResource, basename="path-drift")
router.register("v1/moves", MoveResource, basename="moves")
router.register("v1/premium-requests", PremiumRequestResource, basename="premium-requests")
router.register("v1/modifications", ModificationResource, basename="modifications")
router.register("v1/series", SeriesResource, basename="series")
router.register("v1/changes", ChangeResource, basename="changes")
router.register("v1/pushes", PushResource, basename="pushes")
router.register("v1/break-glass", BreakGlassResource, basename="break-glass")
router.register("v1/subscribers", SubscriberResource, basename="subscribers")
router.register("v1/tokens", TokenResource, basename="tokens")
router.register("v1/me", MeResource, basename="me")
router.register("v1/advice", AdviceResource, basename="advice")
router.register("v1/events", EventResource, basename="events")
router.register("v1/audit-events", AuditEventResource, basename="audit-events")

urlpatterns = [
    path("schema/", SchemaView.as_view(), name="schema"),
    path("docs/", SchemaPage.as_view(), name="docs"),
    path("problems/<slug:code>/", ProblemType.as_view(), name="problem"),
    *router.urls,
    # A dot stands for no line break, and a path may hold one (%0A).
    re_path(r"^[\s\S]*$", NothingHere.as_view()),
]
