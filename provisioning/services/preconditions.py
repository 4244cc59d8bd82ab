"""A deed that is done only if nothing else happened to its object since it was read.

The trail says what happened: the version of an object is the length of its chains (`selectors.subjects`). Whoever writes to the
object appends to one of its chains, and holds that chain until COMMIT: of two who come at once with one version, one is refused.
Of a row of the network its fields count, too: an import writes them and no event about the row.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection
from typing import TypeVar

from django.db import transaction
from django.utils.crypto import salted_hmac

from provisioning.errors import ChangedSince
from provisioning.models import AuditEvent
from provisioning.selectors.subjects import Subject, subjects_of
from provisioning.services import audit
from provisioning.services.inventory.editable import KINDS, spelled, values_of

Done = TypeVar("Done")
Row = tuple[str, int]
"""The name of a model and the key of a row."""

_LETTERS = 16
_REFUSAL = "Something happened to it since you read it. Nothing was done; read it again."


def version_of(row: Row) -> str:
    """The version of an object, opaque: how much ever happened to it is not for everybody who sees it."""
    return _written(row, audit.length_of(subjects_of(*row)))


def check(row: Row, versions: Collection[str]) -> None:
    """Raise ChangedSince unless the object has one of these versions now."""
    if version_of(row) not in versions:
        raise ChangedSince(_REFUSAL)


def if_unchanged(row: Row, versions: Collection[str], act: Callable[[], Done]) -> Done:
    """Return what `act` returns, done in one transaction with the finding that the object has one of these versions.

    Raises ChangedSince, and nothing is done, where somebody else came before it, or between; what `act` raises.
    """
    with transaction.atomic():
        subjects = subjects_of(*row)
        length = audit.length_of(subjects)
        if _written(row, length) not in versions:
            raise ChangedSince(_REFUSAL)
        with audit.gathered() as events:
            done = act()
        # Whoever wrote about it while `act` waited for its row has committed by now, and its events are seen here.
        if audit.length_of(subjects) != length + _own(subjects, events):
            raise ChangedSince(_REFUSAL)
        return done


def _own(subjects: Collection[Subject], events: Collection[AuditEvent]) -> int:
    """How many of the events are about the object, without those that were rolled back."""
    about = [event.pk for event in events if (event.object_type, event.object_id) in subjects]
    return AuditEvent.objects.filter(pk__in=about).count()


def _written(row: Row, length: int) -> str:
    kind, key = row
    said = f"{kind}\n{key}\n{length}{_fields_of(kind, key)}"
    digest = salted_hmac("version of an object", said, algorithm="sha256")
    return digest.hexdigest()[:_LETTERS]


def _fields_of(kind: str, key: int) -> str:
    """How the fields of a row of the network read: an import writes them, and no event about the row."""
    model = next((each.model for each in KINDS if each.model.__name__ == kind), None)
    row = None if model is None else model._default_manager.filter(pk=key).first()
    return "" if row is None else "\n" + json.dumps(spelled(values_of(row)), sort_keys=True)
