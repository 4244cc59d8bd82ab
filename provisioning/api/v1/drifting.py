"""The resource ``path-drift``: paths as routers see them, beside those that are charged."""

from __future__ import annotations

from typing import Any, ClassVar

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.mixins import ListModelMixin
from rest_framework.request import Request
from rest_framework.response import Response

from provisioning.api.fields import Flag, Instant, Strict, Text
from provisioning.api.parsing import BoundedJSONParser
from provisioning.api.permissions import SeesEverything
from provisioning.api.v1.base import ApiView, read_body
from provisioning.errors import InvalidInput
from provisioning.models import Reservation
from provisioning.pipeline.topology import LARGEST_TEXT
from provisioning.selectors.drift import drifting
from provisioning.selectors.network import the_domain
from provisioning.services import retrying, topology

MOST = 500


class EvidenceParser(BoundedJSONParser):
    """JSON as long as the longest database is, with room for what JSON writes with a backslash."""

    limit = LARGEST_TEXT * 2


class EvidenceSent(Strict):
    """What a router printed: `show isis database detail`, a routing or forwarding table, or a traceroute."""

    text = Text(max_length=LARGEST_TEXT, trim_whitespace=False)
    router = Text(
        max_length=63,
        required=False,
        default="",
        allow_blank=True,
        help_text="Whose table it is, without a prompt.",
    )
    taken_at = Instant(
        required=False, default=None, help_text="When it was printed, if the text does not say."
    )
    end_moves = Flag(required=False, default=False, help_text="Only an IS-IS database of a known time can.")
    dry_run = Flag(required=False, default=False, help_text="Compare, and note nothing.")
    source = Text(max_length=100, required=False, default="", allow_blank=True, help_text="Where it is from.")
    domain = Text(max_length=64, required=False, default=None)


class DriftRow(serializers.Serializer[Any]):
    """A request whose traffic goes otherwise; hops are pairs of routers."""

    request = serializers.CharField()
    text = serializers.CharField()
    uncharged = serializers.ListField(child=serializers.ListField(child=serializers.CharField()))
    unused = serializers.ListField(child=serializers.ListField(child=serializers.CharField()))
    no_path = serializers.BooleanField()


class ComparedView(serializers.Serializer[Any]):
    """What came of a comparison. At most 500 rows of each kind are listed; `older` are requests whose path changed since."""

    by = serializers.CharField()
    at = serializers.DateTimeField(allow_null=True, help_text="When it was printed; null where nobody knows.")
    compared = serializers.IntegerField()
    differ = serializers.IntegerField()
    drifts = DriftRow(many=True)
    links = serializers.ListField(
        child=serializers.CharField(), help_text="Where inventory and routers differ."
    )
    settled = serializers.ListField(
        child=serializers.CharField(), help_text="They take their new path alone."
    )
    ended = serializers.ListField(child=serializers.CharField())
    older = serializers.ListField(child=serializers.CharField())


class DriftView(serializers.ModelSerializer[Reservation]):
    """A reservation that was seen to go otherwise than it is charged."""

    request = serializers.IntegerField(source="request_id")
    reference = serializers.CharField(source="request.reference")
    text = serializers.CharField(source="drift")
    hops = serializers.SerializerMethodField(help_text="The hops that differ, as pairs of routers.")
    at = serializers.DateTimeField(source="drift_at", help_text="When it was seen; the age of the evidence.")
    by = serializers.CharField(source="drift_by", help_text="What it was seen by.")

    class Meta:
        model = Reservation
        fields: ClassVar[list[str]] = ["request", "reference", "text", "hops", "at", "by"]

    @extend_schema_field(serializers.ListField(child=serializers.ListField(child=serializers.CharField())))
    def get_hops(self, row: Reservation) -> list[list[str]]:
        """Return the hops."""
        return [list(hop) for hop in row.drift_hops]


class DriftResource(ListModelMixin, ApiView):
    """Path drift: the NOC's and auditors' matter; the NOC compares."""

    queryset = Reservation.objects.none()
    serializer_class = DriftView
    permission_classes = (*ApiView.permission_classes, SeesEverything)

    def get_queryset(self) -> QuerySet[Reservation]:
        """Return what was seen to differ."""
        return drifting()

    @extend_schema(request=EvidenceSent, responses=ComparedView)
    @action(detail=False, methods=["post"], parser_classes=(EvidenceParser,), pagination_class=None)
    def compare(self, request: Request) -> Response:
        """Compare the text with what everything live is charged on. The same text again finds the same."""
        given = dict(read_body(request, EvidenceSent).validated_data)
        domain = the_domain(given.pop("domain"))
        try:
            found = retrying.whole(lambda: topology.compare_paths(actor=self.actor, domain=domain, **given))
        except InvalidInput as error:
            raise InvalidInput(
                error.reason, field="text" if error.field == "file" else error.field
            ) from error
        return Response(_shown(found))


def _shown(found: topology.Compared) -> dict[str, Any]:
    return {
        "by": found.by,
        "at": None if found.at is None else found.at.isoformat(),
        "compared": found.compared,
        "differ": len(found.drifts),
        "drifts": [
            {
                "request": each.request.reference,
                "text": each.text,
                "uncharged": [list(pair) for pair in each.uncharged],
                "unused": [list(pair) for pair in each.unused],
                "no_path": each.lost,
            }
            for each in found.drifts[:MOST]
        ],
        "links": list(found.links[:MOST]),
        "settled": [each.reference for each in found.settled[:MOST]],
        "ended": [each.reference for each in found.ended[:MOST]],
        "older": [each.reference for each in found.older[:MOST]],
    }
