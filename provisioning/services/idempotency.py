"""One POST, one deed: a client that repeats itself under the same Idempotency-Key gets the first answer
again.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Collection
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any, ClassVar

from django.db import IntegrityError, transaction
from django.db.models import QuerySet

from provisioning.errors import ExpediteError, InvalidInput
from provisioning.models import ApiToken, IdempotencyKey

LONGEST_KEY = 200
_FAILED = 400


class KeyReused(InvalidInput):
    """The key was used before with something else in the request."""

    code: ClassVar[str] = "idempotency-key-reused"
    status: ClassVar[int] = 422


@dataclass(frozen=True)
class Answer:
    """What was answered: status, JSON body, and whether it was answered before."""

    status: int
    body: dict[str, Any]
    replayed: bool


Answered = tuple[int, dict[str, Any]]


def once(*, token: ApiToken, key: str, request: dict[str, Any], act: Callable[[], Answered]) -> Answer:
    """Return what `act` answers, or what it answered when `token` first used `key` for the same `request`.

    The key's row is written in the transaction of the deed: a deed that fails, or answers 400 or more, leaves no key behind
    and may be tried again; of two that arrive together the second waits and gets the first one's answer. An answer is kept for
    `KEEP_IDEMPOTENCY_KEYS_DAYS` (services/retention).

    Raises:
        InvalidInput: the key is empty, longer than 200 characters or not printable ASCII.
        KeyReused: the key was used for another request.
        Whatever `act` raises.
    """
    return once_prepared(token=token, key=key, request=request, prepare=lambda: nullcontext(act))


def once_prepared(
    *,
    token: ApiToken,
    key: str,
    request: dict[str, Any],
    prepare: Callable[[], AbstractContextManager[Callable[[], Answered]]],
    secret: Collection[str] = (),
) -> Answer:
    """As `once`, for a deed of which a part is done before the transaction of the key: what `prepare` gives is done in it. Two
    that arrive together may both prepare; the second gets the first one's answer if that is there by then.

    The members `secret` of an answer are given once and not kept: they are null when the answer comes again.
    """
    if not (0 < len(key) <= LONGEST_KEY and key.isascii() and key.isprintable()):
        raise InvalidInput(f"Idempotency-Key is 1 to {LONGEST_KEY} printable ASCII characters.")
    digest = hashlib.sha256(json.dumps(request, sort_keys=True).encode()).hexdigest()
    known = _known(token, key, digest)
    if known is not None:
        return known
    try:
        with prepare() as act, transaction.atomic():
            with transaction.atomic():
                row = IdempotencyKey.objects.create(token=token, key=key, body_digest=digest)
            status, body = act()
            if status < _FAILED:
                IdempotencyKey.objects.filter(pk=row.pk).update(
                    status=status, response=body | dict.fromkeys(secret)
                )
            else:
                row.delete()
    except (IntegrityError, ExpediteError):
        known = _known(token, key, digest)
        if known is None:
            raise
        return known
    return Answer(status, body, replayed=False)


def was_used(token: ApiToken | None, key: str) -> bool:
    """Whether something was done under this key by this token."""
    return _answered(token, key).exists()


def _answered(token: ApiToken | None, key: str) -> QuerySet[IdempotencyKey]:
    return IdempotencyKey.objects.filter(token=token, key=key, status__isnull=False)


def _known(token: ApiToken, key: str, digest: str) -> Answer | None:
    row = _answered(token, key).first()
    if row is None:
        return None
    if row.body_digest != digest:
        raise KeyReused("This Idempotency-Key was used before with another request.")
    assert row.status is not None and row.response is not None, "a key's row is committed with its answer"
    return Answer(row.status, row.response, replayed=True)
