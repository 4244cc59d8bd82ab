"""Resources of the network: NRENs, routers, access links, core links."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from inventory.models import AccessLink, CoreLink, Domain, Interface, LineCard, Nren, Peering, Router
from provisioning.api.permissions import SeesEverything
from provisioning.api.v1.base import ApiView, ReadOnly
from provisioning.api.v1.chassis import HasChassis
from provisioning.api.v1.declaring import DeclaresLinks
from provisioning.api.v1.editing import (
    OF_LINKS,
    OF_ROUTERS,
    AccessLinkEdited,
    CoreLinkEdited,
    InterfaceEdited,
    LineCardEdited,
    NrenEdited,
    PeeringEdited,
    RouterEdited,
    edits,
)
from provisioning.api.v1.failing import FailuresView, FailureView
from provisioning.api.v1.network_filters import (
    AccessLinkFilters,
    CoreLinkFilters,
    InterfaceFilters,
    LineCardFilters,
    NrenFilters,
    PeeringFilters,
    RouterFilters,
)
from provisioning.api.v1.network_rows import InterfaceView, LineCardView, PeeringView
from provisioning.api.v1.probing import ProbesRouters
from provisioning.api.v1.quotas import HasQuotas
from provisioning.api.v1.representations import AccessLinkView, CoreLinkView, NrenView, RouterView
from provisioning.api.v1.saving import SavesRouters
from provisioning.api.v1.verifying import VerifiesRouters
from provisioning.pipeline.topology import Failure
from provisioning.selectors.failures import Standing, effect_of, standing_of
from provisioning.selectors.failures_as_json import effect_json, standing_json
from provisioning.selectors.ledger import committed_now


class NrenResource(edits(NrenEdited), HasQuotas, ReadOnly):  # type: ignore[misc]
    """NRENs and their prefixes: whom one can ask to receive."""

    queryset = Nren.objects.prefetch_related("prefixes").order_by("name")
    serializer_class = NrenView
    filterset_class = NrenFilters


class RouterResource(
    edits(RouterEdited, OF_ROUTERS), HasChassis, SavesRouters, ProbesRouters, VerifiesRouters, ReadOnly
):  # type: ignore[misc]
    """Routers: the NOC's and auditors' matter; the NOC saves what is unsaved on them."""

    queryset = Router.objects.select_related("pop", "sync").prefetch_related("line_cards").order_by("name")
    serializer_class = RouterView
    filterset_class = RouterFilters
    permission_classes = (*ApiView.permission_classes, SeesEverything)


class _Links(ReadOnly):
    def open_links(self) -> set[str]:
        """Return the names of the links whose charges the actor may see."""
        raise NotImplementedError

    def get_serializer_context(self) -> dict[str, Any]:
        """Return the context with the charges of the moment on the links that are open to the actor."""
        context = super().get_serializer_context()
        if not getattr(self, "swagger_fake_view", False):
            context["open_links"] = self.open_links()
            context["committed"] = committed_now(now=timezone.now(), links=context["open_links"])
        return context


class AccessLinkResource(edits(AccessLinkEdited, OF_LINKS), _Links):  # type: ignore[misc]
    """Access links: where a request can enter and leave."""

    queryset = AccessLink.objects.select_related("nren", "interface__router").order_by("name")
    serializer_class = AccessLinkView
    filterset_class = AccessLinkFilters

    def open_links(self) -> set[str]:
        """Return all links for those who see everything, else those of the actor's own NRENs."""
        rows: QuerySet[AccessLink] = AccessLink.objects.all()
        if not self.actor.sees_everything:
            rows = rows.filter(nren_id__in=self.actor.nren_ids)
        return set(rows.values_list("name", flat=True))


class CoreLinkResource(edits(CoreLinkEdited, OF_LINKS), DeclaresLinks, _Links):  # type: ignore[misc]
    """Core links: the NOC's and auditors' matter."""

    queryset = CoreLink.objects.select_related("a_interface__router", "z_interface__router").order_by("name")
    serializer_class = CoreLinkView
    filterset_class = CoreLinkFilters
    permission_classes = (*ApiView.permission_classes, SeesEverything)

    def open_links(self) -> set[str]:
        """Return all core links: who may not see them does not come here."""
        return set(CoreLink.objects.values_list("name", flat=True))

    @extend_schema(responses=FailureView)
    @action(detail=True, url_path="failure")
    def failure(self, request: Request, pk: str | None = None) -> Response:  # noqa: ARG002 - DRF's own names
        """What the failure of this link would do to everything held now and later: who is left without what was promised, and
        each link whose load it changes.
        """
        link = self.get_object()
        effect = effect_of(link.domain, Failure("link", link.name), now=timezone.now())
        return Response(effect_json(effect))

    @extend_schema(responses=FailuresView)
    @action(detail=False, url_path="failures", pagination_class=None, filterset_class=None)
    def failures(self, request: Request) -> Response:  # noqa: ARG002 - DRF's own name
        """All single failures that reroute or cut off anybody, as they were last worked out, the worst first."""
        domain = Domain.objects.order_by("pk").first()
        standing = (
            Standing(None, "nothing is imported") if domain is None else standing_of(domain, book=False)
        )
        return Response(standing_json(standing))


class InterfaceResource(edits(InterfaceEdited), ReadOnly):  # type: ignore[misc]
    """Interfaces: the NOC's and auditors' matter."""

    queryset = Interface.objects.select_related("router").order_by("router_id", "name")
    serializer_class = InterfaceView
    filterset_class = InterfaceFilters
    permission_classes = (*ApiView.permission_classes, SeesEverything)


class LineCardResource(edits(LineCardEdited), ReadOnly):  # type: ignore[misc]
    """Line cards: the NOC's and auditors' matter."""

    queryset = LineCard.objects.select_related("router").order_by("router_id", "slot")
    serializer_class = LineCardView
    filterset_class = LineCardFilters
    permission_classes = (*ApiView.permission_classes, SeesEverything)


class PeeringResource(edits(PeeringEdited, OF_LINKS), ReadOnly):  # type: ignore[misc]
    """Peerings: the NOC's and auditors' matter."""

    queryset = Peering.objects.select_related("interface__router").order_by("name")
    serializer_class = PeeringView
    filterset_class = PeeringFilters
    permission_classes = (*ApiView.permission_classes, SeesEverything)
