"""The resource ``capacity-changes``: what a link carries, or a pool takes of links, from a date on or between two."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from inventory.models import AccessLink
from provisioning.api.choices import LINK_KINDS
from provisioning.api.fields import Instant, Percent, Strict, Text, Whole
from provisioning.api.v1.base import IDEMPOTENCY, Answered, ReadOnly, create, deed, read_body
from provisioning.api.v1.changing import LARGEST_RATE_BPS
from provisioning.api.v1.filters import CapacityFilters
from provisioning.api.v1.network_effects import EffectOfCapacity, capacity_json
from provisioning.api.v1.reasons import UNSAID, NoWhy, Why
from provisioning.errors import InvalidInput
from provisioning.models import CapacityChange
from provisioning.pipeline.topology import LinkCapacity, Planned, PoolShare
from provisioning.pipeline.units import TimeWindow
from provisioning.selectors.capacity import as_value
from provisioning.selectors.network import the_domain
from provisioning.services import clock, retrying, topology


class CapacityAsked(Strict):
    """Of one link: `link` and `usable_bps`. Of a pool: `pool`, `kind` and `percent`. One of the two."""

    link = Text(max_length=200, required=False, help_text="The name of a link of whatever kind.")
    usable_bps = Whole(
        min_value=0, max_value=LARGEST_RATE_BPS, required=False, help_text="What it carries then, bit/s."
    )
    pool = Text(max_length=40, required=False, help_text="A pool of the scheme.")
    kind = serializers.ChoiceField(
        choices=LINK_KINDS, required=False, help_text="The links it takes its share of."
    )
    percent = Percent(required=False, help_text="Of each of them.")
    start = Instant(required=False, help_text="Now where it is not given.")
    end = Instant(required=False, allow_null=True, default=None, help_text="Null: until another one begins.")
    domain = Text(max_length=64, required=False, help_text="Where there are several.")
    reason = Text(max_length=2000)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Return them; refuse half of a link and half of a pool."""
        of_link, of_pool = {"link", "usable_bps"}, {"pool", "kind", "percent"}
        asked = of_pool if set(attrs) & of_pool else of_link
        missing, other = asked - set(attrs), (of_link | of_pool) - asked
        wrong: dict[str, Any] = dict.fromkeys(other & set(attrs), "It is a change of a pool.")
        wrong |= dict.fromkeys(missing, "Say link and usable_bps, or pool, kind and percent.")
        if wrong:
            raise serializers.ValidationError(wrong)
        return attrs

    def planned(self) -> Planned:
        """Return what the service takes; raises InvalidInput when it ends before it begins."""
        given = self.validated_data
        try:
            window = TimeWindow(given.get("start") or clock.now(), given["end"])
        except InvalidInput as error:
            raise InvalidInput(error.reason, field="end") from error
        if "link" in given:
            return LinkCapacity(given["link"], given["usable_bps"], window)
        return PoolShare(given["pool"], given["kind"], given["percent"], window)


class CapacityWhatIf(CapacityAsked):
    """As `CapacityAsked`, without a reason: nothing is changed."""

    reason = Text(max_length=2000, allow_blank=True, default="")


class CapacityView(serializers.ModelSerializer[CapacityChange]):
    """A change of capacity; why and who is the NOC's and auditors' matter."""

    link = serializers.CharField(allow_blank=True)
    usable_bps = serializers.IntegerField(allow_null=True)
    kind = serializers.ChoiceField(
        choices=LINK_KINDS, allow_blank=True, help_text="Empty: it is of one link."
    )
    percent = serializers.DecimalField(max_digits=6, decimal_places=3, allow_null=True)
    text = serializers.SerializerMethodField(help_text="It in one sentence.")
    reason = serializers.SerializerMethodField(help_text="Null for an NREN.")
    said_by = serializers.SerializerMethodField(help_text="Null for an NREN.")

    class Meta:
        model = CapacityChange
        fields = [
            "id", "link", "usable_bps", "pool", "kind", "percent", "start", "end", "text", "reason", "said_by",
            "created_at", "taken_back_at",
        ]  # fmt: skip
        read_only_fields = fields

    def get_text(self, row: CapacityChange) -> str:
        """Return it as people say it."""
        return str(as_value(row))

    def get_reason(self, row: CapacityChange) -> str | None:
        """Return why, None for an NREN: it may speak of others."""
        return row.reason if self.context["actor"].sees_everything else None

    def get_said_by(self, row: CapacityChange) -> str | None:
        """Return who said so, None for an NREN."""
        return row.said_by if self.context["actor"].sees_everything else None


