"""Signing in, signing out, another password: each is an event of the person in the audit trail."""

from __future__ import annotations

from collections.abc import Sequence

from allauth.usersessions.models import UserSession
from django.contrib.auth.models import User
from django.db import transaction

from provisioning.models import Via
from provisioning.services import audit, people
from provisioning.services.sessions import begun, end_sessions


def signed_in(user: User, *, methods: Sequence[str], address: str, browser: str, session: str) -> None:
    """Note that a person is in: by which methods ("password", "single sign-on", "totp", ...), from which address and with which
    browser, in the session of this key.
    """
    with transaction.atomic():
        begun(user, session, address=address, browser=browser)
        audit.record(
            actor=people.actor_for(user, via=Via.WEB),
            action="person.sign-in",
            obj=user,
            after={"methods": list(methods), "address": address},
        )


def signed_out(user: User, *, address: str, session: str) -> None:
    """Note that a person ended the session they were in."""
    with transaction.atomic():
        UserSession.objects.filter(session_key=session).delete()
        audit.record(
            actor=people.actor_for(user, via=Via.WEB),
            action="person.sign-out",
            obj=user,
            after={"address": address},
        )


def replace_password(user: User, password: str, *, session: str) -> None:
    """Set the password that the person chose, and end their other sessions: all but the one with the key ``session``."""
    actor = people.actor_for(user, via=Via.WEB)
    with transaction.atomic():
        user.set_password(password)
        user.save(update_fields=["password"])
        people.note_drawn(user, drawn=False)
        end_sessions(actor=actor, user=user, reason="another password", but=session)
        audit.record(
            actor=actor,
            action="person.password",
            obj=user,
            after={"password": "replaced"},
        )
