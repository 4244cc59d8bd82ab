"""The rest of a series is given back."""

from __future__ import annotations

from django.db import transaction

from provisioning.errors import NotPermitted
from provisioning.models import Actor, PremiumRequest, Series
from provisioning.pipeline.change import RequestState
from provisioning.services import audit, clock, terms, transitions
from provisioning.services.charging import release_holds
from provisioning.services.series import members
from provisioning.services.wording import reason_text

_LIVE = (RequestState.SUBMITTED, RequestState.HELD, RequestState.ADMITTED, RequestState.ACTIVE)


def withdraw(*, actor: Actor, series: Series, reason: str) -> Series:
    """Withdraw every occurrence that has not ended, the one under way too, and return the series.

    What was granted stays charged until it is seen gone. Raises NotVisible, NotPermitted unless the actor acts for the NREN that
    asked or is the NOC, InvalidInput without a reason, and StaleState when nothing is left of it.
    """
    members.must_see(actor, series)
    if actor.user_id is None or not (actor.is_noc or series.nren_id in actor.nren_ids):
        raise NotPermitted("A series is withdrawn by the NREN that asked for it, or by the NOC.")
    why = reason_text(reason)
    with transaction.atomic():
        now = clock.now()
        keys = [row.pk for row in members.rows_in(members.locked_groups(series, _LIVE, now=now))]
        terms.lapse(keys, actor=actor)
        release_holds(keys, now=now)
        moved = transitions.move_all(
            model=PremiumRequest,
            keys=keys,
            from_states=_LIVE,
            to_state=RequestState.WITHDRAWN,
            actor=actor,
            reason=why,
            held_until=None,
        )
        audit.record(
            actor=actor,
            action="series.withdrawn",
            obj=series,
            reason=why,
            after={"requests": len(moved)},
            nren_ids=members.concerned(series),
        )
    return series
