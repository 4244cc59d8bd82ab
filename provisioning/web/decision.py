"""What a person may do with a request, and why not, spelled for its page by the table and its objections (pipeline/authority)."""

from __future__ import annotations

from dataclasses import dataclass

from provisioning.models import Actor, Consent, Modification, PremiumRequest, Series, Verb
from provisioning.pipeline.admission import Admitted, Refused
from provisioning.pipeline.states import RequestState
from provisioning.selectors.authority import overridable, to_deciding
from provisioning.selectors.waiting import Wait

OPEN = {RequestState.SUBMITTED, RequestState.HELD}
TAKEABLE = OPEN | {RequestState.ADMITTED, RequestState.ACTIVE}


@dataclass(frozen=True)
class Options:
    """Which actions are offered to this person; ``why_not`` explains in words why admitting is not.

    ``alone`` are the objections against which they could admit it by break-glass; nothing else is in the way then.
    """

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
    alone: tuple[str, ...] = ()
    again: bool = False


def options_for(
    actor: Actor, asked: PremiumRequest, verdict: Admitted | Refused | None, wait: Wait | None = None
) -> Options:
    """Return what is offered; ``verdict`` is the fresh one, None when the request is decided; ``wait`` why it waits."""
    undecided = asked.state in OPEN
    of_noc = actor.is_noc and undecided and asked.series_id is None
    against = to_deciding(actor, [asked, *([asked.twin] if asked.twin else [])]) if of_noc else ()
    decides = of_noc and actor.may(Verb.DECIDE)
    in_the_way: list[str] = []
    if of_noc:
        if asked.consent == Consent.PENDING:
            in_the_way.append(f"{asked.receiving_nren} has not agreed to receive it yet.")
        if asked.consent == Consent.DECLINED:
            in_the_way.append(f"{asked.receiving_nren} declined to receive it.")
        if isinstance(verdict, Refused):
            in_the_way.append("It does not fit; nobody can admit past the share. The reasons are below.")
    fits = isinstance(verdict, Admitted)
    said = tuple(each.text for each in against)
    return Options(
        admit=decides and not said and not in_the_way and fits,
        refuse=decides and not said,
        hold=decides and not said and asked.state == RequestState.SUBMITTED and fits,
        unhold=decides and not said and asked.state == RequestState.HELD,
        withdraw=may_with(actor, Verb.END, asked) and asked.state in TAKEABLE,
        consent=may_with(actor, Verb.ANSWER, asked)
        and undecided
        and asked.series_id is None
        and asked.consent in {Consent.PENDING, Consent.GIVEN},
        modify=may_with(actor, Verb.ASK, asked) and asked.state in TAKEABLE,
        end_early=may_with(actor, Verb.END, asked) and asked.state in TAKEABLE - OPEN,
        again=may_with(actor, Verb.ASK, asked),
        retry=actor.may(Verb.PLAN) and wait is not None and wait.retry,
        why_not=(*said, *in_the_way),
        alone=said if overridable(against) and not in_the_way and fits else (),
    )


def may_with(actor: Actor, verb: Verb, asked: PremiumRequest | Series) -> bool:
    """Return whether the table gives this person the verb with this request or series."""
    return actor.may_with(verb, asked.nren_id, asked.receiving_nren_id)


def may_take(actor: Actor, asked: PremiumRequest) -> bool:
    """Return whether offers have a button; the service decides."""
    return may_with(actor, Verb.ASK, asked) and asked.state in OPEN | {RequestState.REFUSED}


def modifications_for(actor: Actor, asked: PremiumRequest) -> list[tuple[Modification, tuple[str, ...]]]:
    """Return what a request is, or was, to become, the newest first, each with the deeds offered to this person."""
    found = []
    for each in asked.modifications.select_related("request", "proposed_by", "decided_by"):
        proposed = each.state == "PROPOSED"
        decides = proposed and not to_deciding(actor, [each])
        answers = (
            may_with(actor, Verb.ANSWER, asked)
            and proposed
            and each.consent in {Consent.PENDING, Consent.GIVEN}
        )
        agreed = each.consent not in {Consent.PENDING, Consent.DECLINED}
        deeds = {
            "admit": decides and agreed,
            "refuse": decides,
            "consent": answers,
            "withdraw": may_with(actor, Verb.END, asked) and each.is_open,
        }
        found.append((each, tuple(name for name, offered in deeds.items() if offered)))
    return found
