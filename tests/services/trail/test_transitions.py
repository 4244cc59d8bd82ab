"""A state moves only along its table, once, with its event."""

from __future__ import annotations

import pytest

from provisioning.errors import NotVisible, StaleState
from provisioning.models import SYSTEM, AuditEvent, PremiumRequest
from provisioning.pipeline.states import REQUEST_TRANSITIONS, RequestState
from provisioning.services.transitions import move
from tests.services.requests.sixnet import submitted

pytestmark = [pytest.mark.usefixtures("six"), pytest.mark.once]


@pytest.mark.parametrize("before", list(RequestState))
@pytest.mark.parametrize("after", list(RequestState))
def test_every_step_of_the_table_and_no_other(before: RequestState, after: RequestState) -> None:
    request = submitted()
    PremiumRequest.objects.filter(pk=request.pk).update(state=before)
    events = AuditEvent.objects.count()
    if after in REQUEST_TRANSITIONS[before]:
        row = move(
            model=PremiumRequest,
            pk=request.pk,
            from_states=(before,),
            to_state=after,
            actor=SYSTEM,
            reason="r",
        )
        assert row.state == after
        assert row.state_changed_at > request.state_changed_at
        event = AuditEvent.objects.order_by("-sequence")[0]
        assert (event.before, event.after, event.reason) == ({"state": before}, {"state": after}, "r")
        assert event.action == f"request.{after.lower()}"
        assert AuditEvent.objects.count() == events + 1
    else:
        with pytest.raises(ValueError, match="not in the table"):
            move(
                model=PremiumRequest,
                pk=request.pk,
                from_states=(before,),
                to_state=after,
                actor=SYSTEM,
                reason="r",
            )
        assert PremiumRequest.objects.get(pk=request.pk).state == before
        assert AuditEvent.objects.count() == events


def test_a_row_that_moved_meanwhile_is_not_moved_again() -> None:
    request = submitted()
    step = {"model": PremiumRequest, "pk": request.pk, "actor": SYSTEM, "reason": "r"}
    move(from_states=(RequestState.SUBMITTED,), to_state=RequestState.REFUSED, **step)  # type: ignore[arg-type]
    events = AuditEvent.objects.count()
    with pytest.raises(StaleState) as stale:
        move(
            from_states=(RequestState.SUBMITTED, RequestState.HELD),
            to_state=RequestState.ADMITTED,
            decision_reason="too late",
            **step,  # type: ignore[arg-type]
        )
    assert stale.value.details == {"state": "REFUSED"}
    request.refresh_from_db()
    assert (request.state, request.decision_reason) == ("REFUSED", "")
    assert AuditEvent.objects.count() == events


def test_fields_change_with_the_state_and_are_in_the_event() -> None:
    request = submitted()
    move(
        model=PremiumRequest,
        pk=request.pk,
        from_states=(RequestState.SUBMITTED,),
        to_state=RequestState.REFUSED,
        actor=SYSTEM,
        reason="r",
        action="request.odd",
        decision_reason="because",
    )
    event = AuditEvent.objects.get(action="request.odd")
    assert event.before == {"state": "SUBMITTED", "decision_reason": ""}
    assert event.after == {"state": "REFUSED", "decision_reason": "because"}
    assert set(event.nren_ids) == {request.nren_id, request.receiving_nren_id}


def test_a_row_that_is_gone_is_named() -> None:
    with pytest.raises(NotVisible):
        move(
            model=PremiumRequest,
            pk=10**9,
            from_states=(RequestState.SUBMITTED,),
            to_state=RequestState.REFUSED,
            actor=SYSTEM,
            reason="r",
        )
