"""Sessions of the browser: when each was seen last, and their end before they run out."""

from __future__ import annotations

import hashlib
from datetime import timedelta
from typing import Final

from allauth.usersessions.models import UserSession
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.core.cache import cache
from django.db import transaction
from django.db.models import Exists, OuterRef

from provisioning.errors import NotPermitted
from provisioning.models import Actor, Verb
from provisioning.services import audit, clock
from provisioning.services.locking import locked

LONGEST_NAME: Final = 200
"""Characters that are kept of what a browser calls itself."""
SEEN_EVERY: Final = timedelta(minutes=5)
"""A session is written down as seen so often and not at each page."""


def begun(user: User, key: str, *, address: str, browser: str) -> None:
    """Write down a session that begins now, and forget those of the same person that have ended without a word."""
    live = Session.objects.filter(session_key=OuterRef("session_key"), expire_date__gt=clock.now())
    UserSession.objects.filter(~Exists(live), user=user).exclude(session_key=key).delete()
    _write_down(user.pk, key, address, browser)


def seen(user_id: int, key: str, *, address: str, browser: str) -> None:
    """Note that a session is in use, from this address; most calls write nothing. One that is not known yet is from now on: it
    began before sessions were written down.
    """
    # Not the key itself: whoever reads the cache would be signed in with it.
    name = hashlib.sha256(f"{key} {address}".encode()).hexdigest()
    if not cache.add(f"session-seen-{name}", 1, int(SEEN_EVERY.total_seconds())):
        return
    _write_down(user_id, key, address, browser)


def end_session(*, actor: Actor, session: UserSession, reason: str = "") -> None:
    """End one session now; one that has ended stays so. Raises NotPermitted unless it is one's own or an administrator asks."""
    _may_end(actor, session.user_id)
    with transaction.atomic():
        note_ended(actor, session.user, _delete([session]), reason)


def end_sessions(*, actor: Actor, user: User, reason: str = "", but: str = "") -> int:
    """End every session of a person, but the one with the key ``but``; returns how many. Raises NotPermitted unless they are
    the actor's own or an administrator asks.
    """
    _may_end(actor, user.pk)
    with transaction.atomic():
        ended = delete_sessions(user, but=but)
        note_ended(actor, user, ended, reason)
    return len(ended)


def delete_sessions(user: User, *, but: str = "") -> list[str]:
    """Delete every session of a person but one; returns the address of each that had not run out, for `note_ended`.

    Called in a transaction that notes it later, because the audit trail is locked last.
    """
    return _delete(list(UserSession.objects.filter(user=user).exclude(session_key=but).order_by("pk")))


def note_ended(actor: Actor, user: User, addresses: list[str], reason: str) -> None:
    """Note that sessions from these addresses ended, if there are any."""
    if addresses:
        # Nobody is told the key of a session: it would be as good as the cookie.
        audit.record(
            actor=actor,
            action="person.sessions.end",
            obj=user,
            reason=reason,
            after={"ended": len(addresses), "addresses": sorted(set(addresses))},
        )


def _write_down(user_id: int, key: str, address: str, browser: str) -> None:
    if not UserSession.objects.filter(session_key=key).update(last_seen_at=clock.now(), ip=address):
        row = UserSession(session_key=key, user_id=user_id, ip=address, user_agent=browser[:LONGEST_NAME])
        # Of two that find none one writes it; it may be ended before the other looks again.
        UserSession.objects.bulk_create([row], ignore_conflicts=True)


def _may_end(actor: Actor, user_id: int) -> None:
    if actor.user_id != user_id and not (actor.is_system or actor.may(Verb.PEOPLE)):
        raise NotPermitted("A session is ended by the person whose it is, or by an administrator.")


def _delete(sessions: list[UserSession]) -> list[str]:
    rows = Session.objects.filter(session_key__in=[session.session_key for session in sessions])
    found, now = {row.pk: row.expire_date for row in locked(rows.order_by("pk"))}, clock.now()
    Session.objects.filter(pk__in=found).delete()
    UserSession.objects.filter(pk__in=[session.pk for session in sessions]).delete()
    # One that had run out is deleted too, and is no session that somebody ended.
    ended = {key for key, end in found.items() if end > now}
    return [str(session.ip) for session in sessions if session.session_key in ended]
