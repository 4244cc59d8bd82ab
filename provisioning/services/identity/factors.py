"""Second factors: what is added, taken away and reset is noted; their secrets are encrypted like those of routers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from allauth.mfa.models import Authenticator
from django.contrib.auth.models import User
from django.db import transaction

from provisioning.errors import Conflict, InvalidInput
from provisioning.models import Actor, Verb, Via, keyring
from provisioning.selectors.authority import permit
from provisioning.services import audit, people
from provisioning.services.locking import locked
from provisioning.services.sessions import end_sessions

_ENCRYPTED = ("secret", "seed")


@contextmanager
def changing_factors(user: User, *, session: str) -> Iterator[None]:
    """One transaction for what is changed inside about the second factors of a person, for its events, and for the end of their
    other sessions when an app or a key was added: they began without it. ``session`` is the key of the one that stays.

    By rows and not by the library's signals: some of them come when its own transaction is over.
    """
    actor = people.actor_for(user, via=Via.WEB)
    with transaction.atomic():
        locked(User.objects.filter(pk=user.pk)).get()  # of two changes at once each notes its own
        before = _factors(user)
        yield
        after = _factors(user)
        added = [factor for pk, factor in after.items() if pk not in before]
        if any(factor.type != Authenticator.Type.RECOVERY_CODES for factor in added):
            end_sessions(actor=actor, user=user, reason="a second factor was added", but=session)
        for factor in (factor for pk, factor in before.items() if pk not in after):
            _note(actor, user, "person.factor.remove", _named(factor))
        for factor in added:
            _note(actor, user, "person.factor.add", _named(factor))


def reset_factors(*, actor: Actor, user: User, reason: str) -> int:
    """Take every second factor of a person away who lost them, and end their sessions; returns how many there were.

    Raises NotPermitted unless an administrator or the machine itself asks, InvalidInput without a reason (whoever resets says how
    they know whom they talk to), and Conflict when there is none.
    """
    permit(actor, Verb.PEOPLE)
    if not reason.strip():
        raise InvalidInput("say how you know that it is them who ask", field="reason")
    with transaction.atomic():
        if not Authenticator.objects.filter(user=user).exists():
            raise Conflict(f"{user.get_username()} has no second factor.")
        end_sessions(actor=actor, user=user, reason=reason)
        found = list(locked(Authenticator.objects.filter(user=user).order_by("pk")))
        Authenticator.objects.filter(pk__in=[factor.pk for factor in found]).delete()
        names = [_named(factor) for factor in found]
        audit.record(
            actor=actor,
            action="person.factors.reset",
            obj=user,
            reason=reason,
            before={"factors": names},
            after={"factors": []},
        )
    return len(found)


def encrypt_anew() -> int:
    """Encrypt the secrets of all second factors with the first key of ``CREDENTIAL_KEYS``; returns how many rows there are.

    Called in the transaction that does so with all the others. Raises cryptography's InvalidToken for one that no key reads.
    """
    rows = list(locked(Authenticator.objects.exclude(type=Authenticator.Type.WEBAUTHN).order_by("pk")))
    for row in rows:
        for name in _ENCRYPTED:
            if name in row.data:
                row.data[name] = keyring().rotate(row.data[name].encode()).decode()
        row.save(update_fields=["data"])
    return len(rows)


def _factors(user: User) -> dict[int, Authenticator]:
    return {factor.pk: factor for factor in Authenticator.objects.filter(user_id=user.pk).order_by("pk")}


def _named(factor: Authenticator) -> str:
    name = str(factor.data.get("name", "")) if factor.type == Authenticator.Type.WEBAUTHN else ""
    return f"{factor.type} {name}".strip()


def _note(actor: Actor, user: User, action: str, named: str) -> None:
    audit.record(actor=actor, action=action, obj=user, after={"factor": named})
