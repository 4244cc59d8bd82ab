"""Years of requests in every state, with what they charge, and series that wait."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from django.contrib.auth.models import User
from django.utils import timezone

from inventory.models import AccessLink, Prefix
from provisioning.models import (
    Consent,
    LedgerEntry,
    PremiumRequest,
    Reservation,
    Series,
)
from provisioning.pipeline.states import RequestState
from tests.web.large_sizes import Sizes, put

MBIT = 1_000_000
# How requests of the past and of now are spread over their states, per hundred.
STATES = (
    *[RequestState.ADMITTED] * 30,
    *[RequestState.ACTIVE] * 24,
    *[RequestState.EXPIRED] * 10,
    *[RequestState.COMPLETED] * 18,
    *[RequestState.REFUSED] * 8,
    *[RequestState.WITHDRAWN] * 7,
    *[RequestState.HELD] * 1,
    *[RequestState.SUBMITTED] * 2,
)
CHARGED = {RequestState.ADMITTED, RequestState.ACTIVE, RequestState.EXPIRED}


def asked(sizes: Sizes, users: dict[str, User]) -> None:
    """Requests in every state with what they charge: a share is never exceeded, one in twenty links has more in sum."""
    links = list(AccessLink.objects.select_related("nren").order_by("pk"))
    networks = {row.nren_id: str(row.network) for row in Prefix.objects.all()}
    now = timezone.now().replace(microsecond=0)
    step = timedelta(hours=1)
    rows = []
    for n in range(sizes.requests):
        source, target = links[n % len(links)], links[(n * 7 + 1) % len(links)]
        state = STATES[(n * 37 + n // len(links)) % 100]
        age = n // len(links)
        begins = (
            now + (age % 11 + 1) * 24 * step
            if state == RequestState.ADMITTED
            else now - (age % 300 + 2) * 24 * step
        )
        ends = begins + 20 * step
        if state == RequestState.ACTIVE:
            ends = now + (age % 50 + 1) * 24 * step
        rows.append(
            _between(
                source,
                target,
                networks,
                start=begins,
                end=ends,
                contact=f"noc{n % 97}@example.org",
                reason="Video link",
                state=state,
                consent=Consent.PENDING if state == RequestState.SUBMITTED and n % 2 else Consent.GIVEN,
                submitted_by=users["jane"],
                held_until=now + 24 * step if state == RequestState.HELD else None,
            )
        )
    made = put(rows)
    promised = [one for one in made if one.state in {*CHARGED, RequestState.COMPLETED}]
    granted = put(
        [
            Reservation(
                request=one,
                granted_bps=one.rate_bps,
                path=[],
                released_at=now if one.state == RequestState.COMPLETED else None,
            )
            for one in promised
        ]
    )
    names = {link.pk: link.name for link in links}
    put(
        [
            LedgerEntry(
                reservation=one,
                request=one.request,
                link=names[key],
                direction=way,
                pool="ip-premium",
                rate_bps=one.granted_bps,
                start=one.request.start,
                end=one.request.end,
                released_at=one.released_at,
            )
            for one in granted
            for key, way in ((one.request.source_link_id, "in"), (one.request.destination_link_id, "out"))
        ]
    )


def again(sizes: Sizes, users: dict[str, User]) -> None:
    """Series of the first link's NREN that wait, one in thirty requests as many occurrences each as there are of them."""
    source, target = AccessLink.objects.select_related("nren").order_by("pk")[:2]
    networks = {row.nren_id: str(row.network) for row in Prefix.objects.all()}
    count = min(sizes.requests // 30, 60)
    begins = timezone.now().replace(microsecond=0) + timedelta(days=400)
    for _each in range(count):
        made = Series.objects.create(
            nren=source.nren,
            receiving_nren=target.nren,
            rule=f"FREQ=DAILY;COUNT={count}",
            time_zone="UTC",
            occurrences=count,
            submitted_by=users["jane"],
        )
        put(
            [
                _between(
                    source,
                    target,
                    networks,
                    start=begins + timedelta(days=day),
                    end=begins + timedelta(days=day, hours=2),
                    contact="noc@example.org",
                    consent=Consent.GIVEN,
                    submitted_by=users["jane"],
                    series=made,
                )
                for day in range(count)
            ]
        )


def _between(
    source: AccessLink, target: AccessLink, networks: Mapping[int, str], **more: Any
) -> PremiumRequest:
    return PremiumRequest(
        nren=source.nren,
        receiving_nren=target.nren,
        source_link=source,
        destination_link=target,
        rate_bps=100_000,
        bucket_bytes=6000,
        max_packet_bytes=1500,
        source_prefixes=[networks[source.nren_id]],
        destination_prefixes=[networks[target.nren_id]],
        **more,
    )
