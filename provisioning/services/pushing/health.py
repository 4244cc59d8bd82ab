"""How the router fares besides its configuration: looked at before the first line, and after the last before it is saved."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from django.conf import settings

from provisioning.drivers.health import read_health
from provisioning.errors import DeviceError
from provisioning.models import RouterPush
from provisioning.pipeline.health import Health, Worse, asked, worsened
from provisioning.selectors.schemes import scheme_of
from provisioning.services import leases, stopping
from provisioning.services.pushing import recording
from provisioning.services.pushing.session import Session
from provisioning.services.reading import Reading

CODE = "unhealthy"
_STEP_SECONDS = 1.0  # between two looks at the lease while a router is left alone


def first_look(session: Session) -> dict[str, Any] | None:
    """The router before the first line, as the push keeps it; None where nobody wants to know, or nothing is sent.

    Where the session is lost over it the router is read anew on another (`session.reading`), and goes unseen: that keeps
    nothing from being sent. Raises DeviceError when it cannot be read any more.
    """
    router = session.target.name
    if not session.length or not settings.HEALTH_LOOK or router in settings.HEALTH_NOT_ON:
        return None
    seen = _look(session, session.reading)
    if seen is None:
        session.reading = session.read()
        seen = Health(unseen=("the session was lost over it before the first line",))
    return {"before": seen.to_json()}


def last_look(session: Session) -> tuple[Reading, tuple[Worse, ...]]:
    """Look and read everything again, last the configuration; what became worse, and is still worse a while later.

    Raises LeaseLost, Stopping, DeviceError.
    """
    kept = session.push.health
    if not kept:
        return session.read(), ()
    before = Health.from_json(kept["before"])
    limit = scheme_of(session.push.router.domain).health.cpu_percent
    after, reading = _look_and_read(session, before)
    found = worsened(before, after, cpu_limit=limit)
    if found:
        _leave_alone(session)
        after, reading = _look_and_read(session, before)
        found = worsened(before, after, cpu_limit=limit)
    session.push.health = {
        "before": kept["before"],
        "after": after.to_json(),
        "worse": [[each.what, each.before, each.after] for each in found],
        "cpu_limit": limit,
    }
    recording.while_ours(session.push, session.lease).update(health=session.push.health)
    return reading, found


def in_words(found: Sequence[Worse]) -> str:
    """Why a router is taken back: what became worse, with both values."""
    said = "; ".join(map(str, found))
    return f"{said}, and still so when looked at again {settings.HEALTH_SETTLE_SECONDS:g} s later"


def record(push: RouterPush) -> dict[str, Any]:
    """What a verification says of it: that it was no worse, and what was not looked at."""
    if not push.health:
        return {"health": "not looked at"}
    unseen = {
        f"not looked at: {sentence}"
        for when in ("before", "after")
        for sentence in (push.health.get(when) or {}).get("unseen", ())
    }
    return {"health": "no worse than before the first line", **({"unseen": sorted(unseen)} if unseen else {})}


def _look_and_read(session: Session, before: Health) -> tuple[Health, Reading]:
    """The router now. What nothing could be seen of before is not asked about: there is nothing to hold it against."""
    seen = None
    if before.looked or before.cpu is not None:
        seen = _look(session, session.reading)
    reading = session.read()
    if seen is None:
        seen = Health(unseen=("the session was lost over it after the last line",) if before.looked else ())
    return seen.with_interfaces(_interfaces(session, reading)), reading


def _look(session: Session, reading: Reading) -> Health | None:
    """One look, with the interfaces of a reading; None where the session was lost over it."""
    try:
        seen = read_health(session.driver, asked(reading.text))
    except DeviceError:
        return None
    return seen.with_interfaces(_interfaces(session, reading))


def _interfaces(session: Session, reading: Reading) -> dict[str, bool]:
    """Whether the line is up of the interfaces of the inventory that are not shut down."""
    ours = session.interfaces
    return {name: reading.up[name] for name in ours if reading.enabled.get(name) and name in reading.up}


def _leave_alone(session: Session) -> None:
    """Wait until a second look says something the first did not; the lease is kept meanwhile. Raises LeaseLost, Stopping."""
    until = time.monotonic() + settings.HEALTH_SETTLE_SECONDS
    while (left := until - time.monotonic()) > 0:
        time.sleep(min(left, _STEP_SECONDS))
        stopping.check()
        leases.check(session.lease)
