"""Why may I not? The objections to a deed, as values: services refuse by them; pages, commands and the API only spell them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from django.db.models import Q

from provisioning.errors import NotPermitted
from provisioning.models import Actor, Change, Membership, Modification, PremiumRequest, Series, Verb
from provisioning.pipeline.authority import Behind, Objection, Why, objections, objections_to_approving
from provisioning.pipeline.states import OPEN_MODIFICATIONS
from provisioning.selectors.approvals import Asked, behind_all, parts_of, words_on

_NAMELESS = "This is done by a person who gives a name, not by Expedite itself."


def to_role(actor: Actor, verb: Verb) -> tuple[Objection, ...]:
    """Why the table does not give the actor this verb at all; empty when it does."""
    if actor.is_system:
        return () if verb.row.itself else (Objection(Why.NAMELESS, _NAMELESS),)
    return () if actor.may(verb) else (Objection(Why.ROLE, verb.row.refusal),)


def permit(actor: Actor, verb: Verb) -> None:
    """Raise NotPermitted unless the table gives the actor this verb."""
    refuse_by(to_role(actor, verb))


def permit_named(actor: Actor, verb: Verb) -> int:
    """As `permit`, for what only a person does; returns the key of the user."""
    permit(actor, verb)
    if actor.user_id is None:
        raise NotPermitted(_NAMELESS)
    return actor.user_id


def permit_with(actor: Actor, verb: Verb, asked: PremiumRequest | Series) -> int:
    """As `permit_named`, with this request or series: its sender's or its receiver's people where the table says so."""
    person = permit_named(actor, verb)
    if not actor.may_with(verb, asked.nren_id, asked.receiving_nren_id):
        raise NotPermitted(verb.row.refusal_with)
    return person


def refuse_by(found: Sequence[Objection]) -> None:
    """Raise NotPermitted with the sentences of the objections; nothing when there is none."""
    if found:
        raise NotPermitted(" ".join(each.text for each in found))


def people_of(actor: Actor) -> frozenset[int]:
    """Whose word it is when the actor speaks: the user, and whoever issued the token it speaks with."""
    return frozenset(person for person in (actor.user_id, actor.issuer_id) if person is not None)


def to_deciding(actor: Actor, asked: Iterable[Asked]) -> tuple[Objection, ...]:
    """Why the actor does not admit, refuse or hold these requests (with their twins), modifications or series."""
    return to_role(actor, Verb.DECIDE) or objections(people_of(actor), behind_all(asked))


def to_approving_lines(actor: Actor, requests: Iterable[PremiumRequest]) -> tuple[Objection, ...]:
    """Why the actor does not approve the lines of these requests ahead."""
    rows = list(requests)
    opened = Modification.objects.filter(
        request__in=[row.pk for row in rows], state__in=[state.value for state in OPEN_MODIFICATIONS]
    )
    return to_role(actor, Verb.APPROVE_LINES) or objections(
        people_of(actor), behind_all([*rows, *opened.select_related("request")]), "approves its lines"
    )


def to_approving(actor: Actor, change: Change) -> tuple[Objection, ...]:
    """Why the actor does not approve a change."""
    return to_role(actor, Verb.APPROVE) or objections_to_approving(
        parts_of(change), people_of(actor), words_on(change), change.reference
    )


def to_quota(actor: Actor, nren_id: int | None) -> tuple[Objection, ...]:
    """Why the actor does not set the quota of an NREN, or (None) of all."""
    found = to_role(actor, Verb.QUOTA)
    people = people_of(actor)
    theirs = Membership.objects.filter(Q(nren_id=nren_id) if nren_id is not None else Q(), user_id__in=people)
    if not found and (member := theirs.select_related("nren").first()) is not None:
        name = "The quota"
        behind = Behind(name, members=dict.fromkeys(people, member.nren.name))
        found = objections(people, [behind], "sets it")
    return found


def overridable(found: Sequence[Objection]) -> bool:
    """Whether an approver may act against all of these by break-glass."""
    return bool(found) and all(each.why.can_be_overridden for each in found)
