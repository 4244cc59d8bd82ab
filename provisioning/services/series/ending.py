"""The rest of a series is given back."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from django.db import transaction

from provisioning.models import Actor, PremiumRequest, Series, Verb
from provisioning.pipeline.states import RequestState
from provisioning.selectors.series import LIVE
from provisioning.services import audit, clock, terms, transitions
from provisioning.services.charging import release_holds
from provisioning.services.series import members
from provisioning.services.wording import reason_text


def withdraw(*, actor: Actor, series: Series, reason: str) -> Series:
    """Withdraw every occurrence that has not ended, the one under way too, and return the series.

    What was granted stays charged until it is seen gone. Raises NotVisible, NotPermitted unless the actor acts for the NREN that
    asked or is the NOC, InvalidInput without a reason, and StaleState when nothing is left of it.
    """
    members.may_change(actor, series, Verb.END)
    why = reason_text(reason)
    with transaction.atomic():
        now = clock.now()
        keys = [row.pk for row in members.rows_in(members.locked_groups(series, LIVE, now=now))]
        moved = give_back(keys, actor=actor, reason=why, now=now)
        audit.record(
            actor=actor,
            action="series.withdrawn",
            obj=series,
            reason=why,
            after={"requests": len(moved)},
            nren_ids=members.concerned(series),
        )
    return series


def give_back(keys: Collection[int], *, actor: Actor, reason: str, now: datetime) -> list[PremiumRequest]:
    """Withdraw these occurrences (keys of their requests), which are locked, and return them. Holds end, and what they were to
    become comes to nothing.
    """
    terms.lapse(keys, actor=actor)
    release_holds(keys, now=now)
    return transitions.move_all(
        model=PremiumRequest,
        keys=keys,
        from_states=LIVE,
        to_state=RequestState.WITHDRAWN,
        actor=actor,
        reason=reason,
        held_until=None,
    )
