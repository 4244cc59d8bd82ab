"""Interfaces that a swap left without a policy: named from the moment it is known until they are seen with one again."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import datetime
from typing import TYPE_CHECKING

from django.db import transaction
from django.db.models import F
from django.db.models.functions import Greatest

from inventory.models import Router
from provisioning.models import SYSTEM, BareInterface, RouterPush, SwapTime
from provisioning.services import audit, clock
from provisioning.services.telling import standing

if TYPE_CHECKING:
    from provisioning.pipeline.change import ChangePlan, Place
    from provisioning.pipeline.mqc import RunningConfig


def swapped(plan: ChangePlan) -> frozenset[Place]:
    """The places at which a plan swaps one policy for another: in no state that it leads through on purpose are they bare
    for longer than a write."""
    return frozenset((gap.interface, gap.pvc, gap.direction) for gap in plan.gaps)


def without_policy(places: Iterable[Place], config: RunningConfig) -> list[Place]:
    """Those of the places at which a router has nothing bound, in order."""
    bound = {(each.interface, each.pvc, each.direction) for each in config.bindings}
    return sorted(set(places) - bound, key=lambda place: (place[0], place[1] or "", place[2]))


def is_any(router: Router) -> bool:
    """Whether any place of this router is without a policy, or feared to be."""
    return BareInterface.objects.filter(router=router).exists()


def note(push: RouterPush, places: Iterable[Place], *, seen: bool = True) -> None:
    """Say that these places have no policy, since now unless it was said before; `seen` False: it is only feared."""
    for interface, pvc, direction in places:
        with transaction.atomic():
            row, made = BareInterface.objects.get_or_create(
                router=push.router,
                interface=interface,
                pvc=pvc or "",
                direction=direction,
                defaults={"since": clock.now(), "push": push, "seen": seen},
            )
            if seen and not row.seen:
                BareInterface.objects.filter(pk=row.pk).update(seen=True)
            if made:
                audit.record(
                    actor=SYSTEM,
                    action="push.bare",
                    obj=push,
                    reason=f"{push.router.name} {row.where} has no policy{'' if seen else ' perhaps: lost or refused late'}",
                    before=None,
                    after={"interface": interface, "pvc": pvc or "", "direction": direction, "seen": seen},
                )
                standing.bare(row)


def look(
    router: Router, config: RunningConfig, *, read_at: datetime | None = None, wanted: Collection[Place] = ()
) -> None:
    """Lift what is seen with a policy again, by a reading that began at `read_at` (None: just now); and, where `wanted` is said,
    what nothing is to be bound at any more."""
    rows = BareInterface.objects.filter(router=router).select_related("push", "router")
    for row in rows if read_at is None else rows.filter(since__lte=read_at):
        place = (row.interface, row.pvc or None, row.direction)
        bound = not without_policy([place], config)
        if not bound and (not wanted or place in wanted):
            continue
        with transaction.atomic():
            lasted = (clock.now() - row.since).total_seconds()
            if BareInterface.objects.filter(pk=row.pk).delete()[0]:
                audit.record(
                    actor=SYSTEM,
                    action="push.closed" if bound else "push.bare-over",
                    obj=row.push,
                    reason=f"{router.name} {row.where} is seen with a policy again, {lasted:.0f} s after it was known"
                    if bound
                    else f"{router.name} {row.where} has no policy, and none is to be there any more",
                    before={"since": row.since.isoformat()},
                    after=None,
                )
                if bound:
                    standing.closed(row, lasted)
                else:
                    standing.bare_over(row)


def measured(router: Router, *, through: Collection[float] = (), refused: Collection[float] = ()) -> None:
    """Add how long swaps of this router lasted, in seconds: those that went through, and those that were refused."""
    if not through and not refused:
        return
    now = clock.now()
    with transaction.atomic():
        SwapTime.objects.get_or_create(platform=router.platform, ios=router.ios, defaults={"last_at": now})
        SwapTime.objects.filter(platform=router.platform, ios=router.ios).update(
            swaps=F("swaps") + len(through),
            total_s=F("total_s") + sum(through),
            longest_s=Greatest(F("longest_s"), max(through, default=0.0)),
            refused=F("refused") + len(refused),
            refused_longest_s=Greatest(F("refused_longest_s"), max(refused, default=0.0)),
            last_at=now,
        )
