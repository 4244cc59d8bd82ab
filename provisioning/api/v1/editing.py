"""Rows of the network are edited (PATCH) and retired (DELETE): the services that the pages use, on the row as it was read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from inventory.models import AccessCase, AccessLink, CoreLink, Peering, Router
from provisioning.api import versions
from provisioning.api.fields import Flag, Strict, Text, Whole
from provisioning.api.problems import BadQuery
from provisioning.api.v1.base import ApiView, asked_in_the_query, read_body
from provisioning.api.v1.network_effects import RenewalView, renewal_json
from provisioning.api.v1.reasons import UNSAID
from provisioning.errors import InvalidInput, NotVisible, NotYetRead
from provisioning.models import Verb
from provisioning.selectors.authority import permit
from provisioning.services import inventory, preconditions, retrying
from provisioning.services.inventory import Leaves, Rewritten

HIGHEST_BPS = 10**15
DRY_RUN = OpenApiParameter(
    "dry_run", bool, description="`true`: say what would come of it and write nothing. Needs no If-Match."
)
RETIRING = (
    DRY_RUN,
    OpenApiParameter("reason", str, description="Why; left out on a dry run at will."),
)
OF_LINKS = (
    *RETIRING,
    OpenApiParameter(
        "exempt_reason",
        str,
        description="Its interfaces stay, and need no policy for this reason. Left out: they go with it.",
    ),
)
OF_ROUTERS = (
    *RETIRING,
    OpenApiParameter(
        "gone", bool, description="`true`: the box is there no more; what is on it keeps nobody."
    ),
)


class _Edited(Strict):
    """What is not given stays as it is."""

    reason = Text(max_length=2000, required=False, help_text="Why; needed unless it is a dry run.")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Return them; refuse a body that changes nothing."""
        if not set(attrs) - {"reason"}:
            raise serializers.ValidationError("say what is to be another value")
        return attrs


class NrenEdited(_Edited):
    """Fields of an NREN; `prefixes` are all that it has from then on."""

    name = Text(max_length=64, required=False)
    country = Text(max_length=2, required=False)
    prefixes = serializers.ListField(child=Text(max_length=50), max_length=1000, required=False)


class RouterEdited(_Edited):
    """Fields of a router. With another address, port or host key its stored sign-in is given up."""

    platform = Text(max_length=32, required=False)
    ios = Text(max_length=32, required=False)
    roles = serializers.ListField(child=Text(max_length=10), max_length=2, required=False)
    driver = serializers.ChoiceField(choices=Router.Driver.choices, required=False)
    management_host = Text(max_length=255, allow_blank=True, required=False)
    management_port = Whole(min_value=1, max_value=65535, required=False)
    ssh_profile = Text(max_length=16, required=False)
    host_key = Text(max_length=4000, allow_blank=True, required=False)


class LineCardEdited(_Edited):
    """The forwarding engine of a line card."""

    engine = Text(max_length=8, required=False)


class InterfaceEdited(_Edited):
    """Fields of an interface; rates in bit/s."""

    description = Text(max_length=200, allow_blank=True, required=False)
    pvc = Text(max_length=16, allow_blank=True, required=False)
    line_rate_bps = Whole(min_value=1, max_value=HIGHEST_BPS, required=False)
    bw_bps = Whole(min_value=1000, max_value=HIGHEST_BPS, required=False)
    usable_bps = Whole(min_value=1, max_value=HIGHEST_BPS, required=False)
    exempt_reason = Text(max_length=200, allow_blank=True, required=False)


class AccessLinkEdited(_Edited):
    """Fields of an access link."""

    case = serializers.ChoiceField(choices=AccessCase.choices, required=False)
    standing = Flag(required=False)
    standing_consent = Flag(required=False)
    source_filter = Text(max_length=200, allow_blank=True, required=False)
    agreement = Text(max_length=200, allow_blank=True, required=False)
    dscp_map = serializers.DictField(child=Whole(min_value=0, max_value=63), required=False)
    prefix = Text(max_length=60, allow_null=True, required=False)

    def validate_dscp_map(self, value: dict[str, int]) -> dict[str, int]:
        """Return the map; invalid where a key is no DSCP."""
        for key in value:
            if not (key.isascii() and key.isdecimal() and len(key) < 3 and int(key) < 64):
                raise serializers.ValidationError(f"{key[:20]!r} is no DSCP from 0 to 63")
        return {str(int(key)): theirs for key, theirs in value.items()}


class CoreLinkEdited(_Edited):
    """Fields of a core link."""

    metric = Whole(min_value=1, max_value=2**24 - 1, required=False)
    down = Flag(required=False)
    prefix = Text(max_length=60, allow_null=True, required=False)


class PeeringEdited(_Edited):
    """Fields of a peering."""

    peer = Text(max_length=64, required=False)
    prefix = Text(max_length=60, allow_null=True, required=False)


class FieldChangeRow(serializers.Serializer[Any]):
    """One field before and after, as people read it."""

    field = serializers.CharField()
    before = serializers.CharField(allow_blank=True)
    after = serializers.CharField(allow_blank=True)


