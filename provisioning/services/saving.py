"""`write memory` because a person says so: what startup-config lacks is shown first, and exactly that is saved, with a reason.

For what the end of a push could not save: other people's lines stood beside ours, or the router refused. As long as nothing but
lines of ours is unsaved there, it is tried again by itself, too.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.db import transaction
from django.db.models import Max, QuerySet

from inventory.models import Router
from provisioning import drivers
from provisioning.drivers.base import RouterDriver, Target
from provisioning.drivers.difference import unsaved_difference
from provisioning.errors import Conflict, DeviceError, ParseFailure, StaleState
from provisioning.models import SYSTEM, Actor, RouterPush, RouterSync, Transcript, Verb
from provisioning.pipeline.states import PushState
from provisioning.selectors.authority import permit_named
from provisioning.selectors.pushing import half_way
from provisioning.services import audit, clock, credentials, intents, leases, pushing, unsaved, verifying
from provisioning.services.leases import Held, Lease
from provisioning.services.patience import timeouts
from provisioning.services.reading import Reading, Unread, read_session
from provisioning.services.unsaved import Whose
from provisioning.services.wording import reason_text


@dataclass(frozen=True, slots=True)
class Seen:
    """What startup-config of a router lacks, by whose lines they are; `digest` stands for exactly these lines."""

    router: str
    ours: tuple[str, ...]
    foreign: tuple[str, ...]

    @property
    def digest(self) -> str:
        """sha256 (hex) of the lines: whoever saves says by it what was read."""
        return digest_of(self.ours, self.foreign)

    def to_json(self) -> dict[str, Any]:
        return {
            "router": self.router,
            "ours": list(self.ours),
            "foreign": list(self.foreign),
            "digest": self.digest,
        }


@dataclass(frozen=True, slots=True)
class Done:
    """What was saved. `saved` is False where there was nothing to save; `meanwhile` are lines that somebody typed between the
    look and `write memory`, saved with the rest.
    """

    saved: bool
    seen: Seen
    meanwhile: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        return {**self.seen.to_json(), "saved": self.saved, "meanwhile": list(self.meanwhile)}


def digest_of(ours: tuple[str, ...] | list[str], foreign: tuple[str, ...] | list[str]) -> str:
    """sha256 (hex) of unsaved lines, whose they are included."""
    return hashlib.sha256(json.dumps([list(ours), list(foreign)]).encode()).hexdigest()


def look(*, actor: Actor, router: Router) -> Seen:
    """Read a router and say what startup-config lacks; the reading is recorded as every other.

    Raises NotPermitted, DeviceError when the router cannot be read.
    """
    _only_the_noc(actor)
    reading = verifying.read_routers([router])[router.name]
    if isinstance(reading, Unread):
        raise DeviceError(reading.reason, router=router.name)
    _record(router, reading)
    return _seen(router, unsaved.sort_out(router, reading))


def save_router(*, actor: Actor, router: Router, seen: str, reason: str) -> Done:
    """Save running-config, provided that what is unsaved is exactly what was shown (`seen`, the digest of a `Seen`).

    Raises NotPermitted, InvalidInput for no reason, PushDisabled, Held while a push is at work on the router, Conflict while
    one is half way there, StaleState when other lines are unsaved by now, SaveRefused, DeviceError.
    """
    _only_the_noc(actor)
    why = reason_text(reason)
    pushing.require_enabled()
    with leases.between_pushes(router=router, owner=f"save/{actor.label}") as lease:
        target = credentials.for_router(router=router)
        with drivers.connect(target, timeout=timeouts()) as driver:
            transcript = Transcript.objects.create(router=router, purpose="save")
            try:
                return _save(actor, router, lease, driver, target, partial(_as_shown, seen), why)
            finally:
                keep_transcript(actor, router, transcript, driver)


def to_save_again() -> QuerySet[RouterPush]:
    """The newest verified and unsaved push of each router on which only lines of ours are unsaved, as last read, and no push is
    half way: what may be saved without a person.
    """
    ours = RouterSync.objects.exclude(unsaved={}).filter(unsaved__foreign=[]).exclude(unsaved__ours=[])
    waiting = RouterPush.objects.filter(
        state=PushState.VERIFIED, saved=False, router__in=ours.values("router")
    ).exclude(router__in=half_way().values("router"))
    newest = waiting.order_by().values("router").annotate(newest=Max("pk"))
    return RouterPush.objects.filter(pk__in=newest.values("newest"))


def save_again(*, router_push_id: int) -> str:
    """Try a save again that a router refused, or that other people's lines kept back, provided that nothing but lines of ours is
    unsaved there by now; return the outcome as a sentence.

    Raises PushDisabled, Held while a push is at work on the router, SaveRefused, DeviceError.
    """
    pushing.require_enabled()
    push = RouterPush.objects.select_related("router", "change").get(pk=router_push_id)
    router = push.router
    if push.state != PushState.VERIFIED or push.saved is not False:
        return f"nothing to do: {router.name} is saved already"
    why = f"what {push.change.reference} left was not saved; it is all ours, and tried again by itself"
    try:
        with leases.between_pushes(router=router, owner=f"save-again/{push.pk}") as lease:
            target = credentials.for_router(router=router)
            with drivers.connect(target, timeout=timeouts()) as driver:
                transcript = Transcript.objects.create(router=router, purpose="save")
                try:
                    done = _save(SYSTEM, router, lease, driver, target, _only_ours, why)
                finally:
                    keep_transcript(SYSTEM, router, transcript, driver)
    except Held:
        raise  # the job comes again
    except Conflict as error:
        return f"not saved: {error.reason}"
    if not done.saved:
        return f"{router.name}: startup-config holds everything already"
    typed = f"; typed between the look and the saving, and saved too: {'; '.join(done.meanwhile)}"
    return f"{router.name}: saved{typed if done.meanwhile else ''}"


def _as_shown(seen: str, found: Seen) -> None:
    if found.digest != seen:
        raise StaleState(
            f"what is unsaved on {found.router} is not what was shown: read the lines again", field="seen"
        )


def _only_ours(found: Seen) -> None:
    if found.foreign:
        raise Conflict(f"lines of other people are unsaved on {found.router} by now: a person has to look")


def _save(
    actor: Actor,
    router: Router,
    lease: Lease,
    driver: RouterDriver,
    target: Target,
    may: Callable[[Seen], None],
    why: str,
) -> Done:
    """Read the router, save it if `may` raises nothing about what is found unsaved, and read it again."""
    reading = _read(driver, target)
    found = _seen(router, unsaved.sort_out(router, reading))
    if not reading.unsaved:
        _record(router, reading)
        return Done(False, found)
    try:
        may(found)
    except Conflict:
        _record(router, reading)
        raise
    _note(actor, router, "router.save", why, found, lease=lease)
    try:
        driver.save()
    except DeviceError as error:
        _note(actor, router, "router.save-refused", why, found, said=str(error))
        raise
    after = _read(driver, target)
    meanwhile = unsaved_difference(after.text, reading.text)
    _note(actor, router, "router.saved", why, found, meanwhile=list(meanwhile), left=list(after.unsaved))
    _record(router, after)
    return Done(True, found, meanwhile)


def _only_the_noc(actor: Actor) -> None:
    permit_named(actor, Verb.MEND)


def _read(driver: RouterDriver, target: Target) -> Reading:
    try:
        return read_session(driver, target, read_at=clock.now())
    except ParseFailure as error:
        raise DeviceError(f"the running-config of {target.name} cannot be read: {error}") from error


def _record(router: Router, reading: Reading) -> None:
    wanted = intents.wanted(domain=router.domain, routers=[router.name])
    verifying.record(router=router, reading=reading, wanted=wanted)


def _seen(router: Router, whose: Whose) -> Seen:
    return Seen(router.name, whose.ours, whose.foreign)


def _note(
    actor: Actor,
    router: Router,
    action: str,
    why: str,
    found: Seen,
    *,
    lease: Lease | None = None,
    **more: Any,
) -> None:
    """Into the trail, before `write memory` (with the lease confirmed in the same transaction) and after it."""
    with transaction.atomic():
        if lease is not None:
            leases.confirm(lease, lasts=leases.of_save(timeouts().save))
        audit.record(
            actor=actor,
            action=action,
            obj=router,
            reason=why,
            after={"ours": list(found.ours), "foreign": list(found.foreign), **more},
        )


def keep_transcript(actor: Actor, router: Router, transcript: Transcript, driver: RouterDriver) -> None:
    """Store what was said, and its digest in the trail: that outlives it."""
    said = [[round(line.at_offset_s, 3), line.direction, line.text] for line in driver.transcript]
    digest = audit.transcript_digest(said)
    with transaction.atomic():
        Transcript.objects.filter(pk=transcript.pk).update(lines=said, digest=digest)
        audit.record(
            actor=actor,
            action="router.transcript",
            obj=router,
            reason=transcript.purpose,
            after={"transcript": transcript.pk, "digest": digest, "lines": len(said)},
        )
