"""The course of a push over one session: look, decide, send, look again.

There is one way through, for the first worker and for its successor after a crash: read the router, find where it
stands in the approved course, and do what follows from there. Nothing is rendered; every line sent was approved.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

from django.db import transaction

from provisioning import drivers
from provisioning.errors import ConfigurationLocked, DeviceError, InvalidInput, LineRefused, ParseFailure
from provisioning.models import RouterPush
from provisioning.pipeline import counters
from provisioning.pipeline.change import writes
from provisioning.pipeline.counters import InterfacePolicyCounters
from provisioning.pipeline.platforms import Profile, profile
from provisioning.pipeline.states import UNSURE, PushState
from provisioning.selectors.changes import BARE
from provisioning.selectors.plans import plan_of
from provisioning.services import credentials, intents, leases, queues, terms, verifying
from provisioning.services.intents import Wanted
from provisioning.services.leases import Lease
from provisioning.services.patience import timeouts
from provisioning.services.pushing import health, recording, reverting, standing, startup, turn
from provisioning.services.pushing.freshness import moved
from provisioning.services.pushing.recording import NoLongerRight
from provisioning.services.pushing.sending import Refusal, send
from provisioning.services.pushing.session import Session, read_whole
from provisioning.services.pushing.taking_back import take_back, undo
from provisioning.services.pushing.working import counted, uncounted
from provisioning.services.stopping import Stopping
from provisioning.services.together import Together

MOVED = "moved"
PROGRESS_SECONDS = 0.5
_WANTED = Together[Wanted]()
SESSIONS = 4  # after so many, the rest is not tried again: what was sent is taken back


def attempt(push: RouterPush, lease: Lease) -> str:
    """Take a push as far as one session carries it; return the outcome as a sentence.

    Raises DeviceError when the router cannot be reached or the session dies, LeaseLost when it is no longer ours to
    write, Stopping when this worker has to end; all leave the decision about the state to the caller.
    """
    plan = plan_of(push)
    target = credentials.for_router(router=push.router)
    if target.driver == "auto":
        target = replace(target, among=push.change.pushes.count())
    known = profile(push.router.platform, push.router.ios)
    with _connected(target, known) as driver:
        transcript = recording.open_transcript(push, "push")
        try:
            session = Session(
                push=push,
                plan=plan,
                lease=lease,
                driver=driver,
                target=target,
                profile=known,
                reading=read_whole(driver, target),
                transcript=transcript,
            )
            return _resume(session) if PushState(push.state) in UNSURE else _start(session)
        except ConfigurationLocked:
            # Nothing was sent in this session: it does not count as a try, however long somebody else is at work.
            recording.mark_idle(transcript)
            raise
        except Stopping:
            # Not the router's doing: the session of whoever goes on is no further try.
            recording.mark_handed_over(transcript)
            raise
        finally:
            recording.close_transcript(push, transcript, driver.transcript)


def _connected(target: drivers.Target, known: Profile) -> drivers.RouterDriver:
    """A session; a target that cannot be meant by now is one that cannot be reached."""
    try:
        return drivers.connect(target, timeout=timeouts(known))
    except InvalidInput as error:
        raise DeviceError(f"{target.name} cannot be addressed: {error.reason}") from error


def _start(session: Session) -> str:
    push = session.push
    fared = health.first_look(session)
    reason = moved(push, session.reading, _wanted_of(push), session.plan)
    if reason:
        session.move(PushState.STALE, reason, error=reason, error_code=MOVED)
        return f"stale: {reason}"
    try:
        with transaction.atomic():
            recording.still_right(push)
            leases.confirm(session.lease)
            turn.take(push)
            recording.begin(push, session.reading, fared)
    except turn.NotItsTurn as error:
        return f"not begun: {error.reason}"
    except NoLongerRight as error:
        session.move(PushState.STALE, error.reason, error=error.reason, error_code=MOVED)
        return f"stale: {error.reason}"
    if session.plan.revert_minutes and (why := reverting.arm(session)):
        return take_back(session, session.reading.config, reverting.NOT_ARMED, why)
    return _forward(session, 0)


def _resume(session: Session) -> str:
    """Go on after a crash or a broken session: the approved remainder, or the undo, or nothing at all."""
    push, length = session.push, session.length
    session.watch(session.reading.config)
    if session.plan.revert_minutes:
        return _resume_reverting(session)
    if push.undo_from is not None:
        return undo(session, push.undo_from, session.reading.config)
    position = standing.position(session.plan, session.reading.config)
    if position is None:
        return take_back(
            session,
            session.reading.config,
            push.error_code or "interrupted",
            "after the interruption",
            typed_here=False,
        )
    interrupted = push.error or "the worker before this one died"
    if position < length and recording.tries(push) > SESSIONS:
        reason = f"{interrupted}; given up after {SESSIONS} sessions"
        return take_back(session, session.reading.config, push.error_code or "interrupted", reason)
    if position < length and PushState(push.state) is PushState.PUSHED:
        reason = "every line had been answered, but the router no longer shows them all"
        return take_back(session, session.reading.config, "not-as-approved", reason)
    if position < length and PushState(push.state) is PushState.UNKNOWN:
        session.move(PushState.PUSHING, f"read again: it stands after line {position} of {length}")
    return _forward(session, position)


def _resume_reverting(session: Session) -> str:
    """Of a push that the router takes back by itself nothing more is sent after an interruption: it is told to keep what is
    whole, and what is not is taken back.
    """
    push = session.push
    try:
        whole, why, seen = reverting.resume(session)
    except reverting.NotSettled:
        recording.mark_idle(session.transcript)
        raise
    if whole:
        return _forward(session, session.length)
    if (
        push.undo_from is not None
        and push.revert_until is None
        and not standing.stands(session.plan, seen, 0)
    ):
        return undo(session, push.undo_from, seen)
    code = push.error_code if push.undo_from is not None else reverting.CODE
    first = LineRefused.code if code == BARE else code or reverting.CODE
    return take_back(session, seen, first, why, typed_here=False)


def _forward(session: Session, start: int) -> str:
    """Send the approved commands from `start` on, reading the router between building, binding and removing."""
    push = session.push
    if push.line != start:
        recording.progress(push, session.lease, start)
    for stretch in standing.stretches(session.plan, start):
        end = stretch.end
        refusal = send(
            session.driver,
            push,
            session.plan,
            stretch.lines,
            lease=session.lease,
            answered=_counting(session, stretch.base, start),
            together=stretch.together,
            listen=end < session.length,
        )
        answered = end if refusal is None else max(start, stretch.base + refusal.answered)
        recording.progress(push, session.lease, answered)
        if refusal is None and end == session.length:
            break  # everything is read again before it is called verified
        seen = session.look()
        if refusal is not None:
            return take_back(session, seen, "line-refused", str(refusal))
        if not standing.stands(session.plan, seen, end):
            return take_back(session, seen, *_ignored(session, end))
        start = end
    return _conclude(session)


def _ignored(session: Session, end: int) -> tuple[str, str]:
    return (
        "silently-refused",
        f"every line up to {end} of {session.length} was answered without complaint, "
        "but the router does not show what they say",
    )


def _counting(session: Session, base: int, start: int) -> Callable[[int], None]:
    """Progress in commands of the plan, whatever lines led back into a mode first: written down every half second. It may lag
    behind the router, whose successor reads it, and never runs ahead of it.
    """
    written = time.monotonic()

    def answered(count: int) -> None:
        nonlocal written
        if time.monotonic() - written >= PROGRESS_SECONDS:
            recording.progress(session.push, session.lease, max(start, base + count))
            written = time.monotonic()

    return answered


def _conclude(session: Session) -> str:
    """Read everything again, compare, look at what is counted, save if it is ours to save, and only then VERIFIED."""
    push, plan = session.push, session.plan
    just_sent = PushState(push.state) is not PushState.PUSHED
    if just_sent:
        session.move(PushState.PUSHED, "every line was answered; reading it back", line=session.length)
    # Counters first, however long a large router takes to show them: what is typed after the last look is saved unseen.
    shown = _counted(session)
    reading, worse = health.last_look(session)
    if session.late:
        answered = session.length - len(writes(plan.commands, plan.alternatives)[-1].lines)
        recording.progress(push, session.lease, answered)
        said = Refusal(plan.commands[-1].text, session.late, answered)
        return take_back(session, reading.config, "line-refused", str(said))
    if not standing.stands(session.plan, reading.config, session.length):
        if just_sent:
            return take_back(session, reading.config, *_ignored(session, session.length))
        return take_back(
            session, reading.config, "not-as-approved", "read back, it does not hold what was approved"
        )
    if isinstance(shown, ParseFailure | LineRefused):
        reason = f"`show policy-map interface` cannot be read: {shown}"
        if recording.tries(push) <= SESSIONS:
            raise DeviceError(reason) from shown
        return take_back(session, reading.config, "not-working", reason)
    missing = uncounted(plan, reading.config, shown)
    if missing:
        return take_back(
            session,
            reading.config,
            "not-working",
            f"`show policy-map interface` does not show {', '.join(missing)} at work",
        )
    if worse:
        return take_back(session, reading.config, health.CODE, health.in_words(worse))
    kept = reverting.keep(session, reading)
    if isinstance(kept, reverting.NotKept):
        return take_back(session, kept.seen, kept.code, kept.reason)
    reading = kept
    end = startup.save(session, reading)
    if end.saved:
        reading = replace(reading, unsaved=())
    with transaction.atomic():
        terms.lock_for(list(push.change.modifies.values()))
        queues.lock_reservations(push.change.requests.all())
        leases.confirm(session.lease)
        recording.verified(
            push,
            plan,
            reading,
            reason=f"seen as approved; {end.note}",
            saved=end.saved,
            error_code=end.code,
            verification={"result": "in-sync", "read_at": reading.read_at.isoformat(), **end.to_json()}
            | health.record(push),
            counters=counters.to_json(shown),
        )
    verifying.record(router=push.router, reading=reading, wanted=_wanted_now(push))
    return f"verified; {end.note}"


def _wanted_of(push: RouterPush) -> Wanted:
    """What its router must hold once the change is through, as the rows say it now."""
    change = push.change
    about = ("once through", change.pk)
    return _WANTED.ask(about, push.router.name, lambda names: intents.wanted_for(change, routers=names))


def _wanted_now(push: RouterPush) -> Wanted:
    """What its router must hold, as the rows say it now."""
    domain = push.router.domain
    about = ("now", domain.pk)
    return _WANTED.ask(about, push.router.name, lambda names: intents.wanted(domain=domain, routers=names))


def _counted(session: Session) -> tuple[InterfacePolicyCounters, ...] | ParseFailure | LineRefused:
    """What the router counts, or why that cannot be read: judged once it is seen that the lines are in."""
    try:
        return counted(session.driver, session.plan)
    except (ParseFailure, LineRefused) as error:
        return error
