"""Jobs made of what is due: one live job for a kind and subject, later each time it failed lately."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping

from django.db.models import Exists, OuterRef
from django.db.models.functions import Now

from provisioning.models import Job, JobKind, JobState
from provisioning.services.leases import from_now
from provisioning.services.patience import First, pause_after

LIVE = (JobState.QUEUED, JobState.LEASED)


def enqueue(
    kind: JobKind, subjects: Collection[int], *, pauses: Mapping[int, float] | None = None
) -> list[Job]:
    """Make a job of this kind for each subject that has none that is live; return those made.

    `pauses` are the seconds that a subject waits first; what failed lately waits longer each time whatever they say.
    A bounded number of statements, however many subjects there are; the constraint "one live job per kind and subject"
    decides, also between two that tick.
    """
    if not subjects:
        return []
    same = Job.objects.filter(kind=kind, subject_id__in=subjects)
    live = set(same.filter(state__in=LIVE).values_list("subject_id", flat=True))
    wanting = [pk for pk in dict.fromkeys(subjects) if pk not in live]
    if not wanting:
        return []
    failed = Counter(
        same.filter(state=JobState.FAILED, finished_at__gt=from_now(-3600)).values_list(
            "subject_id", flat=True
        )
    )
    rows = []
    for pk in wanting:
        pause = max((pauses or {}).get(pk, 0.0), pause_after(First.JOB, failed[pk]).total_seconds())
        # By the clock of `claim`, the database's; plainly so where nothing is to be waited for: on SQLite two moments
        # of the same millisecond are equal only when neither was reckoned with.
        rows.append(Job(kind=kind, subject_id=pk, available_at=from_now(pause) if pause else Now()))
    Job.objects.bulk_create(rows, ignore_conflicts=True)
    made = Job.objects.filter(kind=kind, subject_id__in=wanting, state=JobState.QUEUED)
    return list(made.filter(attempts=0, sent_at=None).order_by("pk"))


def has_job(subject: str, *kinds: JobKind) -> Exists:
    """Whether the row whose `subject` this is has a live job of these kinds: it keeps nobody else from getting one."""
    return Exists(Job.objects.filter(kind__in=kinds, subject_id=OuterRef(subject), state__in=LIVE))
