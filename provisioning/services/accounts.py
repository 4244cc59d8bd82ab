"""Accounts of people, as an administrator keeps them: edited on top of what was read, closed, opened again, given a password."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Mapping
from contextlib import suppress

from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import transaction
from django.db.models import Q, QuerySet

from inventory.models import Nren
from provisioning.errors import Conflict, InvalidFields, InvalidInput, NotAsRead, NotPermitted
from provisioning.models import Actor, ApiToken, AuditEvent, Membership, Role, Verb
from provisioning.pipeline.units import instant_text
from provisioning.selectors.authority import permit
from provisioning.services import audit, clock, people, sessions, tokens
from provisioning.services.locking import locked
from provisioning.services.wording import one_line, reason_text

LONGEST_NAME = 150


class PersonChanged(NotAsRead):
    """Somebody else edited a person since they were read: ``standing`` is what they are now."""


def standing_of(user: User) -> dict[str, str]:
    """Return what of a person may be edited, as text: what a form is held against when it comes back."""
    return {
        "full_name": user.first_name,
        "email": user.email,
        "roles": ", ".join(sorted(role.value for role in people.roles_of(user))),
        "nrens": ", ".join(sorted(user.memberships.values_list("nren__name", flat=True))),
    }


def edit_person(
    *,
    actor: Actor,
    user: User,
    full_name: str,
    email: str,
    roles: Iterable[Role],
    nrens: Iterable[Nren],
    reason: str,
    seen: Mapping[str, str] | None = None,
) -> User:
    """Give a person this name, mail address, these roles and NRENs.

    ``seen`` is what they were when the form was made (`standing_of`). Raises NotPermitted unless the table gives the actor
    people, still as it is done, and for one's own roles and NRENs; InvalidFields with everything that is wrong; InvalidInput
    where nobody would be an administrator any more; PersonChanged where somebody else was faster.
    """
    permit(actor, Verb.PEOPLE)
    why = reason_text(reason)
    _refuse_wrong(full_name, email)
    with transaction.atomic():
        row = _take(actor, user)
        before = standing_of(row)
        _refuse_changed(row, before, seen)
        given, wanted = people.given_to(row, roles, nrens)
        own = row.pk == actor.user_id
        if own and (given != people.roles_of(row) or {each.pk for each in wanted} != _nrens_of(row)):
            raise NotPermitted("Nobody changes what they may do themselves: another administrator does.")
        if Role.ADMINISTRATOR not in given:
            _refuse_last(row, field="roles")
        row.first_name, row.email = full_name.strip(), email.strip()
        row.save(update_fields=["first_name", "email"])
        people.put_roles(row, given)
        people.put_nrens(row, wanted)
        after = standing_of(row)
        if after != before:
            changed = [name for name in before if before[name] != after[name]]
            audit.record(
                actor=actor,
                action="person.edit",
                obj=row,
                reason=why,
                before={name: before[name] for name in changed},
                after={name: after[name] for name in changed},
            )
    return row


def close_account(*, actor: Actor, user: User, reason: str) -> int:
    """Close an account: its person is signed out at once and signs in no more, and its tokens are revoked; returns how many were.

    What they asked for, decided and approved stays. One that is closed stays so. Raises NotPermitted unless the table gives the
    actor people, still as it is done, and for one's own; InvalidInput where nobody would be an administrator any more.
    """
    permit(actor, Verb.PEOPLE)
    if user.pk == actor.user_id:
        raise NotPermitted("Nobody closes their own account: another administrator does.")
    why = reason_text(reason)
    with transaction.atomic():
        row = _take(actor, user)
        if row.is_active:
            _refuse_last(row, field="reason")
            User.objects.filter(pk=row.pk).update(is_active=False)
            ended = sessions.delete_sessions(row)
            _note(actor, row, "person.close", why, before=True, after=False)
            sessions.note_ended(actor, row, ended, why)
    # A closed account's tokens are refused from here on, whether or not the rest is done: each is a deed of its own.
    live = ApiToken.objects.filter(
        Q(expires_at=None) | Q(expires_at__gt=clock.now()), user=user, revoked_at=None
    )
    revoked = 0
    for token in live.order_by("pk"):
        with suppress(Conflict):  # it ended meanwhile
            tokens.revoke(actor=actor, token=token, reason=f"the account was closed: {why}"[:2000])
            revoked += 1
    return revoked


def open_account(*, actor: Actor, user: User, reason: str) -> None:
    """Open a closed account again, with the roles and NRENs that it has; its tokens stay revoked. Raises NotPermitted."""
    permit(actor, Verb.PEOPLE)
    why = reason_text(reason)
    with transaction.atomic():
        row = _take(actor, user)
        if row.is_active:
            return
        Membership.objects.filter(user=row, nren__retired_at__isnull=False).delete()
        User.objects.filter(pk=row.pk).update(is_active=True)
        _note(actor, row, "person.open", why, before=False, after=True)


def give_password(*, actor: Actor, user: User, reason: str) -> str:
    """Give a person a password that is drawn here, and return it: shown once, kept only as its hash; they replace it before
    anything else.

    Their sessions end. Raises NotPermitted unless the table gives the actor people, InvalidInput for an account that is closed.
    """
    permit(actor, Verb.PEOPLE)
    if user.pk == actor.user_id:
        raise NotPermitted("Nobody gives themselves a password: change yours on My account, by the old one.")
    why = reason_text(reason)
    if not user.is_active:
        raise InvalidInput("the account is closed: open it first", field="user")
    text = secrets.token_urlsafe(15)
    people.put_person(actor=actor, username=user.get_username(), password=text, drawn=True, reason=why)
    return text


def _take(actor: Actor, user: User) -> User:
    """The person a deed is about, locked together with who does it and, where they are an administrator, with the others.

    Two administrators who close each other, or take the role from each other, come one after the other: the second is nobody
    who may by then, and is refused by what stands, not by what stood when their page was asked for.
    """
    there = set(_administrators().values_list("pk", flat=True))
    keys: set[int] = {user.pk, *(there if user.pk in there else ())}
    if actor.user_id is not None:
        keys.add(actor.user_id)
    rows = {row.pk: row for row in locked(User.objects.filter(pk__in=keys).order_by("pk"))}
    if actor.user_id is not None:
        by = rows.get(actor.user_id)
        if by is None:
            raise NotPermitted("Sign in first.")
        permit(people.actor_for(by, via=actor.via, account=actor.account), Verb.PEOPLE)
    return rows[user.pk]


def _administrators() -> QuerySet[User]:
    """Who is in and may give people their roles."""
    return User.objects.filter(is_active=True, groups__name=Role.ADMINISTRATOR.value)


def _refuse_last(user: User, *, field: str) -> None:
    there = set(_administrators().values_list("pk", flat=True))
    if there == {user.pk}:
        raise InvalidInput(
            "nobody would be an administrator any more: give somebody else the role first", field=field
        )


def _nrens_of(user: User) -> set[int]:
    return set(user.memberships.values_list("nren_id", flat=True))


def _refuse_wrong(full_name: str, email: str) -> None:
    errors = []
    if full_name.strip():
        try:
            one_line(full_name, field="full_name", longest=LONGEST_NAME)
        except InvalidInput as error:
            errors.append(error)
    if email.strip():
        try:
            validate_email(email.strip())
        except ValidationError:
            errors.append(InvalidInput("a mail address, such as jane@example.org", field="email"))
    if errors:
        raise InvalidFields(errors)


def _refuse_changed(user: User, now: Mapping[str, str], seen: Mapping[str, str] | None) -> None:
    others = [name for name, text in now.items() if seen is not None and seen.get(name, text) != text]
    if not others or seen is None:
        return
    said = "; ".join(
        f"{name} read {seen[name] or 'nothing'} and is {now[name] or 'nothing'}" for name in others
    )
    event = (
        AuditEvent.objects.filter(object_type="User", object_id=str(user.pk)).order_by("-chain_index").first()
    )
    by = f" {event.actor} changed it at {instant_text(event.at)}." if event else ""
    raise PersonChanged(
        f"{user} is not what you read any more: {said}.{by} Nothing was written.", standing=dict(now)
    )


def _note(actor: Actor, user: User, action: str, reason: str, *, before: bool, after: bool) -> None:
    audit.record(
        actor=actor, action=action, obj=user, reason=reason, before={"open": before}, after={"open": after}
    )
