"""People: what a signed-in user may do, who acts for which NREN."""

from __future__ import annotations

from collections.abc import Iterable

from django.contrib.auth.hashers import make_password
from django.contrib.auth.models import AnonymousUser, Group, User
from django.db import IntegrityError, transaction

from inventory.models import Nren
from provisioning.errors import Conflict, InvalidInput, NotPermitted
from provisioning.models import Actor, DrawnPassword, Membership, Role, Verb, Via
from provisioning.pipeline.authority import conflicts, expand
from provisioning.selectors.authority import permit
from provisioning.services import audit, sessions
from provisioning.services.locking import locked


def actor_for(user: User | AnonymousUser, *, via: Via, account: str = "") -> Actor:
    """The actor behind ``user``: roles from the groups of that name, NRENs from memberships.

    Being a superuser of the site gives no role: who may decide is an allow-list. Raises NotPermitted for
    somebody who is not signed in or whose account is closed.
    """
    if not user.is_authenticated or not user.is_active:
        raise NotPermitted("Sign in first.")
    nren_ids = frozenset(Membership.objects.filter(user_id=user.pk).values_list("nren_id", flat=True))
    return Actor(
        label=user.get_username(),
        user_id=user.pk,
        roles=acting_roles(expand(roles_of(user)), for_nrens=bool(nren_ids)),
        nren_ids=nren_ids,
        via=via,
        account=account,
    )


def actor_named(username: str, *, via: Via, account: str = "") -> Actor:
    """The actor for a user name (commands act as a named user, typed by an ``account`` of the operating system); raises
    InvalidInput when there is none.
    """
    return actor_for(user_named(username), via=via, account=account)


def user_named(username: str) -> User:
    """The user of that name; raises InvalidInput when there is none."""
    user = User.objects.filter(username=username).first()
    if user is None:
        raise InvalidInput(f"there is no user {username!r:.80}", field="user")
    return user


def put_person(
    *,
    actor: Actor,
    username: str,
    roles: Iterable[Role] | None = None,
    nrens: Iterable[Nren] | None = None,
    password: str | None = None,
    email: str = "",
    new: bool = False,
    drawn: bool = False,
    reason: str = "",
) -> User:
    """The user of that name with exactly these roles and NRENs, made if need be; audited when anything
    changed.

    ``roles`` and ``nrens`` None leave them as they are: who sets a password takes nothing away. ``password`` None leaves a
    password as it is and gives a new user none (tokens only); another one ends their sessions, and one that was ``drawn`` for
    them is replaced by them before anything else. Raises NotPermitted unless an
    administrator or the machine itself asks, InvalidInput for a name that is no user name and for roles that conflict, and
    Conflict where there is a user of that name already although it is to be a ``new`` one.
    """
    permit(actor, Verb.PEOPLE)
    if (
        not username
        or len(username) > 150
        or not username.isprintable()
        or any(c.isspace() for c in username)
    ):
        raise InvalidInput("a user name is 1 to 150 characters without blanks", field="username")
    with transaction.atomic():
        user, created = _make(username, email) if new else _take(username, email)
        # Read with the row locked: of two who give roles at once the second sees what the first gave.
        given, wanted_nrens = given_to(user, roles, nrens)
        before = None if created else standing_of(user)
        replaced = password is not None and not user.check_password(password)
        if replaced:
            user.set_password(password)
        if email:
            user.email = email
        user.save(update_fields=["password", "email"])
        if replaced:
            note_drawn(user, drawn=drawn)
        ended = sessions.delete_sessions(user) if replaced else []
        if roles is not None:
            put_roles(user, given)
        if nrens is not None:
            put_nrens(user, wanted_nrens)
            if not wanted_nrens and roles is None:
                user.groups.remove(*user.groups.filter(name=Role.NREN))  # it followed from the NRENs
        after = standing_of(user)
        if replaced:
            after["password"] = "set" if created else "replaced"
        if before != after:
            audit.record(
                actor=actor, action="person.put", obj=user, reason=reason, before=before, after=after
            )
        sessions.note_ended(actor, user, ended, "another password")
    return user


