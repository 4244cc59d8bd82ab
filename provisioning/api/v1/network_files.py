"""What comes into the network, or is brought to what a file says: a network file or a part of one, as the command takes it."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from inventory.readers.errors import NetworkFileError
from inventory.readers.network_yaml import read_network_text
from inventory.readers.yaml_text import LARGEST_SENT
from provisioning.api.fields import Strict, Text
from provisioning.api.v1.base import IDEMPOTENCY, ApiView, asked_in_the_query, deed, read_body
from provisioning.api.v1.editing import DRY_RUN, DryRun, FieldChangeRow, truth
from provisioning.errors import InvalidFields, InvalidInput
from provisioning.models import Verb
from provisioning.selectors.authority import permit
from provisioning.services import inventory, retrying
from provisioning.services.inventory import ImportReport

MOST = 500


class NetworkFileSent(Strict):
    """A network file in YAML, whole or a part: what it does not mention stays as it is."""

    text = Text(max_length=LARGEST_SENT, trim_whitespace=False)
    name = Text(max_length=80, default="sent by the API", help_text="What the trail calls it.")


class ImportedRow(serializers.Serializer[Any]):
    """One row: created, updated, or unchanged with something to know."""

    kind = serializers.CharField()
    name = serializers.CharField()
    outcome = serializers.CharField(help_text="created, updated, unchanged or absent")
    changes = FieldChangeRow(many=True)
    remarks = serializers.ListField(child=serializers.CharField())


class ImportedView(serializers.Serializer[Any]):
    """What an import wrote, or would write. At most 500 rows are listed."""

    domain = serializers.CharField()
    dry_run = serializers.BooleanField()
    created = serializers.IntegerField()
    updated = serializers.IntegerField()
    unchanged = serializers.IntegerField()
    absent = serializers.IntegerField(help_text="Here and not in the file: left alone.")
    rows_in_all = serializers.IntegerField()
    rows = ImportedRow(many=True)


class NetworkFileResource(ApiView):
    """Network files: the NOC's."""

    queryset = None
    serializer_class = NetworkFileSent

    @extend_schema(request=NetworkFileSent, responses={200: ImportedView}, parameters=[IDEMPOTENCY, DRY_RUN])
    def create(self, request: Request) -> Response:
        """Import a network file, or a part of one: a router, an NREN, a link comes in by it."""
        permit(self.actor, Verb.NETWORK)
        dry_run = asked_in_the_query(request, DryRun, lambda said: truth(said, "dry_run"))
        said = read_body(request, NetworkFileSent).validated_data
        try:
            network = read_network_text(said["text"].encode(), source=said["name"])
        except NetworkFileError as error:
            raise InvalidFields(
                [InvalidInput(each.spoken(), field="text") for each in error.faults]
            ) from error

        def act() -> tuple[int, dict[str, Any]]:
            report = inventory.import_network(actor=self.actor, network=network, dry_run=dry_run)
            return 200, _shown(report)

        if dry_run:  # nothing is done that a key could be for
            return Response(retrying.whole(act)[1])
        return deed(request, act)


def _shown(report: ImportReport) -> dict[str, Any]:
    told = [row for row in report.rows if row.outcome in ("created", "updated") or row.remarks]
    return {
        "domain": report.domain,
        "dry_run": report.dry_run,
        **report.counts(),
        "rows_in_all": len(told),
        "rows": [row.as_dict() for row in told[:MOST]],
    }
