"""The resource ``moves``: requests that are charged on two paths, and the word that a move is over."""

from __future__ import annotations

from typing import Any

from django.db.models import Prefetch, QuerySet
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from provisioning.api.fields import Strict, Text, Whole
from provisioning.api.permissions import SeesEverything
from provisioning.api.v1.base import IDEMPOTENCY, Answered, ApiView, ReadOnly, deed, read_body
from provisioning.api.v1.filters import MoveFilters
from provisioning.api.v1.network_effects import LoadName
from provisioning.api.v1.reasons import Why
from provisioning.errors import NotVisible
from provisioning.models import LedgerEntry, PremiumRequest
from provisioning.selectors.ledger import that_move
from provisioning.services import topology

AT_ONCE = 200
"""Moves that one request may end."""


class MoveView(serializers.ModelSerializer[PremiumRequest]):
    """A request whose path moves: charged on `leaving` beside the path of today until the move is over."""

    since = serializers.DateTimeField()
    leaving = serializers.SerializerMethodField()
    by_the_routers = serializers.SerializerMethodField(
        help_text="How routers differ from both paths, as last compared; empty where they do not, or nobody compared."
    )
    compared_at = serializers.DateTimeField(
        source="reservation.drift_at", default=None, allow_null=True, help_text="When that was so."
    )

    class Meta:
        model = PremiumRequest
        fields = ["id", "reference", "since", "leaving", "by_the_routers", "compared_at"]
        read_only_fields = fields

    @extend_schema_field(LoadName(many=True))
    def get_leaving(self, row: PremiumRequest) -> list[dict[str, str]]:
        """Return the old path's loads."""
        loads = sorted({(each.link, each.direction) for each in row.leaving})  # type: ignore[attr-defined]
        return [{"link": link, "direction": way} for link, way in loads]

    def get_by_the_routers(self, row: PremiumRequest) -> str:
        """Return what the last comparison said."""
        reservation = getattr(row, "reservation", None)
        return "" if reservation is None else str(reservation.drift)


class MovesOver(Strict):
    """Whose moves are over, and how that is known."""

    requests = serializers.ListField(
        child=Whole(min_value=1, max_value=10**15), min_length=1, max_length=AT_ONCE
    )
    reason = Text(max_length=2000)


class MovesEnded(serializers.Serializer[Any]):
    """Whose moves were ended now; `not_moving` were not moving (any more)."""

    ended = serializers.ListField(child=serializers.IntegerField())
    not_moving = serializers.ListField(child=serializers.IntegerField())


class MoveResource(ReadOnly):
    """What moves, by the id of the request: the NOC's and auditors' matter; the NOC says when a move is over."""

    queryset = PremiumRequest.objects.none()
    serializer_class = MoveView
    filterset_class = MoveFilters
    permission_classes = (*ApiView.permission_classes, SeesEverything)

    def get_queryset(self) -> QuerySet[PremiumRequest]:
        """Return the requests that move, with since when and what they leave."""
        # Of requests that move nothing more has to be asked than which of their charges do.
        charges = LedgerEntry.objects.filter(moving_since__isnull=False, released_at=None)
        return (
            that_move()
            .select_related("reservation")
            .prefetch_related(Prefetch("all_charges", charges, to_attr="leaving"))
            .order_by("pk")
        )

    @extend_schema(request=Why, responses=MovesEnded, parameters=[IDEMPOTENCY])
    @action(detail=True, methods=["post"], url_path="end")
    def end(self, request: Request, pk: str) -> Response:
        """Its traffic takes the new path: the old one is free. 409 for a request that does not move."""
        why = read_body(request, Why)

        def act() -> Answered:
            row = PremiumRequest.objects.filter(pk=pk).first()
            if row is None:
                raise NotVisible("There is no such request.")
            topology.path_moved(actor=self.actor, request=row, **why.validated_data)
            return 200, {"ended": [row.pk], "not_moving": []}

        return deed(request, act)

    @extend_schema(request=MovesOver, responses=MovesEnded, parameters=[IDEMPOTENCY])
    @action(detail=False, methods=["post"], url_path="end", url_name="end-several")
    def end_several(self, request: Request) -> Response:
        """The traffic of each of these takes its new path; all of them are ended, or none."""
        over = read_body(request, MovesOver)

        def act() -> Answered:
            keys, reason = set(over.validated_data["requests"]), over.validated_data["reason"]
            ended = topology.paths_moved(actor=self.actor, keys=keys, reason=reason)
            return 200, {"ended": ended, "not_moving": sorted(keys - set(ended))}

        return deed(request, act)