class CapacityDone(CapacityView):
    """A change of capacity with what came of it; the NOC's matter."""

    effect = EffectOfCapacity(read_only=True)

    class Meta(CapacityView.Meta):
        fields = [*CapacityView.Meta.fields, "effect"]
        read_only_fields = fields


class CapacityResource(ReadOnly):
    """Changes of capacity: the NOC and auditors see all, an NREN those of its own access links. Only the NOC says one."""

    queryset = CapacityChange.objects.none()
    serializer_class = CapacityView
    filterset_class = CapacityFilters

    def get_queryset(self) -> QuerySet[CapacityChange]:
        """Return the rows the actor may see, those that were taken back too: a list narrows them where it is asked to."""
        rows = CapacityChange.objects.order_by("start", "pk")
        if not self.actor.sees_everything:
            own = AccessLink.objects.filter(nren_id__in=self.actor.nren_ids)
            rows = rows.filter(link__in=own.values("name"))
        return rows

    @extend_schema(request=CapacityAsked, responses={201: CapacityDone}, parameters=[IDEMPOTENCY])
    def create(self, request: Request) -> Response:
        """Say what a link carries, or a pool takes, from then on; who does not fit any more is named, and keeps what it has."""
        asked = read_body(request, CapacityAsked)
        return create(request, "capacity-changes", lambda: self._done(self._say(asked)))

    @extend_schema(request=CapacityWhatIf, responses=EffectOfCapacity)
    @action(detail=False, methods=["post"], url_path="what-if")
    def what_if(self, request: Request) -> Response:
        """What would break by it, when and by how much; nothing is changed."""
        asked = read_body(request, CapacityWhatIf)
        said = retrying.whole(lambda: self._say(asked, dry_run=True))
        return Response(capacity_json(said))

    @extend_schema(request=Why, responses=CapacityDone, parameters=[IDEMPOTENCY])
    @action(detail=True, methods=["post"], url_path="take-back")
    def take_back(self, request: Request, **_id: str) -> Response:
        """Take it back: it is as if it had not been said."""
        row = self.get_object()
        why = read_body(request, Why)

        def act() -> Answered:
            return 200, self._done(topology.take_back(actor=self.actor, key=row.pk, **why.validated_data))

        return deed(request, act)

    @extend_schema(request=NoWhy, responses=EffectOfCapacity)
    @action(detail=True, methods=["post"], url_path="take-back-what-if")
    def take_back_what_if(self, request: Request, **_id: str) -> Response:
        """Who would fit again, or not any more, without it; nothing is changed."""
        row = self.get_object()
        why = read_body(request, NoWhy)
        reason = why.validated_data["reason"].strip() or UNSAID
        said = retrying.whole(
            lambda: topology.take_back(actor=self.actor, key=row.pk, reason=reason, dry_run=True)
        )
        return Response(capacity_json(said))

    def _say(self, asked: CapacityAsked, *, dry_run: bool = False) -> topology.Said:
        return topology.change_capacity(
            actor=self.actor,
            domain=the_domain(asked.validated_data.get("domain")),
            planned=asked.planned(),
            reason=asked.validated_data["reason"].strip() or (UNSAID if dry_run else ""),
            dry_run=dry_run,
        )

    def _done(self, said: topology.Said) -> dict[str, Any]:
        shown = CapacityView(said.change, context=self.get_serializer_context()).data
        return {**shown, "effect": capacity_json(said)}
