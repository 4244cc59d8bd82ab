"""People: what a signed-in user may do, who acts for which NREN."""

from __future__ import annotations

from collections.abc import Iterable

from django.contrib.auth.models import AnonymousUser, Group, User
from django.db import transaction

from inventory.models import Nren
from provisioning.errors import InvalidInput, NotPermitted
from provisioning.models import Actor, Membership, Role, Verb, Via
from provisioning.pipeline.authority import conflicts, expand
from provisioning.selectors.authority import permit
from provisioning.services import audit


def actor_for(user: User | AnonymousUser, *, via: Via, account: str = "") -> Actor:
    """The actor behind ``user``: roles from the groups of that name, NRENs from memberships.

    Being a superuser of the site gives no role: who may decide is an allow-list. Raises NotPermitted for
    somebody who is not signed in or whose account is closed.
    """
    if not user.is_authenticated or not user.is_active:
        raise NotPermitted("Sign in first.")
    roles = set(expand(roles_of(user)))
    nren_ids = frozenset(Membership.objects.filter(user_id=user.pk).values_list("nren_id", flat=True))
    if nren_ids and Role.READER not in roles:
        roles.add(Role.NREN)
    return Actor(
        label=user.get_username(),
        user_id=user.pk,
        roles=frozenset(roles),
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
) -> User:
    """The user of that name with exactly these roles and NRENs, made if need be; audited when anything
    changed.

    ``roles`` and ``nrens`` None leave them as they are: who sets a password takes nothing away. ``password`` None leaves a
    password as it is and gives a new user none (tokens only). Raises NotPermitted
    unless an administrator or the machine itself asks, and InvalidInput for a name that is no user name and for roles that
    conflict.
    """
    permit(actor, Verb.PEOPLE)
    if (
        not username
        or len(username) > 150
        or not username.isprintable()
        or any(c.isspace() for c in username)
    ):
        raise InvalidInput("a user name is 1 to 150 characters without blanks", field="username")
    known = User.objects.filter(username=username).first()
    wanted_nrens = list(nrens) if nrens is not None else _nrens_of(known)
    given = expand(roles if roles is not None else roles_of(known))
    held = given | ({Role.NREN} if wanted_nrens and Role.READER not in given else set())
    if refused := conflicts(held):
        raise InvalidInput("; ".join(refused), field="roles")
    if Role.READER in held and not wanted_nrens:
        raise InvalidInput("a reader of an NREN is given one", field="nrens")
    wanted_roles = {role.value for role in given}
    with transaction.atomic():
        user, created = User.objects.get_or_create(username=username, defaults={"email": email})
        before = None if created else _standing(user)
        if created:
            user.set_unusable_password()
        replaced = password is not None and not user.check_password(password)
        if replaced:
            user.set_password(password)
        if email:
            user.email = email
        user.save()
        # What is to stay is not written: somebody else may be changing it this very moment.
        if roles is not None:
            groups = [Group.objects.get_or_create(name=role)[0] for role in sorted(wanted_roles)]
            others = [group for group in user.groups.all() if group.name not in set(Role)]
            user.groups.set([*groups, *others])
        if nrens is not None:
            Membership.objects.filter(user=user).exclude(nren__in=wanted_nrens).delete()
            for nren in wanted_nrens:
                Membership.objects.get_or_create(user=user, nren=nren)
            if not wanted_nrens and roles is None:
                user.groups.remove(*user.groups.filter(name=Role.NREN))  # it followed from the NRENs
        after = _standing(user)
        if replaced:
            after["password"] = "set" if created else "replaced"
        if before != after:
            audit.record(actor=actor, action="person.put", obj=user, before=before, after=after)
    return user


def roles_of(user: User | None) -> frozenset[Role]:
    """The roles that somebody was given; none for nobody."""
    names = user.groups.values_list("name", flat=True) if user is not None else ()
    return frozenset(Role(name) for name in names if name in set(Role))


def _nrens_of(user: User | None) -> list[Nren]:
    return list(Nren.objects.filter(memberships__user=user)) if user is not None else []


def _standing(user: User) -> dict[str, object]:
    return {
        "roles": sorted(user.groups.values_list("name", flat=True)),
        "nrens": sorted(user.memberships.values_list("nren__name", flat=True)),
        "email": user.email,
        "can_sign_in": user.has_usable_password(),
    }
