"""What is known of swaps: which interface one has left without a policy, and how long they last on a platform."""

from __future__ import annotations

from collections.abc import Collection

from django.db.models import Q, QuerySet

from inventory.models import Router
from provisioning.models import BareInterface, SwapTime
from provisioning.pipeline.units import how_many


def bare_interfaces() -> QuerySet[BareInterface]:
    """Every place that is without a policy because of a push, the longest first."""
    return BareInterface.objects.select_related("router", "push__change").order_by("since", "pk")


def lasted(router: Router) -> str:
    """How long swaps have lasted on routers of this platform and release, as a sentence for whoever approves one."""
    return lasted_on([router])[router.pk]


def lasted_on(routers: Collection[Router]) -> dict[int, str]:
    """The same for several routers, by their keys; one query."""
    kinds = {(router.platform, router.ios) for router in routers}
    asked = Q(pk__in=())
    for platform, ios in sorted(kinds):
        asked |= Q(platform=platform, ios=ios)
    rows = {(row.platform, row.ios): row for row in SwapTime.objects.filter(asked)}
    return {router.pk: _sentence(router, rows.get((router.platform, router.ios))) for router in routers}


def _sentence(router: Router, row: SwapTime | None) -> str:
    where = f"{router.platform} with {router.ios}"
    if row is None or not (row.swaps or row.refused):
        return f"How long a swap lasts on {where} was not measured yet."
    said = []
    if row.swaps:
        mean = row.total_s / row.swaps
        said.append(
            f"{how_many(row.swaps, 'swap')} lasted {_time(mean)} in the mean and {_time(row.longest_s)} at most"
        )
    if row.refused:
        verb = "was" if row.refused == 1 else "were"
        said.append(
            f"{row.refused} that {verb} refused left the interface without a policy for {_time(row.refused_longest_s)} at most"
        )
    return f"Measured on {where}, from the write to the last prompt: {'; '.join(said)}."


def _time(seconds: float) -> str:
    return f"{seconds * 1000:.0f} ms" if seconds < 1 else f"{seconds:.1f} s"
