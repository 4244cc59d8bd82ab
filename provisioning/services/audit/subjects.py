"""What an event binds of the row it is about: a digest that the row can be held against for as long as it is there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.db import models

from provisioning.models import PremiumRequest, RouterPush
from provisioning.pipeline.states import PushState
from provisioning.services.audit.values import plain, sha256_of

# By name, and never longer by itself: a column that a later version adds is not part of what was said before it.
_OF_A_REQUEST = (
    "nren_id", "receiving_nren_id", "source_link_id", "destination_link_id", "twin_id", "service_class", "rate_bps",
    "bucket_bytes", "max_packet_bytes", "start", "end", "source_prefixes", "destination_prefixes", "flow_label", "contact",
    "reason", "state", "held_until", "consent", "submitted_by_id", "decided_by_id", "decided_at", "decision_reason",
)  # fmt: skip
_NAMED_LATER = ("min_packet_bytes",)
"""Of a request, by name where it is said at all: what was said before anybody could is then bound as it was."""
_OF_A_PUSH = ("fingerprint", "plan_digest")


def digests_of_subjects(objs: Sequence[models.Model]) -> dict[tuple[str, str], str]:
    """What events bind of `objs` as they are stored now, by subject: all that a request says and is, or the plan that a
    push is approved with; nothing of anything else.
    """
    requests = [obj.pk for obj in objs if isinstance(obj, PremiumRequest)]
    pushes = [obj.pk for obj in objs if isinstance(obj, RouterPush) and obj.state == PushState.APPROVED]
    found = request_digests(requests) if requests else {}
    approved = push_digests(pushes) if pushes else {}
    return {
        **{("PremiumRequest", str(pk)): digest for pk, digest in found.items()},
        **{("RouterPush", str(pk)): digest for pk, digest in approved.items()},
    }


def request_digests(keys: Sequence[int] | None = None) -> Mapping[int, str]:
    """The digest of every request (of these keys) as it is stored now."""
    return _digests(PremiumRequest, _OF_A_REQUEST, keys, later=_NAMED_LATER)


def push_digests(keys: Sequence[int] | None = None) -> Mapping[int, str]:
    """The digest of the plan of every push (of these keys) as it is stored now."""
    return _digests(RouterPush, _OF_A_PUSH, keys)


def _digests(
    model: type[models.Model],
    fields: Sequence[str],
    keys: Sequence[int] | None,
    *,
    later: Sequence[str] = (),
) -> Mapping[int, str]:
    rows: models.QuerySet[Any] = model._default_manager.order_by()
    if keys is not None:
        rows = rows.filter(pk__in=keys)
    found = rows.values_list("pk", *fields, *later)
    # Of all of them in parts: a cursor of the server's. Of a few that are named it would be two journeys more.
    each = found.iterator(chunk_size=1000) if keys is None else found
    known = len(fields)
    return {
        pk: sha256_of(
            plain(
                [
                    *values[:known],
                    *({n: v} for n, v in zip(later, values[known:], strict=True) if v is not None),
                ]
            )
        )
        for pk, *values in each
    }
