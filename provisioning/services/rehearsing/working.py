"""The job: some routers of a rehearsal at a time, what became of each stored at once, until all are played.

A worker that dies leaves what is stored; the next goes on with the rest, with other practice routers. Two at once store the
same results once. No job is as long as the network: what is left is the next job's.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from functools import partial

from django.db import transaction
from django.db.models.functions import Now

from provisioning.errors import ExpediteError, StaleState, Unreachable
from provisioning.models import SYSTEM, Job, JobKind, JobState, Rehearsal, RehearsedPush, RouterPush
from provisioning.pipeline.platforms import platform, profile
from provisioning.pipeline.rendering import Renderer
from provisioning.selectors.plans import plans_of
from provisioning.selectors.rehearsals import digest_of, parts_of, rehearsed
from provisioning.selectors.templates import shared_ios_environment
from provisioning.services import audit, clock, stopping
from provisioning.services.approval import fingerprint
from provisioning.services.leases import Held
from provisioning.services.locking import locked
from provisioning.services.practice.lending import Lent, Likeness, lent
from provisioning.services.rehearsing.playing import Cast, Part, Played, not_rehearsed, play
from provisioning.services.stopping import Stopping

ROUTERS_AT_ONCE = 25
"""So many routers are practice routers at the same time; one process carries them, and a job plays no more."""
SESSIONS_AT_ONCE = 8
REHEARSALS_AT_ONCE = 2
"""So many of these processes at a time, however many changes are rehearsed."""
LENT_SECONDS = 600
FAILURES = 2
"""After so many jobs that ended in a fault of ours it is over: a person may ask again."""


def rehearse(*, rehearsal_id: int) -> str:
    """Play the next routers of a rehearsal; return how far it is as a sentence. Nothing of it is done twice.

    What keeps it from being played at all is written into it and raised. Raises Held while others are rehearsed, Stopping when
    this worker has to end.
    """
    row = Rehearsal.objects.select_related("change").get(pk=rehearsal_id)
    if row.finished_at is not None:
        return "nothing to do: played already"
    _one_of_few(row)
    try:
        return _play_some(row)
    except Stopping:
        raise  # what is left is the next worker's
    except ExpediteError as error:
        _finish(row, str(error))
        raise


def _play_some(row: Rehearsal) -> str:
    _still_the_same(row)
    waiting = _waiting(row)
    some = list(dict.fromkeys(push.router_id for push in waiting))[:ROUTERS_AT_ONCE]
    _play(row, [push for push in waiting if push.router_id in some])
    _still_the_same(row)
    left = len(_waiting(row))
    if left:
        return f"{row.change.reference}: {row.parts - left} of {row.parts} rehearsed"
    _finish(row)
    return f"{row.change.reference} rehearsed: {_summary(row)}"


def _still_the_same(row: Rehearsal) -> None:
    row.change.refresh_from_db()
    if row.change.finished_at is not None:
        raise StaleState(f"{row.change.reference} is over meanwhile")
    if fingerprint(row.change) != row.fingerprint:
        raise StaleState(f"{row.change.reference} is not what was to be rehearsed: ask again")
    failed = Job.objects.filter(kind=JobKind.REHEARSE, subject_id=row.pk, state=JobState.FAILED)
    if failed.count() >= FAILURES:
        last = failed.order_by("-pk").values_list("outcome", flat=True)[0]
        raise StaleState(f"given up after {FAILURES} tries: {last}")


def _one_of_few(row: Rehearsal) -> None:
    """Raise Held while enough others are played; of several that find each other the oldest goes on."""
    others = Job.objects.filter(kind=JobKind.REHEARSE, state=JobState.LEASED, lease_until__gt=Now())
    others = others.exclude(subject_id=row.pk)
    keys = list(others.values_list("subject_id", flat=True))
    if len(keys) >= REHEARSALS_AT_ONCE and min(keys) < row.pk:
        raise Held("other changes are rehearsed first")


def _waiting(row: Rehearsal) -> list[RouterPush]:
    done = set(row.played.values_list("push_id", flat=True))
    return [push for push in parts_of(row.change) if push.pk not in done]


def _play(row: Rehearsal, pushes: Sequence[RouterPush]) -> None:
    """Play these pushes, whole routers, and store what becomes of each as it comes."""
    plans = plans_of(pushes)
    parts: dict[int, list[Part]] = {}
    for push in pushes:
        if platform(push.router.platform).has_shell:
            _store(row, [not_rehearsed(push.pk, "no practice router has a shell")], ())
        elif push.pk in plans and push.before is not None:
            parts.setdefault(push.router_id, []).append(Part(push.pk, push.phase, plans[push.pk]))
        else:
            _store(row, [not_rehearsed(push.pk, "it was not read when this was planned")], ())
    if not parts:
        return
    first = {push.router_id: push for push in reversed(pushes) if push.router_id in parts}
    texts = {pk: push.before.text for pk, push in first.items() if push.before is not None}
    with lent([_likeness(push, texts[pk]) for pk, push in first.items()], seconds=LENT_SECONDS) as stage:
        casts = []
        for pk, push in first.items():
            cast = _cast(push, texts[pk], stage, tuple(parts[pk]))
            if isinstance(cast, str):
                _store(row, [not_rehearsed(part.push, cast) for part in parts[pk]], ())
            else:
                casts.append(cast)
        with ThreadPoolExecutor(
            min(SESSIONS_AT_ONCE, len(casts) or 1), thread_name_prefix="rehearse"
        ) as pool:
            playing = {pool.submit(play, cast): cast for cast in casts}
            try:
                for future in as_completed(playing):
                    if stage.ended():
                        raise Unreachable("the practice routers ended in the middle of it: ask again")
                    _store(row, future.result(), [each.as_row() for each in playing[future].unknown])
                    stopping.check()
            finally:
                pool.shutdown(cancel_futures=True)


def _likeness(push: RouterPush, text: str) -> Likeness:
    router, read = push.router, push.before
    assert read is not None
    return Likeness(
        name=router.name,
        platform=router.platform,
        ios=read.ios or router.ios,
        serial=read.serial,
        engines={card.slot: card.engine for card in router.line_cards.all()},
        bandwidths=read.bandwidths,
        running=text,
        driver=router.driver,
    )


def _cast(push: RouterPush, text: str, stage: Lent, parts: tuple[Part, ...]) -> Cast | str:
    """Everything to play a router with, or why there is no practice router like it."""
    name = push.router.name
    if name not in stage.targets:
        return f"there is no practice router like it: {stage.refused.get(name, 'it did not come up')}"
    return Cast(
        target=stage.targets[name],
        profile=profile(push.router.platform, push.router.ios),
        running=text,
        unknown=stage.unknown.get(name, ()),
        renderer=Renderer(shared_ios_environment()),
        parts=parts,
        knows=partial(stage.knows, name),
    )


def _store(row: Rehearsal, played: Sequence[Played], unknown: Sequence[list[object]]) -> None:
    """Store what became of some pushes, once; nothing of a rehearsal that is over, whose digest the trail has."""
    rows = [
        RehearsedPush(
            rehearsal=row,
            push_id=each.push,
            outcome=each.outcome,
            said=each.said,
            line=each.line,
            reply=each.reply,
            lines=[list(line) for line in each.lines],
            differs=list(each.differs),
            unknown=list(unknown),
            transcript=[[round(said.at_offset_s, 3), said.direction, said.text] for said in each.transcript],
            seconds=each.seconds,
        )
        for each in played
    ]
    with transaction.atomic():
        if list(locked(Rehearsal.objects.filter(pk=row.pk, finished_at=None)).values_list("pk")):
            RehearsedPush.objects.bulk_create(rows, ignore_conflicts=True)


def _finish(row: Rehearsal, error: str = "") -> None:
    """End a rehearsal, once; the digest of its results goes into the audit trail of the change."""
    with transaction.atomic():
        found = locked(Rehearsal.objects.filter(pk=row.pk, finished_at=None)).first()
        if found is None:
            return
        found.finished_at, found.error, found.digest = clock.now(), error, digest_of(found)
        found.save(update_fields=["finished_at", "error", "digest"])
        audit.record(
            actor=SYSTEM,
            action="change.rehearsed",
            obj=found.change,
            reason=error or _summary(found),
            after={"rehearsal": found.pk, "fingerprint": found.fingerprint, "digest": found.digest},
        )


def _summary(row: Rehearsal) -> str:
    found = rehearsed(row.change, row.fingerprint)
    return "" if found is None else found.summary
