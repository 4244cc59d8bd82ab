"""A deed that is done only if nothing else happened to its object since it was read.

What happened is what the trail says: the length of the object's chain is its version. Whoever writes to the object appends to
that chain and holds it until COMMIT, so that of two who come at once with the same version one is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TypeVar

from django.db import transaction
from django.utils.crypto import salted_hmac

from provisioning.errors import ChangedSince
from provisioning.models import AuditEvent
from provisioning.services import audit

Done = TypeVar("Done")
Subject = tuple[str, str]
"""The name of a model and the key of a row, as the trail has them."""

_LETTERS = 16
_REFUSAL = "Something happened to it since you read it. Nothing was done; read it again."


def version_of(subject: Subject) -> str:
    """The version of an object, opaque: how much ever happened to it is not for everybody who sees it."""
    return _written(subject, audit.length_of(subject))


def check(subject: Subject, versions: Collection[str]) -> None:
    """Raise ChangedSince unless the object has one of these versions now."""
    if version_of(subject) not in versions:
        raise ChangedSince(_REFUSAL)


def if_unchanged(subject: Subject, versions: Collection[str], act: Callable[[], Done]) -> Done:
    """Return what `act` returns, done in one transaction with the finding that the object has one of these versions.

    Raises ChangedSince, and nothing is done, where somebody else came before it, or between; what `act` raises.
    """
    with transaction.atomic():
        length = audit.length_of(subject)
        if _written(subject, length) not in versions:
            raise ChangedSince(_REFUSAL)
        with audit.gathered() as events:
            done = act()
        kind, key = subject
        own = AuditEvent.objects.filter(pk__in=events, object_type=kind, object_id=key).count()
        # Whoever wrote about it while `act` waited for its row has committed by now, and its events are seen here.
        if audit.length_of(subject) != length + own:
            raise ChangedSince(_REFUSAL)
        return done


def _written(subject: Subject, length: int) -> str:
    digest = salted_hmac("version of an object", f"{subject[0]}\n{subject[1]}\n{length}", algorithm="sha256")
    return digest.hexdigest()[:_LETTERS]
