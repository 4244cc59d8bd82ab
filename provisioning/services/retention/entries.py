"""What the audit trail keeps of a row that was pruned: its key and its digest, so that its absence is no fault."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from inventory.models import Domain
from provisioning.models import Actor, AuditEvent
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


def pruned_digests(kind: str) -> dict[int, str]:
    """Of every row of this kind that was pruned: its key and the digest it had, as the audit trail says.

    Whoever compares rows with the digests in the trail asks here before calling an absent one a fault.
    """
    found: dict[int, str] = {}
    events = AuditEvent.objects.filter(action=ACTION).order_by("pk").values_list("after", flat=True)
    for after in events.iterator(chunk_size=100):
        if after and after["kind"] == kind:
            found.update(_pairs(after["rows"]))
    return found


def _pairs(rows: list[Any]) -> dict[int, str]:
    return {int(key): str(digest) for key, digest in rows}
