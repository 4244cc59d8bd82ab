"""A form that was sent after its session had ended: kept for whoever wrote it, and given back to nobody else."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import timedelta
from typing import Any, Final

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Q

from provisioning.models import KeptForm
from provisioning.services import clock
from provisioning.services.locking import locked

LONGEST: Final = 250_000
"""Characters of names and values together: what a form may hold (a pasted network file), and some more."""
MOST_FIELDS: Final = 200
LASTS: Final = timedelta(hours=12)
"""So long it is given back: a night."""
AGAIN: Final = timedelta(minutes=10)
"""So long after it was first given back it is once more: the page is loaded again, or its answer was lost."""
_SECRET: Final = re.compile(r"pass(word|phrase)|secret|token|otp|recovery|credential|private", re.IGNORECASE)

_SECRET_WITHIN: Final = re.compile(r"\b(pass(word|phrase)|enable|secret|private_key)\s*[:=]", re.IGNORECASE)
"""In a text: a network file may hold how routers are signed in to."""

Fields = Sequence[tuple[str, Sequence[str]]]


def keep(*, user_id: int, address: str, fields: Iterable[tuple[str, Sequence[str]]]) -> bool:
    """Keep what somebody wrote in the place of what was kept of theirs; returns whether it is kept.

    Fields whose name or text speaks of a secret are left out, and nothing is kept that is longer than `LONGEST`, of more fields
    than `MOST_FIELDS`, or of an account that is closed.
    """
    said = [
        [name, list(values)]
        for name, values in fields
        if not _SECRET.search(name) and not any(_SECRET_WITHIN.search(value) for value in values)
    ]
    texts = [text for name, values in said for text in (name, *values)]
    if not said or len(said) > MOST_FIELDS or sum(map(len, texts)) > LONGEST or len(address) > 500:
        return False
    if any("\0" in text for text in (address, *texts)):  # PostgreSQL keeps none
        return False
    with transaction.atomic():
        # The person first: of two forms sent at once the later one waits, and both find the row or make it.
        if locked(User.objects.filter(pk=user_id, is_active=True)).first() is None:
            return False
        row = KeptForm.objects.filter(user_id=user_id).first() or KeptForm(user_id=user_id)
        row.address, row.fields, row.kept_at, row.shown_at = address, said, clock.now(), None
        row.save()
    return True


def give_back(*, user_id: int, address: str) -> Fields:
    """Return what this person wrote on the page of this address, until some minutes after it was first given back."""
    now = clock.now()
    fresh = Q(shown_at=None) | Q(shown_at__gt=now - AGAIN)
    row = KeptForm.objects.filter(fresh, user_id=user_id, address=address, kept_at__gt=now - LASTS).first()
    if row is None:
        return ()
    KeptForm.objects.filter(pk=row.pk, shown_at=None, kept_at=row.kept_at).update(shown_at=now)
    said: Any = row.fields
    return [(str(name), [str(value) for value in values]) for name, values in said]


def let_go(*, user_id: int, address: str) -> None:
    """Forget what this person wrote there: it is sent again."""
    KeptForm.objects.filter(user_id=user_id, address=address).delete()
