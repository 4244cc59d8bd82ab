"""What the audit trail keeps of a row that was pruned: its key and its digest, so that its absence is no fault."""

from __future__ import annotations

from collections.abc import Sequence

from inventory.models import Domain
from provisioning.models import Actor
from provisioning.services import audit

ACTION = "retention.prune"


def enter(*, actor: Actor, kind: str, rows: Sequence[tuple[int, str]]) -> None:
    """Record that these rows (key, digest) leave; in the transaction that removes them.

    A batch is small enough for the event to hold every pair as it is (20 kB at most).
    """
    domain = Domain.objects.order_by("pk").first()
    assert domain is not None, "every row with a digest is of a router, and every router of a domain"
    audit.record(
        actor=actor,
        action=ACTION,
        obj=domain,
        reason=f"{len(rows)} {kind} older than they are kept",
        after={"kind": kind, "count": len(rows), "rows": [list(pair) for pair in rows]},
    )
