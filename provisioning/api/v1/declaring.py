"""What is declared of core links, and what planned work on them would do."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from inventory.models import CoreLink
from provisioning.api.choices import LINK_DEEDS
from provisioning.api.fields import Instant, Strict, Text
from provisioning.api.problems import BadQuery
from provisioning.api.v1.base import (
    IDEMPOTENCY,
    Answered,
    ApiView,
    asked_in_the_query,
    deed_prepared,
    read_body,
)
from provisioning.api.v1.network_effects import RenewalView, WorkView, renewal_json, work_json
from provisioning.api.v1.reasons import UNSAID
from provisioning.errors import InvalidInput, NotVisible
from provisioning.pipeline.units import TimeWindow
from provisioning.selectors.network import the_domain
from provisioning.services import clock, retrying, topology

MOST_LINKS = 50
"""Links that one question about planned work may name."""


class Declared(Strict):
    """What becomes of a core link."""

    deed = serializers.ChoiceField(choices=LINK_DEEDS)
    reason = Text(max_length=2000)


class DeclaredWhatIf(Declared):
    """As `Declared`, without a reason: nothing is changed."""

    reason = Text(max_length=2000, allow_blank=True, default="")


class WorkAsked(Strict):
    """The core links, and when."""

    link = serializers.ListField(child=Text(max_length=200), min_length=1, max_length=MOST_LINKS)
    start = Instant(required=False)
    end = Instant(required=False, default=None)
    domain = Text(max_length=64, required=False)


class DeclaresLinks(ApiView):
    """The actions about core links as they go out of use; mixed into their resource."""

    @extend_schema(request=Declared, responses=RenewalView, parameters=[IDEMPOTENCY])
    @action(detail=True, methods=["post"], pagination_class=None, filterset_class=None)
    def declare(self, request: Request, pk: str) -> Response:
        """Declare it down or up, or take it away: a new version of the topology, and everything live follows it."""
        asked = read_body(request, Declared)
        # A link that was taken away is not found the second time: an answer that was given is given again all the same.
        return deed_prepared(request, lambda: self._answering(int(pk), asked))

    @extend_schema(request=DeclaredWhatIf, responses=RenewalView)
    @action(
        detail=True, methods=["post"], url_path="declare-what-if", pagination_class=None, filterset_class=None
    )
    def declare_what_if(self, request: Request, pk: str) -> Response:
        """Who would move, fit no more or have no path; nothing is changed."""
        asked = read_body(request, DeclaredWhatIf)
        found = retrying.whole(lambda: topology.declare(**self._said(int(pk), asked, dry_run=True)))
        return Response(renewal_json(found))

    @extend_schema(
        parameters=[
            OpenApiParameter(
                "link", str, required=True, many=True, description=f"A core link; up to {MOST_LINKS} of them."
            ),
            OpenApiParameter(
                "start", str, description="ISO 8601 with its offset; now where it is not given."
            ),
            OpenApiParameter("end", str, description="Until further notice where it is not given."),
            OpenApiParameter("domain", str, description="Where there are several."),
        ],
        responses=WorkView,
    )
    @action(detail=False, url_path="planned-work", pagination_class=None, filterset_class=None)
    def planned_work(self, request: Request) -> Response:
        """Who would move, fit no more or have no path if these links carried nothing for that time."""
        return Response(asked_in_the_query(request, WorkAsked, _affected, several=("link",)))

    @contextmanager
    def _answering(self, key: int, asked: Declared) -> Iterator[Callable[[], Answered]]:
        with topology.declaring(**self._said(key, asked, dry_run=False)) as act:
            yield lambda: (200, renewal_json(act()))

    def _said(self, key: int, asked: Declared, *, dry_run: bool) -> dict[str, Any]:
        link = CoreLink.objects.filter(pk=key).first()
        if link is None:
            raise NotVisible("There is no such core link.")
        said = asked.validated_data
        reason = said["reason"].strip() or (UNSAID if dry_run else "")
        return {
            "actor": self.actor,
            "name": link.name,
            "deed": said["deed"],
            "reason": reason,
            "dry_run": dry_run,
        }


def _affected(said: dict[str, Any]) -> dict[str, Any]:
    try:
        window = TimeWindow(said.get("start") or clock.now(), said["end"])
        domain = the_domain(said.get("domain"))
        return work_json(topology.affected(domain, sorted(set(said["link"])), window))
    except InvalidInput as error:
        names = {"core_link": "link", "until": "end", "window_end": "end"}
        field = error.field or "link"
        raise BadQuery({names.get(field, field): [error.reason]}) from error
