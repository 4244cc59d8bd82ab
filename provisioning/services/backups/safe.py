"""What was under way when a backup was made is not under way in its copy, and what routers hold by now is not known."""

from __future__ import annotations

from django.db import transaction
from django.db.models import F
from django.db.models.functions import Now

from provisioning.errors import Conflict
from provisioning.models import (
    Actor,
    Installation,
    Job,
    JobState,
    RouterLease,
    RouterPush,
    RouterSync,
    SyncState,
    Verb,
)
from provisioning.pipeline.states import PushState
from provisioning.selectors.authority import permit
from provisioning.selectors.changes import UNRECOGNISED
from provisioning.services import audit, steering
from provisioning.services.backups.file import Manifest
from provisioning.services.locking import locked
from provisioning.services.transitions import move

# Beyond any epoch that a worker of the original reached after the backup: none of them takes itself for the owner.
_EPOCHS = 1_000_000
_UNDER_WAY = (PushState.PUSHING, PushState.PUSHED)


def make_safe(*, actor: Actor, manifest: Manifest) -> dict[str, int]:
    """Void leases, end live jobs, and call pushes under way and all routers unknown; say how many of each there were."""
    said = f"restored from the backup of {manifest.made_at}: what became of it is not known; read the router and plan again"
    with transaction.atomic():
        pushes = list(RouterPush.objects.filter(state__in=_UNDER_WAY).order_by("pk"))
        for push in pushes:
            move(
                model=RouterPush,
                pk=push.pk,
                from_states=_UNDER_WAY,
                to_state=PushState.UNKNOWN,
                actor=actor,
                reason=said,
                error=said,
                error_code=UNRECOGNISED,
            )
        # Those that were unknown already: nobody continues one of them by itself either.
        unknown = RouterPush.objects.filter(state=PushState.UNKNOWN).exclude(plan_digest="")
        unknown.exclude(error_code=UNRECOGNISED).update(error=said, error_code=UNRECOGNISED)
        done = {
            "pushes unknown": len(pushes),
            "jobs ended": Job.objects.filter(state__in=(JobState.QUEUED, JobState.LEASED)).update(
                state=JobState.FAILED, outcome=said, lease_until=None, finished_at=Now()
            ),
            "leases void": RouterLease.objects.filter(until__isnull=False).count(),
            "routers to be read": RouterSync.objects.exclude(state=SyncState.UNKNOWN).update(
                state=SyncState.UNKNOWN
            ),
        }
        RouterLease.objects.update(owner="", until=None, epoch=F("epoch") + _EPOCHS)
        audit.record(
            actor=actor,
            action="installation.restore",
            obj=Installation.objects.get(),
            reason=f"restored from the backup of {manifest.made_at}",
            after={"backup": manifest.digest, "audit": manifest.audit, "rows": manifest.rows, **done},
        )
    return done


def resume_pushing(*, actor: Actor, reason: str) -> None:
    """Let this copy push: somebody of the NOC says that the original no longer does. Raises NotPermitted, Conflict."""
    permit(actor, Verb.GO_ON)
    with transaction.atomic():
        steering.read_all_again()
        row = locked(Installation.objects.all()).first()
        if row is None or not row.push_held:
            raise Conflict("nothing holds pushing here")
        if row.held_by:
            raise Conflict(f"{row.held_by} stopped every push: {row.push_held}. `manage.py go_on` lifts that")
        held = row.push_held
        Installation.objects.filter(pk=row.pk).update(push_held="", held_at=None)
        audit.record(
            actor=actor,
            action="installation.resume",
            obj=row,
            reason=reason,
            before={"push_held": held},
            after={"push_held": ""},
        )
