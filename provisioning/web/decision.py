"""What a person may do with a request, and why not: the page shows it, the services enforce it."""

from __future__ import annotations

from dataclasses import dataclass

from provisioning.models import Actor, Consent, Modification, PremiumRequest
from provisioning.pipeline.admission import Admitted, Refused
from provisioning.pipeline.change import RequestState
from provisioning.selectors.waiting import Wait

OPEN = {RequestState.SUBMITTED, RequestState.HELD}
TAKEABLE = OPEN | {RequestState.ADMITTED, RequestState.ACTIVE}


@dataclass(frozen=True)
class Options:
    """Which actions are offered to this person; ``why_not`` explains in words why admitting is not."""

    admit: bool
    refuse: bool
    hold: bool
    unhold: bool
    withdraw: bool
    consent: bool
    modify: bool
    end_early: bool
    retry: bool
    why_not: tuple[str, ...]


def options_for(
    actor: Actor, asked: PremiumRequest, verdict: Admitted | Refused | None, wait: Wait | None = None
) -> Options:
    """Return what is offered; ``verdict`` is the fresh one, None when the request is decided; ``wait`` why it waits."""
    undecided = asked.state in OPEN
    decides = actor.is_noc and undecided and asked.series_id is None
    own = asked.submitted_by_id == actor.user_id
    why_not: list[str] = []
    if decides:
        if own:
            why_not.append(
                "You submitted this request yourself. Whoever asks never decides: somebody else of the NOC has to."
            )
        if asked.consent == Consent.PENDING:
            why_not.append(f"{asked.receiving_nren} has not agreed to receive it yet.")
        if asked.consent == Consent.DECLINED:
            why_not.append(f"{asked.receiving_nren} declined to receive it.")
        if isinstance(verdict, Refused):
            why_not.append("It does not fit; nobody can admit past the share. The reasons are below.")
    asks = asked.nren_id in actor.nren_ids or actor.is_noc
    receives = asked.receiving_nren_id is not None and asked.receiving_nren_id in actor.nren_ids
    return Options(
        admit=decides and not why_not and isinstance(verdict, Admitted),
        refuse=decides and not own,
        hold=decides and not own and asked.state == RequestState.SUBMITTED and isinstance(verdict, Admitted),
        unhold=decides and not own and asked.state == RequestState.HELD,
        withdraw=asks and asked.state in TAKEABLE,
        consent=receives
        and undecided
        and asked.series_id is None
        and asked.consent in {Consent.PENDING, Consent.GIVEN},
        modify=asks and asked.state in TAKEABLE,
        end_early=asks and asked.state in TAKEABLE - OPEN,
        retry=actor.is_noc and wait is not None and wait.retry,
        why_not=tuple(why_not),
    )


def may_take(actor: Actor, asked: PremiumRequest) -> bool:
    """Return whether offers have a button; the service decides."""
    asks = asked.nren_id in actor.nren_ids or actor.is_noc
    return asks and asked.state in OPEN | {RequestState.REFUSED}


def modifications_for(actor: Actor, asked: PremiumRequest) -> list[tuple[Modification, tuple[str, ...]]]:
    """Return what a request is, or was, to become, the newest first, each with the deeds offered to this person."""
    asks = asked.nren_id in actor.nren_ids or actor.is_noc
    receives = asked.receiving_nren_id is not None and asked.receiving_nren_id in actor.nren_ids
    found = []
    for each in asked.modifications.select_related("proposed_by", "decided_by"):
        decides = actor.is_noc and each.state == "PROPOSED" and each.proposed_by_id != actor.user_id
        answers = receives and each.state == "PROPOSED" and each.consent in {Consent.PENDING, Consent.GIVEN}
        agreed = each.consent not in {Consent.PENDING, Consent.DECLINED}
        deeds = {
            "admit": decides and agreed,
            "refuse": decides,
            "consent": answers,
            "withdraw": asks and each.is_open,
        }
        found.append((each, tuple(name for name, offered in deeds.items() if offered)))
    return found
