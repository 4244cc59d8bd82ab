"""Whose word a change has and whose it still needs, read from the rows (ADR 16, ADR 44)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from django.conf import settings
from django.contrib.auth.models import User
from django.db.models import QuerySet

from provisioning.models import (
    Actor,
    Approval,
    Change,
    Membership,
    Modification,
    PremiumRequest,
    Role,
    Series,
)
from provisioning.pipeline.authority import Behind, Parts, missing

Asked = PremiumRequest | Modification | Series


def behind_all(asked: Iterable[Asked]) -> tuple[Behind, ...]:
    """Who stands behind each of these: who asked for it as it is, who issued the tokens that were used, and who belongs to
    an NREN that it concerns.
    """
    found = list(asked)
    concerned = [one.request if isinstance(one, Modification) else one for one in found]
    nrens = {nren for one in concerned for nren in (one.nren_id, one.receiving_nren_id) if nren is not None}
    members: dict[int, dict[int, str]] = defaultdict(dict)
    rows = Membership.objects.filter(nren_id__in=nrens).order_by()
    for nren, user, name in rows.values_list("nren_id", "user_id", "nren__name"):
        members[nren][user] = name
    return tuple(
        _behind(one, {**members[of.receiving_nren_id or 0], **members[of.nren_id]})
        for one, of in zip(found, concerned, strict=True)
    )


def _behind(one: Asked, members: dict[int, str]) -> Behind:
    first = one.proposed_by_id if isinstance(one, Modification) else one.submitted_by_id
    users = {first, *(user for user, _issuer in one.behind)} - {None}
    issuers = {issuer for _user, issuer in one.behind} - {None}
    return Behind(one.reference, frozenset(users), frozenset(issuers), members)


def parts_of(change: Change) -> Parts:
    """What a change carries and who stands behind each part of it, modifications that it puts on included."""
    requests = list(change.requests.all())
    modifies = [key for key in change.modifies.values() if key]
    proposed = Modification.objects.filter(pk__in=modifies).select_related("request") if modifies else ()
    planners = frozenset(each for each in (change.submitted_by_id, change.issuer_id) if each is not None)
    return Parts(
        requests=behind_all([*requests, *proposed]) if requests else (),
        planners=planners,
        base_lines=change.base_lines,
        two=settings.TWO_PEOPLE,
    )


def approvers() -> QuerySet[User]:
    """The people whose word counts today: who left, or approves no more, is not asked what they said before."""
    return User.objects.filter(is_active=True, groups__name__in=(Role.APPROVER, Role.NOC)).distinct()


def given_to(change: Change) -> list[Approval]:
    """The approvals of a change with who gave them and from which change they came over, oldest first."""
    return list(change.approvals.all())


def words_on(change: Change) -> list[frozenset[int]]:
    """The people behind each approval of a change that counts: who gave it, and who issued the token it was given with."""
    given = given_to(change)
    if not given:
        return []
    counting = set(approvers().filter(pk__in=[each.user_id for each in given]).values_list("pk", flat=True))
    return [one.word for one in given if one.user_id in counting]


def missing_of(change: Change, *, besides: Actor | None = None) -> tuple[str, ...]:
    """What keeps the approvals of a change from being enough, a sentence each; `besides` as if this person had approved.

    Nothing is missing where an approver went ahead alone by break-glass.
    """
    words = words_on(change)
    if besides is not None and besides.user_id is not None:
        words.append(frozenset({besides.user_id, besides.issuer_id or besides.user_id}))
    lacking = missing(parts_of(change), words)
    if lacking and words:
        alone = set(change.broken_glass.values_list("user_id", flat=True))
        if any(alone & word for word in words):
            return ()
    return lacking
