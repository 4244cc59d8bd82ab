"""How many routers are in sync, differ or are not known, and who configured one last, as it says itself."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.db.models import Count, Min

from inventory.models import Router
from provisioning.models import RouterSync, SyncState
from provisioning.selectors.differences import all_ignored

_LAST: Final = re.compile(r"^! (Last configuration change at .{1,120}?)\s*$", re.MULTILINE)


@dataclass(frozen=True)
class Summary:
    """Counts of routers; ``oldest`` is when the one in sync that was read longest ago was read."""

    in_sync: int
    differ: int
    ignored: int
    unknown: int
    oldest: datetime | None


def summary(now: datetime) -> Summary:
    """Return the counts of this moment; a router that was never read is not known."""
    counted = {
        each["state"]: each
        for each in RouterSync.objects.filter(router__retired_at=None)
        .order_by()
        .values("state")
        .annotate(n=Count("pk"), oldest=Min("checked_at"))
    }
    in_sync = counted.get(SyncState.IN_SYNC, {"n": 0, "oldest": None})
    differ = counted.get(SyncState.DIFFERS, {"n": 0})["n"]
    everybody = Router.objects.count()
    return Summary(
        in_sync["n"], differ, len(all_ignored(now)), everybody - in_sync["n"] - differ, in_sync["oldest"]
    )


def last_change(router: Router) -> str:
    """Return what the running-config as last read says of who configured the router, and when; empty where it does not."""
    snapshot = router.snapshots.order_by("-pk").first()
    found = _LAST.search(snapshot.text[:4000]) if snapshot else None
    return found[1] if found else ""
