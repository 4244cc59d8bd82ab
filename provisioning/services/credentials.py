"""Router credentials: stored encrypted, handed to the drivers as a `Target`, re-encrypted when the keys
change.

No log line, audit event or error of this module carries a password, not even its length.
"""

from __future__ import annotations

from typing import Literal

from cryptography.fernet import InvalidToken
from django.core.exceptions import ImproperlyConfigured
from django.db import transaction

from inventory.models import Router
from provisioning.drivers.base import Target
from provisioning.errors import (
    AuthenticationRefused,
    Conflict,
    HostKeyChanged,
    InvalidInput,
    Unreachable,
)
from provisioning.models import Actor, Channel, Credential, Subscriber, Verb
from provisioning.selectors.authority import permit
from provisioning.services import audit
from provisioning.services.identity.factors import encrypt_anew
from provisioning.services.locking import locked

Stored = Literal["created", "updated", "unchanged"]


def store(*, actor: Actor, router: Router, username: str, password: str, enable: str = "") -> Stored:
    """Keep how to sign in to `router` and return whether that is new, changed or the same.

    Raises:
        NotPermitted: the actor is neither NOC staff nor the command line.
        InvalidInput: a user name is missing, or a value would not survive being typed on a terminal line.
    """
    permit(actor, Verb.CREDENTIALS)
    if not username:
        raise InvalidInput("is needed to sign in", field="username")
    for field, value in (("username", username), ("password", password), ("enable", enable)):
        if value and not value.isprintable():
            raise InvalidInput("must be one line without control characters", field=field)
    wanted = {"username": username, "password": password, "enable": enable}
    with transaction.atomic():
        credential = locked(Credential.objects.filter(router=router)).first()
        if credential is None:
            Credential.objects.create(router=router, **wanted)
            outcome: Stored = "created"
        else:
            changed = [
                field for field, value in wanted.items() if (getattr(credential, field) or "") != value
            ]
            if not changed:
                return "unchanged"
            for field in changed:
                setattr(credential, field, wanted[field])
            credential.save()
            outcome = "updated"
        audit.record(
            actor=actor,
            action=f"credential.{outcome}",
            obj=router,
            reason="",
            before=None,
            after={"username": username},
        )
    return outcome


REACHED_BY = frozenset({"management_host", "management_port", "host_key"})
"""What of a router says to whom its password is given."""


def may_sign_in(router: Router) -> bool:
    """Whether it is known how to sign in to this router."""
    return Credential.objects.filter(router=router).exists()


def give_up(router: Router) -> bool:
    """Delete how to sign in to a router that is reached elsewhere from now on; return whether there was anything.

    Who may change where a router is reached may not read its password: it would go to whatever answers there.
    """
    return bool(Credential.objects.filter(router=router).delete()[0])


def forget(*, actor: Actor, router: Router) -> bool:
    """Give up how to sign in to a router (`give_up`), with an event of its own; return whether there was anything."""
    given_up = give_up(router)
    if given_up:
        audit.record(
            actor=actor,
            action="credential.forgotten",
            obj=router,
            reason="it is reached elsewhere from now on",
            before=None,
            after=None,
        )
    return given_up


def for_router(*, router: Router) -> Target:
    """Return what a driver needs to open a session on `router`.

    Raises:
        Unreachable: no management address is recorded.
        AuthenticationRefused: no credential is recorded.
        HostKeyChanged: no host key is pinned; an unknown key is never accepted.
    """
    if not router.management_host:
        raise Unreachable(f"No management address is recorded for {router.name}.", router=router.name)
    credential = Credential.objects.filter(router=router).first()
    if credential is None:
        raise AuthenticationRefused(f"No credential is recorded for {router.name}.", router=router.name)
    if not router.host_key:
        raise HostKeyChanged(
            f"No host key is pinned for {router.name}; an unknown key is not accepted.", router=router.name
        )
    return Target(
        name=router.name,
        host=router.management_host,
        port=router.management_port,
        username=credential.username,
        password=credential.password or "",
        enable=credential.enable or "",
        host_key=router.host_key,
        ssh_profile=router.ssh_profile,
        platform=router.platform,
        driver=router.driver,
        ios=router.ios,
        serial=router.serial,
        engines=tuple((card.slot, card.engine) for card in router.line_cards.all()),
    )


def rotate(*, actor: Actor) -> int:
    """Encrypt every credential anew with the first key of ``CREDENTIAL_KEYS``, the addresses and secrets of webhooks and the
    secrets of second factors, too; return how many credentials there are.

    All or nothing: afterwards the older keys are not needed any more.

    Raises:
        NotPermitted: the actor is neither NOC staff nor the command line.
        Conflict: a credential cannot be read with any of the keys; nothing was changed.
    """
    permit(actor, Verb.CREDENTIALS)
    with transaction.atomic():
        try:
            encrypt_anew()
            credentials = list(locked(Credential.objects.order_by("pk")))
            webhooks = list(locked(Subscriber.objects.filter(channel=Channel.WEBHOOK).order_by("pk")))
        except ImproperlyConfigured as error:
            raise Conflict(f"{error} Nothing was changed.") from error
        except InvalidToken as error:
            raise Conflict("A second factor cannot be read with any key. Nothing was changed.") from error
        for credential in credentials:
            credential.save(update_fields=["password", "enable"])
        for webhook in webhooks:
            webhook.save(update_fields=["url", "secret"])
        if credentials:
            audit.record(
                actor=actor,
                action="credential.rotate",
                obj=credentials[0].router,
                reason="encrypted anew with the first key",
                before=None,
                after={"credentials": len(credentials)},
            )
    return len(credentials)