def note_drawn(user: User, *, drawn: bool) -> None:
    """Keep whether the password that somebody has now was drawn for them by another."""
    DrawnPassword.objects.filter(user=user).delete()
    if drawn:
        DrawnPassword.objects.create(user=user)


def put_roles(user: User, given: Iterable[Role]) -> None:
    """Have a user exactly these roles; groups that are no role stay."""
    groups = [Group.objects.get_or_create(name=role)[0] for role in sorted(role.value for role in given)]
    others = [group for group in user.groups.all() if group.name not in set(Role)]
    user.groups.set([*groups, *others])


def put_nrens(user: User, nrens: Iterable[Nren]) -> None:
    """Have a user act for exactly these NRENs. Raises InvalidInput for one that is no more."""
    wanted = list(nrens)
    Membership.objects.filter(user=user).exclude(nren__in=wanted).delete()
    _refuse_retired(wanted)
    for nren in wanted:
        Membership.objects.get_or_create(user=user, nren=nren)


def _refuse_retired(nrens: Iterable[Nren]) -> None:
    """Meet whoever retires one of them: it counts its people with the row locked."""
    wanted = {nren.pk: nren.name for nren in nrens}
    there = set(locked(Nren.objects.filter(pk__in=wanted).order_by("pk")).values_list("pk", flat=True))
    if gone := [name for key, name in wanted.items() if key not in there]:
        raise InvalidInput(f"{', '.join(gone)} is an NREN no more", field="nrens")


def _make(username: str, email: str) -> tuple[User, bool]:
    try:
        with transaction.atomic():
            return User.objects.create(username=username, email=email, password=make_password(None)), True
    except IntegrityError as error:
        raise Conflict(f"There is an account {username} already.") from error


def _take(username: str, email: str) -> tuple[User, bool]:
    """The user of that name, locked, and whether they were made for it: what somebody else changes meanwhile is not undone."""
    wanted = {"email": email, "password": make_password(None)}
    user, created = User.objects.get_or_create(username=username, defaults=wanted)
    return (user, True) if created else (locked(User.objects.filter(pk=user.pk)).get(), False)


def given_to(
    user: User, roles: Iterable[Role] | None, nrens: Iterable[Nren] | None
) -> tuple[frozenset[Role], list[Nren]]:
    """Return the roles and NRENs that somebody is to have; raises InvalidInput for those that are not had together."""
    wanted = list(nrens) if nrens is not None else _nrens_of(user)
    given = expand(roles if roles is not None else roles_of(user))
    held = acting_roles(given, for_nrens=bool(wanted))
    if refused := conflicts(held):
        raise InvalidInput("; ".join(refused), field="roles")
    if Role.READER in held and not wanted:
        raise InvalidInput("a reader of an NREN is given one", field="nrens")
    return given, wanted


def acting_roles(given: Iterable[Role], *, for_nrens: bool) -> frozenset[Role]:
    """The roles that somebody with these acts in: for an NREN as its requester too, unless they only read for it."""
    roles = frozenset(given)
    return roles | {Role.NREN} if for_nrens and Role.READER not in roles else roles


def roles_of(user: User | None) -> frozenset[Role]:
    """The roles that somebody was given; none for nobody."""
    names = user.groups.values_list("name", flat=True) if user is not None else ()
    return frozenset(Role(name) for name in names if name in set(Role))


def _nrens_of(user: User | None) -> list[Nren]:
    return list(Nren.objects.filter(memberships__user=user)) if user is not None else []


def standing_of(user: User) -> dict[str, object]:
    """Return what the trail keeps of a person before and after."""
    return {
        "roles": sorted(user.groups.values_list("name", flat=True)),
        "nrens": sorted(user.memberships.values_list("nren__name", flat=True)),
        "email": user.email,
        "can_sign_in": user.has_usable_password(),
    }
