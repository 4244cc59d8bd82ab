"""Requests as people may see them and as the pipeline wants them."""

from __future__ import annotations

from datetime import datetime
from ipaddress import IPv4Network, IPv6Network
from typing import Final

from django.db.models import Exists, OuterRef, Q, QuerySet

from provisioning.errors import NotVisible
from provisioning.models import Actor, Consent, PremiumRequest, RequestPrefix
from provisioning.pipeline import sls as sls_values
from provisioning.pipeline.sls import Sls
from provisioning.pipeline.units import BitRate, TimeWindow

AGREED = frozenset({Consent.GIVEN, Consent.STANDING, Consent.NOT_NEEDED})
"""The answers of the receiving NREN with which a request may be admitted."""
_FEW: Final = 2000
_NOT_VISIBLE = "There is no such request, or it is not yours to see."


def for_actor(actor: Actor) -> QuerySet[PremiumRequest]:
    """The requests ``actor`` may see: the NOC and auditors all, an NREN those it asked for and those it
    receives.
    """
    rows = PremiumRequest.objects.select_related(
        "nren",
        "receiving_nren",
        "source_link",
        "destination_link",
        "twin",
        "series",
        "submitted_by",
        "decided_by",
    )
    if actor.sees_everything:
        return rows
    return rows.filter(Q(nren_id__in=actor.nren_ids) | Q(receiving_nren_id__in=actor.nren_ids))


def must_see(actor: Actor, request: PremiumRequest) -> None:
    """Raise NotVisible unless the actor may see the request."""
    if not for_actor(actor).filter(pk=request.pk).exists():
        raise NotVisible(_NOT_VISIBLE)


def visible(actor: Actor, pk: int) -> PremiumRequest:
    """The request with that key; raises NotVisible alike for "there is none" and "it is somebody else's"."""
    found = for_actor(actor).filter(pk=pk).first()
    if found is None:
        raise NotVisible(_NOT_VISIBLE)
    return found


def covering(rows: QuerySet[PremiumRequest], prefix: IPv4Network | IPv6Network) -> QuerySet[PremiumRequest]:
    """Those of the requests whose sources or destinations hold the whole of `prefix` (an address is one of its full length)."""
    holding = RequestPrefix.objects.filter(network__net_around=prefix)
    return rows.filter(pk__in=holding.values("request"))


def touching(rows: QuerySet[PremiumRequest], prefix: IPv4Network | IPv6Network) -> QuerySet[PremiumRequest]:
    """Those of the requests of which a source or destination holds the whole of `prefix`, or lies inside it.

    A few are named by their keys, which is asked at once. Where nearly all are meant (``2001::/16``), each that is looked at
    is asked whether it is: then the first ones are found without the others.
    """
    touched = RequestPrefix.objects.filter(Q(network__net_around=prefix) | Q(network__net_within=prefix))
    keys = list(touched.order_by().values_list("request", flat=True)[: _FEW + 1])
    if len(keys) <= _FEW:
        return rows.filter(pk__in=set(keys))
    return rows.filter(Exists(touched.filter(request=OuterRef("pk"))))


def within(rows: QuerySet[PremiumRequest], window: TimeWindow) -> QuerySet[PremiumRequest]:
    """Those of the requests whose window has an instant in common with this one, both half-open."""
    rows = rows.filter(Q(end=None) | Q(end__gt=window.start))
    return rows if window.end is None else rows.filter(start__lt=window.end)


def at_instant(rows: QuerySet[PremiumRequest], moment: datetime) -> QuerySet[PremiumRequest]:
    """Those of the requests whose window holds that moment."""
    return rows.filter(Q(end=None) | Q(end__gt=moment), start__lte=moment)


def sls_of(request: PremiumRequest) -> Sls:
    """What the request asks, as the pipeline's value; its id is the request's reference."""
    return Sls(
        id=request.reference,
        source_link=request.source_link.name,
        destination_link=None if request.destination_link is None else request.destination_link.name,
        service_class=request.service_class,
        rate=BitRate(request.rate_bps),
        window=TimeWindow(request.start, request.end),
        bucket_bytes=request.bucket_bytes,
        max_packet_bytes=request.max_packet_bytes,
        min_packet_bytes=request.min_packet_bytes,
        source_prefixes=sls_values.prefixes(request.source_prefixes, field="source_prefixes"),
        destination_prefixes=sls_values.prefixes(request.destination_prefixes, field="destination_prefixes"),
        flow_label=request.flow_label,
    )


def routers_concerned(request: PremiumRequest) -> frozenset[str]:
    """The routers whose state the promise depends on: the ingress and every router on the admitted path."""
    names = {request.source_link.interface.router.name}
    reservation = getattr(request, "reservation", None)
    for hop in reservation.path if reservation is not None else ():
        link = hop["link"] if isinstance(hop, dict) else hop[0]
        for end in link.split("--"):
            router = end.split("@")[-1].split(":")[0]
            names.add(router)
    return frozenset(names)


def crossed(request: PremiumRequest) -> frozenset[str]:
    """The routers concerned; where the path cannot be read the ingress, so that one bad row keeps nobody else back."""
    try:
        return routers_concerned(request)
    except (AttributeError, KeyError, IndexError, TypeError):
        return frozenset({request.source_link.interface.router.name})
