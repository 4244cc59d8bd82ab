"""Modifications as people may see them and as the pipeline wants them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from django.db.models import Q, QuerySet

from provisioning.errors import NotVisible
from provisioning.models import Actor, LedgerEntry, Modification, PremiumRequest
from provisioning.pipeline import sls as sls_values
from provisioning.pipeline.sls import Sls
from provisioning.pipeline.states import OPEN_MODIFICATIONS
from provisioning.pipeline.timeline import Commitment
from provisioning.pipeline.topology import Direction, LinkDirection
from provisioning.pipeline.units import BitRate, TimeWindow
from provisioning.selectors.requests import sls_of

TERMS = ("rate_bps", "start", "end", "source_prefixes", "destination_prefixes")
"""What a modification can change of a request."""
_NOT_VISIBLE = "There is no such modification, or it is not yours to see."


def for_actor(actor: Actor) -> QuerySet[Modification]:
    """The modifications of the requests that ``actor`` may see, the newest first."""
    rows = Modification.objects.select_related(
        "request__nren", "request__receiving_nren", "request__source_link", "request__destination_link",
        "proposed_by", "decided_by", "consent_by", "twin",
    ).order_by("-pk")  # fmt: skip
    if actor.sees_everything:
        return rows
    return rows.filter(
        Q(request__nren_id__in=actor.nren_ids) | Q(request__receiving_nren_id__in=actor.nren_ids)
    )


def must_see(actor: Actor, modification: Modification) -> None:
    """Raise NotVisible unless the actor may see the modification."""
    if not for_actor(actor).filter(pk=modification.pk).exists():
        raise NotVisible(_NOT_VISIBLE)


def visible(actor: Actor, pk: int) -> Modification:
    """The modification with that key; raises NotVisible alike for "there is none" and "it is somebody else's"."""
    found = for_actor(actor).filter(pk=pk).first()
    if found is None:
        raise NotVisible(_NOT_VISIBLE)
    return found


def open_of(request: PremiumRequest) -> Modification | None:
    """The modification of a request of which something is still to come."""
    return request.modifications.filter(state__in=OPEN_MODIFICATIONS).first()


def terms_of(row: PremiumRequest | Modification) -> dict[str, Any]:
    """What a request says now, or a modification would have it say, by field."""
    return {name: getattr(row, name) for name in TERMS}


def sls_after(request: PremiumRequest, terms: PremiumRequest | Modification) -> Sls:
    """What the request would ask with these terms."""
    return replace(
        sls_of(request),
        rate=BitRate(terms.rate_bps),
        window=TimeWindow(terms.start, terms.end),
        source_prefixes=sls_values.prefixes(terms.source_prefixes, field="source_prefixes"),
        destination_prefixes=sls_values.prefixes(terms.destination_prefixes, field="destination_prefixes"),
    )


def put_terms(request: PremiumRequest, modification: Modification) -> None:
    """Have the row in hand say what it will say once the modification is in force; nothing is stored."""
    for name, value in terms_of(modification).items():
        setattr(request, name, value)


def own_commitments(requests: list[PremiumRequest]) -> tuple[Commitment, ...]:
    """What these requests are charged with themselves, without what a path that they are leaving still has of them."""
    rows = LedgerEntry.objects.filter(
        request__in=requests, hold=None, released_at=None, moving_since=None
    ).values_list("link", "direction", "pool", "rate_bps", "start", "end", "request_id")
    return tuple(
        Commitment(LinkDirection(link, Direction(way)), pool, rate, TimeWindow(start, end), f"PIP-{request}")
        for link, way, pool, rate, start, end, request in rows
    )
