"""Whose word a change has and whose it still needs, read from the rows (ADR 16, ADR 44)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from django.conf import settings
from django.contrib.auth.models import User
from django.db.models import QuerySet

from provisioning.models import (
    Actor,
    Approval,
    BreakGlass,
    Change,
    Membership,
    Modification,
    PremiumRequest,
    Role,
    Series,
)
from provisioning.pipeline.authority import Behind, Parts, missing

Asked = PremiumRequest | Modification | Series
Members = Mapping[int, Mapping[int, str]]
"""By NREN its people, each with the name of the NREN."""


@dataclass(frozen=True, slots=True)
class People:
    """Of several changes who belongs to an NREN they concern, whose word counts, and who went ahead alone with which."""

    members: Members
    approvers: frozenset[int]
    alone: Mapping[int, frozenset[int]]

    @classmethod
    def of(cls, changes: Iterable[Change]) -> People:
        """Read for all of them in three queries, beside what was not read of them before."""
        found = list(changes)
        alone: dict[int, set[int]] = defaultdict(set)
        glass = BreakGlass.objects.filter(change__in=[change.pk for change in found]).order_by()
        for change, user in glass.values_list("change_id", "user_id"):
            alone[change].add(user)
        given = {each.user_id for change in found for each in given_to(change)}
        counting = approvers().filter(pk__in=given).values_list("pk", flat=True) if given else ()
        return cls(
            _members(request for change in found for request in change.requests.all()),
            frozenset(counting),
            {change: frozenset(users) for change, users in alone.items()},
        )


def behind_all(asked: Iterable[Asked], members: Members | None = None) -> tuple[Behind, ...]:
    """Who stands behind each of these: who asked for it as it is, who issued the tokens that were used, and who belongs to
    an NREN that it concerns (`members`, where they were read before).
    """
    found = list(asked)
    concerned = [one.request if isinstance(one, Modification) else one for one in found]
    known = _members(concerned) if members is None else members
    return tuple(
        _behind(one, {**known.get(of.receiving_nren_id or 0, {}), **known.get(of.nren_id, {})})
        for one, of in zip(found, concerned, strict=True)
    )


def _members(concerned: Iterable[PremiumRequest | Series]) -> Members:
    nrens = {nren for one in concerned for nren in (one.nren_id, one.receiving_nren_id) if nren is not None}
    found: dict[int, dict[int, str]] = defaultdict(dict)
    if nrens:
        rows = Membership.objects.filter(nren_id__in=nrens).order_by()
        for nren, user, name in rows.values_list("nren_id", "user_id", "nren__name"):
            found[nren][user] = name
    return found


def _behind(one: Asked, members: Mapping[int, str]) -> Behind:
    first = one.proposed_by_id if isinstance(one, Modification) else one.submitted_by_id
    users = {first, *(user for user, _issuer in one.behind)} - {None}
    issuers = {issuer for _user, issuer in one.behind} - {None}
    return Behind(one.reference, frozenset(users), frozenset(issuers), members)


def parts_of(change: Change, members: Members | None = None) -> Parts:
    """What a change carries and who stands behind each part of it, modifications that it puts on included; `members` where
    they were read before.
    """
    requests = list(change.requests.all())
    modifies = [key for key in change.modifies.values() if key]
    proposed = Modification.objects.filter(pk__in=modifies).select_related("request") if modifies else ()
    planners = frozenset(each for each in (change.submitted_by_id, change.issuer_id) if each is not None)
    return Parts(
        requests=behind_all([*requests, *proposed], members) if requests else (),
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


def words_on(change: Change, people: People | None = None) -> list[frozenset[int]]:
    """The people behind each approval of a change that counts: who gave it, and who issued the token it was given with."""
    counting = (people or People.of([change])).approvers
    return [one.word for one in given_to(change) if one.user_id in counting]


def missing_of(
    change: Change, *, besides: Actor | None = None, people: People | None = None
) -> tuple[str, ...]:
    """What keeps the approvals of a change from being enough, a sentence each; `besides` as if this person had approved.

    Nothing is missing where an approver went ahead alone by break-glass. Whoever asks of many changes reads `people` once.
    """
    people = people or People.of([change])
    words = words_on(change, people)
    if besides is not None and besides.user_id is not None:
        words.append(frozenset({besides.user_id, besides.issuer_id or besides.user_id}))
    lacking = missing(parts_of(change, people.members), words)
    alone = people.alone.get(change.pk, frozenset())
    return () if any(alone & word for word in words) else lacking