class RewrittenView(serializers.Serializer[Any]):
    """What came of it, or would: the fields, the topology (null where no path or share is another one), and the routers that are
    to hold something else.
    """

    dry_run = serializers.BooleanField()
    changes = FieldChangeRow(many=True)
    renewal = RenewalView(allow_null=True)
    routers = serializers.ListField(child=serializers.CharField())


class DryRun(Strict):
    """The query of a deed that may be tried."""

    dry_run = serializers.CharField(required=False)


class _Retired(Strict):
    reason = Text(max_length=2000, required=False)
    dry_run = serializers.CharField(required=False)
    exempt_reason = Text(max_length=200, required=False)
    gone = serializers.CharField(required=False)


class EditsRows(ApiView):
    """PATCH and DELETE of one row; mixed into a resource by `edits`, which gives it the shape of its body."""

    edited: ClassVar[type[Strict]]

    def _edit(self, request: Request) -> Response:
        permit(self.actor, Verb.NETWORK)
        dry_run = asked_in_the_query(request, DryRun, lambda said: truth(said, "dry_run"))
        said = dict(read_body(request, self.edited).validated_data)
        reason = _reason(said.pop("reason", ""), dry_run=dry_run)
        row = self._row()
        seen = self._seen(request, row, dry_run=dry_run)
        found = retrying.whole(
            lambda: inventory.edit(
                actor=self.actor, row=row, values=said, reason=reason, seen=seen, dry_run=dry_run
            )
        )
        return Response(rewritten_json(found, dry_run=dry_run))

    def _retire(self, request: Request) -> Response:
        permit(self.actor, Verb.NETWORK)
        row = self._row()
        said: dict[str, Any] = asked_in_the_query(request, _Retired, dict)
        dry_run, gone = truth(said, "dry_run"), truth(said, "gone")
        more: dict[str, Any] = {}
        if "exempt_reason" in said:
            if not isinstance(row, AccessLink | CoreLink | Peering):
                raise BadQuery({"exempt_reason": ["is said of the interfaces of a link"]})
            more["leaves"] = Leaves(said["exempt_reason"].strip())
        if gone:
            if not isinstance(row, Router):
                raise BadQuery({"gone": ["is said of a router"]})
            more["gone"] = True
        try:
            reason = _reason(said.get("reason", ""), dry_run=dry_run)
        except InvalidInput as error:
            raise BadQuery({"reason": [error.reason]}) from error
        seen = self._seen(request, row, dry_run=dry_run)
        found = retrying.whole(
            lambda: inventory.retire(
                actor=self.actor, row=row, reason=reason, seen=seen, dry_run=dry_run, **more
            )
        )
        return Response(rewritten_json(found, dry_run=dry_run))

    def _row(self) -> Any:
        assert self.queryset is not None, "a resource says of what it is"
        model: Any = self.queryset.model
        row = model.objects.filter(pk=int(self.kwargs["pk"])).first()
        if row is None:
            raise NotVisible("There is no such thing, or it was retired.")
        return row

    def _seen(self, request: Request, row: Any, *, dry_run: bool) -> Mapping[str, str]:
        """How the fields of the row read, and that this is how whoever acts read them. The service holds it against the row once
        it is locked: what an import or somebody else writes in between is not written over.
        """
        seen = inventory.spelled(inventory.values_of(row))
        wanted = versions.expected(request)
        if wanted is None:
            if not dry_run and request.headers.get("If-Match") is None:
                raise NotYetRead(
                    "Say which state of it you read: send its ETag as If-Match (`*`: whichever it is in), or `?dry_run=true`."
                )
        else:
            preconditions.check(versions.row_of(self), wanted)
        return seen


def edits(shape: type[Strict], retiring: tuple[OpenApiParameter, ...] = RETIRING) -> type[EditsRows]:
    """Return what is mixed into a resource whose rows are edited by such a body, and retired with these parameters."""

    class Edits(EditsRows):
        edited = shape

        @extend_schema(request=shape, responses=RewrittenView, parameters=[DRY_RUN])
        def partial_update(self, request: Request, pk: str) -> Response:  # noqa: ARG002 - DRF's own name
            """Edit a row: what is not given stays as it is."""
            return self._edit(request)

        @extend_schema(request=None, responses={200: RewrittenView}, parameters=list(retiring))
        def destroy(self, request: Request, pk: str) -> Response:  # noqa: ARG002 - DRF's own name
            """Retire a row: its name is free, and what refers to it sees it still."""
            return self._retire(request)

    return Edits


def rewritten_json(found: Rewritten, *, dry_run: bool) -> dict[str, Any]:
    """Return it as `RewrittenView` has it."""
    return {
        "dry_run": dry_run,
        "changes": [vars(change) for change in found.changes],
        "renewal": None if found.renewal is None else renewal_json(found.renewal),
        "routers": list(found.routers),
    }


def _reason(said: str, *, dry_run: bool) -> str:
    if said.strip() or dry_run:
        return said.strip() or UNSAID
    raise InvalidInput("say why", field="reason")


def truth(said: Mapping[str, Any], name: str) -> bool:
    """Return what a query says, false where it says nothing; BadQuery for another word."""
    value = said.get(name, "false")
    if value not in ("true", "false"):
        raise BadQuery({name: ["is true or false"]})
    return bool(value == "true")
